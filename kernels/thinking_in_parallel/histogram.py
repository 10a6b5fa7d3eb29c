"""Scatter with collisions: count values into bins with atomic additions."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def histogram_kernel(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)  # counts[values[i]] += 1, in one piece


# --8<-- [end:kernel]


def histogram(values, bins, threads=256):
    """Return how often each of 0 ... bins - 1 occurs in values, as int32.

    Each value must be one of them.

    --8<-- [start:example]
    >>> values = cuda.to_device(np.array([3, 1, 3, 3, 0, 1, 3], dtype=np.int32))
    >>> counts = cuda.to_device(np.zeros(4, dtype=np.int32))
    >>> histogram_kernel[2, 4](values, counts)
    >>> counts.copy_to_host()
    array([1, 2, 0, 4], dtype=int32)

    --8<-- [end:example]
    """
    d_values = cuda.to_device(np.asarray(values, dtype=np.int32))
    d_counts = cuda.to_device(np.zeros(bins, dtype=np.int32))
    histogram_kernel[-(-d_values.size // threads), threads](d_values, d_counts)
    return d_counts.copy_to_host()
