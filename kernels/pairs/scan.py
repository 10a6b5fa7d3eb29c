"""Inclusive scan of each block, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def block_scan_kernel(x, out):
    totals = cuda.shared.array(32, dtype=np.int32)
    i = cuda.grid(1)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    total = np.int32(0)
    if i < x.size:
        total = x[i]
    for step in (1, 2, 4, 8, 16):
        below = cuda.shfl_up_sync(0xFFFFFFFF, total, step)
        if lane >= step:
            total += below
    if lane == 31:
        totals[warp] = total
    cuda.syncthreads()
    for before in range(warp):
        total += totals[before]
    if i < x.size:
        out[i] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def block_scan(x, threads=256):
    """Return the running sums of an int32 array, which start anew every ``threads`` elements.

    threads: a multiple of 32.

    --8<-- [start:example]
    >>> x = np.ones(100, dtype=np.int32)
    >>> sums = block_scan(x, threads=64)
    >>> sums[[0, 1, 31, 32, 63, 64, 99]]
    array([ 1,  2, 32, 33, 64,  1, 36], dtype=int32)

    --8<-- [end:example]
    """
    out = cuda.device_array_like(x)
    blocks = -(-x.size // threads)
    block_scan_kernel[blocks, threads](cuda.to_device(x), out)
    return out.copy_to_host()


# --8<-- [end:host]
