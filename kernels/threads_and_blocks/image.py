"""A thread for each pixel: two indices, x along a row and y from row to row."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def number_pixels_kernel(image):
    x, y = cuda.grid(2)  # x counts along a row, y counts the rows
    rows, columns = image.shape
    if x < columns and y < rows:
        image[y, x] = 10 * y + x  # NumPy's order: row first


# --8<-- [end:kernel]


def number_pixels(rows, columns, threads=(4, 2)):
    """Return an int32 image whose pixel in row y and column x holds 10 * y + x.

    ``threads`` is the shape of a block, x first.

    --8<-- [start:example]
    >>> image = cuda.to_device(np.zeros((3, 5), dtype=np.int32))
    >>> number_pixels_kernel[(2, 2), (4, 2)](image)  # 2 x 2 blocks, each 4 wide and 2 high
    >>> image.copy_to_host()
    array([[ 0,  1,  2,  3,  4],
           [10, 11, 12, 13, 14],
           [20, 21, 22, 23, 24]], dtype=int32)

    --8<-- [end:example]
    """
    image = cuda.to_device(np.full((rows, columns), -1, dtype=np.int32))
    blocks = (-(-columns // threads[0]), -(-rows // threads[1]))
    number_pixels_kernel[blocks, threads](image)
    return image.copy_to_host()
