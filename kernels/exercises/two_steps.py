"""Two steps for the bytes of one

One step of smoothing replaces each number by the mean of itself and its two neighbors: two
additions and a division for 8 bytes. Do two steps before you write, and the intensity doubles. The
kernel that you start from is right, and gets its two steps from nine loads. Load each number once,
into shared memory, and keep the first step there as well. Beyond either end the number at the
end is repeated, in both steps. A block makes 64 numbers. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def two_steps(x, out):
    """Write ``x``, smoothed twice, to ``out``; both n float32, in blocks of 64 threads."""
    start = cuda.shared.array(68, np.float32)
    middle = cuda.shared.array(66, np.float32)
    t, first = cuda.threadIdx.x, cuda.blockIdx.x * 64
    last = x.size - 1
    for k in range(t, 68, 64):
        start[k] = x[min(max(first - 2 + k, 0), last)]
    cuda.syncthreads()
    for k in range(t, 66, 64):
        at = min(max(first - 1 + k, 0), last) - first + 2  # of this number in start
        middle[k] = (start[at - 1] + start[at] + start[at + 1]) / np.float32(3)
    cuda.syncthreads()
    if first + t < x.size:
        out[first + t] = (middle[t] + middle[t + 1] + middle[t + 2]) / np.float32(3)


# --8<-- [end:solution]

START = [
    [
        "    start = cuda.shared.array(68, np.float32)\n"
        "    middle = cuda.shared.array(66, np.float32)\n"
        "    t, first = cuda.threadIdx.x, cuda.blockIdx.x * 64\n    last = x.size - 1\n"
        "    for k in range(t, 68, 64):\n"
        "        start[k] = x[min(max(first - 2 + k, 0), last)]\n    cuda.syncthreads()\n"
        "    for k in range(t, 66, 64):\n"
        "        at = min(max(first - 1 + k, 0), last) - first + 2  # of this number in start\n"
        "        middle[k] = (start[at - 1] + start[at] + start[at + 1]) / np.float32(3)\n"
        "    cuda.syncthreads()\n    if first + t < x.size:\n"
        "        out[first + t] = (middle[t] + middle[t + 1] + middle[t + 2]) / np.float32(3)\n",
        "    i = cuda.grid(1)\n    last = x.size - 1\n    if i < x.size:\n"
        "        total = np.float32(0)\n        for near in range(i - 1, i + 2):\n"
        "            at = min(max(near, 0), last)\n"
        "            total += x[max(at - 1, 0)] + x[at] + x[min(at + 1, last)]\n"
        "        out[i] = total / np.float32(9)\n",
    ]
]
HINTS = [
    "64 results of two steps need 66 numbers after the first step, and 68 before it. 64 threads "
    "fill 68 places with `for k in range(t, 68, 64)`.",
    "A barrier after each of the two arrays is filled. All threads meet it, also those past the "
    "end.",
    "Beyond the end the number of the *first step* is repeated, too: compute it for the place "
    "cut off at 0 and `last`.",
]

WRONG = {
    "nine loads": {"edits": "START", "says": "above par"},
    "no second barrier": {
        "edits": [["    cuda.syncthreads()\n    if first", "    if first"]],
        "says": "comes first",
    },
    "the end is repeated in the first step alone": {
        "edits": [
            [
                "at = min(max(first - 1 + k, 0), last) - first + 2  # of this number in start",
                "at = k + 1",
            ]
        ],
        "says": "should be",
    },
    "a halo of one": {
        "edits": [["range(t, 66, 64)", "range(t, 64, 64)"]],
        "says": "nothing has written",
    },
}

CASES = [1, 2, 65, 200]
PAR = ["requests"]


def test(two_steps, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([0, 0, 9, 0, 0, 0], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> two_steps[1, 64](x, out)
    >>> out.copy_to_host()
    array([1., 2., 3., 2., 1., 0.], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(n) * 7 % 19).astype(np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    two_steps[-(-n // 64), 64](cuda.to_device(x), out)
    want = x.tolist()
    for _ in range(2):
        ends = [want[0], *want, want[-1]]
        want = [sum(ends[i : i + 3]) / 3 for i in range(n)]
    yield "out", out, np.array(want, dtype=np.float32)
