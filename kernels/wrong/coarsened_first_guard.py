"""A coarsened kernel that guards the first of its results and writes them all."""

import numpy as np
from numba import cuda

WIDTH, COARSE_FACTOR = 2, 4


# --8<-- [start:kernel]
@cuda.jit
def coarsened_first_guard_kernel(a, out):
    x, first = cuda.grid(2)
    x, first = np.uint32(x), np.uint32(first * COARSE_FACTOR)
    if x < out.shape[1] and first < out.shape[0]:
        for i in range(COARSE_FACTOR):
            total = np.float32(0)
            for step in range(WIDTH):
                total += a[first + i + step, x]
            out[first + i, x] = total  # WRONG: only the first row is known to be inside


# --8<-- [end:kernel]
