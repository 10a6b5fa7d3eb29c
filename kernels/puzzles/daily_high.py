"""A tile with a halo

The highest of each hour and its two neighbors, over `n` hours; the first and the last hour have one
neighbor. You start from a kernel that reads three values a thread from global memory. Let the block
read its 32 hours once into shared memory, with one more at each side, the *halo*. **Par** counts
sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def daily_high(hours, out):
    """Write the largest of each value and its neighbors, n float32, in blocks of 32."""
    tile = cuda.shared.array(34, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = hours.size
    tile[t + 1] = hours[i] if i < n else -np.inf
    if t == 0:
        tile[0] = hours[i - 1] if i > 0 else -np.inf
    if t == 31:
        tile[33] = hours[i + 1] if i + 1 < n else -np.inf
    cuda.syncthreads()
    if i < n:
        out[i] = max(tile[t], tile[t + 1], tile[t + 2])


# --8<-- [end:solution]


START = [
    ["    tile = cuda.shared.array(34, np.float32)\n    t = cuda.threadIdx.x\n", ""],
    [
        "    tile[t + 1] = hours[i] if i < n else -np.inf\n    if t == 0:\n"
        "        tile[0] = hours[i - 1] if i > 0 else -np.inf\n    if t == 31:\n"
        "        tile[33] = hours[i + 1] if i + 1 < n else -np.inf\n    cuda.syncthreads()\n",
        "",
    ],
    [
        "        out[i] = max(tile[t], tile[t + 1], tile[t + 2])\n",
        "        high = hours[i]\n        if i > 0:\n            high = max(high, hours[i - 1])\n"
        "        if i + 1 < n:\n            high = max(high, hours[i + 1])\n"
        "        out[i] = high\n",
    ],
]
HINTS = [
    "The tile has 34 places: hour i of the block lies at t + 1. The first and the last thread "
    "fetch one value more.",
    "Where there is no hour, put what can never win: `-np.inf`. The barrier stands outside of "
    "every `if`.",
]

WRONG = {
    "three reads": {
        "edits": "START",
        "says": "above par",
    },
    "no halo": {
        "edits": [["hours[i - 1] if i > 0 else -np.inf", "-np.inf"]],
        "says": "should be",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [1, 2, 31, 32, 33, 100]
PAR = ["sectors"]


def test(daily_high, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> hours = cuda.to_device(np.array([4, 9, 2, 1, 3], dtype=np.float32))
    >>> out = cuda.device_array_like(hours)
    >>> daily_high[1, 32](hours, out)
    >>> out.copy_to_host()
    array([9., 9., 9., 3., 3.], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.float32) * 29) % 31 - 15
    flat = x.tolist()
    want = [max(flat[max(i - 1, 0) : i + 2]) for i in range(n)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    daily_high[-(-n // 32), 32](cuda.to_device(x), out)
    yield "out", out, np.array(want, dtype=np.float32)
