"""The exercise of the vector addition page: y = alpha * x + y, in place."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def saxpy_kernel(alpha, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = alpha * x[i] + y[i]


# --8<-- [end:kernel]


def saxpy(alpha, x, y, threads=256):
    """Return ``alpha * x + y`` as float32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(7, dtype=np.float32))
    >>> y = cuda.to_device(np.ones(7, dtype=np.float32))
    >>> saxpy_kernel[2, 4](np.float32(2), x, y)  # 8 threads for 7 elements
    >>> y.copy_to_host()
    array([ 1.,  3.,  5.,  7.,  9., 11., 13.], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(x, dtype=np.float32))
    d_y = cuda.to_device(np.asarray(y, dtype=np.float32))
    saxpy_kernel[-(-d_y.size // threads), threads](np.float32(alpha), d_x, d_y)
    return d_y.copy_to_host()
