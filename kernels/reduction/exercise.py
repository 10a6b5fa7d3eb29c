"""The exercise of the page: the smallest and the largest element in one pass."""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def extremes_kernel(x, lows, highs):
    """The smallest and the largest element that the threads of each block see."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        low, high = min(low, x[i]), max(high, x[i])
    for step in (16, 8, 4, 2, 1):
        low = min(low, cuda.shfl_down_sync(0xFFFFFFFF, low, step))
        high = max(high, cuda.shfl_down_sync(0xFFFFFFFF, high, step))
    if cuda.threadIdx.x % 32 == 0:
        warp = cuda.grid(1) // 32
        lows[warp], highs[warp] = low, high


def extremes(x, blocks=264, threads=256):
    """Return the smallest and the largest element of a float32 array. threads: a multiple of 32.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, -9, 2, 6, 5, 3, 5, 9], dtype=np.float32)
    >>> extremes(x, blocks=2, threads=32)
    (-9.0, 9.0)

    --8<-- [end:example]
    """
    warps = blocks * threads // 32
    lows, highs = cuda.device_array(warps, np.float32), cuda.device_array(warps, np.float32)
    extremes_kernel[blocks, threads](cuda.to_device(x), lows, highs)
    return float(lows.copy_to_host().min()), float(highs.copy_to_host().max())


# --8<-- [end:solution]
