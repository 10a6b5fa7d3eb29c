"""Count close pairs, a tile at a time

`x` holds the places of particles on a line. Write to `near[i]` how many particles are closer to
particle i than `reach`, itself included. The kernel that you start from is right: each thread reads
all of `x` from global memory. Let a block fetch 64 places at a time into shared memory, for all of
its 64 threads. **Par** counts sectors.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def close_pairs(x, reach, near):
    """Count the places of x that are closer than ``reach`` to each."""
    tile = cuda.shared.array(64, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    mine = x[i] if i < x.size else np.float32(0)
    count = 0
    for first in range(0, x.size, 64):
        if first + t < x.size:
            tile[t] = x[first + t]
        cuda.syncthreads()
        for j in range(min(64, x.size - first)):
            if abs(tile[j] - mine) < reach:
                count += 1
        cuda.syncthreads()  # all have read the tile before it is overwritten
    if i < x.size:
        near[i] = count


# --8<-- [end:solution]


START = [
    [
        "    tile = cuda.shared.array(64, np.float32)\n"
        "    i, t = cuda.grid(1), cuda.threadIdx.x\n"
        "    mine = x[i] if i < x.size else np.float32(0)\n    count = 0\n"
        "    for first in range(0, x.size, 64):\n        if first + t < x.size:\n"
        "            tile[t] = x[first + t]\n        cuda.syncthreads()\n"
        "        for j in range(min(64, x.size - first)):\n"
        "            if abs(tile[j] - mine) < reach:\n                count += 1\n"
        "        cuda.syncthreads()  # all have read the tile before it is overwritten\n"
        "    if i < x.size:\n        near[i] = count\n",
        "    i = cuda.grid(1)\n    if i < x.size:\n        count = 0\n"
        "        for j in range(x.size):\n            if abs(x[j] - x[i]) < reach:\n"
        "                count += 1\n        near[i] = count\n",
    ]
]
HINTS = [
    "Two loops: the outer one over tiles of 64, the inner one over the places in the tile. The "
    "last tile may be shorter.",
    "Two barriers in the outer loop: one before the tile is read, one before it is overwritten. "
    "Threads without a particle reach them, too.",
]

WRONG = {
    "from global memory": {"edits": "START", "says": "above par"},
    "one barrier": {
        "edits": [
            ["        cuda.syncthreads()  # all have read the tile before it is overwritten\n", ""]
        ],
        "says": "tile",
    },
    "the last tile is taken as full": {
        "edits": [["range(min(64, x.size - first))", "range(64)"]],
        "says": "`tile`",
    },
}

CASES = [1, 63, 65, 150]
PAR = ["sectors"]


def test(close_pairs, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([0, 1, 2.5, 9], dtype=np.float32))
    >>> near = cuda.device_array(4, dtype=np.int32)
    >>> close_pairs[1, 64](x, np.float32(2), near)
    >>> near.copy_to_host()
    array([2, 3, 2, 1], dtype=int32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.float32) * 37) % 101
    want = np.zeros(n, dtype=np.int32)
    for i in range(n):
        want[i] = (np.abs(x - x[i]) < 5).sum()
    near = cuda.to_device(np.full(n, -1, dtype=np.int32))
    close_pairs[-(-n // 64), 64](cuda.to_device(x), np.float32(5), near)
    yield "near", near, want
