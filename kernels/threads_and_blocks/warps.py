"""A block is cut into warps of 32 threads; a thread's place in its warp is its lane."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def warp_kernel(warp, lane):
    t = cuda.threadIdx.x
    if t < warp.size:
        warp[t] = t // 32  # by arithmetic
        lane[t] = cuda.laneid  # asked of the hardware


# --8<-- [end:kernel]


def warps(threads):
    """Return (warp, lane), two int32 arrays with an element for each thread of one block.

    --8<-- [start:example]
    >>> warp = cuda.to_device(np.zeros(70, dtype=np.int32))
    >>> lane = cuda.to_device(np.zeros(70, dtype=np.int32))
    >>> warp_kernel[1, 70](warp, lane)  # one block of 70 threads
    >>> np.bincount(warp.copy_to_host())  # threads in warp 0, 1, 2
    array([32, 32,  6])
    >>> bool((lane.copy_to_host() == np.arange(70) % 32).all())
    True

    --8<-- [end:example]
    """
    warp = cuda.to_device(np.full(threads, -1, dtype=np.int32))
    lane = cuda.to_device(np.full(threads, -1, dtype=np.int32))
    warp_kernel[1, threads](warp, lane)
    return warp.copy_to_host(), lane.copy_to_host()
