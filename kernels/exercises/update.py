"""A product on top of what is there

Write `update`: `c` becomes `c + a @ b`, one thread for each element of `c`, in blocks of 32 x 4
threads. Libraries call it `beta = 1`. A layer of a network uses it when `c` holds its bias in
each row.
**Par** counts the sectors of memory, and the requests: how often does a thread have to touch `c`?
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def update(a, b, c):
    """Add a @ b to ``c``: m x k times k x n float32."""
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = c[row, column]
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


# --8<-- [end:solution]


HINTS = [
    "The naive product, with two changes: where the sum starts, and which index runs along a warp.",
    "Let x be the column, so that a warp reads one element of `a` and 32 neighbors of `b`. Keep "
    "the sum in a register until the loop has ended.",
]

WRONG = {
    "c is updated in the loop": {
        "edits": [
            ["        total = c[row, column]\n", ""],
            ["total += a", "c[row, column] += a"],
            ["        c[row, column] = total\n", ""],
        ],
        "says": "above par",
    },
    "the sum starts at 0": {
        "edits": [["total = c[row, column]", "total = np.float32(0)"]],
        "says": "elements are wrong",
    },
    "x is the row": {
        "edits": [["column, row = cuda.grid(2)", "row, column = cuda.grid(2)"]],
        "says": "elements are wrong",
    },
}

CASES = [(1, 1, 1), (4, 3, 32), (5, 7, 33), (9, 6, 40)]
PAR = ["sectors", "requests"]


def test(update, m, k, n):
    """Blocks of 32 x 4 threads: x for the columns of c, y for its rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> b = cuda.to_device(np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> c = cuda.to_device(np.full((2, 2), 10, dtype=np.float32))
    >>> update[1, (32, 4)](a, b, c)
    >>> c.copy_to_host()
    array([[11., 12.],
           [13., 14.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) % 7).reshape(m, k)
    b = (np.arange(k * n, dtype=np.float32) % 5).reshape(k, n)
    c = np.arange(m * n, dtype=np.float32).reshape(m, n)
    d_c = cuda.to_device(c)
    update[(-(-n // 32), -(-m // 4)), (32, 4)](cuda.to_device(a), cuda.to_device(b), d_c)
    yield "c", d_c, c + a @ b
