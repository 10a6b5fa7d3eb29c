"""Half the picture

Make a thumbnail: each pixel of `out` is the average of the 2 x 2 pixels that it covers. A picture
with an odd number of rows or columns has fewer than four pixels at its edge; the average is then
over those that there are. Write `thumbnail`, one thread for each pixel of `out`, in blocks of 8 x 8
threads.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def thumbnail(picture, out):
    """Average 2 x 2 pixels of ``picture``, rows x columns float32, into each of ``out``."""
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        pixels = 0
        for y in range(2 * row, min(2 * row + 2, picture.shape[0])):
            for x in range(2 * column, min(2 * column + 2, picture.shape[1])):
                total += picture[y, x]
                pixels += 1
        out[row, column] = total / pixels


# --8<-- [end:solution]


HINTS = [
    "It is the blur with another window: rows 2r and 2r + 1, columns 2c and 2c + 1, as far as "
    "they exist.",
    "End both loops at the picture's edge with `min`, and count the pixels that you add.",
]

WRONG = {
    "always four pixels": {"edits": [["total / pixels", "total / 4"]], "says": "should be"},
    "the edge is not guarded": {
        "edits": [
            ["min(2 * row + 2, picture.shape[0])", "2 * row + 2"],
            ["min(2 * column + 2, picture.shape[1])", "2 * column + 2"],
        ],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (2, 2), (3, 5), (17, 16), (18, 19)]


def test(thumbnail, rows, columns):
    """Blocks of 8 x 8 threads.

    --8<-- [start:example]
    >>> picture = cuda.to_device(np.arange(9, dtype=np.float32).reshape(3, 3))
    >>> out = cuda.device_array((2, 2), dtype=np.float32)
    >>> thumbnail[1, (8, 8)](picture, out)
    >>> out.copy_to_host()
    array([[2. , 3.5],
           [6.5, 8. ]], dtype=float32)

    --8<-- [end:example]
    """
    picture = (np.arange(rows * columns, dtype=np.float32) % 11).reshape(rows, columns)
    m, n = -(-rows // 2), -(-columns // 2)
    want = [
        [picture[2 * r : 2 * r + 2, 2 * c : 2 * c + 2].mean() for c in range(n)] for r in range(m)
    ]
    out = cuda.to_device(np.full((m, n), np.nan, dtype=np.float32))
    thumbnail[(-(-n // 8), -(-m // 8)), (8, 8)](cuda.to_device(picture), out)
    yield "out", out, np.array(want, dtype=np.float32)
