"""Wrong: the tree halves a number of threads that is odd at some step, and an element is lost."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def sum_odd_half_kernel(x, partial):
    tile = cuda.shared.array(1024, np.float32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[tid] = x[i] if i < x.size else np.float32(0)
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if tid < half:
            tile[tid] += tile[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        partial[cuda.blockIdx.x] = tile[0]


# --8<-- [end:kernel]


# --8<-- [start:host]
def sum_odd_half(x, threads):
    """Return what the kernel makes of a float32 array that fits one block.

    --8<-- [start:example]
    >>> ones = np.ones(96, dtype=np.float32)
    >>> sum_odd_half(ones[:64], threads=64), sum_odd_half(ones, threads=96)
    (64.0, 64.0)

    --8<-- [end:example]
    """
    partial = cuda.device_array(1, np.float32)
    sum_odd_half_kernel[1, threads](cuda.to_device(x), partial)
    return float(partial.copy_to_host()[0])


# --8<-- [end:host]
