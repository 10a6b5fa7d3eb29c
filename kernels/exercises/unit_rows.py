"""Scale each row to length 1

Write `out[row] = x[row] / length`, where a row's length is the root of the sum of its squares. The
kernel that you start from is right, and gives each row to one thread, which walks along it. Give it
to the 32 lanes of a warp: a block is one warp, and the launch has a block for each row. **Par**
counts sectors.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def unit_rows(x, out):
    """Divide each row of x by its length, a warp for each row."""
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    total = np.float32(0)
    for column in range(lane, x.shape[1], 32):
        total += x[row, column] * x[row, column]
    for hop in (16, 8, 4, 2, 1):  # each lane gets the whole sum
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
    length = math.sqrt(total)
    for column in range(lane, x.shape[1], 32):
        out[row, column] = x[row, column] / length


# --8<-- [end:solution]


START = [
    [
        "    row, lane = cuda.blockIdx.x, cuda.threadIdx.x\n    total = np.float32(0)\n"
        "    for column in range(lane, x.shape[1], 32):\n"
        "        total += x[row, column] * x[row, column]\n"
        "    for hop in (16, 8, 4, 2, 1):  # each lane gets the whole sum\n"
        "        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)\n"
        "    length = math.sqrt(total)\n"
        "    for column in range(lane, x.shape[1], 32):\n"
        "        out[row, column] = x[row, column] / length\n",
        "    row = cuda.grid(1)\n    if row < x.shape[0]:\n        total = np.float32(0)\n"
        "        for column in range(x.shape[1]):\n"
        "            total += x[row, column] * x[row, column]\n"
        "        length = math.sqrt(total)\n"
        "        for column in range(x.shape[1]):\n"
        "            out[row, column] = x[row, column] / length\n",
    ]
]
HINTS = [
    "Lane l takes columns l, l + 32, l + 64, ...: then the warp reads neighbors in every step.",
    "All lanes need the sum, not lane 0 alone: `cuda.shfl_xor_sync` gives it to each.",
]

WRONG = {
    "a thread for each row": {"edits": "START", "says": "above par"},
    "only lane 0 has the sum": {
        "edits": [["shfl_xor_sync", "shfl_down_sync"]],
        "says": "should be",
    },
    "the root is forgotten": {
        "edits": [["math.sqrt(total)", "total"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (2, 31), (3, 33), (5, 70)]
PAR = ["sectors"]


def test(unit_rows, rows, columns):
    """A block of 32 threads for each row.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[3, 4, 0], [0, 0, 2]], dtype=np.float32))
    >>> out = cuda.device_array((2, 3), dtype=np.float32)
    >>> unit_rows[2, 32](x, out)
    >>> out.copy_to_host()
    array([[0.6, 0.8, 0. ],
           [0. , 0. , 1. ]], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rows * columns, dtype=np.float32) % 7 + 1).reshape(rows, columns)
    want = np.zeros((rows, columns), dtype=np.float32)
    for row in range(rows):
        want[row] = x[row] / np.sqrt(float((x[row] * x[row]).sum()))
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    unit_rows[rows, 32](cuda.to_device(x), out)
    yield "out", out, want
