"""Two tiles in shared memory: one is filled while the other is used."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
TILE = 64


@cuda.jit
def weighted_sum_kernel(x, out):
    """out[t] = the sum of every TILE-th element, and of half its right neighbor in the tile."""
    tiles = cuda.shared.array((2, TILE), np.float32)
    t = cuda.threadIdx.x
    total = np.float32(0)
    tiles[0, t] = x[t]
    for start in range(0, x.size, TILE):
        cuda.syncthreads()  # the tile to use is complete, and the other is no longer in use
        now = start // TILE % 2
        if start + TILE < x.size:
            tiles[1 - now, t] = x[start + TILE + t]  # the next load begins before the work
        total += tiles[now, t] + np.float32(0.5) * tiles[now, (t + 1) % TILE]
    out[t] = total


# --8<-- [end:kernel]


def weighted_sum(x):
    """Run the kernel with one block on ``x``, whose size is a multiple of 64; returns float32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(256, dtype=np.float32))
    >>> out = cuda.device_array(TILE, np.float32)
    >>> weighted_sum_kernel[1, TILE](x, out)
    >>> out.copy_to_host()[:4]
    array([578., 584., 590., 596.], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array(TILE, np.float32)
    weighted_sum_kernel[1, TILE](cuda.to_device(np.asarray(x, np.float32)), out)
    return out.copy_to_host()
