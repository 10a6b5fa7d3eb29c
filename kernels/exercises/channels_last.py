"""Channels last

Tensor cores want the channels of a pixel side by side: `channels_last` is a transpose, image by
image, of channels x pixels into pixels x channels. The kernel that you start from is right, reads
along the pixels, and writes elements that lie all channels apart. Go through a tile of 32 x 32 in
shared memory. **Par** counts sectors of global memory, and bank conflicts: 0.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def channels_last(x, out):
    """Write ``x``, images x channels x pixels, to ``out``, images x pixels x channels."""
    tile = cuda.shared.array((32, 33), np.float32)
    image, channels, pixels = cuda.blockIdx.z, x.shape[1], x.shape[2]
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    across, down = cuda.threadIdx.x, cuda.threadIdx.y
    for k in range(down, 32, 8):
        if top + k < channels and left + across < pixels:
            tile[k, across] = x[image, top + k, left + across]
    cuda.syncthreads()
    for k in range(down, 32, 8):
        if left + k < pixels and top + across < channels:
            out[image, left + k, top + across] = tile[across, k]


# --8<-- [end:solution]

START = [
    ["    tile = cuda.shared.array((32, 33), np.float32)\n", ""],
    [
        "            tile[k, across] = x[image, top + k, left + across]\n    cuda.syncthreads()\n"
        "    for k in range(down, 32, 8):\n"
        "        if left + k < pixels and top + across < channels:\n"
        "            out[image, left + k, top + across] = tile[across, k]\n",
        "            out[image, left + across, top + k] = x[image, top + k, left + across]\n",
    ],
]
HINTS = [
    "Two loops with a barrier between them. In the first the lanes run along pixels, in the "
    "second along channels; the tile is read down a column.",
    "Rows of 33 put the elements of a column into 32 banks. In the second loop both guards "
    "change: `left + k` is a pixel, `top + across` a channel.",
]

WRONG = {
    "no tile": {"edits": "START", "says": "above par"},
    "a tile of 32 x 32": {"edits": [["(32, 33)", "(32, 32)"]], "says": "bank conflicts"},
    "the guard of the first loop": {
        "edits": [
            [
                "if left + k < pixels and top + across < channels:",
                "if top + k < channels and left + across < pixels:",
            ]
        ],
        "says": "out of bounds",
    },
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [(1, 1, 1), (2, 3, 40), (1, 33, 31), (2, 40, 49)]
PAR = ["sectors", "conflicts"]


def test(channels_last, images, channels, pixels):
    """Blocks of 32 x 8 threads: x for pixels, y for channels, z for the images.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(6, dtype=np.float32).reshape(1, 3, 2))  # red, green, blue
    >>> out = cuda.device_array((1, 2, 3), dtype=np.float32)
    >>> channels_last[(1, 1, 1), (32, 8)](x, out)
    >>> out.copy_to_host()
    array([[[0., 2., 4.],
            [1., 3., 5.]]], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(images * channels * pixels, dtype=np.float32).reshape(images, channels, pixels)
    out = cuda.to_device(np.full((images, pixels, channels), np.nan, dtype=np.float32))
    blocks = -(-pixels // 32), -(-channels // 32), images
    channels_last[blocks, (32, 8)](cuda.to_device(x), out)
    yield "out", out, x.transpose(0, 2, 1)
