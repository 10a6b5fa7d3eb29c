"""Average each column

`prices` holds one row for each day and one column for each of several shares. Write the average of
each column to `out`. The kernel that you start from is right, and gives each *day* to a thread,
which adds to every column by an atomic operation. Give each thread a column: then neighbors in a
warp read neighbors in memory, and no atomics are left. **Par** counts sectors and atomic updates.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def column_means(prices, out):
    """Write the mean of each column of ``prices``, days x shares float32, to ``out``."""
    share = cuda.grid(1)
    days, shares = prices.shape
    if share < shares:
        total = np.float32(0)
        for day in range(days):
            total += prices[day, share]  # a row at a time: side by side
        out[share] = total / days


# --8<-- [end:solution]


START = [
    [
        "    share = cuda.grid(1)\n    days, shares = prices.shape\n    if share < shares:\n"
        "        total = np.float32(0)\n        for day in range(days):\n"
        "            total += prices[day, share]  # a row at a time: side by side\n"
        "        out[share] = total / days\n",
        "    day = cuda.grid(1)\n    days, shares = prices.shape\n    if day < days:\n"
        "        for share in range(shares):\n"
        "            cuda.atomic.add(out, share, prices[day, share] / np.float32(days))\n",
    ]
]
HINTS = [
    "In one step of the loop, the warp of the start reads one column: 32 rows, 32 sectors. "
    "Which loop would let it read one row?",
    "A thread for each column, a loop over the days, a sum in a register, one store at the end.",
]

WRONG = {
    "a thread for each day": {"edits": "START", "says": "above par"},
    "the sum lives in memory": {
        "edits": [
            ["        total = np.float32(0)\n", "        out[share] = 0\n"],
            ["total += prices[day, share]", "out[share] += prices[day, share]"],
            ["out[share] = total / days", "out[share] /= days"],
        ],
        "says": "above par",
    },
    "divided by the number of columns": {
        "edits": [["total / days", "total / shares"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 33), (40, 5), (20, 70)]
PAR = ["sectors", "atomics"]


def test(column_means, days, shares):
    """Enough threads for rows or columns, in blocks of 32; the output begins at 0.

    --8<-- [start:example]
    >>> prices = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
    >>> out = cuda.to_device(np.zeros(4, dtype=np.float32))
    >>> column_means[1, 32](prices, out)
    >>> out.copy_to_host()
    array([4., 5., 6., 7.], dtype=float32)

    --8<-- [end:example]
    """
    prices = (np.arange(days * shares, dtype=np.float32) % 17).reshape(days, shares)
    out = cuda.to_device(np.zeros(shares, dtype=np.float32))
    column_means[-(-max(days, shares) // 32), 32](cuda.to_device(prices), out)
    yield "out", out, prices.mean(axis=0)
