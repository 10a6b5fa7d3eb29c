"""Histogram with atomics, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
BINS = 16


@cuda.jit
def histogram_kernel(x, counts):
    local = cuda.shared.array(BINS, dtype=np.uint32)
    i = cuda.grid(1)
    thread = cuda.threadIdx.x
    if thread < BINS:
        local[thread] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(local, x[i], np.uint32(1))
    cuda.syncthreads()
    if thread < BINS:
        cuda.atomic.add(counts, thread, local[thread])


# --8<-- [end:kernel]


# --8<-- [start:host]
def histogram(x, threads=256):
    """Return how often each of 0 to 15 occurs in a uint32 array.

    threads: at least 16.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8], dtype=np.uint32)
    >>> histogram(x, threads=16)
    array([0, 2, 2, 4, 1, 3, 1, 1, 2, 3, 0, 0, 0, 0, 0, 0], dtype=uint32)

    --8<-- [end:example]
    """
    counts = cuda.to_device(np.zeros(BINS, dtype=np.uint32))
    blocks = -(-x.size // threads)
    histogram_kernel[blocks, threads](cuda.to_device(x), counts)
    return counts.copy_to_host()


# --8<-- [end:host]
