"""Histogram of 2^28 int32 in 256 bins: uniform, constant and skewed data, against CuPy."""

import cupy as cp

from benchmarks.harness import Case
from benchmarks.patterns import library
from kernels.histogram.counts import (
    histogram_global_kernel,
    histogram_shared_kernel,
    make_histogram_warps,
)
from kernels.histogram.lanes import make_histogram_lanes

COUNTS, LANES = "kernels/histogram/counts.py", "kernels/histogram/lanes.py"
SHAPE = (1024, 2, 2)  # threads, vectors, blocks for each multiprocessor
# Of the four rungs: in global memory, in shared memory, for each warp, for each lane.
IDS = {
    "uniform": ("histogram-global", "histogram-shared", "histogram-warps", "histogram"),
    "constant": (
        "histogram-global-constant",
        "histogram-shared-constant",
        "histogram-warps-constant",
        "histogram-constant",
    ),
    "skewed": (
        "histogram-global-skewed",
        "histogram-shared-skewed",
        "histogram-warps-skewed",
        "histogram-skewed",
    ),
}


def run(bench):
    n = 2**20 if bench.quick else 2**28
    random = cp.random.default_rng()
    data = {
        "uniform": lambda: random.integers(0, 256, n, dtype=cp.int32),
        "constant": lambda: cp.full(n, 77, cp.int32),
        "skewed": lambda: cp.minimum(12 * abs(bench.random(n)), 255).astype(cp.int32),
    }
    for kind, make in data.items():
        with bench.part(f"histogram of {kind} data"):
            histogram(bench, n, IDS[kind], make())


def histogram(bench, n, ids, x):
    output = bench.output(256, "int32")
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    many = bench.device.multiprocessors
    threads, vectors, per = SHAPE
    rungs = [
        (COUNTS, "atomics in global memory", histogram_global_kernel, 8, 256),
        (COUNTS, "atomics in shared memory", histogram_shared_kernel, 2, 1024),
        (COUNTS, "one for each warp", make_histogram_warps(256), 8, 256),
        (LANES, "a column for each lane", make_histogram_lanes(threads, vectors), per, threads),
    ]

    def launch(kernel, blocks, threads):
        def call():
            output.array.fill(0)
            kernel[blocks * many, threads](d_x, d_out)

        return call

    bench.compare(
        [
            Case(id, f"Histogram: {how}", path, launch(*shape), output)
            for id, (path, how, *shape) in zip(ids, rungs, strict=True)
        ],
        library(
            "CuPy, cp.histogram(x, bins=256, range=(0, 256))",
            lambda: cp.histogram(x, bins=256, range=(0, 256))[0],
        ),
        cp.bincount(x, minlength=256).astype(cp.float64),
        size=n,
        dtype="int32",
        unit="GB/s",
        tolerance=0.0,
        bytes=4 * n,
    )
