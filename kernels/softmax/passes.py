"""Softmax of each row: one thread a row, three passes by a block, and online with two."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]


# --8<-- [start:obvious]
@cuda.jit
def thread_a_row_kernel(x, out):
    row = cuda.grid(1)
    if row < x.shape[0]:
        largest = x[row, 0]
        for c in range(x.shape[1]):
            largest = max(largest, x[row, c])
        total = float32(0)
        for c in range(x.shape[1]):
            total += math.exp(x[row, c] - largest)
        for c in range(x.shape[1]):
            out[row, c] = math.exp(x[row, c] - largest) / total


# --8<-- [end:obvious]
def obvious_example():
    """Show the obvious kernel at work.

    --8<-- [start:obvious_example]
    >>> logits = np.array([[1, 2, 3], [1000, 1000, 1000]], dtype=np.float32)
    >>> out = cuda.device_array_like(logits)
    >>> thread_a_row_kernel[1, 2](cuda.to_device(logits), out)
    >>> out.copy_to_host().round(3)
    array([[0.09 , 0.245, 0.665],
           [0.333, 0.333, 0.333]], dtype=float32)

    --8<-- [end:obvious_example]
    """


# --8<-- [start:block]
THREADS = 256
LOWEST = float32(np.finfo(np.float32).min)  # below it there is -inf alone


@cuda.jit(device=True)
def block_max(value, box):
    """Return the largest value of a block, to each of its threads. box: a place for each warp."""
    for step in (16, 8, 4, 2, 1):
        value = max(value, cuda.shfl_xor_sync(0xFFFFFFFF, value, step))
    cuda.syncthreads()  # nobody reads the box any more
    box[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    for warp in range(cuda.blockDim.x // 32):
        value = max(value, box[warp])
    return value


@cuda.jit(device=True)
def block_sum(value, box):
    """Return the sum over a block, to each of its threads."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    cuda.syncthreads()
    box[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    total = float32(0)
    for warp in range(cuda.blockDim.x // 32):
        total += box[warp]
    return total


# --8<-- [end:block]


# --8<-- [start:three]
@cuda.jit
def three_pass_kernel(x, out):
    """A block for a row: read it for its largest element, for the sum, and to write."""
    box = cuda.shared.array(32, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(x.shape[1])
    largest = LOWEST
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        largest = max(largest, x[row, uint32(c)])
    largest = block_max(largest, box)
    total = float32(0)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        total += math.exp(x[row, uint32(c)] - largest)
    scale = float32(1) / block_sum(total, box)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        out[row, uint32(c)] = math.exp(x[row, uint32(c)] - largest) * scale


# --8<-- [end:three]


# --8<-- [start:online]
@cuda.jit
def online_kernel(x, out):
    """Keep the largest element so far, and the sum relative to it: one pass for both."""
    box = cuda.shared.array(32, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(x.shape[1])
    largest, total = LOWEST, float32(0)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        value = x[row, uint32(c)]
        if value > largest:
            total *= math.exp(largest - value)  # what was summed so far was relative to the old one
            largest = value
        total += math.exp(value - largest)
    whole = block_max(largest, box)
    scale = float32(1) / block_sum(total * math.exp(largest - whole), box)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        out[row, uint32(c)] = math.exp(x[row, uint32(c)] - whole) * scale


# --8<-- [end:online]


# --8<-- [start:host]
def softmax_passes(kernel, x):
    """Return the softmax of each row of a float32 matrix, by a kernel that takes a block a row.

    --8<-- [start:example]
    >>> scores = np.array([[1, 2, 3, -np.inf], [1000, 1000, 1000, 1000]], dtype=np.float32)
    >>> softmax_passes(three_pass_kernel, scores).round(3)
    array([[0.09 , 0.245, 0.665, 0.   ],
           [0.25 , 0.25 , 0.25 , 0.25 ]], dtype=float32)
    >>> softmax_passes(online_kernel, scores).round(3)
    array([[0.09 , 0.245, 0.665, 0.   ],
           [0.25 , 0.25 , 0.25 , 0.25 ]], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array_like(x)
    kernel[x.shape[0], THREADS](cuda.to_device(x), out)
    return out.copy_to_host()


# --8<-- [end:host]
