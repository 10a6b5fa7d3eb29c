"""Transpose by tiles of 32 x 32: with bank conflicts, without, and four elements a thread."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
def make_transpose(rows, padding):
    """Return a kernel that transposes float32 by way of tiles of 32 x 32.

    rows: of the block, 32 threads wide: 8 give each thread four elements. padding: unused columns
    behind each row of the tile.
    """
    shape = (32, 32 + padding)

    @cuda.jit
    def transpose_kernel(a, out):
        tile = cuda.shared.array(shape, np.float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
        for k in range(0, 32, rows):  # known when compiled, so it is written out
            if top + y + k < a.shape[0] and left + x < a.shape[1]:
                tile[y + k, x] = a[top + y + k, left + x]  # a warp reads one row: one line
        cuda.syncthreads()
        for k in range(0, 32, rows):
            if left + y + k < out.shape[0] and top + x < out.shape[1]:
                out[left + y + k, top + x] = tile[x, y + k]  # a warp reads a column of the tile

    return transpose_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose(kernel, a, rows):
    """Return ``a.T`` as float32.

    --8<-- [start:example]
    >>> a = np.arange(35 * 50).reshape(35, 50)
    >>> for rows, padding in ((32, 0), (32, 1), (8, 1)):
    ...     print((transpose(make_transpose(rows, padding), a, rows) == a.T).all())
    True
    True
    True

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    height, width = d_a.shape
    d_out = cuda.device_array((width, height), np.float32)
    kernel[(-(-width // 32), -(-height // 32)), (32, rows)](d_a, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
