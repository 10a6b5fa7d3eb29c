"""Host and device: two memories, and a kernel that works on one of them."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def square_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * x[i]


# --8<-- [end:kernel]


# --8<-- [start:host]
def square(values, threads=4):
    """Return the squares of ``values`` as float32, computed on the GPU."""
    x = np.asarray(values, dtype=np.float32)  # host memory
    d_x = cuda.to_device(x)  # device memory, and a copy into it
    square_kernel[-(-d_x.size // threads), threads](d_x)  # ask the device to work
    return d_x.copy_to_host()  # wait for it, and copy back


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> square([1, 2, 3, 4, 5])
    array([ 1.,  4.,  9., 16., 25.], dtype=float32)

    --8<-- [end:example]
    """
