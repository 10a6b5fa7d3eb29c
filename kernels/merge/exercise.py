"""The exercise of the page: what two sorted arrays without repeats have in common."""

import numpy as np
from numba import cuda

from kernels.merge.merge_path import how_many_below


# --8<-- [start:solution]
@cuda.jit
def common_kernel(a, b, found):
    i = cuda.grid(1)
    if i < a.size:
        place = how_many_below(b, a[i], False)
        found[i] = place < b.size and b[place] == a[i]


def common(a, b, threads=256):
    """Return the elements that two sorted arrays share. Neither has an element twice.

    --8<-- [start:example]
    >>> common(np.array([1, 3, 4, 9]), np.array([0, 3, 4, 5, 12, 13]), threads=4)
    array([3, 4])

    --8<-- [end:example]
    """
    found = cuda.to_device(np.zeros(a.size, dtype=np.bool_))
    if a.size and b.size:
        blocks = -(-a.size // threads)
        common_kernel[blocks, threads](cuda.to_device(a), cuda.to_device(b), found)
    return a[found.copy_to_host()]


# --8<-- [end:solution]
