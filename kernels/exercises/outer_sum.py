"""Broadcast without copying

A compiler makes one loop over the result, and each operand has to be found from the result's place
alone. Here the result is a table of `rows` × `columns`, stored row after row; `a` is a column of
`rows` numbers, `b` a row of `columns`. Write `a + b` as NumPy broadcasts it, a thread for each
number of `out`, which is flat.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def outer_sum(a, b, out):
    """Write the sum of a column and a row, broadcast to a table."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i // b.size] + b[i % b.size]


# --8<-- [end:solution]

HINTS = [
    "Number i of the table lies in row `i // columns`.",
    "`b` has as many numbers as the table has columns.",
]

WRONG = {
    "divided by the number of rows": {
        "edits": [["a[i // b.size] + b[i % b.size]", "a[i % a.size] + b[i // a.size]"]],
        "says": "should be",
    },
    "an operand that does not broadcast": {
        "edits": [["b[i % b.size]", "b[i // b.size]"]],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < out.size", "if True"]], "says": "out of bounds"},
}

CASES = [(1, 1), (3, 5), (5, 3), (8, 12), (33, 2)]


def test(outer_sum, rows, columns):
    """Tables that are wide, and tables that are high.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([10, 20], dtype=np.float32))
    >>> b = cuda.to_device(np.array([1, 2, 3], dtype=np.float32))
    >>> out = cuda.device_array(6, dtype=np.float32)
    >>> outer_sum[1, 32](a, b, out)
    >>> out.copy_to_host()
    array([11., 12., 13., 21., 22., 23.], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(rows) * 100 + 7).astype(np.float32)
    b = np.arange(columns).astype(np.float32)
    expected = np.zeros(rows * columns, dtype=np.float32)
    for i in range(rows * columns):
        expected[i] = a[i // columns] + b[i % columns]
    out = cuda.to_device(np.full(rows * columns, np.nan, dtype=np.float32))
    outer_sum[-(-rows * columns // 32), 32](cuda.to_device(a), cuda.to_device(b), out)
    yield "out", out, expected
