"""Many steps in one launch

A graph makes a launch cheap; work that stays in a kernel needs none. Each row of `x` is a ring of
up to 64 cells, and a step replaces each cell by the mean of itself and its two neighbors. A block
has one ring and does all the steps in shared memory. The kernel that you start from is right, and
needs two barriers a step, because it reads and writes the same cells. Read from one array and write
to another. **Par** counts barriers, and requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def ring_steps(x, steps, out):
    """Write ``x``, rings x n float32, after some steps to ``out``; blocks of 64 threads."""
    cells = cuda.shared.array((2, 64), np.float32)
    t, ring = cuda.threadIdx.x, cuda.blockIdx.x
    n = x.shape[1]
    if t < n:
        cells[0, t] = x[ring, t]
    for step in range(steps):
        now, then = step % 2, (step + 1) % 2
        cuda.syncthreads()
        if t < n:
            around = cells[now, (t + n - 1) % n] + cells[now, (t + 1) % n]
            cells[then, t] = (around + cells[now, t]) / np.float32(3)
    if t < n:
        out[ring, t] = cells[steps % 2, t]


# --8<-- [end:solution]

START = [
    ["(2, 64)", "(1, 64)"],
    [
        "        now, then = step % 2, (step + 1) % 2\n        cuda.syncthreads()\n",
        "        mean = np.float32(0)\n        cuda.syncthreads()\n",
    ],
    [
        "            around = cells[now, (t + n - 1) % n] + cells[now, (t + 1) % n]\n"
        "            cells[then, t] = (around + cells[now, t]) / np.float32(3)\n",
        "            around = cells[0, (t + n - 1) % n] + cells[0, (t + 1) % n]\n"
        "            mean = (around + cells[0, t]) / np.float32(3)\n"
        "        cuda.syncthreads()\n        if t < n:\n            cells[0, t] = mean\n",
    ],
    ["cells[steps % 2, t]", "cells[0, t]"],
]
HINTS = [
    "Two arrays that change roles: in even steps read the first and write the second, in odd "
    "steps the other way round. Then one barrier a step is enough.",
    "With `cells` of 2 x 64, step s reads `cells[s % 2]` and writes `cells[(s + 1) % 2]`. After "
    "the last step a thread reads what it has written itself.",
]

WRONG = {
    "two barriers a step": {"edits": "START", "says": "above par"},
    "one array, one barrier": {
        "edits": [
            ["now, then = step % 2, (step + 1) % 2", "now = then = 0"],
            ["cells[steps % 2, t]", "cells[0, t]"],
        ],
        "says": "comes first",
    },
    "always the same one at the end": {
        "edits": [["cells[steps % 2, t]", "cells[0, t]"]],
        "says": "should be",
    },
    "a ring of 64, whatever n is": {
        "edits": [["cells[now, (t + 1) % n]", "cells[now, (t + 1) % 64]"]],
        "says": "nothing has written",
    },
}

CASES = [(1, 1, 1), (2, 33, 3), (3, 64, 4), (2, 50, 9)]
PAR = ["barriers", "requests"]


def test(ring_steps, rings, n, steps):
    """Blocks of 64 threads, one for each ring.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[9, 0, 0, 0]], dtype=np.float32))
    >>> out = cuda.device_array((1, 4), dtype=np.float32)
    >>> ring_steps[1, 64](x, 2, out)
    >>> out.copy_to_host()
    array([[3., 2., 2., 2.]], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rings * n) * 7 % 19).astype(np.float32).reshape(rings, n)
    out = cuda.to_device(np.full((rings, n), np.nan, dtype=np.float32))
    ring_steps[rings, 64](cuda.to_device(x), steps, out)
    want = x.tolist()
    for _ in range(steps):
        want = [[(row[i - 1] + row[i] + row[(i + 1) % n]) / 3 for i in range(n)] for row in want]
    yield "out", out, np.array(want, dtype=np.float32)
