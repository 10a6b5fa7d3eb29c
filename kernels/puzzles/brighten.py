"""Brighten a photo

A photo came out too dark. `photo` holds its pixels in one row, gray levels from 0 to 255. Write
`brighten`: each thread adds 40 to one pixel, and no pixel gets brighter than 255.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def brighten(photo, out):
    """Add 40 to n gray levels (int32), and stop at 255."""
    i = cuda.grid(1)
    if i < photo.size:
        out[i] = min(photo[i] + 40, 255)


# --8<-- [end:solution]


HINTS = [
    "Which pixel is this thread's? `cuda.grid(1)` numbers the threads of all blocks from 0.",
    "The launch has whole blocks, so some threads have no pixel. Let those do nothing: `if i < "
    "photo.size:`.",
]

WRONG = {
    "no guard": {
        "edits": [["    if i < photo.size:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
    "no upper limit": {
        "edits": [["min(photo[i] + 40, 255)", "photo[i] + 40"]],
        "says": "should be 255",
    },
    "the thread's number in its block": {
        "edits": [["cuda.grid(1)", "cuda.threadIdx.x"]],
        "says": "No thread wrote it",
    },
}

CASES = [1, 31, 32, 33, 100]


def test(brighten, n):
    """Blocks of 32 threads, as many as the pixels need.

    --8<-- [start:example]
    >>> photo = cuda.to_device(np.array([0, 100, 214, 215, 216, 255], dtype=np.int32))
    >>> out = cuda.device_array_like(photo)
    >>> brighten[1, 32](photo, out)
    >>> out.copy_to_host()
    array([ 40, 140, 254, 255, 255, 255], dtype=int32)

    --8<-- [end:example]
    """
    photo = (np.arange(n, dtype=np.int32) * 37 + 19) % 256
    want = np.array([min(int(p) + 40, 255) for p in photo.tolist()], dtype=np.int32)
    out = cuda.to_device(np.full(n, -1, dtype=np.int32))
    brighten[-(-n // 32), 32](cuda.to_device(photo), out)
    yield "out", out, want
