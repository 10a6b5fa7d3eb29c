"""Wrong: read, add and write in separate steps, so that additions to one bin get lost."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def histogram_lost_kernel(values, counts):
    i = cuda.grid(1)
    old = np.int32(0)
    if i < values.size:
        old = counts[values[i]]  # read
    cuda.syncthreads()  # every thread has read, no thread has written
    if i < values.size:
        counts[values[i]] = old + 1  # add and write


# --8<-- [end:kernel]


def histogram_lost(values, bins, threads):
    """Return wrong counts of values, computed by one block.

    --8<-- [start:example]
    >>> counts = cuda.to_device(np.zeros(4, dtype=np.int32))
    >>> histogram_lost_kernel[1, 8](values, counts)
    >>> counts.copy_to_host()
    array([1, 1, 0, 1], dtype=int32)

    --8<-- [end:example]
    """
    d_counts = cuda.to_device(np.zeros(bins, dtype=np.int32))
    d_values = cuda.to_device(np.asarray(values, dtype=np.int32))
    histogram_lost_kernel[1, threads](d_values, d_counts)
    return d_counts.copy_to_host()
