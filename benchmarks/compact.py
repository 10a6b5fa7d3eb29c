"""Stream compaction of 2^28 float32: what is above zero, against CuPy's boolean index."""

import cupy as cp

from benchmarks.harness import Case
from benchmarks.patterns import library
from benchmarks.scan import THREADS, three_kernels
from benchmarks.shapes import fastest
from kernels.compact.one_pass import make_compact, positive
from kernels.compact.steps import mark_kernel, scatter_kernel

# Threads, rows: the fastest is taken.
SHAPES = ((128, 8), (128, 10), (256, 6), (128, 6))


def run(bench):
    with bench.part("compaction"):
        compact(bench, 2**22 if bench.quick else 2**28)


def one_pass(numba, x, out, kept, threads, rows):
    """Return a call of the kernel that compacts in one pass, in blocks of this shape."""
    tiles = -(-x.size // (threads * rows * 4))
    state = cp.empty(1 + tiles, cp.int64)
    d_state, kernel = numba(state), make_compact(positive, cp.float32, threads, rows)

    def call():
        state.fill(0)
        kernel[tiles, threads](x, out, d_state, kept)

    return call


def compact(bench, n):
    x = bench.random(n)
    answer = x[x > 0]
    output = bench.output(answer.size)
    numba = bench.device.numba
    d_x, d_out = numba(x), numba(output.array)
    kept = cp.zeros(1, cp.int64)
    d_kept = numba(kept)

    places = numba(cp.empty(n, cp.int32))
    scan, blocks = three_kernels(numba, places, places, n), -(-n // THREADS)

    def steps():
        mark_kernel[blocks, THREADS](d_x, places)
        scan()
        scatter_kernel[blocks, THREADS](d_x, places, d_out)

    calls = {shape: one_pass(numba, d_x, d_out, d_kept, *shape) for shape in SHAPES}
    best = calls[fastest(bench, calls)]
    bench.compare(
        [
            Case("compact-steps", "Compaction: mark, scan, scatter", STEPS, steps, output),
            Case("compact", "Compaction in one pass", ONE_PASS, best, output),
        ],
        library("CuPy, x[x > 0]", lambda: x[x > 0]),
        answer.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=0.0,
        bytes=4 * n + 4 * answer.size,
    )


STEPS, ONE_PASS = "kernels/compact/steps.py", "kernels/compact/one_pass.py"
