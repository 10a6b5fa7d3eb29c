"""The largest number of each sparse row

A matrix in CSR: row r has the numbers `values[starts[r]]` up to, not including,
`values[starts[r + 1]]`. Write the largest number of each row to `out`, a thread for each row. A row
that stores nothing consists of zeros, so its largest is 0. (The zeros of other rows don't count
here.)
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def row_largest(starts, values, out):
    """Write the largest stored number of each row, and 0 for a row without any."""
    row = cuda.grid(1)
    if row < out.size:
        start, end = starts[row], starts[row + 1]
        largest = np.float32(0)
        if start < end:
            largest = values[start]
            for k in range(start + 1, end):
                largest = max(largest, values[k])
        out[row] = largest


# --8<-- [end:solution]


HINTS = [
    "A loop from `starts[row]` to `starts[row + 1]`. What should the largest be before it begins?",
    "Not 0: a row may hold negative numbers alone. Begin with the row's first number.",
]

WRONG = {
    "it begins at 0": {
        "edits": [["            largest = values[start]\n", ""]],
        "says": "should be",
    },
    "empty rows are not asked for": {
        "edits": [["        if start < end:\n", "        if True:\n"]],
        "says": "out",
    },
    "one number too few": {
        "edits": [["range(start + 1, end)", "range(start + 1, end - 1)"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 70]


def test(row_largest, n):
    """Rows of none to four numbers, in blocks of 32 threads.

    --8<-- [start:example]
    >>> starts = cuda.to_device(np.array([0, 2, 2, 5], dtype=np.int32))
    >>> values = cuda.to_device(np.array([-3, -1, 4, 9, 2], dtype=np.float32))
    >>> out = cuda.device_array(3, dtype=np.float32)
    >>> row_largest[1, 32](starts, values, out)
    >>> out.copy_to_host()
    array([-1.,  0.,  9.], dtype=float32)

    --8<-- [end:example]
    """
    starts = np.zeros(n + 1, dtype=np.int32)
    for row in range(n):
        starts[row + 1] = starts[row] + (3 * row + 2) % 5
    count = int(starts[n])
    values = (np.arange(count, dtype=np.float32) * 7) % 19 - 14
    want = np.zeros(n, dtype=np.float32)
    for row in range(n):
        if starts[row] < starts[row + 1]:
            want[row] = values[int(starts[row]) : int(starts[row + 1])].max()
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    row_largest[-(-n // 32), 32](cuda.to_device(starts), cuda.to_device(values), out)
    yield "out", out, want
