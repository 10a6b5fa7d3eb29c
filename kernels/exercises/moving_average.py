"""A week's average

A shop's `sales`, one number a day. Write `week_average`: `out[i]` is the average of day i and the
six days before it. The first six days have fewer days to average over. NumPy, as a sum of seven
shifted slices, goes over the data seven times; your kernel goes once.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def week_average(sales, out):
    """Average each of n float32 with the up to six before it."""
    i = cuda.grid(1)
    if i < sales.size:
        first = max(i - 6, 0)
        total = np.float32(0)
        for day in range(first, i + 1):
            total += sales[day]
        out[i] = total / (i + 1 - first)


# --8<-- [end:solution]


HINTS = [
    "A loop over the days from i - 6 to i, in each thread. Where does it begin for day 2?",
    "Begin at `max(i - 6, 0)`, and divide by the number of days that you added: 7, or fewer.",
]

WRONG = {
    "always seven days": {"edits": [["(i + 1 - first)", "7"]], "says": "should be"},
    "the first days reach back": {
        "edits": [["max(i - 6, 0)", "i - 6"]],
        "says": "index -6",
    },
    "today is left out": {
        "edits": [["range(first, i + 1)", "range(first, i)"]],
        "says": "should be",
    },
}

CASES = [1, 6, 7, 65, 130]


def test(week_average, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> sales = cuda.to_device(np.arange(9, dtype=np.float32))
    >>> out = cuda.device_array_like(sales)
    >>> week_average[1, 16](sales, out)
    >>> out.copy_to_host()
    array([0. , 0.5, 1. , 1.5, 2. , 2.5, 3. , 4. , 5. ], dtype=float32)

    --8<-- [end:example]
    """
    sales = (np.arange(1, n + 1, dtype=np.float32) * 5) % 11
    want = [sales[max(i - 6, 0) : i + 1].mean() for i in range(n)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    week_average[-(-n // 64), 64](cuda.to_device(sales), out)
    yield "out", out, np.array(want, dtype=np.float32)
