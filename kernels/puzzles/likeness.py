"""A tiled product

How alike are n songs? `songs` has a row of k features each, and the likeness of two is the product
of their rows: `songs @ songs.T`. You start from the naive kernel, which is right. Go through tiles
of 8 x 8 in shared memory; both tiles are read along rows of `songs`. **Par** counts sectors, bank
conflicts and barriers.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def likeness(songs, out):
    """Write songs @ songs.T for n x k float32, in tiles of 8 x 8."""
    left = cuda.shared.array((8, 8), np.float32)
    right = cuda.shared.array((8, 9), np.float32)  # read down its columns, so it is padded
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    n, features = songs.shape
    other = 8 * cuda.blockIdx.x + y  # the row that this thread fetches for `right`
    total = np.float32(0)
    for first in range(0, features, 8):
        inside = first + x < features
        left[y, x] = songs[row, first + x] if row < n and inside else np.float32(0)
        right[y, x] = songs[other, first + x] if other < n and inside else np.float32(0)
        cuda.syncthreads()
        for k in range(8):
            total += left[y, k] * right[x, k]
        cuda.syncthreads()  # before the next tiles replace these
    if row < n and column < n:
        out[row, column] = total


# --8<-- [end:solution]


START = [
    [
        "    left = cuda.shared.array((8, 8), np.float32)\n    right = cuda.shared.array((8, 9), "
        "np.float32)  # read down its columns, so it is padded\n",
        "",
    ],
    ["    x, y = cuda.threadIdx.x, cuda.threadIdx.y\n", ""],
    [
        "    other = 8 * cuda.blockIdx.x + y  # the row that this thread fetches for `right`\n"
        "    total = np.float32(0)\n    for first in range(0, features, 8):\n"
        "        inside = first + x < features\n"
        "        left[y, x] = songs[row, first + x] if row < n and inside else np.float32(0)\n   "
        "     right[y, x] = songs[other, first + x] if other < n and inside else np.float32(0)\n"
        "        cuda.syncthreads()\n        for k in range(8):\n"
        "            total += left[y, k] * right[x, k]\n"
        "        cuda.syncthreads()  # before the next tiles replace these\n"
        "    if row < n and column < n:\n        out[row, column] = total\n",
        "    if row < n and column < n:\n        total = np.float32(0)\n"
        "        for k in range(features):\n"
        "            total += songs[row, k] * songs[column, k]\n"
        "        out[row, column] = total\n",
    ],
]
HINTS = [
    "Two tiles: eight rows of the block's row songs, eight rows of its column songs, eight "
    "features at a time. All 64 threads fetch, wait, add eight products, wait.",
    "A thread's column song is `cuda.grid(2)[0]`; the row that it fetches for the second tile is "
    "`8 * cuda.blockIdx.x + y`, so that lanes read along memory. That tile is then read as `[x, "
    "k]`: give it 9 columns.",
]

WRONG = {
    "no tiles": {
        "edits": "START",
        "says": "above par",
    },
    "no padding": {
        "edits": [["right = cuda.shared.array((8, 9)", "right = cuda.shared.array((8, 8)"]],
        "says": "above par",
    },
    "one barrier": {
        "edits": [["        cuda.syncthreads()  # before the next tiles replace these\n", ""]],
        "says": "comes first",
    },
    "the last tile is taken to be full": {
        "edits": [["inside = first + x < features", "inside = True"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (8, 9), (9, 7), (20, 24)]
PAR = ["sectors", "conflicts", "barriers"]


def test(likeness, n, k):
    """Blocks of 8 x 8 threads: x for the columns of ``out``.

    --8<-- [start:example]
    >>> songs = cuda.to_device(np.array([[1, 0, 2], [0, 3, 1]], dtype=np.float32))
    >>> out = cuda.device_array((2, 2), dtype=np.float32)
    >>> likeness[1, (8, 8)](songs, out)
    >>> out.copy_to_host()
    array([[ 5.,  2.],
           [ 2., 10.]], dtype=float32)

    --8<-- [end:example]
    """
    songs = ((np.arange(n * k, dtype=np.float32) * 5) % 7).reshape(n, k)
    rows = songs.tolist()
    want = [[sum(p * q for p, q in zip(a, b, strict=True)) for b in rows] for a in rows]
    out = cuda.to_device(np.full((n, n), np.nan, dtype=np.float32))
    likeness[(-(-n // 8), -(-n // 8)), (8, 8)](cuda.to_device(songs), out)
    yield "out", out, np.array(want, dtype=np.float32)
