"""Wrong: the thread's place in its block is taken for its place in the grid."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def square_first_block_kernel(x, out):
    i = cuda.threadIdx.x  # 0, 1, 2, 3 in every block
    if i < out.size:
        out[i] = x[i] * x[i]


# --8<-- [end:kernel]


def square_first_block(n, threads):
    """Return what the kernel makes of 0, 1, ... n - 1, in an array that held -1.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(10, dtype=np.float32))
    >>> out = cuda.to_device(np.full(10, -1, dtype=np.float32))
    >>> square_first_block_kernel[3, 4](x, out)
    >>> out.copy_to_host()
    array([ 0.,  1.,  4.,  9., -1., -1., -1., -1., -1., -1.], dtype=float32)

    --8<-- [end:example]
    """
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.to_device(np.full(n, -1, dtype=np.float32))
    square_first_block_kernel[-(-n // threads), threads](x, out)
    return out.copy_to_host()
