"""The nearest other

For each of n points in the plane, find the squared distance to the nearest other one. It is n times
n work on n data: what a GPU likes. The kernel that you start from is right and fetches the thread's
own point anew for each pair. **Par** counts requests to global memory.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def nearest(x, y, out):
    """Write the squared distance from each of n points to the nearest other."""
    i = cuda.grid(1)
    if i < x.size:
        own_x, own_y = x[i], y[i]  # in registers, for all pairs
        best = np.float32(np.inf)
        for j in range(x.size):
            if j != i:
                dx = x[j] - own_x
                dy = y[j] - own_y
                best = min(best, dx * dx + dy * dy)
        out[i] = best


# --8<-- [end:solution]


START = [
    ["        own_x, own_y = x[i], y[i]  # in registers, for all pairs\n", ""],
    ["x[j] - own_x", "x[j] - x[i]"],
    ["y[j] - own_y", "y[j] - y[i]"],
]
HINTS = [
    "Four loads for each pair: which of them give the same value every time?",
    "Load `x[i]` and `y[i]` once, before the loop, into local variables.",
]

WRONG = {
    "its own point is fetched for each pair": {"edits": "START", "says": "above par"},
    "each point is its own neighbor": {"edits": [["if j != i", "if True"]], "says": "should be"},
    "no guard": {"edits": [["if i < x.size", "if True"]], "says": "out of bounds"},
}

CASES = [2, 33, 50]
PAR = ["requests"]


def test(nearest, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([0, 3, 3], dtype=np.float32))
    >>> y = cuda.to_device(np.array([0, 4, 5], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> nearest[1, 8](x, y, out)
    >>> out.copy_to_host()
    array([25.,  1.,  1.], dtype=float32)

    --8<-- [end:example]
    """
    x = ((np.arange(n, dtype=np.float32) * 7) % 13).astype(np.float32)
    y = np.arange(n, dtype=np.float32)
    # Python's own numbers: n times n of the stand-in's, in a reader's browser, are seconds.
    at = list(zip(x.tolist(), y.tolist(), strict=True))
    want = [
        min((p - u) ** 2 + (q - v) ** 2 for j, (p, q) in enumerate(at) if j != i)
        for i, (u, v) in enumerate(at)
    ]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    nearest[-(-n // 32), 32](cuda.to_device(x), cuda.to_device(y), out)
    yield "out", out, np.array(want, dtype=np.float32)
