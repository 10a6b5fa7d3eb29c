"""Many small products, side by side

`a` holds matrices of 4 x 4 and `x` a vector of 4 for each; `y[p] = a[p] @ x[p]`. The kernel that
you start from is right, and gives each problem to one thread: neighboring threads read 64 bytes
apart. The launch has 16 threads for each problem, one for each number of the matrix: let neighbors
read neighbors, and add up each row by shuffles. **Par** counts sectors.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def small_chunks(a, x, y):
    """Write a[p] @ x[p] for 4 x 4 matrices, a lane for each number of a matrix."""
    p, row, column = cuda.grid(1) // 16, cuda.threadIdx.x % 16 // 4, cuda.threadIdx.x % 4
    total = np.float32(0)
    if p < a.shape[0]:
        total = a[p, row, column] * x[p, column]
    for hop in (2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
    if p < a.shape[0] and column == 0:
        y[p, row] = total


# --8<-- [end:solution]


START = [
    [
        "    p, row, column = cuda.grid(1) // 16, cuda.threadIdx.x % 16 // 4, "
        "cuda.threadIdx.x % 4\n"
        "    total = np.float32(0)\n    if p < a.shape[0]:\n"
        "        total = a[p, row, column] * x[p, column]\n"
        "    for hop in (2, 1):\n"
        "        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)\n"
        "    if p < a.shape[0] and column == 0:\n        y[p, row] = total\n",
        "    p = cuda.grid(1)\n    if p < a.shape[0]:\n        for row in range(4):\n"
        "            total = np.float32(0)\n            for column in range(4):\n"
        "                total += a[p, row, column] * x[p, column]\n"
        "            y[p, row] = total\n",
    ]
]
HINTS = [
    "The matrices lie side by side: number i of all has problem `i // 16`, row "
    "`i % 16 // 4`, column `i % 4`. Give it to thread i.",
    "Four lanes hold the four products of a row. Hops of 2 and 1 add them up.",
]

WRONG = {
    "a thread for each problem": {"edits": "START", "says": "above par"},
    "one hop too many": {"edits": [["(2, 1)", "(4, 2, 1)"]], "says": "should be"},
    "row and column are swapped": {
        "edits": [["a[p, row, column]", "a[p, column, row]"]],
        "says": "should be",
    },
}

CASES = [1, 2, 3, 33]
PAR = ["sectors"]


def test(small_chunks, n):
    """16 threads a problem, in blocks of 64.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(32, dtype=np.float32).reshape(2, 4, 4))
    >>> x = cuda.to_device(np.ones((2, 4), dtype=np.float32))
    >>> y = cuda.device_array((2, 4), dtype=np.float32)
    >>> small_chunks[1, 64](a, x, y)
    >>> y.copy_to_host()
    array([[  6.,  22.,  38.,  54.],
           [ 70.,  86., 102., 118.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(16 * n, dtype=np.float32) * 3 % 11 - 5).reshape(n, 4, 4)
    x = (np.arange(4 * n, dtype=np.float32) % 7 - 3).reshape(n, 4)
    want = np.zeros((n, 4), dtype=np.float32)
    for p in range(n):
        want[p] = a[p] @ x[p]
    y = cuda.to_device(np.full((n, 4), np.nan, dtype=np.float32))
    small_chunks[-(-n // 4), 64](cuda.to_device(a), cuda.to_device(x), y)
    yield "y", y, want
