"""The exercise of the page: undo a permutation."""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def invert_kernel(order, inverse):
    i = cuda.grid(1)
    if i < order.size:
        inverse[order[i]] = i  # a scatter of the numbers from 0


def invert(order, threads=256):
    """Return, for a permutation of int32, the one that undoes it.

    --8<-- [start:example]
    >>> order = np.array([2, 0, 3, 1], dtype=np.int32)
    >>> invert(order)
    array([1, 3, 0, 2], dtype=int32)
    >>> np.array([30, 10, 40, 20])[order][invert(order)]
    array([30, 10, 40, 20])

    --8<-- [end:example]
    """
    inverse = cuda.device_array(order.size, np.int32)
    if order.size:
        invert_kernel[-(-order.size // threads), threads](cuda.to_device(order), inverse)
    return inverse.copy_to_host()


# --8<-- [end:solution]
