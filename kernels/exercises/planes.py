"""Take the colors apart

A picture comes as red, green, blue, red, green, blue and so on; you want its three planes one after
another. The kernel that you start from is right: a thread reads the three values of its pixel, so a
warp's reads lie 12 bytes apart. Let the block fetch its values side by side into shared memory, and
take them apart there. **Par** counts sectors and bank conflicts.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def planes(picture, out):
    """Split ``picture``, 3 n float32 in turn, into ``out``, 3 x n; blocks of 64 threads."""
    box = cuda.shared.array(192, np.float32)
    t = cuda.threadIdx.x
    first = cuda.blockIdx.x * 192
    for k in range(t, 192, 64):
        if first + k < picture.size:
            box[k] = picture[first + k]
    cuda.syncthreads()
    pixel = cuda.grid(1)
    if pixel < out.shape[1]:
        for color in range(3):
            out[color, pixel] = box[3 * t + color]  # 3 is odd: each lane has a bank of its own


# --8<-- [end:solution]


START = [
    [
        "    box = cuda.shared.array(192, np.float32)\n    t = cuda.threadIdx.x\n"
        "    first = cuda.blockIdx.x * 192\n    for k in range(t, 192, 64):\n"
        "        if first + k < picture.size:\n            box[k] = picture[first + k]\n"
        "    cuda.syncthreads()\n",
        "",
    ],
    [
        "box[3 * t + color]  # 3 is odd: each lane has a bank of its own",
        "picture[3 * pixel + color]",
    ],
]
HINTS = [
    "A block of 64 threads has 192 values: three loads a thread, 64 apart. Wait for all of them "
    "before anybody takes a value out.",
    "The values of thread t lie at `3 * t`, `3 * t + 1` and `3 * t + 2` of the box.",
]

WRONG = {
    "each thread reads its pixel": {"edits": "START", "says": "above par"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
    "four places a pixel": {
        "edits": [["box[3 * t + color]", "box[color * 64 + t]"]],
        "says": "nothing has written",
    },
}

CASES = [1, 63, 64, 100]
PAR = ["sectors", "conflicts"]


def test(planes, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> picture = cuda.to_device(np.arange(6, dtype=np.float32))
    >>> out = cuda.device_array((3, 2), dtype=np.float32)
    >>> planes[1, 64](picture, out)
    >>> out.copy_to_host()
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)

    --8<-- [end:example]
    """
    picture = np.arange(3 * n, dtype=np.float32)
    out = cuda.to_device(np.full((3, n), np.nan, dtype=np.float32))
    planes[-(-n // 64), 64](cuda.to_device(picture), out)
    yield "out", out, picture.reshape(n, 3).T
