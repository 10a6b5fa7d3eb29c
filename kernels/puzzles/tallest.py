"""The tree that collides

The tallest of 128 trees in each plot, a block a plot. The kernel that you start from is right: in
step s, thread t compares places 2ts and 2ts + s. Their distance grows, so the lanes of a warp meet
in the same banks of shared memory. Reorder the work so that they never do. **Par** counts bank
conflicts: 0.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def tallest(heights, out):
    """Write the largest of each block of 128 float32 to ``out``."""
    best = cuda.shared.array(128, np.float32)
    t = cuda.threadIdx.x
    best[t] = heights[cuda.grid(1)]
    stride = 64
    while stride > 0:
        cuda.syncthreads()
        if t < stride:
            best[t] = max(best[t], best[t + stride])
        stride //= 2
    if t == 0:
        out[cuda.blockIdx.x] = best[0]


# --8<-- [end:solution]


START = [
    [
        "    stride = 64\n    while stride > 0:\n        cuda.syncthreads()\n"
        "        if t < stride:\n            best[t] = max(best[t], best[t + stride])\n"
        "        stride //= 2\n",
        "    stride = 1\n    while stride < 128:\n        cuda.syncthreads()\n"
        "        k = 2 * stride * t\n        if k < 128:\n"
        "            best[k] = max(best[k], best[k + stride])\n        stride *= 2\n",
    ],
]
HINTS = [
    "32 banks, element k in bank k % 32. Which elements would you let lanes 0 to 31 read at once?",
    "Neighbors. Compare t with t + 64, then with t + 32, and so on: those that still work always "
    "lie side by side.",
]

WRONG = {
    "interleaved pairs": {
        "edits": "START",
        "says": "above par",
    },
    "no barrier": {
        "edits": [["        cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "the tree starts too low": {
        "edits": [["stride = 64", "stride = 32"]],
        "says": "should be",
    },
}

CASES = [1, 3]
PAR = ["conflicts"]


def test(tallest, plots):
    """A block of 128 threads for each plot; all plots are full.

    --8<-- [start:example]
    >>> heights = cuda.to_device(np.arange(256, dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> tallest[2, 128](heights, out)
    >>> out.copy_to_host()
    array([127., 255.], dtype=float32)

    --8<-- [end:example]
    """
    heights = (np.arange(plots * 128, dtype=np.float32) * 73) % 401
    flat = heights.tolist()
    want = [max(flat[128 * k : 128 * k + 128]) for k in range(plots)]
    out = cuda.to_device(np.full(plots, np.nan, dtype=np.float32))
    tallest[plots, 128](cuda.to_device(heights), out)
    yield "out", out, np.array(want, dtype=np.float32)
