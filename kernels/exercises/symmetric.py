"""Make it symmetric

A covariance that was summed up in pieces is off by a rounding: element (y, x) is not quite (x, y).
Replace both by their mean: `out = (a + a.T) / 2`. The kernel that you start from is right, and it
reads `a[x, y]` down a column, a sector for each lane. Fetch the mirrored tile row by row instead
and transpose it in shared memory, without bank conflicts. **Par** counts sectors of global memory
and bank conflicts.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def symmetric(a, out):
    """Write the mean of a and its transpose to ``out``, n x n float32; blocks of 32 x 4."""
    mirrored = cuda.shared.array((32, 33), np.float32)
    tx, ty, n = cuda.threadIdx.x, cuda.threadIdx.y, a.shape[0]
    left, top = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    for y in range(ty, 32, 4):
        if left + y < n and top + tx < n:
            mirrored[y, tx] = a[left + y, top + tx]
    cuda.syncthreads()
    for y in range(ty, 32, 4):
        if top + y < n and left + tx < n:
            mean = (a[top + y, left + tx] + mirrored[tx, y]) / np.float32(2)
            out[top + y, left + tx] = mean


# --8<-- [end:solution]

START = [
    ["    mirrored = cuda.shared.array((32, 33), np.float32)\n", ""],
    [
        """    for y in range(ty, 32, 4):
        if left + y < n and top + tx < n:
            mirrored[y, tx] = a[left + y, top + tx]
    cuda.syncthreads()
""",
        "",
    ],
    ["mirrored[tx, y]", "a[left + tx, top + y]"],
]
HINTS = [
    "The block that writes the tile at row `top`, column `left` needs the tile at row `left`, "
    "column `top`. Read that one as it lies, neighbors by neighbors.",
    "Store it as `mirrored[y, tx]`, wait, and read `mirrored[tx, y]`. Rows of 33 keep the lanes of "
    "a column in different banks. Each of the two tiles has a guard of its own.",
]

WRONG = {
    "down a column of global memory": {"edits": "START", "says": "above par"},
    "rows of 32": {"edits": [["(32, 33)", "(32, 32)"]], "says": "above par"},
    "not transposed": {"edits": [["mirrored[tx, y]", "mirrored[y, tx]"]], "says": "should be"},
    "one guard for both tiles": {
        "edits": [["if left + y < n and top + tx < n", "if top + y < n and left + tx < n"]],
        "says": "out of bounds",
    },
    "nobody waits": {"edits": [["    cuda.syncthreads()\n", ""]], "says": "comes first"},
}

CASES = [1, 31, 33, 40]
PAR = ["sectors", "conflicts"]


def test(symmetric, n):
    """Blocks of 32 x 4 threads, one for each tile of 32 x 32.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [4, 3]], dtype=np.float32))
    >>> out = cuda.device_array((2, 2), dtype=np.float32)
    >>> symmetric[(1, 1), (32, 4)](a, out)
    >>> out.copy_to_host()
    array([[1., 3.],
           [3., 3.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(n * n) * 7 % 23).astype(np.float32).reshape(n, n)
    out = cuda.to_device(np.full((n, n), np.nan, dtype=np.float32))
    blocks = -(-n // 32)
    symmetric[(blocks, blocks), (32, 4)](cuda.to_device(a), out)
    rows = a.tolist()
    want = [[(rows[y][x] + rows[x][y]) / 2 for x in range(n)] for y in range(n)]
    yield "out", out, np.array(want, dtype=np.float32)
