"""Unroll an image for a convolution

A layer with a window of `size` x `size` is a matrix product, once the image is unrolled: row
`p * size + q` of `unrolled` holds, for each output pixel, the image element at row + p, column + q.
Output pixels are numbered along the rows; there are (height - size + 1) x (width - size + 1) of
them. Write `unroll`, one thread for each output pixel.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def unroll(image, size, unrolled):
    """Copy the window of each output pixel of a float32 image into a column of ``unrolled``."""
    pixel = cuda.grid(1)
    if pixel < unrolled.shape[1]:
        wide = image.shape[1] - size + 1
        row, column = pixel // wide, pixel % wide
        for p in range(size):
            for q in range(size):
                unrolled[p * size + q, pixel] = image[row + p, column + q]


# --8<-- [end:solution]


HINTS = [
    "Row and column of the output pixel come from its number by the width of the *output*, which "
    "is size - 1 less than the image's.",
    "Two loops over the window. The row of `unrolled` comes from p and q, its column is the pixel.",
]

WRONG = {
    "the image's width for the output's": {
        "edits": [["image.shape[1] - size + 1", "image.shape[1]"]],
        "says": "out of bounds",
    },
    "the window turned": {
        "edits": [["p * size + q, pixel", "q * size + p, pixel"]],
        "says": "should be",
    },
    "no guard": {
        "edits": [["if pixel < unrolled.shape[1]:", "if pixel >= 0:"]],
        "says": "out of bounds",
    },
}

CASES = [(3, 3, 3), (4, 7, 2), (9, 11, 3), (7, 10, 1)]


def test(unroll, height, width, size):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> image = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> unrolled = cuda.device_array((4, 6), dtype=np.float32)
    >>> unroll[1, 32](cuda.to_device(image), 2, unrolled)
    >>> unrolled.copy_to_host()
    array([[ 0.,  1.,  2.,  4.,  5.,  6.],
           [ 1.,  2.,  3.,  5.,  6.,  7.],
           [ 4.,  5.,  6.,  8.,  9., 10.],
           [ 5.,  6.,  7.,  9., 10., 11.]], dtype=float32)

    --8<-- [end:example]
    """
    image = np.arange(height * width, dtype=np.float32).reshape(height, width)
    high, wide = height - size + 1, width - size + 1
    unrolled = cuda.to_device(np.full((size * size, high * wide), np.nan, dtype=np.float32))
    unroll[-(-high * wide // 32), 32](cuda.to_device(image), size, unrolled)
    rows = [image[p : p + high, q : q + wide].reshape(-1) for p in range(size) for q in range(size)]
    yield "unrolled", unrolled, np.stack(rows)
