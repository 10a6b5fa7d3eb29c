"""The exercise of the page: sort floating-point numbers by their bits."""

import numpy as np

from kernels.radix_sort.one_sweep import sort


# --8<-- [start:solution]
def sort_floats(x, threads=512, items=16):
    """Return a sorted copy of a float32 array without NaN.

    --8<-- [start:example]
    >>> sort_floats(np.array([3, -1, 4, -0.5, -np.inf, 9], dtype=np.float32), 256, 1)
    array([-inf, -1. , -0.5,  3. ,  4. ,  9. ], dtype=float32)

    --8<-- [end:example]
    """
    bits = x.view(np.uint32)
    negative = bits >> 31 == 1
    # Larger bits are a larger number above zero, and a smaller one below it.
    keys = np.where(negative, ~bits, bits | np.uint32(1 << 31)).astype(np.uint32)
    keys = sort(keys, threads, items)
    negative = keys >> 31 == 0
    return np.where(negative, ~keys, keys & np.uint32((1 << 31) - 1)).astype(np.uint32).view("f4")


# --8<-- [end:solution]
