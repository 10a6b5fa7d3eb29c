"""Sum of an array: a loop in each thread, shuffles in each warp, two launches."""

import numpy as np
from numba import cuda


# --8<-- [start:block_sum]
@cuda.jit(device=True)
def warp_sum(value):
    """Return, in lane 0, the sum of the values of a warp's 32 lanes."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    return value


@cuda.jit(device=True)
def block_sum(value):
    """Return, in thread 0, the sum of the values of a block. Its threads: a multiple of 32."""
    sums = cuda.shared.array(32, np.float32)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    value = warp_sum(value)
    if lane == 0:
        sums[warp] = value
    cuda.syncthreads()
    value = sums[lane] if lane < cuda.blockDim.x // 32 else np.float32(0)
    return warp_sum(value)


# --8<-- [end:block_sum]


# --8<-- [start:kernel]
@cuda.jit
def sum_warps_kernel(x, partial):
    acc = np.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    total = block_sum(acc)
    if cuda.threadIdx.x == 0:
        partial[cuda.blockIdx.x] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def sum_warps(x, blocks=264, threads=256):
    """Return the sum of a float32 array. threads: a multiple of 32.

    --8<-- [start:example]
    >>> x = np.arange(1000, dtype=np.float32)
    >>> sum_warps(x, blocks=3, threads=64), float(x.sum())
    (499500.0, 499500.0)

    --8<-- [end:example]
    """
    partial = cuda.device_array(blocks, np.float32)
    total = cuda.device_array(1, np.float32)
    sum_warps_kernel[blocks, threads](cuda.to_device(x), partial)
    sum_warps_kernel[1, threads](partial, total)
    return float(total.copy_to_host()[0])


# --8<-- [end:host]
