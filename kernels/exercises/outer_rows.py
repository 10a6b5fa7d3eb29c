"""The two outer rows

While the halo travels, a kernel has computed the inner rows of a slab. Now the halo is there: row 0
and the last row of `u` are the neighbors'. Write `outer_rows`, which computes the rest of the step,
rows 1 and `rows - 2` of `v`, and leaves all other rows as they are. A step gives an element 0.2
times the sum of its four neighbors, plus 0.2 of itself. The first and the last column are the
plate's edge and keep what `v` has. The grid is two blocks high, one for each row, and its threads
go along the columns.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def outer_rows(u, v):
    """Write rows 1 and -2 of a step of ``u``, float32 with a halo row at both ends, to ``v``."""
    rows, columns = u.shape
    c = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    r = 1 if cuda.blockIdx.y == 0 else rows - 2
    if 0 < c < columns - 1:
        around = ((u[r - 1, c] + u[r + 1, c]) + u[r, c - 1]) + u[r, c + 1]
        v[r, c] = np.float32(0.2) * (around + u[r, c])


# --8<-- [end:solution]


HINTS = [
    "A block's `y` says which of the two rows it has. With three rows, both are the same one, and "
    "that does no harm: both write the same number.",
    "`r = 1 if cuda.blockIdx.y == 0 else rows - 2`. Guard the columns from both sides, since "
    "`c - 1` and `c + 1` must exist.",
]

WRONG = {
    "the halo itself": {
        "edits": [
            ["1 if cuda.blockIdx.y == 0 else rows - 2", "0 if cuda.blockIdx.y == 0 else rows - 1"]
        ],
        "says": "negative index",
    },
    "the two first rows": {
        "edits": [["else rows - 2", "else 2"]],
        "says": "out of bounds",
    },
    "reads what it has just written": {
        "edits": [["u[r, c - 1]) + u[r, c + 1]", "v[r, c - 1]) + v[r, c + 1]"]],
        "says": "should be",
    },
    "the edge of the plate, too": {
        "edits": [["if 0 < c < columns - 1:", "if c < columns:"]],
        "says": "negative index",
    },
}

CASES = [(3, 3), (4, 40), (9, 33), (6, 70)]


def test(outer_rows, rows, columns):
    """Blocks of 32 threads along the columns, two of them above each other.

    --8<-- [start:example]
    >>> u = cuda.to_device(np.array([[0, 5, 0], [0, 10, 0], [0, 5, 0]], dtype=np.float32))
    >>> v = cuda.to_device(np.zeros((3, 3), dtype=np.float32))
    >>> outer_rows[(1, 2), (32, 1)](u, v)
    >>> v.copy_to_host()[1]
    array([0., 4., 0.], dtype=float32)

    --8<-- [end:example]
    """
    u = (np.arange(rows * columns) * 7 % 23).astype(np.float32).reshape(rows, columns)
    before = -1 - np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    v = cuda.to_device(before.copy())
    outer_rows[(-(-columns // 32), 2), (32, 1)](cuda.to_device(u), v)
    want = before.tolist()
    for r in (1, rows - 2):
        for c in range(1, columns - 1):
            around = u[r - 1, c] + u[r + 1, c] + u[r, c - 1] + u[r, c + 1]
            want[r][c] = 0.2 * (around + u[r, c])
    yield "v", v, np.array(want, dtype=np.float32)
