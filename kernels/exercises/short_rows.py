"""Two rows a warp

`a` has rows of 16 numbers, and `x` has 16. Write `y[i] = a[i] @ x`. The kernel that you start from
is right, and gives each row to one thread: in each step of its loop a warp reads 32 rows, 64 bytes
apart. The launch has 16 threads for each row; use them all. **Par** counts sectors.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def short_rows(a, x, y):
    """Write a @ x for rows of 16 float32, 16 lanes for each row."""
    row, column = cuda.grid(1) // 16, cuda.threadIdx.x % 16
    total = np.float32(0)
    if row < a.shape[0]:
        total = a[row, column] * x[column]
    for hop in (8, 4, 2, 1):  # the hops stay inside of a half warp
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
    if row < a.shape[0] and column == 0:
        y[row] = total


# --8<-- [end:solution]


START = [
    [
        "    row, column = cuda.grid(1) // 16, cuda.threadIdx.x % 16\n"
        "    total = np.float32(0)\n    if row < a.shape[0]:\n"
        "        total = a[row, column] * x[column]\n"
        "    for hop in (8, 4, 2, 1):  # the hops stay inside of a half warp\n"
        "        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)\n"
        "    if row < a.shape[0] and column == 0:\n        y[row] = total\n",
        "    row = cuda.grid(1)\n    if row < a.shape[0]:\n        total = np.float32(0)\n"
        "        for column in range(16):\n            total += a[row, column] * x[column]\n"
        "        y[row] = total\n",
    ]
]
HINTS = [
    "Thread i of the grid has row `i // 16` and column `i % 16`: one product, no loop. Then 16 "
    "lanes have to add up what they hold.",
    "`cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)` with hops of 8, 4, 2 and 1 never leaves a group "
    "of 16. All 32 lanes have to take part, so it stands outside of the `if`.",
]

WRONG = {
    "a thread for each row": {"edits": "START", "says": "above par"},
    "the hops begin at 16": {
        "edits": [["(8, 4, 2, 1)", "(16, 8, 4, 2, 1)"]],
        "says": "should be",
    },
    "the products are not added up": {
        "edits": [["        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)", "        pass"]],
        "says": "should be",
    },
}

CASES = [1, 2, 3, 31, 67]
PAR = ["sectors"]


def test(short_rows, n):
    """16 threads a row, in blocks of 64.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(48, dtype=np.float32).reshape(3, 16))
    >>> x = cuda.to_device(np.ones(16, dtype=np.float32))
    >>> y = cuda.device_array(3, dtype=np.float32)
    >>> short_rows[1, 64](a, x, y)
    >>> y.copy_to_host()
    array([120., 376., 632.], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(16 * n, dtype=np.float32) % 13 - 6).reshape(n, 16)
    x = np.arange(16, dtype=np.float32) % 5 - 2
    y = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    short_rows[-(-n // 4), 64](cuda.to_device(a), cuda.to_device(x), y)
    yield "y", y, a @ x
