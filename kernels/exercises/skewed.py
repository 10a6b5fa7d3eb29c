"""No bank twice

A block of 32 threads adds up the rows of a 32 x 32 tile in shared memory, a row a thread. The
kernel that you start from is right: all 32 threads read the same column at the same moment, which
is one bank. The tile's size stays. **Par** counts bank conflicts: 0.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def tile_sums(matrix, out):
    """Add up each row of ``matrix``, 32 x 32 float32, with one block of 32 threads."""
    tile = cuda.shared.array((32, 32), np.float32)
    t = cuda.threadIdx.x
    for k in range(32):
        tile[k, t] = matrix[k, t]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(32):
        total += tile[t, (k + t) % 32]  # thread t begins at column t: 32 banks at a time
    out[t] = total


# --8<-- [end:solution]


START = [
    [
        "tile[t, (k + t) % 32]  # thread t begins at column t: 32 banks at a time",
        "tile[t, k]",
    ]
]
HINTS = [
    "Element (row, column) lies in bank column: a row has 32 elements, as many as there are "
    "banks. So 32 threads need 32 different columns at each moment.",
    "The order of a sum is free. Let thread t begin with column t, go on to the right, and come "
    "back to 0 after 31.",
]

WRONG = {
    "all in one column": {"edits": "START", "says": "bank conflicts"},
    "the column does not come back": {
        "edits": [["(k + t) % 32", "k + t"]],
        "says": "out of bounds",
    },
    "every second bank": {
        "edits": [["(k + t) % 32", "(k + 2 * t) % 32"]],
        "says": "bank conflicts",
    },
}

CASES = [1, 2]
PAR = ["conflicts"]


def test(tile_sums, first):
    """One block.

    --8<-- [start:example]
    >>> matrix = np.arange(1024, dtype=np.float32).reshape(32, 32)
    >>> out = cuda.device_array(32, dtype=np.float32)
    >>> tile_sums[1, 32](cuda.to_device(matrix), out)
    >>> out.copy_to_host()[:3]
    array([ 496., 1520., 2544.], dtype=float32)

    --8<-- [end:example]
    """
    matrix = ((np.arange(1024, dtype=np.float32) * 3 + first) % 17).reshape(32, 32)
    out = cuda.to_device(np.full(32, np.nan, dtype=np.float32))
    tile_sums[1, 32](cuda.to_device(matrix), out)
    yield "out", out, matrix.sum(axis=1)
