"""Read with an offset: a warp whose 128 bytes begin in the middle of a sector needs one more."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def offset_kernel(a, offset, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i + offset]  # still neighbors, but the first address moves


# --8<-- [end:kernel]


# --8<-- [start:host]
def tail(a, offset, threads=256):
    """Return ``a[offset:]`` as float32, copied on the GPU.

    --8<-- [start:example]
    >>> tail(np.arange(9), offset=2, threads=4)
    array([2., 3., 4., 5., 6., 7., 8.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_out = cuda.device_array(d_a.size - offset, np.float32)
    offset_kernel[-(-d_out.size // threads), threads](d_a, offset, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
