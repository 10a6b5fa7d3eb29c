"""The exercise of the page: the histogram of bytes."""

import numpy as np
from numba import cuda

from kernels.histogram.counts import BINS


# --8<-- [start:solution]
@cuda.jit
def histogram_bytes_kernel(words, rest, counts):
    local = cuda.shared.array(BINS, np.uint32)
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        local[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        word = words[i]
        for shift in (0, 8, 16, 24):
            cuda.atomic.add(local, np.int32(word >> np.uint32(shift)) & 255, np.uint32(1))
    if cuda.grid(1) < rest.size:  # the last bytes, at most three
        cuda.atomic.add(local, rest[cuda.grid(1)], np.uint32(1))
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(counts, b, local[b])


def histogram_bytes(x, blocks=264, threads=256):
    """Return how often each of 0 to 255 occurs in a uint8 array, read four bytes at a time.

    --8<-- [start:example]
    >>> histogram_bytes(np.array([3, 1, 4, 1, 5, 9, 2], dtype=np.uint8), blocks=1, threads=4)[:10]
    array([0, 2, 1, 1, 1, 1, 0, 0, 0, 1], dtype=uint32)

    --8<-- [end:example]
    """
    counts = cuda.to_device(np.zeros(BINS, dtype=np.uint32))
    whole = x.size // 4 * 4
    words, rest = x[:whole].view(np.uint32), x[whole:]
    histogram_bytes_kernel[blocks, threads](cuda.to_device(words), cuda.to_device(rest), counts)
    return counts.copy_to_host()


# --8<-- [end:solution]
