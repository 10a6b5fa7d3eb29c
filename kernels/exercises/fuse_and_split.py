"""Fuse, split, bind

A block of 64 threads fetches a tile of 8 x 24 elements: `fuse` makes one loop of 192 steps out of
the two over rows and columns, `split` and `bind` share it among the threads, three steps each. The
kernel that you start from is right and gives each thread three neighbors, so the lanes of a warp
read 12 bytes apart. Split the loop the other way. Block b fetches the columns from 24 b on to
`tiles[b]`; where the matrix has ended, a 0. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def fetch(matrix, tiles):
    """Write the tiles of ``matrix``, up to 8 x n float32, to ``tiles``, blocks x 8 x 24."""
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    for step in range(3):
        fused = 64 * step + t
        i, j = fused // 24, fused % 24
        inside = i < matrix.shape[0] and 24 * b + j < matrix.shape[1]
        tiles[b, i, j] = matrix[i, 24 * b + j] if inside else np.float32(0)


# --8<-- [end:solution]

START = [["64 * step + t", "3 * t + step"]]
HINTS = [
    "In one step of the loop, which 32 elements should the lanes of a warp have?",
    "`split(fused, [3, 64])` instead of `[64, 3]`: the outer loop counts the steps, the inner "
    "one is the thread.",
]

WRONG = {
    "three neighbors a thread": {"edits": "START", "says": "above par"},
    "a step of a warp": {
        "edits": [["64 * step + t", "32 * step + t"]],
        "says": "No thread wrote it",
    },
    "the matrix is taken to be wide enough": {
        "edits": [["i < matrix.shape[0] and 24 * b + j < matrix.shape[1]", "i < matrix.shape[0]"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (8, 24), (7, 30), (8, 65)]
PAR = ["sectors"]


def test(fetch, rows, columns):
    """Blocks of 64 threads, one for each tile.

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.ones((2, 25), dtype=np.float32))
    >>> tiles = cuda.device_array((2, 8, 24), dtype=np.float32)
    >>> fetch[2, 64](matrix, tiles)
    >>> tiles.copy_to_host().sum(axis=2)[:, :3]
    array([[24., 24.,  0.],
           [ 1.,  1.,  0.]], dtype=float32)

    --8<-- [end:example]
    """
    matrix = np.arange(1, rows * columns + 1, dtype=np.float32).reshape(rows, columns)
    blocks = -(-columns // 24)
    tiles = cuda.to_device(np.full((blocks, 8, 24), np.nan, dtype=np.float32))
    fetch[blocks, 64](cuda.to_device(matrix), tiles)
    want = np.zeros((blocks, 8, 24), dtype=np.float32)
    for b in range(blocks):
        for i in range(rows):
            for j in range(min(24, columns - 24 * b)):
                want[b, i, j] = matrix[i, 24 * b + j]
    yield "tiles", tiles, want
