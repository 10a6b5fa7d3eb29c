"""The exercise of the memory hierarchy page: the sum of each column of a matrix."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def column_sums_kernel(a, out):
    column = cuda.grid(1)  # neighboring threads: neighboring columns
    if column < out.size:
        total = np.float32(0)
        for row in range(a.shape[0]):
            total += a[row, column]
        out[column] = total


# --8<-- [end:kernel]


def column_sums(a, threads=128):
    """Return the sum of each column of ``a`` (rows, columns) as float32 (columns,).

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(15, dtype=np.float32).reshape(3, 5))
    >>> out = cuda.device_array(5, np.float32)
    >>> column_sums_kernel[3, 2](a, out)  # 6 threads for 5 columns
    >>> out.copy_to_host()
    array([15., 18., 21., 24., 27.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_out = cuda.device_array(d_a.shape[1], np.float32)
    column_sums_kernel[-(-d_out.size // threads), threads](d_a, d_out)
    return d_out.copy_to_host()
