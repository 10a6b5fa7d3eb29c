"""A tiled matrix product whose tiles are overwritten while others still read them."""

import numpy as np
from numba import cuda

TILE = 16


# --8<-- [start:kernel]
@cuda.jit
def tiled_one_barrier_kernel(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), np.float32)
    tile_b = cuda.shared.array((TILE, TILE), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[row, start + tx]
        tile_b[ty, tx] = b[start + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        # WRONG: the next round writes to the tiles while a slower warp still reads them
    c[row, column] = total


# --8<-- [end:kernel]
