"""Sums down the columns of a matrix: one result a thread, and several."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
def make_sums(width, coarse_factor):
    """Return a kernel: out[y, x] = a[y, x] + a[y + 1, x] + ..., ``width`` terms.

    Each thread computes ``coarse_factor`` results, one below the other. ``out`` has width - 1 rows
    less than ``a``.
    """

    @cuda.jit
    def sums_kernel(a, out):
        x, first = cuda.grid(2)
        x, first = np.uint32(x), np.uint32(first * coarse_factor)
        if x < out.shape[1]:
            acc = cuda.local.array(coarse_factor, np.float32)
            for i in range(coarse_factor):
                acc[i] = 0
            for step in range(coarse_factor + width - 1):
                if first + step < a.shape[0]:
                    value = a[first + step, x]  # read once
                    for i in range(coarse_factor):
                        if 0 <= step - i < width:
                            acc[i] += value  # and used for each result that needs it
            for i in range(coarse_factor):
                if first + i < out.shape[0]:
                    out[first + i, x] = acc[i]

    return sums_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def sums(a, width, coarse_factor, threads=(32, 8)):
    """Return the sums of ``width`` neighbors down the columns of ``a``, as float32.

    --8<-- [start:example]
    >>> sums(np.arange(21).reshape(7, 3), width=2, coarse_factor=4, threads=(4, 2))
    array([[ 3.,  5.,  7.],
           [ 9., 11., 13.],
           [15., 17., 19.],
           [21., 23., 25.],
           [27., 29., 31.],
           [33., 35., 37.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_out = cuda.device_array((d_a.shape[0] - width + 1, d_a.shape[1]), np.float32)
    rows, columns = d_out.shape
    blocks = (-(-columns // threads[0]), -(-rows // (threads[1] * coarse_factor)))
    make_sums(width, coarse_factor)[blocks, threads](d_a, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
