"""One barrier a tile

The kernel that you start from adds up each row of a matrix in tiles of 32 columns, as the worklog's
kernels go over k: fetch, wait, use, wait. With two tiles in turn, the second wait is not needed:
while one is used, the other is filled. **Par** counts barriers.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def row_sums(matrix, out):
    """Add up each row of ``matrix``, rows x columns float32. A block of 32 has 32 rows."""
    tiles = cuda.shared.array((2, 32, 33), np.float32)
    t = cuda.threadIdx.x
    top = cuda.blockIdx.x * 32
    rows, columns = matrix.shape
    total = np.float32(0)
    for first in range(0, columns, 32):
        half = first // 32 % 2  # this tile's place; the one before is in the other
        for k in range(32):
            inside = top + k < rows and first + t < columns
            tiles[half, k, t] = matrix[top + k, first + t] if inside else np.float32(0)
        cuda.syncthreads()
        for k in range(32):
            total += tiles[half, t, k]
    if top + t < rows:
        out[top + t] = total


# --8<-- [end:solution]


START = [
    ["(2, 32, 33)", "(32, 33)"],
    ["        half = first // 32 % 2  # this tile's place; the one before is in the other\n", ""],
    ["tiles[half, k, t]", "tiles[k, t]"],
    [
        "            total += tiles[half, t, k]\n",
        "            total += tiles[t, k]\n        cuda.syncthreads()\n",
    ],
]
HINTS = [
    "Why does the second barrier stand there? A fast warp must not overwrite what a slow one "
    "still reads. With two tiles it writes somewhere else.",
    "Give the tile a first axis of 2, and let it take turns: `first // 32 % 2`. Between two "
    "writes to one half there is always a barrier.",
]

WRONG = {
    "two barriers": {"edits": "START", "says": "above par"},
    "one tile and one barrier": {
        "edits": [["first // 32 % 2", "0"]],
        "says": "comes first",
    },
    "no barrier": {"edits": [["        cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [(1, 1), (33, 40), (5, 100)]
PAR = ["barriers"]


def test(row_sums, rows, columns):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> row_sums[1, 32](matrix, out)
    >>> out.copy_to_host()
    array([ 3., 12.], dtype=float32)

    --8<-- [end:example]
    """
    matrix = (np.arange(rows * columns, dtype=np.float32) % 9).reshape(rows, columns)
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    row_sums[-(-rows // 32), 32](cuda.to_device(matrix), out)
    yield "out", out, matrix.sum(axis=1)
