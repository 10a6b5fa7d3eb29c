"""Two streams: order within each, none between them unless you ask for it."""

import numpy as np
from numba import cuda

from kernels.execution_model.square import square_kernel


def fourth_power(values):
    """Return ``values`` to the fourth power as float32: squared in one stream, then in another.

    --8<-- [start:example]
    >>> one, other = cuda.stream(), cuda.stream()
    >>> d_x = cuda.to_device(np.arange(5, dtype=np.float32), stream=one)
    >>> square_kernel[2, 4, one](d_x)  # after the copy: the same stream
    >>> one.synchronize()  # before other begins: without this line, nothing says so
    >>> square_kernel[2, 4, other](d_x)
    >>> other.synchronize()
    >>> d_x.copy_to_host()
    array([  0.,   1.,  16.,  81., 256.], dtype=float32)

    --8<-- [end:example]
    """
    one, other = cuda.stream(), cuda.stream()
    d_x = cuda.to_device(np.asarray(values, dtype=np.float32), stream=one)
    blocks = -(-d_x.size // 4)
    square_kernel[blocks, 4, one](d_x)
    one.synchronize()
    square_kernel[blocks, 4, other](d_x)
    other.synchronize()
    return d_x.copy_to_host()
