"""Read the row once

A block of 32 threads turns a row of up to 128 scores into its softmax. The kernel that you start
from is right and reads the row three times: for the largest, for the sum, and to write. A thread
has four scores at most: keep them in registers. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def softmax(x, out):
    """Write the softmax of each row of ``x``, rows x n float32, n <= 128; a block for each."""
    box = cuda.shared.array(32, np.float32)
    mine = cuda.local.array(4, np.float32)
    t, row, n = cuda.threadIdx.x, cuda.blockIdx.x, x.shape[1]
    largest = np.float32(-1e30)
    for k in range(4):
        if t + 32 * k < n:
            mine[k] = x[row, t + 32 * k]
            largest = max(largest, mine[k])
    box[t] = largest
    cuda.syncthreads()
    for other in range(32):
        largest = max(largest, box[other])
    cuda.syncthreads()  # before the sums replace the largest
    total = np.float32(0)
    for k in range(4):
        if t + 32 * k < n:
            mine[k] = math.exp(mine[k] - largest)
            total += mine[k]
    box[t] = total
    cuda.syncthreads()
    total = np.float32(0)
    for other in range(32):
        total += box[other]
    for k in range(4):
        if t + 32 * k < n:
            out[row, t + 32 * k] = mine[k] / total


# --8<-- [end:solution]

START = [
    [
        "            mine[k] = x[row, t + 32 * k]\n            largest = max(largest, mine[k])\n",
        "            largest = max(largest, x[row, t + 32 * k])\n",
    ],
    ["    mine = cuda.local.array(4, np.float32)\n", ""],
    [
        "            mine[k] = math.exp(mine[k] - largest)\n            total += mine[k]\n",
        "            total += math.exp(x[row, t + 32 * k] - largest)\n",
    ],
    [
        "out[row, t + 32 * k] = mine[k] / total",
        "out[row, t + 32 * k] = math.exp(x[row, t + 32 * k] - largest) / total",
    ],
]
HINTS = [
    "`cuda.local.array(4, np.float32)` with constant indices becomes four registers. Fill it in "
    "the first loop.",
    "In the second loop replace each score by its power: then the third loop divides, and needs "
    "no exponential either.",
]

WRONG = {
    "read three times": {"edits": "START", "says": "above par"},
    "the sums replace the largest too soon": {
        "edits": [["    cuda.syncthreads()  # before the sums replace the largest\n", ""]],
        "says": "comes first",
    },
    "nothing is subtracted": {
        "edits": [["math.exp(mine[k] - largest)", "math.exp(mine[k])"]],
        "says": "should be",
    },
    "a thread's own largest": {
        "edits": [["        largest = max(largest, box[other])\n", "        pass\n"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (2, 33), (3, 128), (2, 100)]
PAR = ["requests"]


def test(softmax, rows, n):
    """Blocks of 32 threads, one for each row.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[500, 500, 0, 0]], dtype=np.float32))
    >>> out = cuda.device_array((1, 4), dtype=np.float32)
    >>> softmax[1, 32](x, out)
    >>> out.copy_to_host()
    array([[0.5, 0.5, 0. , 0. ]], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rows * n) * 7 % 13 + 200).astype(np.float32).reshape(rows, n)
    out = cuda.to_device(np.full((rows, n), np.nan, dtype=np.float32))
    softmax[rows, 32](cuda.to_device(x), out)
    want = []
    for row in x.tolist():
        powers = [math.exp(score - max(row)) for score in row]
        want.append([power / sum(powers) for power in powers])
    yield "out", out, np.array(want, dtype=np.float32)
