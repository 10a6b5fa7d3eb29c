"""The second pass of a blur

A blur of 5 x 5 whose weights are an outer product takes two passes: five pixels beside each other,
then five above each other. The first pass is done. Write the second: `out[i, j]` is the weighted
sum of `image[i - 2, j]` to `image[i + 2, j]`, with `taps[0]` to `taps[4]`. Outside of the image are
zeros.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def down_columns(image, taps, out):
    """Filter each column of an image with five weights."""
    j, i = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        total = np.float32(0)
        for r in range(5):
            row = i + r - 2
            if 0 <= row < image.shape[0]:
                total += taps[r] * image[row, j]
        out[i, j] = total


# --8<-- [end:solution]


HINTS = [
    "A thread for a pixel, and a loop over five rows: `i + r - 2` for r from 0 to 4.",
    "A row below 0 or past the last adds nothing: an `if` around the addition, not the loop.",
]

WRONG = {
    "rows from i to i + 4": {"edits": [["i + r - 2", "i + r"]], "says": "should be"},
    "no test of the row": {
        "edits": [["if 0 <= row < image.shape[0]", "if True"]],
        "says": "index",
    },
    "along the rows": {
        "edits": [
            ["row = i + r - 2", "column = j + r - 2"],
            ["if 0 <= row < image.shape[0]", "if 0 <= column < image.shape[1]"],
            ["image[row, j]", "image[i, column]"],
        ],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 33), (9, 5), (17, 20)]


def test(down_columns, height, width):
    """Blocks of 16 x 8 threads.

    --8<-- [start:example]
    >>> image = np.zeros((6, 3), dtype=np.float32)
    >>> image[2, 1] = 16
    >>> d_image, out = cuda.to_device(image), cuda.device_array((6, 3), dtype=np.float32)
    >>> taps = cuda.to_device(np.array([1, 4, 6, 4, 1], dtype=np.float32) / 16)
    >>> down_columns[1, (16, 8)](d_image, taps, out)
    >>> out.copy_to_host()[:, 1]
    array([1., 4., 6., 4., 1., 0.], dtype=float32)

    --8<-- [end:example]
    """
    image = (np.arange(height * width, dtype=np.float32) % 23).reshape(height, width)
    taps = np.array([1, 4, 6, 3, 2], dtype=np.float32) / 16
    want = np.zeros((height, width), dtype=np.float32)
    for i in range(height):
        for r in range(5):
            if 0 <= i + r - 2 < height:
                want[i] += taps[r] * image[i + r - 2]
    out = cuda.to_device(np.full((height, width), np.nan, dtype=np.float32))
    blocks = -(-width // 16), -(-height // 8)
    down_columns[blocks, (16, 8)](cuda.to_device(image), cuda.to_device(taps), out)
    yield "out", out, want
