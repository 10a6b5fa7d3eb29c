"""No padding, no conflict

A tensor that TMA fetches has no padding, so its columns would lie in one bank. The way out is a
swizzle: element (row, column) is kept at (row, column ^ row). Transpose a tile of 32 x 32 in shared
memory of exactly that size, with one warp. The kernel that you start from is right, and each of its
column reads takes 32 turns. **Par** counts bank conflicts: 0.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def transpose_swizzled(tile, out):
    """Transpose ``tile``, 32 x 32 float32, into ``out`` with one warp."""
    shared = cuda.shared.array((32, 32), np.float32)
    lane = cuda.threadIdx.x
    for row in range(32):
        shared[row, lane ^ row] = tile[row, lane]
    cuda.syncthreads()
    for row in range(32):
        out[row, lane] = shared[lane, row ^ lane]


# --8<-- [end:solution]


START = [["lane ^ row", "lane"], ["row ^ lane", "row"]]
HINTS = [
    "The write goes along a row, the read down a column. Where does element (row, column) lie "
    "after the swizzle? Read it from there.",
    "Write to `[row, lane ^ row]`. The element (lane, row) of the tile then lies at `[lane, row "
    "^ lane]`.",
]

WRONG = {
    "no swizzle": {"edits": "START", "says": "above par"},
    "only the write is swizzled": {"edits": [["row ^ lane", "row"]], "says": "should be"},
    "no wait between the two": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [1, 2]
PAR = ["conflicts", "sectors"]


def test(transpose_swizzled, first):
    """One warp, one tile.

    --8<-- [start:example]
    >>> tile = np.arange(1024, dtype=np.float32).reshape(32, 32)
    >>> out = cuda.device_array((32, 32), dtype=np.float32)
    >>> transpose_swizzled[1, 32](cuda.to_device(tile), out)
    >>> bool(np.all(out.copy_to_host() == tile.T))
    True

    --8<-- [end:example]
    """
    tile = (np.arange(1024, dtype=np.float32) + first).reshape(32, 32)
    out = cuda.to_device(np.full((32, 32), np.nan, dtype=np.float32))
    transpose_swizzled[1, 32](cuda.to_device(tile), out)
    yield "out", out, tile.T
