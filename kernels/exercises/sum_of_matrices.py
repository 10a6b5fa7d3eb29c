"""Rows, columns or elements?

An earlier edition of the book asked this of a sum of two matrices, and the fourth asks it of a
product: a thread for each element, for each row, or for each column? The kernel that you start from
takes a row a thread, in the same launch of as many threads as there are elements, and most of them
do nothing. Take an element a thread. **Par** counts sectors, the pieces of 32 bytes that memory
moves.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def sum_of_matrices(a, b, out):
    """Add two matrices, rows x columns float32, one element a thread."""
    i = cuda.grid(1)
    rows, columns = out.shape
    if i < rows * columns:
        row = i // columns
        column = i % columns
        out[row, column] = a[row, column] + b[row, column]


# --8<-- [end:solution]


START = [
    [
        "    if i < rows * columns:\n        row = i // columns\n        column = i % columns\n"
        "        out[row, column] = a[row, column] + b[row, column]\n",
        "    if i < rows:\n        for column in range(columns):\n"
        "            out[i, column] = a[i, column] + b[i, column]\n",
    ]
]
HINTS = [
    "Number the elements as they lie in memory: row by row. Which row and which column has "
    "element i?",
    "`i // columns` and `i % columns`. Neighboring threads then have neighboring columns.",
]

WRONG = {
    "a row for each thread": {"edits": "START", "says": "above par"},
    "rows and columns swapped": {
        "edits": [["i // columns", "i % rows"], ["i % columns", "i // rows"]],
        "says": "above par",
    },
    "divided by the rows": {
        "edits": [["i // columns", "i // rows"], ["i % columns", "i % rows"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (5, 3), (3, 33), (40, 40)]
PAR = ["sectors"]


def test(sum_of_matrices, rows, columns):
    """As many threads as elements, in blocks of 64.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array_like(a)
    >>> sum_of_matrices[1, 8](a, a, out)
    >>> out.copy_to_host()
    array([[ 0.,  2.,  4.],
           [ 6.,  8., 10.]], dtype=float32)

    --8<-- [end:example]
    """
    a = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    b = a * 2 + 1
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    sum_of_matrices[-(-rows * columns // 64), 64](cuda.to_device(a), cuda.to_device(b), out)
    yield "out", out, a + b
