"""Two GPUs: a training step under DDP and FSDP, ours and PyTorch's, with its peak of memory."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, Summary, rounded, summarize

GPUS = 2
FOLDER = "snippets/ddp_fsdp/"
WAYS = {
    "one-gpu": ("without a second GPU", "measure.py"),
    "ddp": ("our DDP", "ddp.py"),
    "ddp-torch": ("torch's DDP", "measure.py"),
    "ddp-wait": ("our DDP, all buckets at the end", "ddp.py"),
    "ddp-small": ("our DDP, buckets of 256 KiB", "ddp.py"),
    "fsdp": ("our FSDP", "fsdp.py"),
    "fsdp-torch": ("torch's FSDP2", "measure.py"),
    "fsdp-keep": ("our FSDP, layers kept for the backward pass", "fsdp.py"),
}


def run(bench):
    with bench.part("DDP and FSDP"), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "measure.py", str(REPEATS), str(file)]
        done = subprocess.run(
            command, cwd=ROOT / FOLDER, capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            raise BenchmarkError(f"measure.py ended with {done.returncode}: {done.stderr[-2000:]}")
        bench.say(done.stdout)
        found = json.loads(file.read_text(encoding="utf-8"))
    for name, (words, source) in WAYS.items():
        title = f"A training step of 319 million parameters, {words}"
        times = summarize([ms / 1e3 for ms in found[name]["ms"]])
        method = "torchrun, 8 x 512 tokens on each GPU, TF32; CUDA events, the slower rank counts"
        kernel = FOLDER + source
        bench.micro(f"{name}-step", title, times, unit="ms", method=method, kernel=kernel)
        peak = Summary(rounded(found[name]["bytes"] / 1e9), 0.0, REPEATS)
        bench.micro(
            f"{name}-memory",
            f"{title}: peak of memory on rank 0",
            peak,
            unit="GB",
            method="torch.cuda.max_memory_allocated after warm-up",
            kernel=kernel,
        )
