"""A 64-bit atomic sum from 32-bit atomics: the low half hands its carry to the high half."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def add_64_kernel(values, halves):
    i = cuda.grid(1)
    if i < values.size:
        low = values[i] & np.uint64(0xFFFFFFFF)
        high = values[i] >> np.uint64(32)
        before = cuda.atomic.add(halves, 0, np.uint32(low))
        carry = (np.uint64(before) + low) >> np.uint64(32)  # 1 if the low half went over
        cuda.atomic.add(halves, 1, np.uint32(high + carry))


# --8<-- [end:kernel]


# --8<-- [start:host]
def sum_64(values, threads=64):
    """Return the sum of ``values`` (n,) modulo 2^64, with 32-bit atomics alone.

    --8<-- [start:example]
    >>> values = [2**32 - 1, 1, 2**33, 5, 2**32 - 1]
    >>> sum_64(values, threads=2) == sum(values)
    True

    --8<-- [end:example]
    """
    d_values = cuda.to_device(np.asarray(values, dtype=np.uint64))
    d_halves = cuda.to_device(np.zeros(2, dtype=np.uint32))
    add_64_kernel[-(-d_values.size // threads), threads](d_values, d_halves)
    low, high = d_halves.copy_to_host()
    return int(high) << 32 | int(low)


# --8<-- [end:host]
