"""Multiply what is left

After pruning 2:4 a row keeps half of its numbers: `values`, rows x n / 2, and beside each of them
`places`, 0 to 3, which of its four columns it was. Number j of a row belongs to column `j // 2 * 4
+ places[row, j]`. Multiply the matrix by `x`. The kernel that you start from is right and gives a
row to each thread; give a row to each block of 32 threads, and let them run along it. **Par**
counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def sparse_row(values, places, x, y):
    """Write the product with ``x`` to ``y``; as many blocks of 32 threads as rows."""
    partial = cuda.shared.array(32, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = np.float32(0)
    for j in range(t, values.shape[1], 32):
        total += values[row, j] * x[j // 2 * 4 + places[row, j]]
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
        "    for j in range(t, values.shape[1], 32):\n"
        "        total += values[row, j] * x[j // 2 * 4 + places[row, j]]\n"
        "    partial[t] = total\n    step = 16\n    while step > 0:\n        cuda.syncthreads()\n"
        "        if t < step:\n            partial[t] += partial[t + step]\n        step //= 2\n"
        "    if t == 0:\n        y[row] = partial[0]\n",
        "    row = cuda.grid(1)\n    if row < values.shape[0]:\n        total = np.float32(0)\n"
        "        for j in range(values.shape[1]):\n"
        "            total += values[row, j] * x[j // 2 * 4 + places[row, j]]\n"
        "        y[row] = total\n",
    ]
]
HINTS = [
    "The block's number is the row, and thread t takes the numbers t, t + 32, t + 64 of it. "
    "Values and places then come 32 neighbors at a time.",
    "Each thread's sum goes to shared memory; a tree of five levels, a barrier before each, and "
    "thread 0 writes.",
]

WRONG = {
    "a row a thread": {"edits": "START", "says": "above par"},
    "as if nothing had been pruned": {
        "edits": [["x[j // 2 * 4 + places[row, j]]", "x[j]"]],
        "says": "should be",
    },
    "four numbers in each four": {
        "edits": [["j // 2 * 4", "j // 4 * 4"]],
        "says": "should be",
    },
    "no barrier": {"edits": [["        cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [(1, 4), (3, 36), (5, 72), (40, 200)]
PAR = ["sectors"]


def test(sparse_row, rows, n):
    """Blocks of 32 threads, one for each row; n is a multiple of 4.

    --8<-- [start:example]
    >>> values = cuda.to_device(np.array([[1, 2]], dtype=np.float32))  # of 0, 1, 0, 2
    >>> places = cuda.to_device(np.array([[1, 3]], dtype=np.uint8))
    >>> x = cuda.to_device(np.array([5, 6, 7, 8], dtype=np.float32))
    >>> y = cuda.device_array(1, dtype=np.float32)
    >>> sparse_row[1, 32](values, places, x, y)
    >>> y.copy_to_host()
    array([22.], dtype=float32)

    --8<-- [end:example]
    """
    values = (np.arange(rows * n // 2) % 7 + 1).astype(np.float32).reshape(rows, n // 2)
    first = np.arange(rows * n // 4) % 3  # of the two places, 0 to 2, and one right of it
    places = np.stack([first, first + 1]).T.reshape(rows, n // 2).astype(np.uint8)
    x = (np.arange(n) % 11 - 5).astype(np.float32)
    y = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    on_gpu = [cuda.to_device(array) for array in (values, places, x)]
    sparse_row[rows, 32](*on_gpu, y)
    want = []
    for kept, at in zip(values.tolist(), places.tolist(), strict=True):
        columns = [j // 2 * 4 + place for j, place in enumerate(at)]
        want.append(sum(v * x.tolist()[c] for v, c in zip(kept, columns, strict=True)))
    yield "y", y, np.array(want, dtype=np.float32)
