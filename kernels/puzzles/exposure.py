"""Neighbors read neighbors

A stack of photos, `photos` with a row for each photo and a column for each pixel, and an exposure
for each photo. Multiply every pixel by the exposure of its photo. The kernel that you start from is
right, and numbers the pixels so that the lanes of a warp lie in different photos. **Par** counts
sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def exposure(photos, factor, out):
    """Write photos[n, p] * factor[n] for a stack of photos x pixels float32."""
    i = cuda.grid(1)
    count, pixels = photos.shape
    if i < count * pixels:
        photo = i // pixels
        pixel = i % pixels
        out[photo, pixel] = photos[photo, pixel] * factor[photo]


# --8<-- [end:solution]


START = [
    [
        "        photo = i // pixels\n        pixel = i % pixels\n",
        "        photo = i % count\n        pixel = i // count\n",
    ],
]
HINTS = [
    "In memory the pixels of one photo lie side by side. Which of the two numbers should change "
    "from one lane to the next?",
    "The last index is the one that runs fastest: divide by the number of pixels, and the "
    "remainder is the pixel.",
]

WRONG = {
    "lanes in different photos": {
        "edits": "START",
        "says": "above par",
    },
    "the remainder of the wrong number": {
        "edits": [["i % pixels", "i % count"]],
        "says": "No thread wrote it",
    },
    "no guard": {
        "edits": [["    if i < count * pixels:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (3, 7), (8, 5), (16, 50)]
PAR = ["sectors"]


def test(exposure, count, pixels):
    """As many threads as there are pixels, in blocks of 64.

    --8<-- [start:example]
    >>> photos = cuda.to_device(np.array([[1, 2, 3], [10, 20, 30]], dtype=np.float32))
    >>> factor = cuda.to_device(np.array([2, 0.5], dtype=np.float32))
    >>> out = cuda.device_array_like(photos)
    >>> exposure[1, 64](photos, factor, out)
    >>> out.copy_to_host()
    array([[ 2.,  4.,  6.],
           [ 5., 10., 15.]], dtype=float32)

    --8<-- [end:example]
    """
    photos = (np.arange(count * pixels, dtype=np.float32) % 200).reshape(count, pixels)
    factor = np.arange(count, dtype=np.float32) + 1
    want = [[p * (k + 1) for p in line] for k, line in enumerate(photos.tolist())]
    out = cuda.to_device(np.full((count, pixels), np.nan, dtype=np.float32))
    blocks = -(-count * pixels // 64)
    exposure[blocks, 64](cuda.to_device(photos), cuda.to_device(factor), out)
    yield "out", out, np.array(want, dtype=np.float32)
