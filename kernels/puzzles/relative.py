"""A block for each row

`prices` has a row for each share and a column for each day. Divide every row by its first price, so
that all shares begin at 1. Each block takes one row, and its 32 threads go along it together. The
kernel that you start from is right: thread t takes a stretch of neighboring days, so at each step
the warp reads 32 places far apart. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def relative(prices, out):
    """Write prices[row] / prices[row, 0] for shares x days float32, a block a row."""
    row = cuda.blockIdx.x
    first = prices[row, 0]
    for day in range(cuda.threadIdx.x, prices.shape[1], cuda.blockDim.x):
        out[row, day] = prices[row, day] / first


# --8<-- [end:solution]


START = [
    [
        "    for day in range(cuda.threadIdx.x, prices.shape[1], cuda.blockDim.x):\n"
        "        out[row, day] = prices[row, day] / first\n",
        "    each = (prices.shape[1] + 31) // 32\n    begin = cuda.threadIdx.x * each\n"
        "    for day in range(begin, min(begin + each, prices.shape[1])):\n"
        "        out[row, day] = prices[row, day] / first\n",
    ],
]
HINTS = [
    "Let neighboring threads take neighboring days, and the whole block move on together.",
    "Begin at the thread's own number, and step by the number of threads: "
    "`range(cuda.threadIdx.x, days, cuda.blockDim.x)`.",
]

WRONG = {
    "a stretch for each thread": {
        "edits": "START",
        "says": "above par",
    },
    "one day a thread": {
        "edits": [
            [
                "    for day in range(cuda.threadIdx.x, prices.shape[1], cuda.blockDim.x):\n",
                "    day = cuda.threadIdx.x\n    if day < prices.shape[1]:\n",
            ],
        ],
        "says": "No thread wrote it",
    },
    "the step left out": {
        "edits": [[", prices.shape[1], cuda.blockDim.x)", ", prices.shape[1])"]],
        "says": "above par",
    },
}

CASES = [(1, 1), (2, 31), (3, 33), (2, 200)]
PAR = ["sectors"]


def test(relative, shares, days):
    """A block of 32 threads for each share.

    --8<-- [start:example]
    >>> prices = cuda.to_device(np.array([[50, 75, 100], [8, 4, 2]], dtype=np.float32))
    >>> out = cuda.device_array_like(prices)
    >>> relative[2, 32](prices, out)
    >>> out.copy_to_host()
    array([[1.  , 1.5 , 2.  ],
           [1.  , 0.5 , 0.25]], dtype=float32)

    --8<-- [end:example]
    """
    prices = (np.arange(shares * days, dtype=np.float32) % 64 + 1).reshape(shares, days)
    want = [[p / line[0] for p in line] for line in prices.tolist()]
    out = cuda.to_device(np.full((shares, days), np.nan, dtype=np.float32))
    relative[shares, 32](cuda.to_device(prices), out)
    yield "out", out, np.array(want, dtype=np.float32)
