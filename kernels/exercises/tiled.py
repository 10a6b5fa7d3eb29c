"""A tile of your own

Multiply `a` by `b` in tiles of 8 x 8, through shared memory. You start from the naive kernel, which
is right; no side of the matrices is a multiple of 8. **Par** counts sectors of global memory, bank
conflicts and barriers: two barriers for each tile, and not one more.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def product(a, b, c):
    """Write a @ b to ``c``: m x k times k x n float32, in tiles of 8 x 8."""
    a_tile = cuda.shared.array((8, 8), np.float32)
    b_tile = cuda.shared.array((8, 8), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 8):
        inside = row < a.shape[0] and first + x < a.shape[1]
        a_tile[y, x] = a[row, first + x] if inside else np.float32(0)
        inside = first + y < b.shape[0] and column < b.shape[1]
        b_tile[y, x] = b[first + y, column] if inside else np.float32(0)
        cuda.syncthreads()
        for k in range(8):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()  # before the next tile replaces this one
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


# --8<-- [end:solution]


START = [
    [
        "    a_tile = cuda.shared.array((8, 8), np.float32)\n"
        "    b_tile = cuda.shared.array((8, 8), np.float32)\n",
        "",
    ],
    [
        "    x, y = cuda.threadIdx.x, cuda.threadIdx.y\n    total = np.float32(0)\n"
        "    for first in range(0, a.shape[1], 8):\n"
        "        inside = row < a.shape[0] and first + x < a.shape[1]\n"
        "        a_tile[y, x] = a[row, first + x] if inside else np.float32(0)\n"
        "        inside = first + y < b.shape[0] and column < b.shape[1]\n"
        "        b_tile[y, x] = b[first + y, column] if inside else np.float32(0)\n"
        "        cuda.syncthreads()\n        for k in range(8):\n"
        "            total += a_tile[y, k] * b_tile[k, x]\n"
        "        cuda.syncthreads()  # before the next tile replaces this one\n"
        "    if row < c.shape[0] and column < c.shape[1]:\n        c[row, column] = total\n",
        "    if row < c.shape[0] and column < c.shape[1]:\n        total = np.float32(0)\n"
        "        for k in range(a.shape[1]):\n            total += a[row, k] * b[k, column]\n"
        "        c[row, column] = total\n",
    ],
]
HINTS = [
    "A loop over the tiles: all 64 threads fetch one element of `a` and one of `b`, wait, add "
    "eight products, and wait before the next tile.",
    "A thread without an element of `c` still fetches, and still meets the barriers. Where "
    "there is nothing to fetch, it puts a 0: a product with 0 adds nothing.",
]

WRONG = {
    "no tile": {"edits": "START", "says": "above par"},
    "one barrier": {
        "edits": [["        cuda.syncthreads()  # before the next tile replaces this one\n", ""]],
        "says": "comes first",
    },
    "the last tile is taken to be full": {
        "edits": [["row < a.shape[0] and first + x < a.shape[1]", "row < a.shape[0]"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1, 1), (8, 9, 7), (20, 20, 20)]
PAR = ["sectors", "conflicts", "barriers"]


def test(product, m, k, n):
    """Blocks of 8 x 8 threads: x for the columns of c, y for its rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> c = cuda.device_array((2, 2), dtype=np.float32)
    >>> product[1, (8, 8)](a, a, c)
    >>> c.copy_to_host()
    array([[ 7., 10.],
           [15., 22.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) % 7).reshape(m, k)
    b = (np.arange(k * n, dtype=np.float32) % 5).reshape(k, n)
    c = cuda.to_device(np.full((m, n), np.nan, dtype=np.float32))
    product[(-(-n // 8), -(-m // 8)), (8, 8)](cuda.to_device(a), cuda.to_device(b), c)
    yield "c", c, a @ b
