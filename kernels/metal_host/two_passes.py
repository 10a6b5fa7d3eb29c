"""A barrier for the whole grid is the end of a kernel: sum in one, divide in the next."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def sum_kernel(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])


@cuda.jit
def divide_kernel(x, total):
    i = cuda.grid(1)
    if i < x.size:
        x[i] /= total[0]


# --8<-- [end:kernel]


# --8<-- [start:host]
def normalize(values, threads=64):
    """Return ``values`` (n,) as float32, divided by their sum.

    --8<-- [start:example]
    >>> normalize([1, 2, 3, 4, 6], threads=2)
    array([0.0625, 0.125 , 0.1875, 0.25  , 0.375 ], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(values, dtype=np.float32))
    d_total = cuda.to_device(np.zeros(1, dtype=np.float32))
    blocks = -(-d_x.size // threads)
    sum_kernel[blocks, threads](d_x, d_total)
    divide_kernel[blocks, threads](d_x, d_total)  # begins when every block above has ended
    return d_x.copy_to_host()


# --8<-- [end:host]
