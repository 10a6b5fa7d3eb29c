"""Histogram of 2^28 int32: one for each block, reads of 16 bytes; a column a lane beside.

Both in one run, since their difference is smaller than that of two runs.
"""

import cupy as cp

from benchmarks.harness import Case
from benchmarks.patterns import library
from kernels.histogram.counts import histogram_shared_kernel
from kernels.histogram.lanes import make_histogram_lanes
from kernels.histogram.wide import histogram_wide_kernel

COUNTS, LANES = "kernels/histogram/counts.py", "kernels/histogram/lanes.py"
WIDE = "kernels/histogram/wide.py"
IDS = {
    "uniform": ("histogram-wide", "histogram-narrow", "histogram-columns"),
    "constant": (
        "histogram-wide-constant",
        "histogram-narrow-constant",
        "histogram-columns-constant",
    ),
    "skewed": ("histogram-wide-skewed", "histogram-narrow-skewed", "histogram-columns-skewed"),
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
    blocks = 2 * bench.device.multiprocessors
    rungs = [
        (WIDE, "atomics in shared memory, 16 bytes a read", histogram_wide_kernel),
        (COUNTS, "atomics in shared memory, 4 bytes a read", histogram_shared_kernel),
        (LANES, "a column for each lane", make_histogram_lanes(1024, 2)),
    ]

    def launch(kernel):
        def call():
            output.array.fill(0)
            kernel[blocks, 1024](d_x, d_out)

        return call

    bench.compare(
        [
            Case(id, f"Histogram of its own run: {how}", path, launch(kernel), output)
            for id, (path, how, kernel) in zip(ids, rungs, strict=True)
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
