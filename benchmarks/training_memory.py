"""What training keeps on one GPU: weights, gradients and Adam's state, and activations."""

import json
import subprocess
import sys

from benchmarks.harness import REPEATS, BenchmarkError, Summary, rounded

PROGRAM = "snippets/megatron/memory.py"
PARTS = {
    "state": "weights, gradients and Adam's state",
    "kept": "what the forward pass keeps for the backward pass",
    "peak": "the peak of a step",
}


def run(bench):
    with bench.part("memory of training"):
        command = [sys.executable, PROGRAM, "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        if done.returncode:
            raise BenchmarkError(f"{PROGRAM} ended with {done.returncode}: {done.stderr[-2000:]}")
    for way, found in json.loads(done.stdout).items():
        for part, words in PARTS.items():
            bench.micro(
                f"training-memory-{way.replace(', ', '-')}-{part}",
                f"Training of 670 million parameters in {way}: {words}",
                Summary(rounded(found[part]), 0.0, REPEATS),
                unit="GB",
                kernel=PROGRAM,
                method="bytes that torch.cuda has allocated, in the second step; they do not vary",
            )
