"""One column too many

Turn a tile of 32 x 32 pixels by a quarter to the right, with one warp: row by row into shared
memory, and out again along its columns. The kernel that you start from is right; each column lies
in one bank, so 32 lanes wait for each other 32 times. One number has to change, in one line, and
one warp stays enough. **Par** counts bank conflicts: 0.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def quarter_turn(tile, out):
    """Turn 32 x 32 float32 clockwise: out[row, column] = tile[31 - column, row]."""
    shared = cuda.shared.array((32, 33), np.float32)
    lane = cuda.threadIdx.x
    for row in range(32):
        shared[row, lane] = tile[row, lane]
    cuda.syncthreads()
    for row in range(32):
        out[row, lane] = shared[31 - lane, row]


# --8<-- [end:solution]


START = [["(32, 33)", "(32, 32)"]]
HINTS = [
    "Element (row, column) of the shared array lies at row times width plus column. Its bank is "
    "that number % 32. With a width of 32, which banks has a column?",
    "Give the array a width that is not a multiple of 32. The last column is never used: it is "
    "padding.",
]

WRONG = {
    "32 wide": {
        "edits": "START",
        "says": "above par",
    },
    "64 wide": {
        "edits": [["(32, 33)", "(32, 64)"]],
        "says": "above par",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [1, 5]
PAR = ["conflicts"]


def test(quarter_turn, first):
    """One warp, one tile.

    --8<-- [start:example]
    >>> tile = np.arange(1024, dtype=np.float32).reshape(32, 32)
    >>> out = cuda.device_array((32, 32), dtype=np.float32)
    >>> quarter_turn[1, 32](cuda.to_device(tile), out)
    >>> bool(np.all(out.copy_to_host() == tile[::-1].T))
    True

    --8<-- [end:example]
    """
    tile = (np.arange(1024, dtype=np.float32) * first).reshape(32, 32)
    flat = tile.tolist()
    want = [[flat[31 - column][row] for column in range(32)] for row in range(32)]
    out = cuda.to_device(np.full((32, 32), np.nan, dtype=np.float32))
    quarter_turn[1, 32](cuda.to_device(tile), out)
    yield "out", out, np.array(want, dtype=np.float32)
