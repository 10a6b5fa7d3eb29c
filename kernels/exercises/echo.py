"""Add an echo, from shared memory

`y[i]` is `x[i]` plus half of `x[i - 1]`, a quarter of `x[i - 2]`, ... down to `x[i - 7]` over 128;
before the recording began there was silence, zeros. The kernel that you start from is right, and
reads each number eight times from global memory. Fetch the block's stretch of `x`, and the seven
numbers before it, into shared memory once. Blocks have 64 threads. **Par** counts sectors.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def echo(x, y):
    """Filter x with the weights 1, 1/2, 1/4, ... 1/128 of the numbers up to each place."""
    tile = cuda.shared.array(71, np.float32)  # 64 and the 7 before them
    t, first = cuda.threadIdx.x, cuda.blockIdx.x * 64 - 7
    for k in range(t, 71, 64):
        here = 0 <= first + k < x.size
        tile[k] = x[first + k] if here else np.float32(0)
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        total, weight = np.float32(0), np.float32(1)
        for back in range(8):
            total += weight * tile[t + 7 - back]
            weight *= np.float32(0.5)
        y[i] = total


# --8<-- [end:solution]


START = [
    [
        "    tile = cuda.shared.array(71, np.float32)  # 64 and the 7 before them\n"
        "    t, first = cuda.threadIdx.x, cuda.blockIdx.x * 64 - 7\n"
        "    for k in range(t, 71, 64):\n        here = 0 <= first + k < x.size\n"
        "        tile[k] = x[first + k] if here else np.float32(0)\n    cuda.syncthreads()\n",
        "",
    ],
    [
        "            total += weight * tile[t + 7 - back]\n",
        "            if i - back >= 0:\n                total += weight * x[i - back]\n",
    ],
]
HINTS = [
    "A block of 64 threads needs 64 + 7 numbers. Seven threads fetch two: a loop `for k in "
    "range(t, 71, 64)`.",
    "What lies before the recording, or behind it, is 0 in the tile. Then no `if` is left in the "
    "loop over the echoes. A barrier stands between the two, outside of any `if`.",
]

WRONG = {
    "from global memory": {"edits": "START", "says": "above par"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "tile"},
    "no halo": {
        "edits": [["cuda.blockIdx.x * 64 - 7", "cuda.blockIdx.x * 64"]],
        "says": "should be",
    },
}

CASES = [1, 7, 63, 65, 200]
PAR = ["sectors"]


def test(echo, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([128, 0, 0, 0, 0, 0, 0, 0, 0, 64], dtype=np.float32))
    >>> y = cuda.device_array_like(x)
    >>> echo[1, 64](x, y)
    >>> y.copy_to_host()
    array([128.,  64.,  32.,  16.,   8.,   4.,   2.,   1.,   0.,  64.],
          dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.float32) * 7) % 17 - 8
    padded = np.zeros(n + 7, dtype=np.float32)
    padded[7:] = x
    want = np.zeros(n, dtype=np.float32)
    for back in range(8):
        want += padded[7 - back : 7 - back + n] / 2**back
    y = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    echo[-(-n // 64), 64](cuda.to_device(x), y)
    yield "y", y, want
