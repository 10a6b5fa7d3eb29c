"""Two rows a thread

Multiply `a` by `b` with half the threads: each computes two elements of `c`, in the rows 2r and 2r
+ 1 of one column. The kernel that you start from is right and computes one after the other, so it
fetches the column of `b` twice. Fetch each element of `b` once and use it twice. **Par** counts
requests to global memory.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def two_rows(a, b, c):
    """Write a @ b to ``c``: m x k times k x n float32; y counts pairs of rows."""
    column, pair = cuda.grid(2)
    row = 2 * pair
    if row < c.shape[0] and column < c.shape[1]:
        second = min(row + 1, c.shape[0] - 1)  # m may be odd: then the last row twice
        upper = lower = np.float32(0)
        for k in range(a.shape[1]):
            shared = b[k, column]
            upper += a[row, k] * shared
            lower += a[second, k] * shared
        c[row, column] = upper
        if row + 1 < c.shape[0]:
            c[second, column] = lower


# --8<-- [end:solution]


START = [
    [
        "        second = min(row + 1, c.shape[0] - 1)  # m may be odd: then the last row twice\n"
        "        upper = lower = np.float32(0)\n"
        "        for k in range(a.shape[1]):\n"
        "            shared = b[k, column]\n"
        "            upper += a[row, k] * shared\n"
        "            lower += a[second, k] * shared\n"
        "        c[row, column] = upper\n"
        "        if row + 1 < c.shape[0]:\n"
        "            c[second, column] = lower\n",
        "        for r in range(row, min(row + 2, c.shape[0])):\n"
        "            total = np.float32(0)\n"
        "            for k in range(a.shape[1]):\n"
        "                total += a[r, k] * b[k, column]\n"
        "            c[r, column] = total\n",
    ]
]
HINTS = [
    "One loop over k, two sums. What do both products of a step have in common?",
    "Load `b[k, column]` into a local variable and multiply it by two elements of `a`. Guard "
    "the second store: the number of rows may be odd.",
]

WRONG = {
    "one row after the other": {"edits": "START", "says": "above par"},
    "the second row is not guarded": {
        "edits": [
            ["min(row + 1, c.shape[0] - 1)  # m may be odd: then the last row twice", "row + 1"],
        ],
        "says": "out of bounds",
    },
    "the second sum stays where it is": {
        "edits": [
            ["            c[second, column] = lower\n", "            c[second, column] = upper\n"]
        ],
        "says": "should be",
    },
}

CASES = [(1, 1, 1), (2, 3, 33), (5, 7, 32), (6, 8, 40)]
PAR = ["requests"]


def test(two_rows, m, k, n):
    """Blocks of 32 x 2 threads: x for the columns, y for pairs of rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32))
    >>> b = cuda.to_device(np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> c = cuda.device_array((3, 2), dtype=np.float32)
    >>> two_rows[1, (32, 2)](a, b, c)
    >>> c.copy_to_host()
    array([[1., 2.],
           [3., 4.],
           [5., 6.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) % 7).reshape(m, k)
    b = (np.arange(k * n, dtype=np.float32) % 5).reshape(k, n)
    c = cuda.to_device(np.full((m, n), np.nan, dtype=np.float32))
    two_rows[(-(-n // 32), -(-m // 4)), (32, 2)](cuda.to_device(a), cuda.to_device(b), c)
    yield "c", c, a @ b
