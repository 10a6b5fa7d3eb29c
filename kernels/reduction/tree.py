"""Sum of an array: one atomic addition for each element, then a tree in each block."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:atomics]
@cuda.jit
def sum_atomics_kernel(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])


# --8<-- [end:atomics]


# --8<-- [start:atomics_host]
def sum_atomics(x, threads=256):
    """Return the sum of a float32 array.

    --8<-- [start:atomics_example]
    >>> sum_atomics(np.array([3, 1, 4, 1, 5, 9, 2], dtype=np.float32), threads=4)
    25.0

    --8<-- [end:atomics_example]
    """
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    if x.size:
        sum_atomics_kernel[-(-x.size // threads), threads](cuda.to_device(x), total)
    return float(total.copy_to_host()[0])


# --8<-- [end:atomics_host]


# --8<-- [start:tree]
BLOCK = 256  # a power of two


@cuda.jit
def sum_tree_kernel(x, partial):
    tile = cuda.shared.array(BLOCK, np.float32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[tid] = x[i] if i < x.size else np.float32(0)
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if tid < half:
            tile[tid] += tile[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        partial[cuda.blockIdx.x] = tile[0]


# --8<-- [end:tree]


# --8<-- [start:tree_host]
def sum_tree(x):
    """Return the sum of a float32 array: launch by launch, until one number is left.

    --8<-- [start:tree_example]
    >>> x = np.arange(1000, dtype=np.float32)
    >>> sum_tree(x), float(x.sum())
    (499500.0, 499500.0)

    --8<-- [end:tree_example]
    """
    left = cuda.to_device(x if x.size else np.zeros(1, dtype=np.float32))
    while left.size > 1:
        partial = cuda.device_array(-(-left.size // BLOCK), np.float32)
        sum_tree_kernel[partial.size, BLOCK](left, partial)
        left = partial
    return float(left.copy_to_host()[0])


# --8<-- [end:tree_host]
