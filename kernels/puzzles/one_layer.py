"""A warp for each row

A layer of a small network for one input: `out` is `weights @ x`. The kernel that you start from
gives each thread a row, which is right, and lets the 32 lanes of a warp read 32 rows at once: 32
places far apart. Give each *warp* a row, and let its lanes read along it. The launch has 32 threads
for each row. **Par** counts sectors and barriers.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def one_layer(weights, x, out):
    """Write weights @ x, rows x columns float32, one warp a row."""
    row = cuda.grid(1) // 32
    lane = cuda.threadIdx.x % 32
    total = np.float32(0)
    if row < weights.shape[0]:
        for column in range(lane, weights.shape[1], 32):
            total += weights[row, column] * x[column]
    delta = 16
    while delta > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)
        delta //= 2
    if lane == 0 and row < weights.shape[0]:
        out[row] = total


# --8<-- [end:solution]


START = [
    [
        "    row = cuda.grid(1) // 32\n    lane = cuda.threadIdx.x % 32\n"
        "    total = np.float32(0)\n    if row < weights.shape[0]:\n"
        "        for column in range(lane, weights.shape[1], 32):\n"
        "            total += weights[row, column] * x[column]\n    delta = 16\n"
        "    while delta > 0:\n        total += cuda.shfl_down_sync(0xFFFFFFFF, total, delta)\n"
        "        delta //= 2\n    if lane == 0 and row < weights.shape[0]:\n"
        "        out[row] = total\n",
        "    row = cuda.grid(1)\n    if row < weights.shape[0]:\n        total = np.float32(0)\n"
        "        for column in range(weights.shape[1]):\n"
        "            total += weights[row, column] * x[column]\n        out[row] = total\n",
    ],
]
HINTS = [
    "Which warp is this, counted over all blocks? `cuda.grid(1) // 32`. That is the row.",
    "Each lane adds every 32nd product, then five shuffles add the lanes. A warp without a row "
    "still shuffles: guard the reads and the write.",
]

WRONG = {
    "a thread for each row": {
        "edits": "START",
        "says": "above par",
    },
    "lane 1 writes": {
        "edits": [["if lane == 0 and row", "if lane == 1 and row"]],
        "says": "should be",
    },
    "no guard of the rows": {
        "edits": [["    if row < weights.shape[0]:\n        for", "    if True:\n        for"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (3, 31), (5, 33), (33, 64)]
PAR = ["sectors", "barriers"]


def test(one_layer, rows, columns):
    """Blocks of 64 threads, 32 threads for each row.

    --8<-- [start:example]
    >>> weights = cuda.to_device(np.array([[1, 2, 3], [0, 1, 0]], dtype=np.float32))
    >>> x = cuda.to_device(np.array([1, 10, 100], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> one_layer[1, 64](weights, x, out)
    >>> out.copy_to_host()
    array([321.,  10.], dtype=float32)

    --8<-- [end:example]
    """
    weights = ((np.arange(rows * columns, dtype=np.float32) * 3) % 11).reshape(rows, columns)
    x = np.arange(columns, dtype=np.float32) % 5 - 2
    flat = x.tolist()
    want = [sum(w * v for w, v in zip(line, flat, strict=True)) for line in weights.tolist()]
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    one_layer[-(-rows // 2), 64](cuda.to_device(weights), cuda.to_device(x), out)
    yield "out", out, np.array(want, dtype=np.float32)
