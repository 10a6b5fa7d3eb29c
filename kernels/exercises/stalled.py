"""Stalled at the barrier

A profile of the kernel that you start from says: *stalled at a barrier*. Each block of 64 threads
adds up one row of `x`, and its threads meet after every 64 elements, though nobody has written
anything that another one reads. It is right. Take out what nobody needs, and keep what the tree at
the end does. **Par** counts barriers.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def row_sums(x, sums):
    """Write the sum of each row of ``x``, float32, to ``sums``; a block for each row."""
    partial = cuda.shared.array(64, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = np.float32(0)
    for i in range(t, x.shape[1], 64):
        total += x[row, i]
    partial[t] = total
    step = 32
    while step > 0:
        cuda.syncthreads()
        if t < step:
            partial[t] += partial[t + step]
        step //= 2
    if t == 0:
        sums[row] = partial[0]


# --8<-- [end:solution]

START = [
    [
        "    for i in range(t, x.shape[1], 64):\n        total += x[row, i]\n",
        "    for first in range(0, x.shape[1], 64):\n        if first + t < x.shape[1]:\n"
        "            total += x[row, first + t]\n        cuda.syncthreads()\n",
    ],
    [
        "            partial[t] += partial[t + step]\n",
        "            partial[t] += partial[t + step]\n        cuda.syncthreads()\n",
    ],
]
HINTS = [
    "A barrier stands between a write and a read of the same place by two threads. Which places "
    "do two threads share in the first loop?",
    "None: `total` is each thread's own. In the tree one barrier before each level is enough, "
    "six for 64 threads, and thread 0 has itself written what it reads at the end.",
]

WRONG = {
    "as it was": {"edits": "START", "says": "above par"},
    "none at all": {"edits": [["        cuda.syncthreads()\n", ""]], "says": "comes first"},
    "one before the tree": {
        "edits": [
            ["        cuda.syncthreads()\n", ""],
            ["    step = 32\n", "    cuda.syncthreads()\n    step = 32\n"],
        ],
        "says": "comes first",
    },
    "the tree begins too low": {"edits": [["step = 32", "step = 16"]], "says": "should be"},
}

CASES = [(1, 1), (2, 63), (3, 130), (2, 321)]
PAR = ["barriers"]


def test(row_sums, rows, n):
    """Blocks of 64 threads, one for each row.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.ones((2, 100), dtype=np.float32))
    >>> sums = cuda.device_array(2, dtype=np.float32)
    >>> row_sums[2, 64](x, sums)
    >>> sums.copy_to_host()
    array([100., 100.], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rows * n) * 3 % 11).astype(np.float32).reshape(rows, n)
    sums = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    row_sums[rows, 64](cuda.to_device(x), sums)
    yield "sums", sums, np.array([sum(row) for row in x.tolist()], dtype=np.float32)
