"""y = alpha x + y in half precision, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def axpy_half_kernel(alpha, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = cuda.fp16.hfma(alpha[0], x[i], y[i])


# --8<-- [end:kernel]


# --8<-- [start:host]
def axpy_half(alpha, x, y, threads=256):
    """Return alpha * x + y for float16 arrays x and y, rounded once.

    --8<-- [start:example]
    >>> x = np.array([1, 2, 3, 1024, 4096], dtype=np.float16)
    >>> y = np.array([0.5, 0.5, 0.5, 0.5, 1], dtype=np.float16)
    >>> axpy_half(2, x, y, threads=4)
    array([2.500e+00, 4.500e+00, 6.500e+00, 2.048e+03, 8.192e+03],
          dtype=float16)

    --8<-- [end:example]
    """
    d_alpha = cuda.to_device(np.array([alpha], dtype=np.float16))
    d_y = cuda.to_device(y)
    blocks = -(-y.size // threads)
    axpy_half_kernel[blocks, threads](d_alpha, cuda.to_device(x), d_y)
    return d_y.copy_to_host()


# --8<-- [end:host]
