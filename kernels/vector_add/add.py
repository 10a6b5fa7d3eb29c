"""Vector addition: one thread per element."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def add_kernel(a, b, out):
    i = cuda.grid(1)  # this thread's place in the whole grid
    if i < out.size:  # the last block is rarely full
        out[i] = a[i] + b[i]


# --8<-- [end:kernel]


# --8<-- [start:host]
def add(a, b, threads=256):
    """Return ``a + b`` as float32, computed on the GPU.

    --8<-- [start:example]
    >>> add([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], threads=2)
    array([11., 22., 33., 44., 55.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_b = cuda.to_device(np.asarray(b, dtype=np.float32))
    d_out = cuda.device_array_like(d_a)
    blocks = -(-d_out.size // threads)  # ceiling division
    add_kernel[blocks, threads](d_a, d_b, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
