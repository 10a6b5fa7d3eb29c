"""Three memory spaces in one kernel: global memory, shared memory, registers."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def reverse_in_blocks_kernel(x, out):
    box = cuda.shared.array(4, np.float32)  # shared memory: one box for each block
    t = cuda.threadIdx.x  # a register: one t for each thread
    first = cuda.blockIdx.x * cuda.blockDim.x
    count = min(cuda.blockDim.x, x.size - first)  # the last block may be short
    if t < count:
        box[t] = x[first + t]  # x and out: global memory, one for all
    cuda.syncthreads()  # wait until the whole block has written
    if t < count:
        out[first + t] = box[count - 1 - t]


# --8<-- [end:kernel]


def reverse_in_blocks(x):
    """Return float32 ``x`` with each run of 4 elements, and what is left at the end, reversed.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(10, dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> reverse_in_blocks_kernel[3, 4](x, out)
    >>> out.copy_to_host()
    array([3., 2., 1., 0., 7., 6., 5., 4., 9., 8.], dtype=float32)

    --8<-- [end:example]
    """
    x = cuda.to_device(np.asarray(x, dtype=np.float32))
    out = cuda.device_array_like(x)
    reverse_in_blocks_kernel[-(-x.size // 4), 4](x, out)
    return out.copy_to_host()
