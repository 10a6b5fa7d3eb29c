"""Rotate a picture

Rotate a picture clockwise by a quarter turn: its first row becomes its last column. Blocks of 32 x
8 threads move tiles of 32 x 32 pixels. The kernel that you start from is right, reads along rows,
and writes down columns: 32 sectors a request. Go through a tile in shared memory, so that both
reads and writes run along rows. **Par** counts sectors of global memory, and bank conflicts: 0.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def rotate(picture, out):
    """Rotate ``picture``, rows x columns float32, by a quarter into ``out``, columns x rows."""
    tile = cuda.shared.array((32, 33), np.float32)  # one column more: no bank is hit twice
    rows, columns = picture.shape
    left = cuda.blockIdx.x * 32
    top = cuda.blockIdx.y * 32
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for k in range(y, 32, 8):
        if top + k < rows and left + x < columns:
            tile[k, x] = picture[top + k, left + x]
    cuda.syncthreads()
    for k in range(y, 32, 8):
        if left + k < columns and top + x < rows:
            out[left + k, rows - 1 - top - x] = tile[x, k]


# --8<-- [end:solution]


START = [
    [
        "    tile = cuda.shared.array((32, 33), np.float32)  # one column more: no bank is hit "
        "twice\n",
        "",
    ],
    [
        "            tile[k, x] = picture[top + k, left + x]\n    cuda.syncthreads()\n"
        "    for k in range(y, 32, 8):\n        if left + k < columns and top + x < rows:\n"
        "            out[left + k, rows - 1 - top - x] = tile[x, k]\n",
        "            out[left + x, rows - 1 - top - k] = picture[top + k, left + x]\n",
    ],
]
HINTS = [
    "Two loops with a barrier between them. The first fills `tile[k, x]` along rows of the "
    "picture. In the second, x has to run along a row of `out`, so the tile is read down a "
    "column.",
    "A tile of 32 x 32 has its whole column in one bank: 32 turns. One unused column more moves "
    "each row by a bank.",
]

WRONG = {
    "no tile": {"edits": "START", "says": "above par"},
    "a tile of 32 x 32": {"edits": [["(32, 33)", "(32, 32)"]], "says": "bank conflicts"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [(1, 1), (5, 40), (33, 31), (70, 45)]
PAR = ["sectors", "conflicts"]


def test(rotate, rows, columns):
    """Blocks of 32 x 8 threads, each with a tile of 32 x 32.

    --8<-- [start:example]
    >>> picture = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array((3, 2), dtype=np.float32)
    >>> rotate[(1, 1), (32, 8)](picture, out)
    >>> out.copy_to_host()
    array([[3., 0.],
           [4., 1.],
           [5., 2.]], dtype=float32)

    --8<-- [end:example]
    """
    picture = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    out = cuda.to_device(np.full((columns, rows), np.nan, dtype=np.float32))
    rotate[(-(-columns // 32), -(-rows // 32)), (32, 8)](cuda.to_device(picture), out)
    yield "out", out, picture[::-1].T
