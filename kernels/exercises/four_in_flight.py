"""Four loads before the first use

Copy an array with four elements a thread, so that each thread has four loads in flight. The kernel
that you start from is right: a thread takes four neighbors, and a warp's loads lie 16 bytes apart.
Keep four loads a thread, and let each of them be one that a warp does side by side. **Par** counts
sectors.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def copy_four(x, out):
    """Copy n float32 with blocks of 64 threads, four elements a thread."""
    first = cuda.blockIdx.x * 256 + cuda.threadIdx.x
    n = x.size
    a = x[first] if first < n else np.float32(0)
    b = x[first + 64] if first + 64 < n else np.float32(0)
    c = x[first + 128] if first + 128 < n else np.float32(0)
    d = x[first + 192] if first + 192 < n else np.float32(0)
    if first < n:
        out[first] = a
    if first + 64 < n:
        out[first + 64] = b
    if first + 128 < n:
        out[first + 128] = c
    if first + 192 < n:
        out[first + 192] = d


# --8<-- [end:solution]


START = [
    [
        "    first = cuda.blockIdx.x * 256 + cuda.threadIdx.x\n",
        "    first = cuda.blockIdx.x * 256 + 4 * cuda.threadIdx.x\n",
    ],
    [
        "    b = x[first + 64] if first + 64 < n else np.float32(0)\n"
        "    c = x[first + 128] if first + 128 < n else np.float32(0)\n"
        "    d = x[first + 192] if first + 192 < n else np.float32(0)\n",
        "    b = x[first + 1] if first + 1 < n else np.float32(0)\n"
        "    c = x[first + 2] if first + 2 < n else np.float32(0)\n"
        "    d = x[first + 3] if first + 3 < n else np.float32(0)\n",
    ],
    [
        "    if first + 64 < n:\n        out[first + 64] = b\n"
        "    if first + 128 < n:\n        out[first + 128] = c\n"
        "    if first + 192 < n:\n        out[first + 192] = d\n",
        "    if first + 1 < n:\n        out[first + 1] = b\n"
        "    if first + 2 < n:\n        out[first + 2] = c\n"
        "    if first + 3 < n:\n        out[first + 3] = d\n",
    ],
]
HINTS = [
    "A block copies 256 elements with 64 threads. In its first load a warp should take 32 "
    "neighbors. Where is the thread's second element then?",
    "A thread's elements lie 64 apart, the length of the block: `first`, `first + 64`, `first + "
    "128` and `first + 192`.",
]

WRONG = {
    "four neighbors a thread": {"edits": "START", "says": "above par"},
    "blocks overlap": {
        "edits": [["cuda.blockIdx.x * 256", "cuda.blockIdx.x * 64"]],
        "says": "wrote",
    },
    "the last part is not guarded": {
        "edits": [["x[first + 192] if first + 192 < n else np.float32(0)", "x[first + 192]"]],
        "says": "out of bounds",
    },
}

CASES = [1, 63, 257, 600]
PAR = ["sectors"]


def test(copy_four, n):
    """Blocks of 64 threads, one for each 256 elements.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(300, dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> copy_four[2, 64](x, out)
    >>> bool(np.all(out.copy_to_host() == x.copy_to_host()))
    True

    --8<-- [end:example]
    """
    x = np.arange(1, n + 1, dtype=np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    copy_four[-(-n // 256), 64](cuda.to_device(x), out)
    yield "out", out, x
