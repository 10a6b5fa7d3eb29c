"""RMSnorm and layernorm of each row, a block for a row, which is read anew in each pass."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]


# --8<-- [start:block]
THREADS = 256


@cuda.jit(device=True)
def block_sum(value, box):
    """Return the sum over a block, to each of its threads. box: a place for each warp."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    cuda.syncthreads()  # nobody reads the box any more
    box[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    total = float32(0)
    for warp in range(cuda.blockDim.x // 32):
        total += box[warp]
    return total


# --8<-- [end:block]


# --8<-- [start:rms]
@cuda.jit
def rmsnorm_passes_kernel(x, weight, eps, out):
    box = cuda.shared.array(32, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(x.shape[1])
    total = float32(0)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        total += x[row, uint32(c)] * x[row, uint32(c)]
    scale = float32(1) / math.sqrt(block_sum(total, box) / float32(columns) + eps)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        out[row, uint32(c)] = x[row, uint32(c)] * scale * weight[uint32(c)]


# --8<-- [end:rms]


# --8<-- [start:layer]
@cuda.jit
def layernorm_passes_kernel(x, weight, bias, eps, out):
    box = cuda.shared.array(32, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(x.shape[1])
    total = float32(0)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        total += x[row, uint32(c)]
    mean = block_sum(total, box) / float32(columns)
    total = float32(0)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        off = x[row, uint32(c)] - mean
        total += off * off
    scale = float32(1) / math.sqrt(block_sum(total, box) / float32(columns) + eps)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        off = x[row, uint32(c)] - mean
        out[row, uint32(c)] = off * scale * weight[uint32(c)] + bias[uint32(c)]


# --8<-- [end:layer]


# --8<-- [start:host]
EPS = np.float32(1e-5)


def rmsnorm_passes(x, weight):
    """Return x / sqrt(mean(x * x) + eps) * weight for each row of a float32 matrix.

    --8<-- [start:example]
    >>> x = np.array([[3, 4, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=np.float32)
    >>> weight, bias = np.full(5, 2, np.float32), np.full(5, 1, np.float32)
    >>> rmsnorm_passes(x, weight).round(2)
    array([[2.68, 3.58, 0.  , 0.  , 0.  ],
           [2.  , 2.  , 2.  , 2.  , 2.  ]], dtype=float32)
    >>> layernorm_passes(x, weight, bias).round(2)
    array([[ 2.84,  3.98, -0.61, -0.61, -0.61],
           [ 1.  ,  1.  ,  1.  ,  1.  ,  1.  ]], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array_like(x)
    rmsnorm_passes_kernel[len(x), THREADS](*map(cuda.to_device, (x, weight)), EPS, out)
    return out.copy_to_host()


def layernorm_passes(x, weight, bias):
    """Return (x - mean) / sqrt(variance + eps) * weight + bias for each row."""
    out = cuda.device_array_like(x)
    layernorm_passes_kernel[len(x), THREADS](*map(cuda.to_device, (x, weight, bias)), EPS, out)
    return out.copy_to_host()


# --8<-- [end:host]
