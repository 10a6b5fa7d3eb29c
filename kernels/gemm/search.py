"""Search for the tile of the tuned kernel that is the quickest on the GPU at hand."""
# ruff: noqa: I001

from numba import cuda

from kernels.gemm.tuned import make_tuned

# --8<-- [start:imports]
import itertools

import cupy as cp
from cupyx.profiler import benchmark

# --8<-- [end:imports]


# --8<-- [start:candidates]
def candidates(registers=64 * 1024, shared=48 * 1024):
    """Yield the tiles that can be fast, as the arguments of ``make_tuned``.

    ``registers``: of a multiprocessor. ``shared``: bytes that Numba gives a block.
    """
    sides, warps = (64, 128, 256), (1, 2, 4)
    for BM, BN, warps_y, warps_x in itertools.product(sides, sides, warps, warps):
        threads = 32 * warps_y * warps_x
        TM, TN = BM // warps_y // 8, BN // warps_x // 4  # results of a thread
        if threads not in (128, 256) or {TM, TN} - {4, 8, 16} or TM * TN < 64:
            continue
        needed = TM * TN + 2 * (TM + TN) + 32  # registers of a thread, about
        if needed > 255:  # more than a thread can have
            continue
        for BK, stages in itertools.product((8, 16), (2, 3, 4)):
            fits = 4 * stages * BK * (BM + 4 + BN) <= shared
            if fits and 4 * threads <= BK * BN:  # a piece of b to copy for each thread
                yield BM, BN, BK, warps_y, warps_x, stages, registers // (threads * needed)


# --8<-- [end:candidates]


# --8<-- [start:search]
def search(n, tiles):
    """Multiply n x n matrices with each tile. Return TFLOP/s and tile, the quickest first."""
    a, b = cp.random.standard_normal((2, n, n), dtype=cp.float32)
    c, expected = cp.empty_like(a), a @ b
    found = []
    for tile in tiles:
        kernel, (BM, BN, *_, warps_y, warps_x, _, _) = make_tuned(*tile), tile
        launch = kernel[-(-n // BM) * -(-n // BN), 32 * warps_y * warps_x]
        c.fill(cp.nan)
        arrays = tuple(map(cuda.as_cuda_array, (a, b, c)))
        took = benchmark(launch, arrays, n_repeat=5, n_warmup=1, name=str(tile))
        assert cp.allclose(c, expected, atol=1e-3 * n**0.5), tile  # a wrong kernel is not quick
        found.append((2 * n**3 / sorted(took.gpu_times[0])[2] / 1e12, tile))
    return sorted(found, reverse=True)


# --8<-- [end:search]

# --8<-- [start:run]
found = search(4096, candidates())
print(len(found), "tiles: BM, BN, BK, warps_y, warps_x, stages, blocks")
for speed, tile in (*found[:8], found[len(found) // 2], found[-1]):
    print(f"{speed:5.1f} TFLOP/s", tile)
# --8<-- [end:run]
