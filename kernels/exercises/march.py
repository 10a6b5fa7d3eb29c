"""A queue of planes

In three dimensions a cell meets six neighbors. Let a thread march along z: then two of the six are
cells that it has held before, or will need next. The kernel that you start from is right and loads
six numbers for each cell. Keep `below`, `here` and `above` in registers, and load five. Cells on
any of the six sides of the box stay as they are in `out`. **Par** counts requests.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def march(u, out):
    """Write the mean of a cell's six neighbors to ``out``; u and out are z x y x x float32."""
    x, y = cuda.grid(2)
    if 0 < x < u.shape[2] - 1 and 0 < y < u.shape[1] - 1:
        below, here = u[0, y, x], u[1, y, x]
        for z in range(1, u.shape[0] - 1):
            above = u[z + 1, y, x]
            around = u[z, y - 1, x] + u[z, y + 1, x] + u[z, y, x - 1] + u[z, y, x + 1]
            out[z, y, x] = (below + above + around) / np.float32(6)
            below, here = here, above


# --8<-- [end:solution]

START = [
    ["        below, here = u[0, y, x], u[1, y, x]\n", ""],
    [
        "            above = u[z + 1, y, x]\n",
        "            below, above = u[z - 1, y, x], u[z + 1, y, x]\n",
    ],
    ["            below, here = here, above\n", ""],
]
HINTS = [
    "A step of the march needs one new number of the thread's own column: the one above. The "
    "other two were `above` and `here` one step ago.",
    "Load `below` and `here` before the loop. At its end: `below, here = here, above`.",
]

WRONG = {
    "six loads": {"edits": "START", "says": "above par"},
    "below stays behind": {
        "edits": [["below, here = here, above", "here = above"]],
        "says": "should be",
    },
    "one plane too many": {
        "edits": [["range(1, u.shape[0] - 1)", "range(1, u.shape[0])"]],
        "says": "out of bounds",
    },
    "the sides are computed": {
        "edits": [["0 < x < u.shape[2] - 1", "x < u.shape[2] - 1"]],
        "says": "negative index",
    },
}

CASES = [(3, 3, 3), (4, 5, 34), (9, 6, 20)]
PAR = ["requests"]


def test(march, depth, height, width):
    """Blocks of 32 x 2 threads over a plane.

    --8<-- [start:example]
    >>> u = np.zeros((3, 3, 3), dtype=np.float32)
    >>> u[0, 1, 1] = 6
    >>> out = cuda.to_device(np.zeros((3, 3, 3), dtype=np.float32))
    >>> march[(1, 2), (32, 2)](cuda.to_device(u), out)
    >>> float(out.copy_to_host()[1, 1, 1])
    1.0

    --8<-- [end:example]
    """
    n = depth * height * width
    u = (np.arange(n) * 7 % 23).astype(np.float32).reshape(depth, height, width)
    out = cuda.to_device(np.full((depth, height, width), -1, dtype=np.float32))
    march[(-(-width // 32), -(-height // 2)), (32, 2)](cuda.to_device(u), out)
    want = np.full((depth, height, width), -1, dtype=np.float32)
    old = u.tolist()
    for z in range(1, depth - 1):
        for y in range(1, height - 1):
            for x in range(1, width - 1):
                around = old[z][y - 1][x] + old[z][y + 1][x] + old[z][y][x - 1] + old[z][y][x + 1]
                want[z, y, x] = (around + old[z - 1][y][x] + old[z + 1][y][x]) / 6
    yield "out", out, want
