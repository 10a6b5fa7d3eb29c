"""A sum without shared memory

The total of each row of `laps`, a warp a row. You start from a tree in shared memory, which is
right and waits five times. The 32 lanes of a warp can hand values to each other directly:
`cuda.shfl_down_sync(0xFFFFFFFF, value, delta)` gives lane t the value of lane t + delta. **Par**
counts barriers and turns of shared memory: 0 of both.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def relay(laps, out):
    """Write the sum of each row, rows x columns float32, with one warp a row."""
    row = cuda.blockIdx.x
    total = np.float32(0)
    for column in range(cuda.threadIdx.x, laps.shape[1], 32):
        total += laps[row, column]
    delta = 16
    while delta > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)
        delta //= 2
    if cuda.threadIdx.x == 0:
        out[row] = total


# --8<-- [end:solution]


START = [
    [
        "    row = cuda.blockIdx.x\n",
        "    sums = cuda.shared.array(32, np.float32)\n    t = cuda.threadIdx.x\n"
        "    row = cuda.blockIdx.x\n",
    ],
    [
        "    delta = 16\n    while delta > 0:\n"
        "        total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)\n        delta //= 2\n"
        "    if cuda.threadIdx.x == 0:\n        out[row] = total\n",
        "    sums[t] = total\n    delta = 16\n    while delta > 0:\n        cuda.syncthreads()\n"
        "        if t < delta:\n            sums[t] += sums[t + delta]\n        delta //= 2\n"
        "    if t == 0:\n        out[row] = sums[0]\n",
    ],
]
HINTS = [
    "The same tree: 16, 8, 4, 2, 1. In place of a read from shared memory stands the shuffle.",
    "All 32 lanes take part in each shuffle, also those whose sum nobody needs any more: no `if` "
    "around it. At the end lane 0 has the total.",
]

WRONG = {
    "a tree in shared memory": {
        "edits": "START",
        "says": "above par",
    },
    "one shuffle too few": {
        "edits": [["delta = 16", "delta = 8"]],
        "says": "should be",
    },
    "only the lanes that matter": {
        "edits": [
            [
                "        total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)\n",
                "        if cuda.threadIdx.x < delta:\n"
                "            total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)\n",
            ],
        ],
        "says": "The mask must name",
    },
}

CASES = [(1, 1), (3, 31), (2, 33), (4, 100)]
PAR = ["barriers", "turns"]


def test(relay, rows, columns):
    """A block of one warp for each row.

    --8<-- [start:example]
    >>> laps = cuda.to_device(np.array([[1, 2, 3], [10, 20, 30]], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> relay[2, 32](laps, out)
    >>> out.copy_to_host()
    array([ 6., 60.], dtype=float32)

    --8<-- [end:example]
    """
    laps = (np.arange(rows * columns, dtype=np.float32) % 17).reshape(rows, columns)
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    relay[rows, 32](cuda.to_device(laps), out)
    yield "out", out, np.array([sum(line) for line in laps.tolist()], dtype=np.float32)
