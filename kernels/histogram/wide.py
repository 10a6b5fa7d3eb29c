"""Histogram in shared memory, one for each block, that reads four values at a time."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4
from kernels.histogram.counts import BINS


# --8<-- [start:kernel]
@cuda.jit
def histogram_wide_kernel(x, counts):
    """Add to ``counts`` how often each of 0 to 255 occurs in ``x``, int32 at a multiple of 16."""
    local = cuda.shared.array(BINS, np.uint32)
    tid, threads = cuda.threadIdx.x, cuda.blockDim.x
    for b in range(tid, BINS, threads):
        local[b] = 0
    cuda.syncthreads()
    whole = x.size // 4 * 4
    for i in range(4 * cuda.grid(1), whole, 4 * cuda.gridsize(1)):
        for value in load4(x, i):
            if 0 <= value < BINS:
                cuda.atomic.add(local, value, np.uint32(1))
    for i in range(whole + cuda.grid(1), x.size, cuda.gridsize(1)):  # up to three are left over
        if 0 <= x[i] < BINS:
            cuda.atomic.add(local, x[i], np.uint32(1))
    cuda.syncthreads()
    for b in range(tid, BINS, threads):
        cuda.atomic.add(counts, b, local[b])


# --8<-- [end:kernel]


def example():
    """Count the thirteen values of the page's other examples.

    --8<-- [start:example]
    >>> histogram(histogram_wide_kernel, x, blocks=2, threads=4)[:10]
    array([0, 2, 1, 2, 1, 3, 1, 0, 0, 1], dtype=uint32)

    --8<-- [end:example]
    """
