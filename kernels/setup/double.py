"""Does it work? Double some numbers on a GPU, or in Numba's simulator."""

# --8<-- [start:smoke]
import numpy as np
from numba import cuda


@cuda.jit
def double_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] + x[i]


def double(values, threads=32):
    """Return twice the values (one or more) as a float32 array."""
    x = cuda.to_device(np.array(values, dtype=np.float32))
    double_kernel[-(-x.size // threads), threads](x)
    return x.copy_to_host()


# --8<-- [end:smoke]


def examples():
    """It works if this comes out.

    --8<-- [start:example]
    >>> double([1, 2, 3, 4, 5], threads=2)
    array([ 2.,  4.,  6.,  8., 10.], dtype=float32)

    --8<-- [end:example]
    """
