"""Read every stride-th element: how far apart a warp's threads read decides what memory moves."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def strided_kernel(a, stride, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i * stride]  # neighboring threads read stride elements apart


# --8<-- [end:kernel]


# --8<-- [start:host]
def every(a, stride, threads=256):
    """Return ``a[::stride]`` as float32, gathered on the GPU.

    --8<-- [start:example]
    >>> every(np.arange(10), stride=3, threads=2)
    array([0., 3., 6., 9.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    n = -(-d_a.size // stride)
    d_out = cuda.device_array(n, np.float32)
    strided_kernel[-(-n // threads), threads](d_a, stride, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
