"""A narrow layer of a network for many points, fused: relu(x @ w + bias)."""

from functools import cache

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cache
def make_narrow_layer(k):
    """Return a kernel for out = relu(x @ w + bias): x (points, k), w (k, n), bias (n,)."""

    @cuda.jit
    def narrow_layer_kernel(x, w, bias, out):
        column = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.x
        point = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if point < out.shape[0] and column < out.shape[1]:
            total = bias[column]
            for i in range(k):  # k is known when this is compiled
                total += x[point, i] * w[i, column]
            out[point, column] = max(total, np.float32(0))

    return narrow_layer_kernel


def narrow_shape(points, n):
    """Return (blocks, threads): a row of threads for the columns of a point, 256 in all.

    A grid has at most 65,535 blocks in y, so the many blocks stand in x.
    """
    across = min(n, 32)
    down = 256 // across
    return (-(-points // down), -(-n // across)), (across, down)


# --8<-- [end:kernel]


# --8<-- [start:host]
def narrow_layer(x, w, bias):
    """Return relu(x @ w + bias) in float32."""
    (points, k), n = x.shape, w.shape[1]
    d_out = cuda.device_array((points, n), np.float32)
    arrays = [cuda.to_device(array) for array in (x, w, bias)]
    blocks, threads = narrow_shape(points, n)
    make_narrow_layer(k)[blocks, threads](*arrays, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]


def two():
    """Two points.

    --8<-- [start:example]
    >>> x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    >>> w = np.array([[1, -1], [0, 1], [1, 0]], np.float32)
    >>> narrow_layer(x, w, np.array([0, -2], np.float32))
    array([[ 4.,  0.],
           [10.,  0.]], dtype=float32)

    --8<-- [end:example]
    """
