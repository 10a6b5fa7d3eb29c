"""What a TMA copy of a box brings, with zeros where the box leaves the array: NumPy, no GPU.

Source: https://docs.nvidia.com/cuda/parallel-thread-execution/
"""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:box]
def box(array, corner, shape):
    """Return the tile that lands in shared memory, with zeros outside."""
    tile = np.zeros(shape, array.dtype)
    to, inside = [], []
    for c, s, n in zip(corner, shape, array.shape, strict=True):
        first, last = max(c, 0), max(min(c + s, n), 0)  # of the array
        inside.append(slice(first, last))
        to.append(slice(first - c, last - c))
    tile[tuple(to)] = array[tuple(inside)]
    return tile


# --8<-- [end:box]


def examples():
    """A box over the lower right corner of an array of 10 by 15.

    --8<-- [start:example]
    >>> a = np.arange(150, dtype=np.float32).reshape(10, 15)
    >>> tile = box(a, corner=(6, 11), shape=(6, 6))
    >>> tile.astype(int)
    array([[101, 102, 103, 104,   0,   0],
           [116, 117, 118, 119,   0,   0],
           [131, 132, 133, 134,   0,   0],
           [146, 147, 148, 149,   0,   0],
           [  0,   0,   0,   0,   0,   0],
           [  0,   0,   0,   0,   0,   0]])
    >>> tile.nbytes  # what the barrier has to wait for, zeros and all
    144

    --8<-- [end:example]
    """
