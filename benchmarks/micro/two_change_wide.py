"""Two GPUs: FSDP on a model twice as wide, and how long the host needs to queue a step.

Hypothesis: torch's FSDP2 is behind ours on the small model because the host handles each
parameter alone. With twice the width there are as many parameters and four times the work for
the GPU: if the two come together it was the host, and its time to queue a step says so too.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, rounded, summarize

GPUS = 2
FOLDER, MEASURE = "snippets/ddp_fsdp/", "snippets/ddp_fsdp/measure.py"
WAYS = {"one-gpu": "without a second GPU", "fsdp": "our FSDP", "fsdp-torch": "torch's FSDP2"}
WIDTHS = {1024: "319 million", 2048: "1.2 billion"}


def run(bench):
    for width, parameters in WIDTHS.items():
        with bench.part(f"width {width}"):
            for name, about in measured(width, 5 if bench.quick else REPEATS).items():
                host = summarize(about["host"])
                bench.micro(
                    f"two-change-wide-{width}-{name}",
                    f"A training step of {parameters} parameters, {width} wide, {WAYS[name]}",
                    summarize([ms / 1e3 for ms in about["ms"]]),
                    unit="ms",
                    kernel=MEASURE,
                    method="torchrun, 8 x 512 tokens on each GPU, TF32; CUDA events, the slower "
                    "rank counts; the host's clock of rank 0 until the step is queued",
                    terms=["zero-fsdp"],
                    extra={"host_ms": rounded(1e3 * host.median), "host_spread": rounded(
                        host.spread), "peak_bytes": float(about["bytes"])},
                )  # fmt: skip


def changed(source, width):
    """Return measure.py for another width and three ways, which also notes the host's time."""
    changes = {
        "width=1024": f"width={width}",
        "import sys\n": "import sys\nimport time\n",
        "found = {}\n": f"WAYS = {{name: WAYS[name] for name in {tuple(WAYS)}}}\nfound = {{}}\n",
        "    times = []\n": "    times, host = [], []\n",
        "        start.record()\n": "        start.record()\n        began = time.perf_counter()\n",
        "        model(tokens, targets).backward()\n": "        loss = model(tokens, targets)\n"
        "        loss.backward()\n",
        "        end.record()\n": "        host.append(time.perf_counter() - began)\n"
        "        end.record()\n",
        "    slower = torch": "    assert torch.isfinite(loss), loss\n    slower = torch",
        "return slower.tolist(), torch.cuda.max_memory_allocated()": "return slower.tolist(), "
        "torch.cuda.max_memory_allocated(), host[WARMUP:]",
        "    times, memory = measure(wrap)\n": "    times, memory, host = measure(wrap)\n",
        '"bytes": memory}': '"bytes": memory, "host": host}',
    }
    for old, new in changes.items():
        if source.count(old) != 1:
            raise BenchmarkError(f"measure.py has no longer one {old!r}")
        source = source.replace(old, new)
    return source


def measured(width, steps):
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / FOLDER).glob("*.py"):
            shutil.copy(file, folder)
        path, found = Path(folder) / "measure.py", Path(folder) / "found.json"
        path.write_text(changed(path.read_text(encoding="utf-8"), width), encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "measure.py", str(steps), str(found)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise BenchmarkError(f"measure.py, width {width}: {done.stderr[-2000:]}")
        return json.loads(found.read_text(encoding="utf-8"))
