"""Matrix times vector: one thread for each row."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def matvec_kernel(matrix, x, y):
    row = cuda.grid(1)
    if row < matrix.shape[0]:
        total = np.float32(0)
        for column in range(matrix.shape[1]):
            total += matrix[row, column] * x[column]
        y[row] = total


# --8<-- [end:kernel]


def matvec(matrix, x, threads=256):
    """Return ``matrix @ x`` as float32, for shapes (rows, columns) and (columns,).

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.arange(15, dtype=np.float32).reshape(5, 3))
    >>> ones = cuda.to_device(np.ones(3, dtype=np.float32))
    >>> product = cuda.device_array(5, np.float32)
    >>> matvec_kernel[2, 4](matrix, ones, product)  # eight threads for five rows
    >>> product.copy_to_host()
    array([ 3., 12., 21., 30., 39.], dtype=float32)

    --8<-- [end:example]
    """
    d_matrix = cuda.to_device(np.asarray(matrix, dtype=np.float32))
    d_y = cuda.device_array(d_matrix.shape[0], np.float32)
    blocks = -(-d_y.size // threads)
    matvec_kernel[blocks, threads](d_matrix, cuda.to_device(np.asarray(x, dtype=np.float32)), d_y)
    return d_y.copy_to_host()
