"""Sum and argmax of 2^28 float32: each rung, against CuPy, which calls CUB."""

import cupy as cp
import numpy as np

from benchmarks.harness import Case
from benchmarks.patterns import library
from kernels.reduction.argmax import make_argmax
from kernels.reduction.one_pass import make_sum
from kernels.reduction.tree import BLOCK, sum_atomics_kernel, sum_tree_kernel
from kernels.reduction.warps import sum_warps_kernel

HERE = "kernels/reduction/"
SUM, ARGMAX = (512, 4, 4), (512, 4, 4)  # threads, vectors, blocks for each multiprocessor


def run(bench):
    n = 2**22 if bench.quick else 2**28
    with bench.part("sum"):
        sums(bench, n)
    with bench.part("sum by atomic additions: fewer elements"):
        atomics(bench, 2**20 if bench.quick else 2**24)
    with bench.part("argmax"):
        argmax(bench, n)


def positive(bench, n):
    """Return random numbers whose sum is not close to zero, so that its error means something."""
    x = bench.random(n)
    x += 1
    return x


def compare(bench, cases, x, n, name, function, expected, tolerance):
    bench.compare(
        cases,
        library(name, function),
        cp.asarray([expected], dtype=cp.float64),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=tolerance,
        bytes=4 * n,
        flops=n,
    )


def sums(bench, n):
    x, output = positive(bench, n), bench.output(1)
    numba, many = bench.device.numba, bench.device.multiprocessors
    d_x, total = numba(x), numba(output.array)
    sizes = [n]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // BLOCK))
    levels = [d_x, *(numba(cp.empty(size, cp.float32)) for size in sizes[1:-1]), total]
    partial, ticket = numba(cp.empty(16 * many, cp.float32)), numba(cp.zeros(1, cp.uint32))
    threads, vectors, per = SUM
    kernel = make_sum(threads, vectors)
    some = partial[: 8 * many]

    def tree():
        for left, right in zip(levels, levels[1:], strict=False):
            sum_tree_kernel[right.size, BLOCK](left, right)

    def warps():
        sum_warps_kernel[8 * many, 256](d_x, some)
        sum_warps_kernel[1, 256](some, total)

    def one_pass():
        kernel[per * many, threads](d_x, partial, ticket, total)

    cases = [
        Case("sum-tree", "Sum, a tree in each block, level by level", "tree.py", tree, output),
        Case("sum-warps", "Sum, a loop in each thread and shuffles", "warps.py", warps, output),
        Case("sum", "Sum in one pass, 16-byte loads", "one_pass.py", one_pass, output),
    ]
    for case in cases:
        case.kernel = HERE + case.kernel
    exact = float(x.sum(dtype=cp.float64))
    compare(bench, cases, x, n, "CuPy, cp.sum(x): CUB", lambda: cp.sum(x), exact, 1e-5)


def atomics(bench, n):
    x, output = positive(bench, n), bench.output(1)
    d_x, total = bench.device.numba(x), bench.device.numba(output.array)

    def call():
        output.array.fill(0)
        sum_atomics_kernel[-(-n // 256), 256](d_x, total)

    title = "Sum of 2^24 float32, one atomic addition for each"
    case = Case("sum-atomics", title, HERE + "tree.py", call, output)
    exact = float(x.sum(dtype=cp.float64))
    # One float32 total for all: its rounding errors add up, which the page speaks of.
    compare(bench, [case], x, n, "CuPy, cp.sum(x): CUB", lambda: cp.sum(x), exact, 1e-2)


def argmax(bench, n):
    x, output = bench.random(n), bench.output(1, "int64")
    threads, vectors, per = ARGMAX
    blocks = per * bench.device.multiprocessors
    values, indices = cp.empty(blocks, cp.float32), cp.empty(blocks, cp.uint32)
    arrays = [bench.device.numba(a) for a in (x, values, indices, cp.zeros(1, cp.uint32))]
    place = bench.device.numba(output.array)
    kernel = make_argmax(threads, vectors)

    def call():
        kernel[blocks, threads](*arrays, place)

    case = Case("argmax", "Argmax in one pass, 16-byte loads", HERE + "argmax.py", call, output)
    first = int(np.argmax(cp.asnumpy(x)))
    compare(bench, [case], x, n, "CuPy, cp.argmax(x): CUB", lambda: cp.argmax(x), first, 0.0)
