"""A ballot: each lane learns how many lanes before it said yes."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def place_kernel(x, place):
    i = cuda.grid(1)
    positive = i < x.size and x[i] > 0
    votes = cuda.ballot_sync(0xFFFFFFFF, positive)  # bit k: what lane k said
    before = votes & ((1 << cuda.laneid) - 1)  # the bits of the lanes before this one
    if positive:
        place[i] = cuda.popc(before)


# --8<-- [end:kernel]


def places(x):
    """Return, for each positive element of x, its number among those of its warp; -1 elsewhere.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([5, -2, 7, 0, 1, 9], dtype=np.int32))
    >>> place = cuda.to_device(np.full(6, -1, dtype=np.int32))
    >>> place_kernel[1, 32](x, place)
    >>> place.copy_to_host()
    array([ 0, -1,  1, -1,  2,  3], dtype=int32)

    --8<-- [end:example]
    """
    x = cuda.to_device(np.asarray(x, dtype=np.int32))
    place = cuda.to_device(np.full(x.size, -1, dtype=np.int32))
    place_kernel[-(-x.size // 64), 64](x, place)
    return place.copy_to_host()
