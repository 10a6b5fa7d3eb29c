"""Two columns a thread, and how far apart

A block of 32 x 2 threads computes a tile of 2 x 64 elements of `c`: two columns a thread. The
kernel that you start from is right, and gives a thread two neighbors. So the lanes of a warp read
shared memory 8 bytes apart and meet in pairs, and their stores lie as far apart. Choose the columns
so that neither happens. **Par** counts bank conflicts, and sectors of global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def two_columns(a, b, c):
    """Write a @ b to ``c``: m x k times k x n float32, in tiles of 2 x 64."""
    tile = cuda.shared.array((8, 64), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, left = 2 * cuda.blockIdx.y + y, 64 * cuda.blockIdx.x
    one, two = x, x + 32
    upper, lower = np.float32(0), np.float32(0)
    for first in range(0, a.shape[1], 8):
        for f in range(32 * y + x, 8 * 64, 64):
            k, j = first + f // 64, left + f % 64
            inside = k < b.shape[0] and j < b.shape[1]
            tile[f // 64, f % 64] = b[k, j] if inside else np.float32(0)
        cuda.syncthreads()
        if row < a.shape[0]:
            for k in range(min(8, a.shape[1] - first)):
                shared = a[row, first + k]
                upper += shared * tile[k, one]
                lower += shared * tile[k, two]
        cuda.syncthreads()
    if row < c.shape[0] and left + one < c.shape[1]:
        c[row, left + one] = upper
    if row < c.shape[0] and left + two < c.shape[1]:
        c[row, left + two] = lower


# --8<-- [end:solution]

START = [["one, two = x, x + 32", "one, two = 2 * x, 2 * x + 1"]]
HINTS = [
    "In one load, 32 lanes should read 32 neighbors of a row of the tile. Which columns does "
    "lane x have then?",
    "64 columns, 32 lanes: a thread's columns are half a tile apart, x and x + 32.",
]

WRONG = {
    "two neighbors a thread": {"edits": "START", "says": "above par"},
    "16 apart": {"edits": [["x, x + 32", "x, x + 16"]], "says": "No thread wrote it"},
    "the second column is not guarded": {
        "edits": [["if row < c.shape[0] and left + two < c.shape[1]:", "if row < c.shape[0]:"]],
        "says": "out of bounds",
    },
    "one barrier": {
        "edits": [
            [
                "        cuda.syncthreads()\n    if row < c.shape[0] and left + one",
                "    if row < c.shape[0] and left + one",
            ]
        ],
        "says": "comes first",
    },
}

CASES = [(1, 1, 1), (2, 9, 65), (5, 12, 100)]
PAR = ["conflicts", "sectors"]


def test(two_columns, m, k, n):
    """Blocks of 32 x 2 threads, each with a tile of 2 x 64 elements of c.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> c = cuda.device_array((2, 2), dtype=np.float32)
    >>> two_columns[(1, 1), (32, 2)](a, a, c)
    >>> c.copy_to_host()
    array([[ 7., 10.],
           [15., 22.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) % 7).reshape(m, k)
    b = (np.arange(k * n, dtype=np.float32) % 5).reshape(k, n)
    c = cuda.to_device(np.full((m, n), np.nan, dtype=np.float32))
    two_columns[(-(-n // 64), -(-m // 2)), (32, 2)](cuda.to_device(a), cuda.to_device(b), c)
    yield "c", c, a @ b
