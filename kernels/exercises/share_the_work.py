"""Few threads, many pixels

Brighten a picture: add `by` to each of its pixels, but no pixel becomes brighter than 255. The
launch is fixed at two blocks of 32 threads, whatever the picture's size, so each thread has several
pixels. The kernel that you start from is right: each thread takes a run of neighbors. **Par**
counts the sectors of memory that the warps touch.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def brighten(pixels, by, out):
    """Write min(pixel + by, 255) for each of n float32 pixels, with any number of threads."""
    for i in range(cuda.grid(1), pixels.size, cuda.gridsize(1)):
        out[i] = min(pixels[i] + by, np.float32(255))


# --8<-- [end:solution]


START = [
    [
        "    for i in range(cuda.grid(1), pixels.size, cuda.gridsize(1)):\n",
        "    each = -(-pixels.size // cuda.gridsize(1))  # pixels a thread, rounded up\n"
        "    first = cuda.grid(1) * each\n"
        "    for i in range(first, min(first + each, pixels.size)):\n",
    ]
]
HINTS = [
    "A warp's 32 threads read at the same moment. Where do they read in the first step of the "
    "loop: next to each other, or `each` pixels apart?",
    "Let neighbors in the warp take neighboring pixels, and let each thread jump ahead by the "
    "number of threads in the grid: that is the grid-stride loop above.",
]

WRONG = {
    "a run of neighbors for each thread": {"edits": "START", "says": "above par"},
    "the step is a block, not the grid": {
        "edits": [["cuda.gridsize(1)", "cuda.blockDim.x"]],
        "says": "above par",
    },
    "one pixel a thread": {
        "edits": [
            [
                "    for i in range(cuda.grid(1), pixels.size, cuda.gridsize(1)):\n",
                "    i = cuda.grid(1)\n    if i < pixels.size:\n",
            ]
        ],
        "says": "No thread wrote it",
    },
}

CASES = [1, 63, 65, 200, 509]
PAR = ["sectors"]


def test(brighten, n):
    """Two blocks of 32 threads, always.

    --8<-- [start:example]
    >>> pixels = cuda.to_device(np.arange(0, 250, 25, dtype=np.float32))
    >>> out = cuda.device_array_like(pixels)
    >>> brighten[1, 4](pixels, np.float32(50), out)
    >>> out.copy_to_host()
    array([ 50.,  75., 100., 125., 150., 175., 200., 225., 250., 255.],
          dtype=float32)

    --8<-- [end:example]
    """
    pixels = (np.arange(n, dtype=np.float32) * 7) % 256
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    brighten[2, 32](cuda.to_device(pixels), np.float32(40), out)
    yield "out", out, np.minimum(pixels + np.float32(40), np.float32(255))
