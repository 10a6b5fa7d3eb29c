"""To the GPU and back: from ordinary (pageable) host memory, and from pinned host memory."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def double_kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= np.float32(2)


# --8<-- [end:kernel]


# --8<-- [start:host]
def double(a, pinned, threads=256):
    """Return ``2 * a`` as float32, by way of host memory that is pinned or not.

    --8<-- [start:example]
    >>> double([1, 2, 3], pinned=False, threads=2)
    array([2., 4., 6.], dtype=float32)
    >>> double([1, 2, 3], pinned=True, threads=2)
    array([2., 4., 6.], dtype=float32)

    --8<-- [end:example]
    """
    n = len(a)
    host = cuda.pinned_array(n, np.float32) if pinned else np.empty(n, np.float32)
    host[:] = a
    d_a = cuda.to_device(host)  # host to device
    double_kernel[-(-n // threads), threads](d_a)
    return d_a.copy_to_host(host)  # device to host, into the same memory


# --8<-- [end:host]
