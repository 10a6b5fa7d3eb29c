"""Transpose straight through global memory: rows are read, so columns are written."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def transpose_direct_kernel(a, out):
    column, row = cuda.grid(2)
    if row < a.shape[0] and column < a.shape[1]:
        out[column, row] = a[row, column]  # reads side by side, writes a whole row apart


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose_direct(a, threads=(16, 16)):
    """Return ``a.T`` as float32 for a matrix ``a``, transposed on the GPU.

    --8<-- [start:example]
    >>> transpose_direct([[1, 2, 3], [4, 5, 6]], threads=(2, 2))
    array([[1., 4.],
           [2., 5.],
           [3., 6.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    rows, columns = d_a.shape
    d_out = cuda.device_array((columns, rows), np.float32)
    blocks = (-(-columns // threads[0]), -(-rows // threads[1]))
    transpose_direct_kernel[blocks, threads](d_a, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
