"""Gather whole rows, as an embedding layer does: a warp a row."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def gather_rows_kernel(table, indices, out):
    lane = cuda.threadIdx.x % 32
    row = cuda.grid(1) // 32
    if row < out.shape[0]:
        source = indices[row]
        for column in range(lane, out.shape[1], 32):
            out[row, column] = table[source, column]


# --8<-- [end:kernel]


# --8<-- [start:host]
def gather_rows(table, indices, threads=256):
    """Return table[indices] for a float32 matrix. threads: a multiple of 32.

    --8<-- [start:example]
    >>> table = np.arange(12, dtype=np.float32).reshape(4, 3)
    >>> gather_rows(table, np.array([3, 1, 3], dtype=np.int32))
    array([[ 9., 10., 11.],
           [ 3.,  4.,  5.],
           [ 9., 10., 11.]], dtype=float32)

    --8<-- [end:example]
    """
    if indices.size and not (0 <= indices.min() and indices.max() < table.shape[0]):
        raise IndexError(f"an index is not in 0 to {table.shape[0] - 1}")
    out = cuda.device_array((indices.size, table.shape[1]), np.float32)
    if out.size:
        blocks = -(-32 * indices.size // threads)
        gather_rows_kernel[blocks, threads](cuda.to_device(table), cuda.to_device(indices), out)
    return out.copy_to_host()


# --8<-- [end:host]
