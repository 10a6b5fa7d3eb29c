"""Four GPUs: a training step under DDP and FSDP, ours and PyTorch's, with its peak of memory."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.ddp_fsdp import FOLDER, WAYS
from benchmarks.harness import REPEATS, ROOT, BenchmarkError, Summary, rounded, summarize

GPUS = 4


def run(bench):
    with bench.part("DDP and FSDP"), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "measure.py", str(REPEATS), str(file)]
        try:
            done = subprocess.run(
                command, cwd=ROOT / FOLDER, capture_output=True, text=True, timeout=100
            )
        except subprocess.TimeoutExpired as late:
            raise BenchmarkError(f"measure.py did not end in 100 s: {late.stdout}") from None
        if done.returncode:
            raise BenchmarkError(f"measure.py ended with {done.returncode}: {done.stderr[-2000:]}")
        bench.say(done.stdout)
        found = json.loads(file.read_text(encoding="utf-8"))
    for name, (words, source) in WAYS.items():
        title = f"A training step of 319 million parameters on {GPUS} GPUs, {words}"
        title = title.replace("without a second GPU", "each GPU for itself")
        times = summarize([ms / 1e3 for ms in found[name]["ms"]])
        method = "torchrun, 8 x 512 tokens on each GPU, TF32; CUDA events, the slowest rank counts"
        kernel = FOLDER + source
        bench.micro(f"{name}-step-{GPUS}", title, times, unit="ms", method=method, kernel=kernel)
        bench.micro(
            f"{name}-memory-{GPUS}",
            f"{title}: peak of memory on rank 0",
            Summary(rounded(found[name]["bytes"] / 1e9), 0.0, REPEATS),
            unit="GB",
            method="torch.cuda.max_memory_allocated after warm-up",
            kernel=kernel,
        )
