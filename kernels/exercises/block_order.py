"""Lay the threads over a block

Triton's compiler decides which thread holds which element of a block, and calls it a layout. Its
`order` says along which side the lanes run. Decide for yourself: a program of 32 threads copies a
block of 8 x 16 elements, four each, and masks what lies outside. The kernel that you start from is
right, and its lanes run down the columns. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def copy_block(x, out):
    """Copy ``x``, rows x columns float32, to ``out``, a block of 8 x 16 for each program."""
    t, top, left = cuda.threadIdx.x, 8 * cuda.blockIdx.y, 16 * cuda.blockIdx.x
    for turn in range(4):
        place = 32 * turn + t
        row, column = top + place // 16, left + place % 16
        if row < x.shape[0] and column < x.shape[1]:
            out[row, column] = x[row, column]


# --8<-- [end:solution]

START = [["top + place // 16, left + place % 16", "top + place % 8, left + place // 8"]]
HINTS = [
    "Places 0 to 127 of the block are given out in order, 32 at a time. Which neighbors in "
    "memory should neighboring places be?",
    "Along a row: place p is row `p // 16` and column `p % 16` of the block.",
]

WRONG = {
    "down the columns": {"edits": "START", "says": "above par"},
    "rows of 8": {
        "edits": [["top + place // 16, left + place % 16", "top + place // 8, left + place % 8"]],
        "says": "No thread wrote it",
    },
    "no mask for the columns": {
        "edits": [["row < x.shape[0] and column < x.shape[1]", "row < x.shape[0]"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (8, 16), (9, 33), (20, 40)]
PAR = ["sectors"]


def test(copy_block, rows, columns):
    """Blocks of 32 threads, one for each 8 x 16 elements.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array((2, 3), dtype=np.float32)
    >>> copy_block[(1, 1), 32](x, out)
    >>> out.copy_to_host()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(1, rows * columns + 1, dtype=np.float32).reshape(rows, columns)
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    copy_block[(-(-columns // 16), -(-rows // 8)), 32](cuda.to_device(x), out)
    yield "out", out, x
