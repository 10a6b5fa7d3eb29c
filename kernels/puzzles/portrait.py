"""Turn a photo of any size

Turn a whole photo clockwise. `photo` has h x w pixels, `out` w x h, and neither is a multiple of
anything. The kernel that you start from is right: it writes along rows and reads down columns. Go
through a tile of 16 x 16 in shared memory, so that both run along rows. **Par** counts sectors and
bank conflicts.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def portrait(photo, out):
    """Turn h x w float32 clockwise: out[row, column] = photo[h - 1 - column, row]."""
    tile = cuda.shared.array((16, 17), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    h, w = photo.shape
    left, top = 16 * cuda.blockIdx.x, 16 * cuda.blockIdx.y  # of this block's piece of the photo
    if top + y < h and left + x < w:
        tile[y, x] = photo[top + y, left + x]
    cuda.syncthreads()
    if left + y < w and top + x < h:
        out[left + y, h - 1 - (top + x)] = tile[x, y]


# --8<-- [end:solution]


START = [
    [
        "    tile = cuda.shared.array((16, 17), np.float32)\n"
        "    x, y = cuda.threadIdx.x, cuda.threadIdx.y\n    h, w = photo.shape\n    left, top = "
        "16 * cuda.blockIdx.x, 16 * cuda.blockIdx.y  # of this block's piece of the photo\n"
        "    if top + y < h and left + x < w:\n        tile[y, x] = photo[top + y, left + x]\n"
        "    cuda.syncthreads()\n    if left + y < w and top + x < h:\n"
        "        out[left + y, h - 1 - (top + x)] = tile[x, y]\n",
        "    h, w = photo.shape\n    column, row = cuda.grid(2)  # of the photo\n"
        "    if row < h and column < w:\n        out[column, h - 1 - row] = photo[row, column]\n",
    ],
]
HINTS = [
    "A block takes 16 x 16 pixels of the photo, x along its rows. After the barrier the same "
    "block writes a piece of `out`, and there x must run along a row of `out`.",
    "Pixel (r, c) goes to (c, h - 1 - r). For the write, let c = left + y and r = top + x: the "
    "guard changes with it, and the value is `tile[x, y]`. A 17th column keeps the banks apart.",
]

WRONG = {
    "straight from memory": {
        "edits": "START",
        "says": "above par",
    },
    "no padding": {
        "edits": [["(16, 17)", "(16, 16)"]],
        "says": "above par",
    },
    "the guard of the read for the write": {
        "edits": [["left + y < w and top + x < h", "top + y < h and left + x < w"]],
        "says": "negative index",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [(1, 1), (3, 20), (20, 3), (33, 40)]
PAR = ["sectors", "conflicts"]


def test(portrait, h, w):
    """Blocks of 16 x 16 threads, x over the columns of ``photo``.

    --8<-- [start:example]
    >>> photo = cuda.to_device(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    >>> out = cuda.device_array((3, 2), dtype=np.float32)
    >>> portrait[1, (16, 16)](photo, out)
    >>> out.copy_to_host()
    array([[4., 1.],
           [5., 2.],
           [6., 3.]], dtype=float32)

    --8<-- [end:example]
    """
    photo = np.arange(h * w, dtype=np.float32).reshape(h, w)
    flat = photo.tolist()
    want = [[flat[h - 1 - column][row] for column in range(h)] for row in range(w)]
    out = cuda.to_device(np.full((w, h), np.nan, dtype=np.float32))
    blocks = (-(-w // 16), -(-h // 16))
    portrait[blocks, (16, 16)](cuda.to_device(photo), out)
    yield "out", out, np.array(want, dtype=np.float32)
