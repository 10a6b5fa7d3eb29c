"""The barrier that some never reach

Every block of 32 climbers measures heights from its own base, its first climber's `height`. The
kernel that you start from works where the last block is full, and is undefined where it is not.
Press *Check*, and move two lines.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def from_the_base(height, out):
    """Subtract from each value the first of its block of 32 (float32)."""
    base = cuda.shared.array(1, np.float32)
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        base[0] = height[i]
    cuda.syncthreads()
    if i < height.size:
        out[i] = height[i] - base[0]


# --8<-- [end:solution]


START = [
    [
        "    if cuda.threadIdx.x == 0:\n        base[0] = height[i]\n    cuda.syncthreads()\n"
        "    if i < height.size:\n        out[i]",
        "    if i < height.size:\n        if cuda.threadIdx.x == 0:\n"
        "            base[0] = height[i]\n        cuda.syncthreads()\n        out[i]",
    ],
]
HINTS = [
    "Who waits at the barrier? Every thread of the block must, also those without a climber.",
    "Guard the reads and the writes of arrays, and nothing else: the barrier stands at the left "
    "margin of the function.",
]

WRONG = {
    "the barrier inside the guard": {
        "edits": "START",
        "says": "syncthreads",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "the base of the whole array": {
        "edits": [["base[0] = height[i]", "base[0] = height[0]"]],
        "says": "should be",
    },
}

CASES = [1, 32, 33, 65, 90]


def test(from_the_base, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> height = cuda.to_device(np.array([100, 103, 98], dtype=np.float32))
    >>> out = cuda.device_array_like(height)
    >>> from_the_base[1, 32](height, out)
    >>> out.copy_to_host()
    array([ 0.,  3., -2.], dtype=float32)

    --8<-- [end:example]
    """
    height = (np.arange(n, dtype=np.float32) * 11) % 37 + 500
    flat = height.tolist()
    want = [flat[i] - flat[i - i % 32] for i in range(n)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    from_the_base[-(-n // 32), 32](cuda.to_device(height), out)
    yield "out", out, np.array(want, dtype=np.float32)
