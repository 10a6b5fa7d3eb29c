"""The exercise of thread coarsening: sums along rows, whose neighbors in x stay neighbors."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
def make_row_sums(width, coarse_factor, threads):
    tile = threads * coarse_factor  # results of a block, all in one row
    needed = tile + width - 1

    @cuda.jit
    def row_sums_kernel(a, out):
        part = cuda.shared.array(needed, np.float32)
        tx, row = np.uint32(cuda.threadIdx.x), np.uint32(cuda.blockIdx.y)
        first = np.uint32(cuda.blockIdx.x * tile)
        for i in range(tx, needed, threads):  # neighbors read neighbors
            part[i] = a[row, first + i] if first + i < a.shape[1] else np.float32(0)
        cuda.syncthreads()
        acc = cuda.local.array(coarse_factor, np.float32)
        for i in range(coarse_factor):
            acc[i] = 0
        for step in range(coarse_factor + width - 1):
            value = part[tx * coarse_factor + step]
            for i in range(coarse_factor):
                if 0 <= step - i < width:
                    acc[i] += value
        for i in range(coarse_factor):
            if first + tx * coarse_factor + i < out.shape[1]:
                out[row, first + tx * coarse_factor + i] = acc[i]

    return row_sums_kernel


# --8<-- [end:kernel]


def row_sums(a, width, coarse_factor=4, threads=32):
    """Return the sums of ``width`` neighbors along the rows of ``a``, as float32.

    --8<-- [start:example]
    >>> d_a = cuda.to_device(np.arange(22, dtype=np.float32).reshape(2, 11))
    >>> d_out = cuda.device_array((2, 10), np.float32)
    >>> make_row_sums(width=2, coarse_factor=4, threads=2)[(2, 2), 2](d_a, d_out)
    >>> d_out.copy_to_host()
    array([[ 1.,  3.,  5.,  7.,  9., 11., 13., 15., 17., 19.],
           [23., 25., 27., 29., 31., 33., 35., 37., 39., 41.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_out = cuda.device_array((d_a.shape[0], d_a.shape[1] - width + 1), np.float32)
    blocks = (-(-d_out.shape[1] // (threads * coarse_factor)), d_out.shape[0])
    make_row_sums(width, coarse_factor, threads)[blocks, threads](d_a, d_out)
    return d_out.copy_to_host()
