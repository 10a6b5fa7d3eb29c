"""Decode once, then blur

The photo arrives as bytes, and a table says how bright each one is. `out[i]` is the mean of the
five pixels around i, decoded; outside of the row everything is black, a 0. The kernel that you
start from is right, and decodes each pixel five times: once for each neighbor that wants it. Decode
it once, into shared memory. A block has 64 threads, and needs two pixels more on each side. **Par**
counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def decode_and_blur(photo, table, out):
    """Write to ``out``, n float32, the mean of five decoded neighbors; ``photo``: n bytes."""
    bright = cuda.shared.array(68, np.float32)
    t = cuda.threadIdx.x
    first = cuda.blockIdx.x * 64 - 2
    for k in range(t, 68, 64):
        inside = 0 <= first + k < photo.size
        bright[k] = table[photo[first + k]] if inside else np.float32(0)
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < photo.size:
        total = np.float32(0)
        for k in range(5):
            total += bright[t + k]
        out[i] = total / np.float32(5)


# --8<-- [end:solution]

START = [
    [
        "    bright = cuda.shared.array(68, np.float32)\n    t = cuda.threadIdx.x\n"
        "    first = cuda.blockIdx.x * 64 - 2\n    for k in range(t, 68, 64):\n"
        "        inside = 0 <= first + k < photo.size\n"
        "        bright[k] = table[photo[first + k]] if inside else np.float32(0)\n"
        "    cuda.syncthreads()\n",
        "",
    ],
    [
        "            total += bright[t + k]\n",
        "            if 0 <= i + k - 2 < photo.size:\n"
        "                total += table[photo[i + k - 2]]\n",
    ],
]
HINTS = [
    "64 threads have 68 pixels to decode. A loop `for k in range(t, 68, 64)` gives the last four "
    "to the first four threads.",
    "Place k of shared memory holds pixel `blockIdx.x * 64 - 2 + k`, or 0 outside of the row. "
    "Then a barrier, for all threads, before anybody reads a neighbor's.",
]

WRONG = {
    "decoded five times": {"edits": "START", "says": "above par"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
    "the last four are forgotten": {
        "edits": [["range(t, 68, 64)", "range(t, 64, 64)"]],
        "says": "nothing has written",
    },
    "the left end is not asked for": {
        "edits": [["0 <= first + k < photo.size", "first + k < photo.size"]],
        "says": "out of bounds",
    },
}

CASES = [1, 63, 66, 200]
PAR = ["requests"]


def test(decode_and_blur, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> table = cuda.to_device(np.arange(256, dtype=np.float32) * 10)
    >>> photo = cuda.to_device(np.array([0, 0, 5, 0, 0, 0], dtype=np.uint8))
    >>> out = cuda.device_array(6, dtype=np.float32)
    >>> decode_and_blur[1, 64](photo, table, out)
    >>> out.copy_to_host()
    array([10., 10., 10., 10., 10.,  0.], dtype=float32)

    --8<-- [end:example]
    """
    table = (np.arange(256, dtype=np.float32) * 3) % 101
    photo = (np.arange(n) * 37 % 256).astype(np.uint8)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    decode_and_blur[-(-n // 64), 64](cuda.to_device(photo), cuda.to_device(table), out)
    bright = [0.0, 0.0, *(table.tolist()[pixel] for pixel in photo.tolist()), 0.0, 0.0]
    yield "out", out, np.array([sum(bright[i : i + 5]) / 5 for i in range(n)], dtype=np.float32)
