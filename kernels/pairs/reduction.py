"""Sum of each block with warp sums, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def block_sums_kernel(x, sums):
    partial = cuda.shared.array(32, dtype=np.float32)
    i = cuda.grid(1)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    value = np.float32(0)
    if i < x.size:
        value = x[i]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if lane == 0:
        partial[warp] = value
    cuda.syncthreads()
    if warp == 0:
        value = np.float32(0)
        if lane < cuda.blockDim.x // 32:
            value = partial[lane]
        for step in (16, 8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        if lane == 0:
            sums[cuda.blockIdx.x] = value


# --8<-- [end:kernel]


# --8<-- [start:host]
def block_sums(x, threads=256):
    """Return the sum of each stretch of ``threads`` elements of a float32 array.

    threads: a multiple of 32.

    --8<-- [start:example]
    >>> x = np.arange(100, dtype=np.float32)
    >>> block_sums(x, threads=64)
    array([2016., 2934.], dtype=float32)
    >>> float(x[:64].sum()), float(x[64:].sum())
    (2016.0, 2934.0)

    --8<-- [end:example]
    """
    blocks = -(-x.size // threads)
    sums = cuda.device_array(blocks, dtype=np.float32)
    block_sums_kernel[blocks, threads](cuda.to_device(x), sums)
    return sums.copy_to_host()


# --8<-- [end:host]
