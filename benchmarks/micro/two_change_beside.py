"""Two GPUs: the kernels of a step under our DDP on a model twice as wide, by a profiler.

Hypothesis: on the wide model the host is not late, and overlap still hides a third of the
all-reduces, because the backward pass shares multiprocessors and memory with them. Then the same
kernels take longer with overlap, by about what the all-reduces would have cost at the end.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, rounded, summarize
from benchmarks.micro import two_change_overlap as narrow

GPUS = 2
WIDTH = 2048


def run(bench):
    with bench.part("steps of the wide model under a profiler"):
        found = measured(5 if bench.quick else REPEATS)
        for way, words in narrow.WAYS.items():
            for part, title in narrow.PARTS.items():
                samples = [step[part] for step in found[way]]
                if not any(samples):
                    continue  # no NCCL without DDP
                bench.micro(
                    f"two-change-ddp-{WIDTH}-{way}-{part}",
                    f"A training step of 1.2 billion parameters on two GPUs, {words}: {title}",
                    summarize(samples),
                    unit="ms",
                    kernel=narrow.DDP,
                    method="torch.profiler with CUDA's activities alone, a profile a step, rank 0",
                    terms=["data-parallelism"],
                    extra={"kernels": rounded(found[way][0]["kernels"])},
                )


def changed(source):
    """Return the profiler of the narrow model's steps, for the wide one."""
    old = '"width": 1024'
    if source.count(old) != 1:
        raise BenchmarkError(f"two_change_overlap.py has no longer one {old!r}")
    return source.replace(old, f'"width": {WIDTH}')


def measured(steps):
    source = (ROOT / "benchmarks/micro/two_change_overlap.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path, found = Path(folder) / "wide.py", Path(folder) / "found.json"
        path.write_text(changed(source), encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", str(path), str(steps), str(found)]
        around = os.environ | {"PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
        done = subprocess.run(
            command, cwd=ROOT, env=around, capture_output=True, text=True, timeout=150
        )
        if done.returncode:
            raise BenchmarkError(f"two_change_beside: {done.stderr[-2000:]}")
        return json.loads(found.read_text(encoding="utf-8"))
