"""The exercise of the page: max(x, 0) in place, four elements a thread."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4, store4


# --8<-- [start:solution]
@cuda.jit
def relu4_kernel(x):
    i = 4 * cuda.grid(1)
    zero = np.float32(0)
    if i + 4 <= x.size:
        a, b, c, d = load4(x, i)
        store4(x, i, (max(a, zero), max(b, zero), max(c, zero), max(d, zero)))
    else:
        for k in range(i, x.size):
            x[k] = max(x[k], zero)


def relu(x, threads=256):
    """Return max(x, 0) of a float32 array.

    --8<-- [start:example]
    >>> relu(np.array([-2, -1, 0, 1, 2, -3, 4], dtype=np.float32))
    array([0., 0., 0., 1., 2., 0., 4.], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(x)
    if x.size:
        relu4_kernel[-(-x.size // (4 * threads)), threads](d_x)
    return d_x.copy_to_host()


# --8<-- [end:solution]
