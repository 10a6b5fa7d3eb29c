"""y = alpha x + y, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def saxpy_kernel(alpha, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = alpha * x[i] + y[i]


# --8<-- [end:kernel]


# --8<-- [start:host]
def saxpy(alpha, x, y, threads=256):
    """Return alpha * x + y for float32 arrays x and y of one size.

    --8<-- [start:example]
    >>> x = np.arange(7, dtype=np.float32)
    >>> y = np.full(7, 100, dtype=np.float32)
    >>> saxpy(2, x, y, threads=4)
    array([100., 102., 104., 106., 108., 110., 112.], dtype=float32)

    --8<-- [end:example]
    """
    d_y = cuda.to_device(y)
    blocks = -(-y.size // threads)
    saxpy_kernel[blocks, threads](np.float32(alpha), cuda.to_device(x), d_y)
    return d_y.copy_to_host()


# --8<-- [end:host]
