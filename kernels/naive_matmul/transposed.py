"""The exercise of the naive matrix product: the second matrix comes transposed."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def matmul_transposed_kernel(a, bt, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * bt[column, k]
        c[row, column] = total


# --8<-- [end:kernel]


def matmul_transposed(a, bt, threads=(32, 8)):
    """Return ``a @ bt.T`` as float32 for ``a`` of shape (M, K) and ``bt`` of shape (N, K).

    --8<-- [start:example]
    >>> d_a = cuda.to_device(np.arange(15, dtype=np.float32).reshape(3, 5))
    >>> bt = np.ascontiguousarray(np.arange(20, dtype=np.float32).reshape(5, 4).T)
    >>> d_c = cuda.device_array((3, 4), np.float32)
    >>> matmul_transposed_kernel[(1, 2), (4, 2)](d_a, cuda.to_device(bt), d_c)
    >>> d_c.copy_to_host()[0]
    array([120., 130., 140., 150.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_bt = cuda.to_device(np.asarray(bt, dtype=np.float32))
    d_c = cuda.device_array((d_a.shape[0], d_bt.shape[0]), np.float32)
    blocks = (-(-d_c.shape[1] // threads[0]), -(-d_c.shape[0] // threads[1]))
    matmul_transposed_kernel[blocks, threads](d_a, d_bt, d_c)
    return d_c.copy_to_host()
