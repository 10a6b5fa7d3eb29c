"""A warp's sum without shared memory: lanes hand each other values."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def warp_sum_kernel(x, sums):
    i = cuda.grid(1)
    value = np.float32(0)
    if i < x.size:
        value = x[i]
    offset = 16
    while offset > 0:  # 16, 8, 4, 2, 1: all lanes of the warp take part, even those past the end
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0 and i < x.size:
        sums[i // 32] = value  # lane 0 has met everybody's value


# --8<-- [end:kernel]


def warp_sums(x, threads=64):
    """Return the sum of each 32 neighbors of x as float32. ``threads``: a multiple of 32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(70, dtype=np.float32))
    >>> sums = cuda.to_device(np.zeros(3, dtype=np.float32))
    >>> warp_sum_kernel[2, 64](x, sums)  # three warps have elements, the last one six
    >>> sums.copy_to_host()
    array([ 496., 1520.,  399.], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(x, dtype=np.float32))
    sums = cuda.to_device(np.zeros(-(-d_x.size // 32), dtype=np.float32))
    warp_sum_kernel[-(-d_x.size // threads), threads](d_x, sums)
    return sums.copy_to_host()
