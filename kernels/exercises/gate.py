"""The gate

A layer has made `x`, rows of 2 w numbers: the first half of a row is the gate, the second half what
it lets through. Write `gated`: out[r, c] = g / (1 + exp(-g)) * u, with g = x[r, c] and u = x[r, c +
w]. One thread for each number of `out`, in blocks of 8 x 8 threads, x along the columns.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def gated(x, out):
    """Write the gated half of each row of ``x``, rows x 2 w float32, to ``out``, rows x w."""
    c, r = cuda.grid(2)
    if r < out.shape[0] and c < out.shape[1]:
        g, u = x[r, c], x[r, c + out.shape[1]]
        out[r, c] = g / (np.float32(1) + math.exp(-g)) * u


# --8<-- [end:solution]


HINTS = [
    "`cuda.grid(2)` gives the column first: c, then r. Guard both.",
    "The other half of the row begins at column w, which is `out.shape[1]`.",
]

WRONG = {
    "the neighbor instead of the other half": {
        "edits": [["c + out.shape[1]]", "c + 1]"]],
        "says": "should be",
    },
    "the gate is not multiplied by itself": {
        "edits": [["g / (np.float32(1)", "1 / (np.float32(1)"]],
        "says": "should be",
    },
    "no guard for the columns": {
        "edits": [["r < out.shape[0] and c < out.shape[1]", "r < out.shape[0]"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (8, 8), (9, 7), (3, 17)]


def test(gated, rows, width):
    """Blocks of 8 x 8 threads.

    --8<-- [start:example]
    >>> x = np.array([[0, 100, 7, 3]], dtype=np.float32)  # gates 0 and 100, for 7 and 3
    >>> out = cuda.device_array((1, 2), dtype=np.float32)
    >>> gated[1, (8, 8)](cuda.to_device(x), out)
    >>> out.copy_to_host()  # a closed gate, and an open one
    array([[  0., 300.]], dtype=float32)

    --8<-- [end:example]
    """
    x = (((np.arange(rows * 2 * width) * 7) % 13 - 6) / 2).astype(np.float32)
    x = x.reshape(rows, 2 * width)
    g, u = x[:, :width], x[:, width:]
    out = cuda.to_device(np.full((rows, width), np.nan, dtype=np.float32))
    blocks = -(-width // 8), -(-rows // 8)
    gated[blocks, (8, 8)](cuda.to_device(x), out)
    yield "out", out, g / (1 + np.exp(-g)) * u
