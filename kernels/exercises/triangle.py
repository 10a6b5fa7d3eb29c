"""Half a matrix

A lower triangular matrix is stored without its zeros: row i has i + 1 numbers, and one row follows
the other in `packed`. Write `y = L @ x`, a thread for each row. That halves what has to be
read, which is why triangular and symmetric matrices have formats of their own.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def triangle(packed, x, y):
    """Write L @ x for a packed lower triangular matrix."""
    i = cuda.grid(1)
    if i < x.size:
        start = i * (i + 1) // 2  # rows 0 to i - 1 have 1, 2, ... i numbers
        total = np.float32(0)
        for j in range(i + 1):
            total += packed[start + j] * x[j]
        y[i] = total


# --8<-- [end:solution]


HINTS = [
    "Where does row i begin? The rows before it have 1, 2, 3, ... and i numbers.",
    "1 + 2 + ... + i is `i * (i + 1) // 2`. Row i ends on the diagonal: i + 1 turns.",
]

WRONG = {
    "the diagonal is left out": {
        "edits": [["range(i + 1)", "range(i)"]],
        "says": "should be",
    },
    "a full row": {
        "edits": [["range(i + 1)", "range(x.size)"]],
        "says": "should be",
    },
    "rows of equal length": {
        "edits": [["i * (i + 1) // 2", "i * x.size"]],
        "says": "out of bounds",
    },
}

CASES = [2, 31, 33, 50]


def test(triangle, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> packed = cuda.to_device(np.array([1, 2, 3, 4, 5, 6], dtype=np.float32))
    >>> x = cuda.to_device(np.array([1, 10, 100], dtype=np.float32))
    >>> y = cuda.device_array(3, dtype=np.float32)
    >>> triangle[1, 32](packed, x, y)
    >>> y.copy_to_host()
    array([  1.,  32., 654.], dtype=float32)

    --8<-- [end:example]
    """
    lower = np.zeros((n, n), dtype=np.float32)
    for i in range(n):
        for j in range(i + 1):
            lower[i, j] = (3 * i + 5 * j) % 7 - 3
    packed = lower[np.tril_indices(n)]
    x = np.arange(n, dtype=np.float32) % 5 - 2
    y = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    triangle[-(-n // 32), 32](cuda.to_device(packed), cuda.to_device(x), y)
    yield "y", y, lower @ x
