"""Transpose of a float32 matrix: each rung, against a copy of as many bytes, and CuPy."""

import cupy as cp

from benchmarks.harness import Case, Reference
from benchmarks.patterns import copy_of
from benchmarks.shapes import fastest
from kernels.transpose.tile import BM, BY, transpose_direct_kernel, transpose_tile_kernel
from kernels.transpose.wide import make_transpose

TILE, WIDE = "kernels/transpose/tile.py", "kernels/transpose/wide.py"
# Rows and columns of a tile, threads, blocks for each multiprocessor: the fastest is taken.
SHAPES = ((64, 64, 256, 6), (64, 64, 512, 3), (64, 64, 128, 8), (64, 64, 128, 10))


def run(bench):
    n = 512 if bench.quick else 16384
    with bench.part("transpose"):
        ids = "transpose-naive", "transpose-padded", "transpose", "transpose-vs-cupy"
        ids += ("transpose-along-a",)
        transpose(bench, n, n, ids)
    with bench.part("transpose of a matrix that is not square"):
        ids = "transpose-naive-oblong", "transpose-padded-oblong"
        ids += "transpose-oblong", "transpose-vs-cupy-oblong", "transpose-along-a-oblong"
        transpose(bench, n // 2 + 4, 3 * n // 4 + 8, ids)


def transpose(bench, rows, columns, ids):
    a, output = bench.random((rows, columns)), bench.output((columns, rows))
    numba = bench.device.numba
    d_a, d_out = numba(a), numba(output.array)
    flat_a, flat_out = numba(a.ravel()), numba(output.array.ravel())

    def grid(x, y):
        return -(-columns // x), -(-rows // y)

    def direct():
        transpose_direct_kernel[grid(32, 8), (32, 8)](d_a, d_out)

    def tile():
        transpose_tile_kernel[grid(BM, BM), (BM, BY)](d_a, d_out)

    def make(height, width, threads, resident, along_out=True):
        kernel = make_transpose(height, width, threads, resident, along_out)
        x, y = grid(width, height)
        blocks = (y, x) if along_out else (x, y)
        return lambda: kernel[blocks, threads](flat_a, flat_out, rows, columns)

    calls = {shape: make(*shape) for shape in SHAPES}
    best = fastest(bench, calls)
    wide, across = calls[best], make(*best, along_out=False)

    answer = cp.ascontiguousarray(a.T)
    what = f"Transpose of {rows} x {columns} float32"
    common = dict(size=rows, dtype="float32", unit="GB/s", tolerance=0.0, bytes=8 * a.size)
    last = Case(ids[2], f"{what}, 16 bytes on both sides", WIDE, wide, output)
    rungs = [
        Case(ids[0], f"{what}, an element a thread", TILE, direct, output),
        Case(ids[1], f"{what}, a padded tile", TILE, tile, output),
        Case(ids[4], f"{what}, 16 bytes on both sides, blocks along a", WIDE, across, output),
    ]
    expected = answer.astype(cp.float64)
    bench.compare([*rungs, last], copy_of(bench, answer, output), expected, **common)
    title = f"{what}, against CuPy"
    bench.compare(
        [Case(ids[3], title, WIDE, wide, output)],
        Reference("CuPy, cp.copyto(out, a.T)", lambda: cp.copyto(output.array, a.T), output),
        expected,
        **common,
    )
