"""Map and gather: each thread writes one element, and no two threads meet."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def map_kernel(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] * x[i]  # from one element, one element


@cuda.jit
def gather_kernel(x, index, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[index[i]]  # read anywhere, write your own place


# --8<-- [end:kernel]


def square(x, threads=256):
    """Return ``x * x`` as float32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(1, 8, dtype=np.float32))
    >>> out = cuda.device_array(7, np.float32)
    >>> map_kernel[2, 4](x, out)
    >>> out.copy_to_host()
    array([ 1.,  4.,  9., 16., 25., 36., 49.], dtype=float32)
    >>> index = cuda.to_device(np.array([6, 0, 0, 5, 1, 1, 1]))
    >>> gather_kernel[2, 4](x, index, out)
    >>> out.copy_to_host()
    array([7., 1., 1., 6., 2., 2., 2.], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(x, dtype=np.float32))
    d_out = cuda.device_array_like(d_x)
    map_kernel[-(-d_out.size // threads), threads](d_x, d_out)
    return d_out.copy_to_host()
