"""Each thread writes down who it is: its block, its place in the block, its place in the grid."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def whoami_kernel(out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < out.shape[1]:
        out[0, i] = cuda.blockIdx.x  # which block
        out[1, i] = cuda.threadIdx.x  # which thread of that block
        out[2, i] = i  # which thread of the whole grid


# --8<-- [end:kernel]


def whoami(n, blocks, threads):
    """Return an int32 array of 3 rows and n columns: block, thread and index of each element.

    --8<-- [start:example]
    >>> out = cuda.to_device(np.zeros((3, 10), dtype=np.int32))
    >>> whoami_kernel[3, 4](out)  # 3 blocks of 4 threads
    >>> out.copy_to_host()
    array([[0, 0, 0, 0, 1, 1, 1, 1, 2, 2],
           [0, 1, 2, 3, 0, 1, 2, 3, 0, 1],
           [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]], dtype=int32)

    --8<-- [end:example]
    """
    out = cuda.to_device(np.full((3, n), -1, dtype=np.int32))
    whoami_kernel[blocks, threads](out)
    return out.copy_to_host()
