"""The exercise of the page: transpose a square matrix in place."""

import numpy as np
from numba import cuda

from kernels.transpose.tile import BM, BY, PADDED


# --8<-- [start:solution]
@cuda.jit
def transpose_in_place_kernel(a):
    """A block exchanges two tiles; on and above the diagonal only."""
    mine = cuda.shared.array(PADDED, np.float32)
    other = cuda.shared.array(PADDED, np.float32)
    tx, ty, n = cuda.threadIdx.x, cuda.threadIdx.y, a.shape[0]
    left, top = cuda.blockIdx.x * BM, cuda.blockIdx.y * BM
    if left < top:
        return  # the whole block: no thread waits for another
    for y in range(ty, BM, BY):
        if top + y < n and left + tx < n:
            mine[y, tx] = a[top + y, left + tx]
        if left + y < n and top + tx < n:
            other[y, tx] = a[left + y, top + tx]
    cuda.syncthreads()
    for y in range(ty, BM, BY):
        if left + y < n and top + tx < n:
            a[left + y, top + tx] = mine[tx, y]
        if left > top and top + y < n and left + tx < n:
            a[top + y, left + tx] = other[tx, y]


def transpose_in_place(a):
    """Return the transpose of a square float32 matrix, made in the same memory on the GPU.

    --8<-- [start:example]
    >>> a = np.arange(37 * 37, dtype=np.float32).reshape(37, 37)
    >>> np.array_equal(transpose_in_place(a), a.T)
    True

    --8<-- [end:example]
    """
    d_a = cuda.to_device(a)
    blocks = -(-a.shape[0] // BM)
    transpose_in_place_kernel[(blocks, blocks), (BM, BY)](d_a)
    return d_a.copy_to_host()


# --8<-- [end:solution]
