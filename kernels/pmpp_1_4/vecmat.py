"""Vector times matrix: one thread for each column."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def vecmat_kernel(x, matrix, y):
    column = cuda.grid(1)
    if column < matrix.shape[1]:
        total = np.float32(0)
        for row in range(matrix.shape[0]):
            total += x[row] * matrix[row, column]
        y[column] = total


# --8<-- [end:kernel]


def vecmat(x, matrix, threads=256):
    """Return ``x @ matrix`` as float32, for shapes (rows,) and (rows, columns).

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.arange(15, dtype=np.float32).reshape(3, 5))
    >>> ones = cuda.to_device(np.ones(3, dtype=np.float32))
    >>> product = cuda.device_array(5, np.float32)
    >>> vecmat_kernel[2, 4](ones, matrix, product)  # eight threads for five columns
    >>> product.copy_to_host()
    array([15., 18., 21., 24., 27.], dtype=float32)

    --8<-- [end:example]
    """
    d_matrix = cuda.to_device(np.asarray(matrix, dtype=np.float32))
    d_y = cuda.device_array(d_matrix.shape[1], np.float32)
    blocks = -(-d_y.size // threads)
    vecmat_kernel[blocks, threads](cuda.to_device(np.asarray(x, dtype=np.float32)), d_matrix, d_y)
    return d_y.copy_to_host()
