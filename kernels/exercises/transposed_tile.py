"""Transpose the tile of a

From the 16-byte loads on, the tile of `a` is stored transposed in shared memory, `tile[k, row]`, so
that a thread fetches several rows with one load. The price is in the store: the kernel that you
start from is right, and eight of its lanes meet in one bank. Pad the tile so that nobody meets. A
block has 8 x 32 threads and transposes 32 rows of 8. **Par** counts bank conflicts, and sectors of
global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def transposed_tile(a, out):
    """Write the transpose of ``a``, m x k float32, to ``out``, by way of tiles of 8 x 32."""
    tile = cuda.shared.array((8, 36), np.float32)
    k, row = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = 8 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    if left + k < a.shape[1] and top + row < a.shape[0]:
        tile[k, row] = a[top + row, left + k]
    cuda.syncthreads()
    k, row = (8 * row + k) // 32, (8 * row + k) % 32
    if left + k < a.shape[1] and top + row < a.shape[0]:
        out[left + k, top + row] = tile[k, row]


# --8<-- [end:solution]

START = [["(8, 36)", "(8, 32)"]]
HINTS = [
    "A warp stores k from 0 to 7 of four rows. With a row length of L, element (k, row) is in "
    "bank (L k + row) modulo 32. Which L keeps the 32 of them apart?",
    "Four rows fill four banks, so the next k should begin four banks on: L modulo 32 is 4. One "
    "element of padding moves it by one bank, and then three of four still overlap.",
]

WRONG = {
    "no padding": {"edits": "START", "says": "above par"},
    "padding of one": {"edits": [["(8, 36)", "(8, 33)"]], "says": "above par"},
    "no barrier": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
    "written as it was read": {
        "edits": [["    k, row = (8 * row + k) // 32, (8 * row + k) % 32\n", ""]],
        "says": "above par",
    },
}

CASES = [(1, 1), (33, 9), (40, 20), (64, 24)]
PAR = ["conflicts", "sectors"]


def test(transposed_tile, m, k):
    """Blocks of 8 x 32 threads: x along k, y along the rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array((3, 2), dtype=np.float32)
    >>> transposed_tile[(1, 1), (8, 32)](a, out)
    >>> out.copy_to_host()
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)

    --8<-- [end:example]
    """
    a = np.arange(m * k, dtype=np.float32).reshape(m, k)
    out = cuda.to_device(np.full((k, m), np.nan, dtype=np.float32))
    transposed_tile[(-(-k // 8), -(-m // 32)), (8, 32)](cuda.to_device(a), out)
    yield "out", out, a.T
