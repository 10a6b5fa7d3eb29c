"""Reduction in one block: many values become one, in a tree."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def sum_kernel(x, out):
    partial = cuda.shared.array(1024, np.float32)  # one place for each thread of the block
    i = cuda.threadIdx.x
    total = np.float32(0)
    for j in range(i, x.size, cuda.blockDim.x):  # first a plain loop: any size of x
        total += x[j]
    partial[i] = total
    cuda.syncthreads()  # nobody reads before everybody has written

    count = cuda.blockDim.x  # so many partial sums are left
    while count > 1:
        half = (count + 1) // 2  # rounded up: an odd one out waits for the next round
        if i + half < count:
            partial[i] += partial[i + half]
        cuda.syncthreads()  # the round is over for all threads
        count = half
    if i == 0:
        out[0] = partial[0]


# --8<-- [end:kernel]


def block_sum(x, threads=256):
    """Return the sum of x, computed in float32 by one block of at most 1024 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(1, 12, dtype=np.float32))  # 1 + 2 + ... + 11
    >>> total = cuda.device_array(1, np.float32)
    >>> sum_kernel[1, 7](x, total)  # seven threads, eleven values
    >>> float(total.copy_to_host()[0])
    66.0

    --8<-- [end:example]
    """
    d_out = cuda.device_array(1, np.float32)
    sum_kernel[1, threads](cuda.to_device(np.asarray(x, dtype=np.float32)), d_out)
    return float(d_out.copy_to_host()[0])
