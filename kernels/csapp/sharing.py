"""Counts of several threads side by side in one cache line, and each in a line of its own."""

import numpy as np

# --8<-- [start:imports]
from numba import njit, prange

# --8<-- [end:imports]


# --8<-- [start:count]
@njit(parallel=True)
def count(letters, counts):
    """Count the four letters: each row of ``counts`` belongs to one thread."""
    threads = counts.shape[0]
    share = -(-letters.size // threads)
    for t in prange(threads):
        for i in range(t * share, min((t + 1) * share, letters.size)):
            counts[t, letters[i]] += 1


# --8<-- [end:count]


# --8<-- [start:rows]
def rows(threads, padded):
    """Return zeroed counts of four letters, a row for each thread, on a boundary of 128 bytes."""
    width = 32 if padded else 4  # 32 counters of 4 bytes fill two lines of 64 bytes
    raw = np.zeros(threads * width + 32, np.int32)
    first = -raw.ctypes.data % 128 // 4
    return raw[first : first + threads * width].reshape(threads, width)


# --8<-- [end:rows]


def example():
    """The letters of a genome, as numbers.

    --8<-- [start:example]
    >>> letters = np.random.default_rng(3).integers(0, 4, 1003).astype(np.uint8)
    >>> for padded in (False, True):
    ...     counts = rows(4, padded)
    ...     count(letters, counts)
    ...     np.array_equal(counts.sum(axis=0)[:4], np.bincount(letters)), counts.strides[0]
    (True, 16)
    (True, 128)

    --8<-- [end:example]
    """
