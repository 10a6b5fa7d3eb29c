"""Transpose, an element a thread and through a tile of shared memory with a padded row."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:direct]
@cuda.jit
def transpose_direct_kernel(a, out):
    x, y = cuda.grid(2)
    rows, columns = a.shape
    if y < rows and x < columns:
        out[x, y] = a[y, x]


# --8<-- [end:direct]


# --8<-- [start:tile]
BM = 32  # a tile is BM x BM
BY = 8  # a block is BM x BY threads: each moves BM / BY elements
PADDED = (BM, BM + 1)  # one column more: the elements of a column lie in different banks


@cuda.jit
def transpose_tile_kernel(a, out):
    tile = cuda.shared.array(PADDED, np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * BM, cuda.blockIdx.y * BM
    rows, columns = a.shape
    for y in range(ty, BM, BY):
        if top + y < rows and left + tx < columns:
            tile[y, tx] = a[top + y, left + tx]
    cuda.syncthreads()
    for y in range(ty, BM, BY):
        if left + y < columns and top + tx < rows:
            out[left + y, top + tx] = tile[tx, y]


# --8<-- [end:tile]


# --8<-- [start:host]
def transpose_with(kernel, a, threads, tile):
    """Return the transpose of a float32 matrix. tile: columns and rows of a block's part.

    --8<-- [start:example]
    >>> a = np.arange(35 * 33, dtype=np.float32).reshape(35, 33)
    >>> np.array_equal(transpose_with(transpose_direct_kernel, a, (8, 4), (8, 4)), a.T)
    True

    --8<-- [end:example]

    --8<-- [start:tile_example]
    >>> np.array_equal(transpose_with(transpose_tile_kernel, a, (BM, BY), (BM, BM)), a.T)
    True

    --8<-- [end:tile_example]
    """
    rows, columns = a.shape
    out = cuda.device_array((columns, rows), np.float32)
    if a.size:
        blocks = -(-columns // tile[0]), -(-rows // tile[1])
        kernel[blocks, threads](cuda.to_device(a), out)
    return out.copy_to_host()


# --8<-- [end:host]
