"""Mirror a picture

Write `flip`: it mirrors a picture left to right, one thread for each pixel, with blocks of 32 x 4
threads. The picture has `rows x columns` pixels, and neither is a multiple of the block. **Par**
counts the sectors of memory: which of a thread's two indices should be the column?
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def flip(picture, out):
    """Mirror ``picture``, rows x columns float32, left to right."""
    column, row = cuda.grid(2)  # x runs along a row, where neighbors lie side by side
    rows, columns = picture.shape
    if row < rows and column < columns:
        out[row, columns - 1 - column] = picture[row, column]


# --8<-- [end:solution]


HINTS = [
    "`cuda.grid(2)` gives x first, and a warp is 32 threads with neighboring x. A row of a "
    "NumPy array lies in memory side by side.",
    "x is the column, y the row. Guard both, each against its own length.",
]

WRONG = {
    "x is the row": {
        "edits": [["column, row = cuda.grid(2)", "row, column = cuda.grid(2)"]],
        "says": "No thread wrote it",
    },
    "one guard with `or`": {
        "edits": [["rows and column", "rows or column"]],
        "says": "out of bounds",
    },
    "x is the row, and the block stays": {
        "edits": [
            [
                "column, row = cuda.grid(2)  # x runs along a row, where neighbors lie side by "
                "side",
                "first = cuda.blockIdx.y * 4 + cuda.threadIdx.x % 4\n"
                "    column = cuda.blockIdx.x * 32 + cuda.threadIdx.y * 8 + cuda.threadIdx.x // 4\n"
                "    row = first",
            ]
        ],
        "says": "above par",
    },
}

CASES = [(1, 1), (4, 32), (3, 33), (5, 31), (9, 70)]
PAR = ["sectors"]


def test(flip, rows, columns):
    """Blocks of 32 x 4 threads.

    --8<-- [start:example]
    >>> picture = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array_like(picture)
    >>> flip[1, (32, 4)](picture, out)
    >>> out.copy_to_host()
    array([[2., 1., 0.],
           [5., 4., 3.]], dtype=float32)

    --8<-- [end:example]
    """
    picture = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    flip[(-(-columns // 32), -(-rows // 4)), (32, 4)](cuda.to_device(picture), out)
    yield "out", out, picture[:, ::-1]
