"""Three loops over one row

A calibration wants the smallest, the largest and the mean of each row. Written as NumPy says it,
that is three loops over the row, and the kernel that you start from has them: it is right. Fuse
them: the loops have the same range, and none needs what another one finds. **Par** counts requests.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def ranges(x, smallest, largest, mean):
    """Write the smallest, largest and mean of each row of ``x``, float32; a thread for each."""
    row = cuda.grid(1)
    if row < x.shape[0]:
        low = high = x[row, 0]
        total = np.float32(0)
        for c in range(x.shape[1]):
            value = x[row, c]
            low = min(low, value)
            high = max(high, value)
            total += value
        smallest[row] = low
        largest[row] = high
        mean[row] = total / np.float32(x.shape[1])


# --8<-- [end:solution]

START = [
    [
        "            value = x[row, c]\n            low = min(low, value)\n"
        "            high = max(high, value)\n            total += value\n",
        "            low = min(low, x[row, c])\n        for c in range(x.shape[1]):\n"
        "            high = max(high, x[row, c])\n        for c in range(x.shape[1]):\n"
        "            total += x[row, c]\n",
    ]
]
HINTS = [
    "One loop with three bodies, and the element in a local variable.",
    "Start both extremes with the row's first number, or with what no number can undercut. A row "
    "may be negative throughout.",
]

WRONG = {
    "three loops": {"edits": "START", "says": "above par"},
    "the largest begins at 0": {
        "edits": [["low = high = x[row, 0]", "low, high = x[row, 0], np.float32(0)"]],
        "says": "should be",
    },
    "the sum in place of the mean": {
        "edits": [["total / np.float32(x.shape[1])", "total"]],
        "says": "should be",
    },
    "divided by the rows": {
        "edits": [["np.float32(x.shape[1])", "np.float32(x.shape[0])"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 8), (33, 20)]
PAR = ["requests"]


def test(ranges, rows, columns):
    """Blocks of 32 threads over the rows.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[-1, -5, -3]], dtype=np.float32))
    >>> found = [cuda.device_array(1, dtype=np.float32) for _ in range(3)]
    >>> ranges[1, 32](x, *found)
    >>> [float(value.copy_to_host()[0]) for value in found]
    [-5.0, -1.0, -3.0]

    --8<-- [end:example]
    """
    x = (np.arange(rows * columns) * 7 % 23 - 30).astype(np.float32).reshape(rows, columns)
    found = [cuda.to_device(np.full(rows, np.nan, dtype=np.float32)) for _ in range(3)]
    ranges[-(-rows // 32), 32](cuda.to_device(x), *found)
    want = [[min(row), max(row), sum(row) / columns] for row in x.tolist()]
    for name, got, k in zip(("smallest", "largest", "mean"), found, range(3), strict=True):
        yield name, got, np.array([row[k] for row in want], dtype=np.float32)
