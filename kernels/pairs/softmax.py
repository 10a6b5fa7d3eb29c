"""Softmax of each row, one warp a row, the Numba side of the pair."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def softmax_kernel(x, out):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x  # one block of 32 threads for each row
    columns = x.shape[1]
    largest = x[row, 0]
    for c in range(lane, columns, 32):
        largest = max(largest, x[row, c])
    for step in (16, 8, 4, 2, 1):
        largest = max(largest, cuda.shfl_xor_sync(0xFFFFFFFF, largest, step))
    total = np.float32(0)
    for c in range(lane, columns, 32):
        total += math.exp(x[row, c] - largest)
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, step)
    for c in range(lane, columns, 32):
        out[row, c] = math.exp(x[row, c] - largest) / total


# --8<-- [end:kernel]


# --8<-- [start:host]
def softmax(x):
    """Return the softmax of each row of a float32 matrix.

    --8<-- [start:example]
    >>> x = np.array([[1, 2, 3], [1000, 1000, 1000]], dtype=np.float32)
    >>> softmax(x).round(3)
    array([[0.09 , 0.245, 0.665],
           [0.333, 0.333, 0.333]], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array_like(x)
    softmax_kernel[x.shape[0], 32](cuda.to_device(x), out)
    return out.copy_to_host()


# --8<-- [end:host]
