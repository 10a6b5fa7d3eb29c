"""The exercise: keep the positive values, in order, by a map, a scan and a scatter."""

import numpy as np
from numba import cuda

from kernels.thinking_in_parallel.scan import scan_kernel


# --8<-- [start:kernel]
@cuda.jit
def flag_kernel(x, flags):
    i = cuda.grid(1)
    if i < x.size:
        flags[i] = 1 if x[i] > 0 else 0  # map


@cuda.jit
def keep_kernel(x, places, out):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[places[i] - 1] = x[i]  # scatter: no two kept values share a place


# --8<-- [end:kernel]


def compact(x, threads=256):
    """Return the positive values of x in their order, as int32. x.size <= threads <= 1024.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([5, -2, 0, 8, -1, 3, 9], dtype=np.int32))
    >>> flags, places = cuda.device_array_like(x), cuda.device_array_like(x)
    >>> flag_kernel[1, 8](x, flags)
    >>> scan_kernel[1, 8](flags, places)
    >>> places.copy_to_host()
    array([1, 1, 1, 2, 2, 3, 4], dtype=int32)
    >>> kept = cuda.device_array(int(places.copy_to_host()[-1]), np.int32)
    >>> keep_kernel[1, 8](x, places, kept)
    >>> kept.copy_to_host()
    array([5, 8, 3, 9], dtype=int32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(x, dtype=np.int32))
    flags, places = cuda.device_array_like(d_x), cuda.device_array_like(d_x)
    flag_kernel[1, threads](d_x, flags)
    scan_kernel[1, threads](flags, places)
    count = int(places.copy_to_host()[-1])
    kept = cuda.device_array(max(count, 1), np.int32)
    keep_kernel[1, threads](d_x, places, kept)
    return kept.copy_to_host()[:count]
