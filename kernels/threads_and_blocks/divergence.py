"""Count how many lanes of each warp take each side of an ``if``; and make both sides heavy."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def branch_kernel(side, lanes):
    i = cuda.grid(1)
    if i < side.size:
        warp = i // 32
        if side[i] == 0:
            cuda.atomic.add(lanes, (warp, 0), 1)
        else:
            cuda.atomic.add(lanes, (warp, 1), 1)


# --8<-- [end:kernel]


def count_lanes(side, threads=64):
    """Return an int32 array with, for each warp, the number of lanes on side 0 and on side 1.

    ``side`` holds 0 or 1 for each thread. ``threads`` must be a multiple of 32.

    --8<-- [start:by-lane]
    >>> lanes = cuda.to_device(np.zeros((2, 2), dtype=np.int32))
    >>> branch_kernel[1, 64](cuda.to_device(np.arange(64) % 2), lanes)  # by lane
    >>> lanes.copy_to_host()
    array([[16, 16],
           [16, 16]], dtype=int32)

    --8<-- [end:by-lane]
    --8<-- [start:by-warp]
    >>> lanes = cuda.to_device(np.zeros((2, 2), dtype=np.int32))
    >>> branch_kernel[1, 64](cuda.to_device(np.arange(64) // 32 % 2), lanes)  # by warp
    >>> lanes.copy_to_host()
    array([[32,  0],
           [ 0, 32]], dtype=int32)

    --8<-- [end:by-warp]
    """
    side = np.asarray(side)
    lanes = cuda.to_device(np.zeros((-(-side.size // 32), 2), dtype=np.int32))
    branch_kernel[-(-side.size // threads), threads](cuda.to_device(side), lanes)
    return lanes.copy_to_host()


# --8<-- [start:heavy]
@cuda.jit
def two_sides_kernel(side, x, rounds):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        if side[i] == 0:
            for _ in range(rounds):
                value = value * np.float32(0.5) + np.float32(1)
        else:
            for _ in range(rounds):
                value = value * np.float32(0.25) + np.float32(2)
        x[i] = value


# --8<-- [end:heavy]
