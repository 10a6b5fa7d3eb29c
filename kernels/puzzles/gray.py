"""Two dimensions

Make a color photo gray. `photo` has rows, columns and three channels; the eye sees green best, so
gray is 0.3 red + 0.6 green + 0.1 blue. Write `gray`, one pixel a thread. The launch is
two-dimensional: x counts the columns, y the rows.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def gray(photo, out):
    """Mix rows x columns x 3 float32 to rows x columns."""
    column, row = cuda.grid(2)
    rows, columns = out.shape
    if row < rows and column < columns:
        red, green, blue = photo[row, column, 0], photo[row, column, 1], photo[row, column, 2]
        out[row, column] = np.float32(0.3) * red + np.float32(0.6) * green + np.float32(0.1) * blue


# --8<-- [end:solution]


HINTS = [
    "`cuda.grid(2)` gives two numbers, x first. In an image x runs along a row, so it is the "
    "column.",
    "Both directions end in a block that is not full: the guard has two conditions, joined by "
    "`and`.",
]

WRONG = {
    "x taken for the row": {
        "edits": [["column, row = cuda.grid(2)", "row, column = cuda.grid(2)"]],
        "says": "No thread wrote it",
    },
    "one condition": {
        "edits": [["row < rows and column < columns", "row < rows"]],
        "says": "out of bounds",
    },
    "two of three channels": {
        "edits": [["np.float32(0.1) * blue", "np.float32(0.1) * red"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 5), (8, 9), (17, 6)]


def test(gray, rows, columns):
    """Blocks of 8 x 4 threads: x for the columns.

    --8<-- [start:example]
    >>> photo = np.array([[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]], dtype=np.float32)
    >>> out = cuda.device_array((1, 4), dtype=np.float32)
    >>> gray[1, (8, 4)](cuda.to_device(photo), out)
    >>> out.copy_to_host()
    array([[0.3, 0.6, 0.1, 1. ]], dtype=float32)

    --8<-- [end:example]
    """
    photo = (np.arange(rows * columns * 3, dtype=np.float32) % 256).reshape(rows, columns, 3)
    want = [[0.3 * r + 0.6 * g + 0.1 * b for r, g, b in line] for line in photo.tolist()]
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    gray[(-(-columns // 8), -(-rows // 4)), (8, 4)](cuda.to_device(photo), out)
    yield "out", out, np.array(want, dtype=np.float32)
