"""The exercise of the page: the median."""

import numpy as np

from kernels.top_k.select import BINS, PREFIX, choose_kernel, count_kernel, cuda


# --8<-- [start:solution]
def median(x, blocks=264, threads=512):
    """Return the lower median of a uint32 array: of 2 m or 2 m - 1 elements, the m-th smallest.

    --8<-- [start:example]
    >>> median(np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.uint32), blocks=2, threads=32)
    3

    --8<-- [end:example]
    """
    if not x.size:
        raise ValueError("an empty array has no median")
    d_x = cuda.to_device(x)
    known = cuda.to_device(np.array([0, 0, x.size // 2 + 1]))  # from above
    counts = cuda.to_device(np.zeros(BINS, dtype=np.int32))
    for shift in (24, 16, 8, 0):
        count_kernel[blocks, threads](d_x, known, shift, counts)
        choose_kernel[1, 1](counts, shift, known)
    return int(known.copy_to_host()[PREFIX])


# --8<-- [end:solution]
