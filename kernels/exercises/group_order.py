"""Programs in groups

A matrix product has `rows` times `columns` tiles, and one program computes each. In row-major order
132 programs that run together read a few rows of tiles of A and all of B: with 32 columns, five or
six rows and 32 columns. Give out the tiles in groups of `height` rows instead: down a column of the
group first, then on to its next column. The last group may have fewer rows. Program p writes
its tile, `row * columns + column`, to `out[p]`.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def group_order(rows, columns, height, out):
    """Write the tile of each program, in groups of ``height`` rows of tiles (int32)."""
    p = cuda.grid(1)
    if p < rows * columns:
        group = p // (height * columns)
        first = group * height
        tall = min(height, rows - first)
        inside = p - first * columns
        out[p] = (first + inside % tall) * columns + inside // tall


# --8<-- [end:solution]


HINTS = [
    "A whole group has `height * columns` tiles, so p // (height * columns) is the group, and its "
    "first row is that times `height`.",
    "Inside of a group with `tall` rows, program number `inside` is in row `inside % tall` and "
    "column `inside // tall`. For the last group, `tall` is what is left.",
]

WRONG = {
    "row by row": {
        "edits": [["(first + inside % tall) * columns + inside // tall", "p"]],
        "says": "should be",
    },
    "the last group as tall as the others": {
        "edits": [["min(height, rows - first)", "height"]],
        "says": "should be",
    },
    "no guard": {"edits": [["if p < rows * columns:", "if True:"]], "says": "out of bounds"},
}

CASES = [(1, 1, 4), (4, 3, 2), (5, 3, 2), (7, 9, 4)]


def test(group_order, rows, columns, height):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> out = cuda.device_array(6, dtype=np.int32)
    >>> group_order[1, 32](3, 2, 2, out)
    >>> out.copy_to_host()
    array([0, 2, 1, 3, 4, 5], dtype=int32)

    --8<-- [end:example]
    """
    want = []
    for first in range(0, rows, height):
        for column in range(columns):
            for row in range(first, min(first + height, rows)):
                want.append(row * columns + column)
    out = cuda.to_device(np.full(rows * columns, -1, dtype=np.int32))
    group_order[-(-rows * columns // 32), 32](rows, columns, height, out)
    yield "out", out, np.array(want, dtype=np.int32)
