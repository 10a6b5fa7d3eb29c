"""Lay b along k

`wgmma` cannot transpose 8-bit operands, so somebody has to: `b` is k x n bytes, `out` is n x k. The
kernel that you start from is right, reads along rows, and writes down columns. Go through a tile of
32 x 32 bytes in shared memory. One byte of padding is not enough here: a bank is four bytes wide.
**Par** counts sectors of global memory, and bank conflicts: 0.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def along_k(b, out):
    """Write the transpose of ``b``, k x n bytes, to ``out``; blocks of 32 x 8 threads."""
    tile = cuda.shared.array((32, 36), np.uint8)  # four bytes more: a bank further on
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(y, 32, 8):
        if top + row < b.shape[0] and left + x < b.shape[1]:
            tile[row, x] = b[top + row, left + x]
    cuda.syncthreads()
    for row in range(y, 32, 8):
        if left + row < b.shape[1] and top + x < b.shape[0]:
            out[left + row, top + x] = tile[x, row]


# --8<-- [end:solution]

START = [
    [
        "    tile = cuda.shared.array((32, 36), np.uint8)  # four bytes more: a bank further on\n",
        "",
    ],
    [
        "            tile[row, x] = b[top + row, left + x]\n    cuda.syncthreads()\n"
        "    for row in range(y, 32, 8):\n"
        "        if left + row < b.shape[1] and top + x < b.shape[0]:\n"
        "            out[left + row, top + x] = tile[x, row]\n",
        "            out[left + x, top + row] = b[top + row, left + x]\n",
    ],
]
HINTS = [
    "Two loops with a barrier between them: fill `tile[row, x]` along the rows of `b`, then "
    "write along the rows of `out`, reading the tile down a column.",
    "Rows of 32 bytes are 8 banks, so a column of 32 rows meets 4 banks. Rows of 36 bytes are 9 "
    "banks: 9 x modulo 32 is a different bank for each x.",
]

WRONG = {
    "no tile": {"edits": "START", "says": "above par"},
    "no padding": {"edits": [["(32, 36)", "(32, 32)"]], "says": "bank conflicts"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [(1, 1), (5, 40), (33, 31), (70, 45)]
PAR = ["sectors", "conflicts"]


def test(along_k, k, n):
    """Blocks of 32 x 8 threads, each with a tile of 32 x 32 bytes.

    --8<-- [start:example]
    >>> b = cuda.to_device(np.arange(6, dtype=np.uint8).reshape(2, 3))
    >>> out = cuda.device_array((3, 2), dtype=np.uint8)
    >>> along_k[(1, 1), (32, 8)](b, out)
    >>> out.copy_to_host()
    array([[0, 3],
           [1, 4],
           [2, 5]], dtype=uint8)

    --8<-- [end:example]
    """
    b = (np.arange(k * n) % 251).astype(np.uint8).reshape(k, n)
    out = cuda.to_device(np.full((n, k), 255, dtype=np.uint8))
    along_k[(-(-n // 32), -(-k // 32)), (32, 8)](cuda.to_device(b), out)
    yield "out", out, b.T
