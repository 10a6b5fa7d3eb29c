"""Wrong: a thread reads its neighbor's element of the tile before the neighbor has written it."""

import numpy as np
from numba import cuda

from kernels.memory_hierarchy.transpose_tile import SHAPE, TILE


# --8<-- [start:kernel]
@cuda.jit
def transpose_no_barrier_kernel(a, out):
    tile = cuda.shared.array(SHAPE, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left = cuda.blockIdx.x * TILE
    top = cuda.blockIdx.y * TILE

    if top + y < a.shape[0] and left + x < a.shape[1]:
        tile[y, x] = a[top + y, left + x]
    # no cuda.syncthreads(): nobody waits
    if left + y < out.shape[0] and top + x < out.shape[1]:
        out[left + y, top + x] = tile[x, y]


# --8<-- [end:kernel]
