"""A galaxy's three kernels, before and after the fixes that their profiles suggest."""

import csv
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numba import cuda

from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.micro.profiles import METRICS, STALL, STALLS, number

PATH = "kernels/profiling/galaxy.py"
FIXES = ("snippets/profiling/fix.sh", "snippets/profiling/faster.sh")
STARS, GRAINS = 131_072, 2**26
FEW, MANY = (132, 32), (1056, 256)  # blocks and threads of the sum: as it is, and every warp slot
# field of a record: metric of Nsight Compute
MORE = {
    "memory_share": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm_share": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "fp64_share": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "alu_share": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "dram_gbps": "dram__bytes.sum.per_second",
}
FIELDS = METRICS | MORE | {f"stall_{reason}": STALL.format(reason) for reason in STALLS}
# id, title, which file, which kernel of it
ROWS = (
    ("galaxy-drift", "Dust drifts, 2^26 grains", "galaxy", "drift_kernel"),
    ("galaxy-pull-float64", "131,072 stars pull, in float64 by accident", "galaxy", "pull_kernel"),
    ("galaxy-energy-few", "Energy of 2^26 grains, 132 x 32 threads", "galaxy", "energy_kernel"),
    ("galaxy-pull-float32", "131,072 stars pull, in float32", "galaxy32", "pull_kernel"),
    ("galaxy-pull-fast", "131,072 stars pull, in float32, fastmath", "galaxy3", "pull_kernel"),
    ("galaxy-energy-many", "Energy of 2^26 grains, 1,056 x 256 threads", "many", "energy_kernel"),
)


def run(bench):
    stars, grains = (1024, 2**16) if bench.quick else (STARS, GRAINS)
    with tempfile.TemporaryDirectory() as folder, bench.part("a galaxy"):
        shutil.copy(ROOT / PATH, folder)
        for script in FIXES:
            subprocess.run(["bash", ROOT / script], cwd=folder, check=True, capture_output=True)
        names = ("galaxy", "galaxy32", "galaxy3")
        modules = [load(Path(folder) / f"{name}.py") for name in names]
        for module, threads in zip(modules, (FEW, MANY, MANY), strict=True):
            module.step(stars, grains, *threads)  # checks each kernel against NumPy
        calls, moved = launches(bench, *modules, stars, grains)
        times = bench.samples(calls)
        seen = {
            "galaxy": profile(folder, "galaxy.py", stars, grains, *FEW),
            "galaxy32": profile(folder, "galaxy32.py", stars, 1000, *FEW),
            "galaxy3": profile(folder, "galaxy3.py", stars, 1000, *FEW),
            "many": profile(folder, "galaxy.py", 1000, grains, *MANY),
        }
        for id, title, run_of, kernel in ROWS:
            extra = seen[run_of][kernel]
            if "pull" in kernel:  # instructions of a warp for each pair of stars
                extra["per_pair"] = rounded(32 * extra["instructions"] / stars**2)
            if id in moved:
                extra["gbps"] = rounded(moved[id] / times[id].median / 1e9)
            bench.say(f"[{bench.name}]   {id}: {extra}")
            bench.micro(
                id, title, times[id], unit="ms", kernel=PATH, extra=extra,
                method="events, cold caches; shares and stalls by Nsight Compute in one launch, the"
                " clock left alone",
                terms=["nsight-compute", "stall"],
            )  # fmt: skip


def load(file: Path):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launches(bench, first, fixed, fast, stars, grains):
    """Return the calls to time, and the bytes that those move which are timed in GB/s."""
    stars_in = [bench.device.numba(bench.random(stars)) for _ in range(4)]
    pulls = [cuda.device_array(stars, np.float32) for _ in range(3)]
    place, speed = (bench.device.numba(bench.random(grains)) for _ in range(2))
    partial = {shape: cuda.device_array(shape[0] * shape[1], np.float32) for shape in (FEW, MANY)}
    half, blocks = np.float32(0.5), -(-stars // 256)
    calls = {
        "galaxy-drift": lambda: first.drift_kernel[-(-grains // 256), 256](place, speed, half),
        "galaxy-pull-float64": lambda: first.pull_kernel[blocks, 256](*stars_in, *pulls),
        "galaxy-pull-float32": lambda: fixed.pull_kernel[blocks, 256](*stars_in, *pulls),
        "galaxy-pull-fast": lambda: fast.pull_kernel[blocks, 256](*stars_in, *pulls),
        "galaxy-energy-few": lambda: first.energy_kernel[FEW](speed, partial[FEW]),
        "galaxy-energy-many": lambda: first.energy_kernel[MANY](speed, partial[MANY]),
    }
    moved = {"galaxy-drift": 12 * grains}
    moved |= dict.fromkeys(("galaxy-energy-few", "galaxy-energy-many"), 4 * grains)
    return calls, moved


def profile(folder, file, *arguments) -> dict[str, dict[str, float]]:
    """Return {kernel: {field: number}} of a run of a file under the profiler."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    options = "--clock-control none --csv --page raw --print-units base --metrics".split()
    done = subprocess.run(
        [ncu, *options, ",".join(FIELDS.values()), sys.executable, file, *map(str, arguments)],
        cwd=folder, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID")]
    if done.returncode or not rows:
        raise BenchmarkError(f"ncu ended with {done.returncode}: {done.stdout[-2000:]}")
    found = {}
    for row in rows:
        name = re.search(r"\w+_kernel", row["Kernel Name"])[0]
        values = {field: number(row.get(metric)) for field, metric in FIELDS.items()}
        found[name] = {
            field: rounded(value / (100 if field.endswith("_share") else 1))
            for field, value in values.items()
            if value is not None
        }
        if "profiled_us" in found[name]:  # base units: ns
            found[name]["profiled_us"] = rounded(found[name]["profiled_us"] / 1e3)
        if "dram_gbps" in found[name]:  # base units: B/s
            found[name]["dram_gbps"] = rounded(found[name]["dram_gbps"] / 1e9)
    return found
