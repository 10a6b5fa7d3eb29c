"""A product with one column

When `b` has one column, tiles have nothing to share: each element of `a` is used once, and all that
counts is how it is fetched. The kernel that you start from is right and gives a row to each thread,
so the lanes of a warp read a whole row apart. Give a row to each block of 32 threads, let them run
along it, and add up their sums in a tree. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def one_column(a, x, y):
    """Write a @ x to ``y``: m x k float32 times k; as many blocks of 32 threads as rows."""
    partial = cuda.shared.array(32, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = np.float32(0)
    for k in range(t, a.shape[1], 32):
        total += a[row, k] * x[k]
    partial[t] = total
    step = 16
    while step > 0:
        cuda.syncthreads()
        if t < step:
            partial[t] += partial[t + step]
        step //= 2
    if t == 0:
        y[row] = partial[0]


# --8<-- [end:solution]

START = [
    [
        "    partial = cuda.shared.array(32, np.float32)\n"
        "    t, row = cuda.threadIdx.x, cuda.blockIdx.x\n    total = np.float32(0)\n"
        "    for k in range(t, a.shape[1], 32):\n        total += a[row, k] * x[k]\n"
        "    partial[t] = total\n    step = 16\n    while step > 0:\n        cuda.syncthreads()\n"
        "        if t < step:\n            partial[t] += partial[t + step]\n        step //= 2\n"
        "    if t == 0:\n        y[row] = partial[0]\n",
        "    row = cuda.grid(1)\n    if row < a.shape[0]:\n        total = np.float32(0)\n"
        "        for k in range(a.shape[1]):\n            total += a[row, k] * x[k]\n"
        "        y[row] = total\n",
    ]
]
HINTS = [
    "The block's number is the row. Thread t takes the elements t, t + 32, t + 64 and so on, so "
    "a warp reads 32 neighbors at a time.",
    "Each thread writes its sum to shared memory; then a tree of five levels, with a barrier "
    "before each, and thread 0 writes the result.",
]

WRONG = {
    "a row a thread": {"edits": "START", "says": "above par"},
    "no barrier": {"edits": [["        cuda.syncthreads()\n", ""]], "says": "comes first"},
    "the tree begins too low": {"edits": [["step = 16", "step = 8"]], "says": "should be"},
    "each thread has a stretch": {
        "edits": [
            ["range(t, a.shape[1], 32)", "range(t * a.shape[1] // 32, (t + 1) * a.shape[1] // 32)"]
        ],
        "says": "above par",
    },
}

CASES = [(1, 1), (3, 31), (5, 33), (40, 100)]
PAR = ["sectors"]


def test(one_column, m, k):
    """Blocks of 32 threads, one for each row.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> x = cuda.to_device(np.ones(3, dtype=np.float32))
    >>> y = cuda.device_array(2, dtype=np.float32)
    >>> one_column[2, 32](a, x, y)
    >>> y.copy_to_host()
    array([ 3., 12.], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k) % 7).astype(np.float32).reshape(m, k)
    x = (np.arange(k) % 5).astype(np.float32)
    y = cuda.to_device(np.full(m, np.nan, dtype=np.float32))
    one_column[m, 32](cuda.to_device(a), cuda.to_device(x), y)
    yield "y", y, a @ x
