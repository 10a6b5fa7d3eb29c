"""Addition of two arrays, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def add_kernel(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


# --8<-- [end:kernel]


# --8<-- [start:host]
def add(a, b, threads=256):
    """Return a + b of two float32 arrays of one size.

    --8<-- [start:example]
    >>> a = np.arange(7, dtype=np.float32)
    >>> b = 10 * a
    >>> add(a, b, threads=4)
    array([ 0., 11., 22., 33., 44., 55., 66.], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array(a.size, dtype=np.float32)
    blocks = -(-a.size // threads)
    add_kernel[blocks, threads](cuda.to_device(a), cuda.to_device(b), out)
    return out.copy_to_host()


# --8<-- [end:host]
