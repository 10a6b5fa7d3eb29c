"""A float maximum from an integer one: bits in an order in which integers compare as floats do."""

import numpy as np
from numba import cuda


# --8<-- [start:device]
@cuda.jit(device=True)
def ordered(bits):
    """Turn the bits of a float into an int32 that compares as the float does, and back again."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


# --8<-- [end:device]


# --8<-- [start:kernel]
@cuda.jit
def max_kernel(bits, best):
    i = cuda.grid(1)
    if i < bits.size:
        cuda.atomic.max(best, 0, np.int32(ordered(bits[i])))


# --8<-- [end:kernel]


# --8<-- [start:host]
def maximum(values, threads=64):
    """Return the largest of ``values`` (n,) float32. There must be one, and no NaN.

    --8<-- [start:example]
    >>> float(maximum([-3.5, -0.25, -7.0], threads=2))
    -0.25
    >>> float(maximum([1.5, -2.0, 0.0, 1.25, 1.0], threads=2))
    1.5

    --8<-- [end:example]
    """
    bits = np.asarray(values, dtype=np.float32).view(np.int32)
    d_best = cuda.to_device(np.full(1, np.iinfo(np.int32).min, dtype=np.int32))
    max_kernel[-(-bits.size // threads), threads](cuda.to_device(bits), d_best)
    best = d_best.copy_to_host()
    best ^= (best >> 31) & 0x7FFFFFFF
    return best.view(np.float32)[0]


# --8<-- [end:host]
