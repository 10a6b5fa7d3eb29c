"""The exercise of the page: a stable partition."""

import numpy as np
from numba import cuda

from kernels.compact.steps import mark_kernel
from kernels.scan.block import scan_on_device


# --8<-- [start:solution]
@cuda.jit
def partition_kernel(x, places, out):
    i = cuda.grid(1)
    if i < x.size:
        kept, before = places[x.size - 1], places[i]
        if x[i] > 0:
            out[before - 1] = x[i]
        else:  # i elements stand before this one, and so many of them are kept
            out[kept + i - before] = x[i]


def partition(x, threads=256):
    """Return what is above zero, in order, and behind it all others, in order.

    --8<-- [start:example]
    >>> partition(np.array([3, -1, 4, -1, -5, 9, 2, -6], dtype=np.float32), threads=32)
    array([ 3.,  4.,  9.,  2., -1., -1., -5., -6.], dtype=float32)

    --8<-- [end:example]
    """
    if not x.size:
        return x.copy()
    d_x, out = cuda.to_device(x), cuda.device_array(x.size, np.float32)
    places = cuda.device_array(x.size, np.int32)
    blocks = -(-x.size // threads)
    mark_kernel[blocks, threads](d_x, places)
    scan_on_device(places, places, threads)
    partition_kernel[blocks, threads](d_x, places, out)
    return out.copy_to_host()


# --8<-- [end:solution]
