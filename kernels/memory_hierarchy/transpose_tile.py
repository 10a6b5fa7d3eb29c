"""Transpose through shared memory: a block turns its tile there, so it reads and writes rows."""

import numpy as np
from numba import cuda

# --8<-- [start:kernel]
TILE = 16
SHAPE = (TILE, TILE + 1)  # one column more, so that a column's elements lie in different banks


@cuda.jit
def transpose_tile_kernel(a, out):
    tile = cuda.shared.array(SHAPE, np.float32)  # one for each block, seen by all its threads
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left = cuda.blockIdx.x * TILE  # the tile's first column and row in a
    top = cuda.blockIdx.y * TILE

    if top + y < a.shape[0] and left + x < a.shape[1]:
        tile[y, x] = a[top + y, left + x]  # read a row of a
    cuda.syncthreads()  # wait until the whole tile is there
    if left + y < out.shape[0] and top + x < out.shape[1]:
        out[left + y, top + x] = tile[x, y]  # write a row of out


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose_tile(a):
    """Return ``a.T`` as float32 for a matrix ``a``, transposed on the GPU.

    --8<-- [start:example]
    >>> transpose_tile([[1, 2, 3], [4, 5, 6]])
    array([[1., 4.],
           [2., 5.],
           [3., 6.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    rows, columns = d_a.shape
    d_out = cuda.device_array((columns, rows), np.float32)
    blocks = (-(-columns // TILE), -(-rows // TILE))
    transpose_tile_kernel[blocks, (TILE, TILE)](d_a, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
