"""Transpose through a tile in shared memory, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
TILE = 16
PADDED = TILE + 1


@cuda.jit
def transpose_kernel(matrix, out):
    tile = cuda.shared.array((TILE, PADDED), dtype=np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    rows, columns = matrix.shape
    column = cuda.blockIdx.x * TILE + x
    row = cuda.blockIdx.y * TILE + y
    if row < rows and column < columns:
        tile[y, x] = matrix[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * TILE + x
    row = cuda.blockIdx.x * TILE + y
    if row < columns and column < rows:
        out[row, column] = tile[x, y]


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose(matrix):
    """Return the transpose of a float32 matrix.

    --8<-- [start:example]
    >>> matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> transpose(matrix)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = matrix.shape
    out = cuda.device_array((columns, rows), dtype=np.float32)
    blocks = (-(-columns // TILE), -(-rows // TILE))
    transpose_kernel[blocks, (TILE, TILE)](cuda.to_device(matrix), out)
    return out.copy_to_host()


# --8<-- [end:host]
