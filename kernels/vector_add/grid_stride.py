"""Vector addition with a grid-stride loop: any number of threads covers any number of elements."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def add_strided_kernel(a, b, out):
    step = cuda.gridsize(1)  # how many threads there are in all
    for i in range(cuda.grid(1), out.size, step):
        out[i] = a[i] + b[i]


# --8<-- [end:kernel]


def add_strided(blocks, threads, n):
    """Return 0 + 0, 1 + 10, 2 + 20, ... of n elements, computed by blocks x threads threads.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(21, dtype=np.float32))
    >>> b = cuda.to_device(np.arange(21, dtype=np.float32) * 10)
    >>> out = cuda.device_array_like(a)
    >>> add_strided_kernel[2, 4](a, b, out)  # 8 threads for 21 elements
    >>> out.copy_to_host()[-4:]
    array([187., 198., 209., 220.], dtype=float32)

    --8<-- [end:example]
    """
    a = cuda.to_device(np.arange(n, dtype=np.float32))
    b = cuda.to_device(np.arange(n, dtype=np.float32) * 10)
    out = cuda.device_array_like(a)
    add_strided_kernel[blocks, threads](a, b, out)
    return out.copy_to_host()
