"""From color to gray: one thread for each pixel of a two-dimensional grid."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def gray_kernel(color, gray):
    x, y = cuda.grid(2)  # x runs along a row, y from row to row
    height, width = gray.shape
    if x < width and y < height:  # two guards, one for each direction
        red = int(color[y, x, 0])  # out of 8 bits, before the sum overflows them
        green = int(color[y, x, 1])
        blue = int(color[y, x, 2])
        gray[y, x] = (54 * red + 183 * green + 19 * blue) // 256


# --8<-- [end:kernel]


# --8<-- [start:host]
def grid_for(shape, threads):
    """Return how many blocks of ``threads`` = (x, y) cover ``shape`` = (rows, columns)."""
    rows, columns = shape
    return -(-columns // threads[0]), -(-rows // threads[1])


# --8<-- [end:host]


def to_gray(color, threads=(16, 16)):
    """Return the gray image of a color image.

    ``color`` is uint8 of shape (rows, columns, 3); the result is uint8 of (rows, columns).

    --8<-- [start:example]
    >>> color = np.zeros((5, 7, 3), dtype=np.uint8)  # five rows of seven pixels
    >>> color[..., 0] = 10 * np.arange(7)  # red grows to the right
    >>> color[..., 1] = 40 * np.arange(5)[:, None]  # green grows downward
    >>> gray = cuda.device_array((5, 7), np.uint8)
    >>> threads = (4, 2)  # x first
    >>> grid_for((5, 7), threads)
    (2, 3)
    >>> gray_kernel[grid_for((5, 7), threads), threads](cuda.to_device(color), gray)
    >>> gray.copy_to_host()
    array([[  0,   2,   4,   6,   8,  10,  12],
           [ 28,  30,  32,  34,  37,  39,  41],
           [ 57,  59,  61,  63,  65,  67,  69],
           [ 85,  87,  90,  92,  94,  96,  98],
           [114, 116, 118, 120, 122, 124, 127]], dtype=uint8)

    --8<-- [end:example]
    """
    d_gray = cuda.device_array(color.shape[:2], np.uint8)
    gray_kernel[grid_for(d_gray.shape, threads), threads](cuda.to_device(color), d_gray)
    return d_gray.copy_to_host()
