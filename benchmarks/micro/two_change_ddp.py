"""Two GPUs: DDP with and without overlap, on the model of the page and on one twice as wide.

Hypothesis: overlap hides little of the all-reduces on the small model because the host is late.
With twice the width it queues as many kernels in a step, and the GPU has four times the work for
them: if overlap pays there, the host was to blame.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, rounded, summarize
from benchmarks.micro import two_change_wide as wide

GPUS = 2
DDP = "snippets/ddp_fsdp/ddp.py"
WAYS = {
    "one-gpu": ("without a second GPU", wide.MEASURE),
    "ddp": ("our DDP", DDP),
    "ddp-wait": ("our DDP, all buckets at the end", DDP),
    "ddp-torch": ("torch's DDP", wide.MEASURE),
}


def run(bench):
    for width, parameters in wide.WIDTHS.items():
        with bench.part(f"width {width}"):
            for name, about in measured(width, 5 if bench.quick else REPEATS).items():
                words, kernel = WAYS[name]
                host = summarize(about["host"])
                bench.micro(
                    f"two-change-ddp-width-{width}-{name}",
                    f"A training step of {parameters} parameters, {width} wide, {words}",
                    summarize([ms / 1e3 for ms in about["ms"]]),
                    unit="ms",
                    kernel=kernel,
                    method="torchrun, 8 x 512 tokens on each GPU, TF32; CUDA events, the slower "
                    "rank counts; the host's clock of rank 0 until the step is queued",
                    terms=["data-parallelism"],
                    extra={"host_ms": rounded(1e3 * host.median), "host_spread": rounded(
                        host.spread), "peak_bytes": float(about["bytes"])},
                )  # fmt: skip


def changed(source, width):
    """Return measure.py for another width, with the host's time, and with these ways."""
    return wide.changed(source, width).replace(repr(tuple(wide.WAYS)), repr(tuple(WAYS)))


def measured(width, steps):
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / wide.FOLDER).glob("*.py"):
            shutil.copy(file, folder)
        path, found = Path(folder) / "measure.py", Path(folder) / "found.json"
        path.write_text(changed(path.read_text(encoding="utf-8"), width), encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "measure.py", str(steps), str(found)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise BenchmarkError(f"measure.py, width {width}: {done.stderr[-2000:]}")
        return json.loads(found.read_text(encoding="utf-8"))
