"""One of the two numbers of a row

Before the backward pass of attention each row needs its delta: the sum of `o * d_o` over the row,
result and gradient. The kernel that you start from is right and gives a row to each thread, so the
lanes of a warp read whole rows apart. Give a row to each block of 32 threads. **Par** counts
sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def row_deltas(o, d_o, deltas):
    """Write the sum of o * d_o over each row; as many blocks of 32 threads as rows."""
    partial = cuda.shared.array(32, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = np.float32(0)
    for c in range(t, o.shape[1], 32):
        total += o[row, c] * d_o[row, c]
    partial[t] = total
    step = 16
    while step > 0:
        cuda.syncthreads()
        if t < step:
            partial[t] += partial[t + step]
        step //= 2
    if t == 0:
        deltas[row] = partial[0]


# --8<-- [end:solution]

START = [
    [
        "    partial = cuda.shared.array(32, np.float32)\n"
        "    t, row = cuda.threadIdx.x, cuda.blockIdx.x\n    total = np.float32(0)\n"
        "    for c in range(t, o.shape[1], 32):\n        total += o[row, c] * d_o[row, c]\n"
        "    partial[t] = total\n    step = 16\n    while step > 0:\n        cuda.syncthreads()\n"
        "        if t < step:\n            partial[t] += partial[t + step]\n        step //= 2\n"
        "    if t == 0:\n        deltas[row] = partial[0]\n",
        "    row = cuda.grid(1)\n    if row < o.shape[0]:\n        total = np.float32(0)\n"
        "        for c in range(o.shape[1]):\n            total += o[row, c] * d_o[row, c]\n"
        "        deltas[row] = total\n",
    ]
]
HINTS = [
    "The lanes of a warp should run along the row: thread t takes the columns t, t + 32, t + 64.",
    "Then 32 sums are added in shared memory: a tree of five levels, a barrier before each. All "
    "threads meet all barriers, also those without a column.",
]

WRONG = {
    "a row a thread": {"edits": "START", "says": "above par"},
    "no barrier": {"edits": [["        cuda.syncthreads()\n", ""]], "says": "comes first"},
    "a head is taken to be 64 wide": {
        "edits": [["range(t, o.shape[1], 32)", "range(t, 64, 32)"]],
        "says": "out of bounds",
    },
    "thread 0 writes its own": {"edits": [["partial[0]", "total"]], "says": "should be"},
}

CASES = [(1, 1), (3, 40), (5, 64), (40, 80)]
PAR = ["sectors"]


def test(row_deltas, rows, width):
    """Blocks of 32 threads, one for each row.

    --8<-- [start:example]
    >>> o = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> deltas = cuda.device_array(2, dtype=np.float32)
    >>> row_deltas[2, 32](o, o, deltas)
    >>> deltas.copy_to_host()
    array([ 5., 50.], dtype=float32)

    --8<-- [end:example]
    """
    o = (np.arange(rows * width) % 7 - 2).astype(np.float32).reshape(rows, width)
    d_o = (np.arange(rows * width) % 5).astype(np.float32).reshape(rows, width)
    deltas = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    row_deltas[rows, 32](cuda.to_device(o), cuda.to_device(d_o), deltas)
    yield "deltas", deltas, np.sum(o * d_o, axis=1)
