"""A matrix times its own transpose

`c = a @ a.T` tells how alike each two rows of `a` are. Both tiles come from `a`, so both can be
fetched along its rows; but one of them is then read down a column, and the lanes of a warp meet in
few banks. The kernel that you start from is the naive one, and right. Tile it, 8 x 8, and pad the
tile that needs it. **Par** counts sectors, bank conflicts and barriers.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def gram(a, c):
    """Write a @ a.T to ``c``, m x m float32, for ``a`` of m x k, in tiles of 8 x 8."""
    mine = cuda.shared.array((8, 8), np.float32)
    other = cuda.shared.array((8, 9), np.float32)  # read down a column
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 8, cuda.blockIdx.y * 8
    total = np.float32(0)
    for first in range(0, a.shape[1], 8):
        inside = first + x < a.shape[1]
        here = inside and top + y < a.shape[0]
        mine[y, x] = a[top + y, first + x] if here else np.float32(0)
        there = inside and left + y < a.shape[0]
        other[y, x] = a[left + y, first + x] if there else np.float32(0)
        cuda.syncthreads()
        for k in range(8):
            total += mine[y, k] * other[x, k]
        cuda.syncthreads()  # before the next tile replaces this one
    if top + y < c.shape[0] and left + x < c.shape[1]:
        c[top + y, left + x] = total


# --8<-- [end:solution]

START = [
    [
        "    mine = cuda.shared.array((8, 8), np.float32)\n"
        "    other = cuda.shared.array((8, 9), np.float32)  # read down a column\n"
        "    x, y = cuda.threadIdx.x, cuda.threadIdx.y\n"
        "    left, top = cuda.blockIdx.x * 8, cuda.blockIdx.y * 8\n"
        "    total = np.float32(0)\n    for first in range(0, a.shape[1], 8):\n"
        "        inside = first + x < a.shape[1]\n"
        "        here = inside and top + y < a.shape[0]\n"
        "        mine[y, x] = a[top + y, first + x] if here else np.float32(0)\n"
        "        there = inside and left + y < a.shape[0]\n"
        "        other[y, x] = a[left + y, first + x] if there else np.float32(0)\n"
        "        cuda.syncthreads()\n        for k in range(8):\n"
        "            total += mine[y, k] * other[x, k]\n"
        "        cuda.syncthreads()  # before the next tile replaces this one\n"
        "    if top + y < c.shape[0] and left + x < c.shape[1]:\n"
        "        c[top + y, left + x] = total\n",
        "    column, row = cuda.grid(2)\n"
        "    if row < c.shape[0] and column < c.shape[1]:\n        total = np.float32(0)\n"
        "        for k in range(a.shape[1]):\n"
        "            total += a[row, k] * a[column, k]\n"
        "        c[row, column] = total\n",
    ],
]
HINTS = [
    "The second tile holds eight rows of `a`, those whose numbers are the columns of `c`. Thread "
    "(x, y) fetches element x of row y for both tiles.",
    "The product is `mine[y, k] * other[x, k]`. With rows of 8, x = 0 and x = 4 meet in one "
    "bank; with rows of 9, no two of the eight do.",
    "The padding costs a few conflicts where the tile is written. A swizzle in rows of 8, "
    "`other[y, x ^ (y & 4)]`, has none at all, and is below par.",
]

WRONG = {
    "no tile": {"edits": "START", "says": "above par"},
    "no padding": {"edits": [["(8, 9)", "(8, 8)"]], "says": "bank conflicts"},
    "fetched down a column": {
        "edits": [
            [
                "        there = inside and left + y < a.shape[0]\n"
                "        other[y, x] = a[left + y, first + x] if there else np.float32(0)\n",
                "        inside = first + y < a.shape[1] and left + x < a.shape[0]\n"
                "        other[x, y] = a[left + x, first + y] if inside else np.float32(0)\n",
            ],
        ],
        "says": "above par",
    },
    "one barrier": {
        "edits": [["        cuda.syncthreads()  # before the next tile replaces this one\n", ""]],
        "says": "comes first",
    },
}

CASES = [(1, 1), (7, 9), (20, 20)]
PAR = ["sectors", "conflicts", "barriers"]


def test(gram, m, k):
    """Blocks of 8 x 8 threads: x for the columns of c, y for its rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> c = cuda.device_array((2, 2), dtype=np.float32)
    >>> gram[(1, 1), (8, 8)](a, c)
    >>> c.copy_to_host()
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) * 3 % 7).reshape(m, k)
    c = cuda.to_device(np.full((m, m), np.nan, dtype=np.float32))
    gram[(-(-m // 8), -(-m // 8)), (8, 8)](cuda.to_device(a), c)
    yield "c", c, a @ a.T
