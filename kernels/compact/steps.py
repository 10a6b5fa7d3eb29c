"""Stream compaction in three steps: mark, scan, scatter."""

import numpy as np
from numba import cuda

from kernels.scan.block import scan_on_device


# --8<-- [start:kernels]
@cuda.jit
def mark_kernel(x, flags):
    i = cuda.grid(1)
    if i < x.size:
        flags[i] = x[i] > 0


@cuda.jit
def scatter_kernel(x, places, out):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[places[i] - 1] = x[i]  # the scan counts this element too


# --8<-- [end:kernels]


# --8<-- [start:host]
def compact_steps(x, threads=256):
    """Return the elements of a float32 array that are above zero, in order.

    --8<-- [start:example]
    >>> compact_steps(np.array([3, -1, 4, -1, -5, 9, 2, -6], dtype=np.float32), threads=32)
    array([3., 4., 9., 2.], dtype=float32)

    --8<-- [end:example]
    """
    if not x.size:
        return x.copy()
    d_x, out = cuda.to_device(x), cuda.device_array(x.size, np.float32)
    places = cuda.device_array(x.size, np.int32)
    blocks = -(-x.size // threads)
    mark_kernel[blocks, threads](d_x, places)
    scan_on_device(places, places, threads)
    scatter_kernel[blocks, threads](d_x, places, out)
    return out.copy_to_host()[: places.copy_to_host()[-1]]


# --8<-- [end:host]
