"""The gate, backward

An operator that PyTorch may train needs its gradient. For `out = g * s * u` with s = 1 / (1 +
exp(-g)) it is, with the gradient `d` of the result: d g s for u, and d u s (1 + g (1 - s)) for g.
The kernel that you start from is right, and fetches what it needs where it needs it. Fetch each
number once. **Par** counts requests.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def gate_gradient(x, d, dx):
    """Write the gradient to ``dx``; x and dx are rows x 2 w, ``d`` is rows x w, all float32."""
    c, r = cuda.grid(2)
    if r < d.shape[0] and c < d.shape[1]:
        g, u, mine = x[r, c], x[r, c + d.shape[1]], d[r, c]
        s = np.float32(1) / (np.float32(1) + math.exp(-g))
        dx[r, c] = mine * u * s * (np.float32(1) + g * (np.float32(1) - s))
        dx[r, c + d.shape[1]] = mine * g * s


# --8<-- [end:solution]

START = [
    [
        "        g, u, mine = x[r, c], x[r, c + d.shape[1]], d[r, c]\n"
        "        s = np.float32(1) / (np.float32(1) + math.exp(-g))\n"
        "        dx[r, c] = mine * u * s * (np.float32(1) + g * (np.float32(1) - s))\n"
        "        dx[r, c + d.shape[1]] = mine * g * s\n",
        "        s = np.float32(1) / (np.float32(1) + math.exp(-x[r, c]))\n"
        "        dx[r, c + d.shape[1]] = d[r, c] * x[r, c] * s\n"
        "        slope = s * (np.float32(1) + x[r, c] * (np.float32(1) - s))\n"
        "        dx[r, c] = d[r, c] * x[r, c + d.shape[1]] * slope\n",
    ],
]
HINTS = [
    "Three numbers come in, two go out: five requests for a warp.",
    "Between two accesses the kernel has written to `dx`, which might be the same memory, so no "
    "compiler may drop the second load. Name what you have fetched.",
]

WRONG = {
    "fetched where it is needed": {"edits": "START", "says": "above par"},
    "the gradient of a plain product": {
        "edits": [["s * (np.float32(1) + g * (np.float32(1) - s))", "s"]],
        "says": "should be",
    },
    "the halves change places": {
        "edits": [
            ["dx[r, c] = mine * u", "dx[r, c + d.shape[1]] = mine * u"],
            ["dx[r, c + d.shape[1]] = mine * g", "dx[r, c] = mine * g"],
        ],
        "says": "should be",
    },
    "no guard for the columns": {
        "edits": [["r < d.shape[0] and c < d.shape[1]", "r < d.shape[0]"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (8, 8), (9, 7), (3, 17)]
PAR = ["requests"]


def test(gate_gradient, rows, width):
    """Blocks of 8 x 8 threads, x along the columns.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[0, 4]], dtype=np.float32))  # the gate at 0, u = 4
    >>> d = cuda.to_device(np.ones((1, 1), dtype=np.float32))
    >>> dx = cuda.device_array((1, 2), dtype=np.float32)
    >>> gate_gradient[(1, 1), (8, 8)](x, d, dx)
    >>> dx.copy_to_host()
    array([[2., 0.]], dtype=float32)

    --8<-- [end:example]
    """
    x = (((np.arange(rows * 2 * width) * 7) % 13 - 6) / 4).astype(np.float32)
    x = x.reshape(rows, 2 * width)
    d = ((np.arange(rows * width) % 5) + 1).astype(np.float32).reshape(rows, width)
    dx = cuda.to_device(np.full((rows, 2 * width), np.nan, dtype=np.float32))
    blocks = -(-width // 8), -(-rows // 8)
    gate_gradient[blocks, (8, 8)](cuda.to_device(x), cuda.to_device(d), dx)
    want = np.zeros((rows, 2 * width), dtype=np.float32)
    for r in range(rows):
        for c in range(width):
            g, u, mine = float(x[r, c]), float(x[r, c + width]), float(d[r, c])
            s = 1 / (1 + math.exp(-g))
            want[r, c] = mine * u * s * (1 + g * (1 - s))
            want[r, c + width] = mine * g * s
    yield "dx", dx, want
