"""A kernel in Numba that launches one in CUDA C++: a grid for each long row of a search."""

import numpy as np
from numba import cuda

# isort: split

# --8<-- [start:launch]
from numba import int32, uint64
from numba.cuda.cudadrv.libs import get_cudalib

launch_row = cuda.declare_device(
    "launch_row",
    "int32(uint64, int32, uint64, int32, uint64, uint64)",
    link=["levels.cu", get_cudalib("cudadevrt", static=True)],
)


@cuda.jit
def launching_kernel(starts, targets, level, depth, frontier, length, following, count):
    """As ``queue_kernel``; a vertex with more than 512 neighbors launches a grid for them."""
    i = cuda.grid(1)
    if i < length:
        first, end = starts[frontier[i]], starts[frontier[i] + 1]
        taken = int32(0)
        if end - first > 512:
            row = uint64(targets.ctypes.data) + uint64(4) * uint64(first)
            taken = launch_row(
                row, int32(end - first), uint64(level.ctypes.data), int32(depth),
                uint64(following.ctypes.data), uint64(count.ctypes.data),
            )  # fmt: skip
        if not taken:
            for e in range(first, end):
                if cuda.atomic.cas(level, targets[e], -1, depth + 1) == -1:
                    following[cuda.atomic.add(count, 0, 1)] = targets[e]


# --8<-- [end:launch]


# --8<-- [start:host]
def search_from_numba(starts, targets, first):
    """Return the level of each vertex, from arrays of Numba's; the host launches the levels."""
    n = starts.size - 1
    level = cuda.to_device(np.full(n, -1, np.int32))
    frontier, following = (cuda.device_array(n, np.int32) for _ in range(2))
    level[first], frontier[0] = 0, first
    length, depth = 1, 0
    while length:
        count = cuda.to_device(np.zeros(1, np.int32))
        sizes = (depth, frontier, length, following, count)
        launching_kernel[-(-length // 128), 128](starts, targets, level, *sizes)
        length = int(count.copy_to_host()[0])
        frontier, following, depth = following, frontier, depth + 1
    return level.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> hub = np.r_[np.arange(1, 1001), 0]  # 0 leads to 1 ... 1000, and 1000 back to 0
    >>> starts = np.r_[0, np.full(999, 1000), 1000, 1001].astype(np.int32)
    >>> levels = search_from_numba(*map(cuda.to_device, (starts, hub.astype(np.int32))), first=0)
    >>> levels[:4], levels.sum()
    (array([0, 1, 1, 1], dtype=int32), np.int64(1000))

    --8<-- [end:example]
    """
