"""What cache_write writes

The kernel that you start from is the loop nest as TVM defines it: the sum lives in `c`, and each
round reads it back and writes it again. Nothing but `__restrict__` lets a compiler keep it in a
register. Do what `cache_write(block, 0, "local")` does: give the sum a place of its own, and write
it once. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def product(a, b, c):
    """Write a @ b to ``c``: m x k times k x n float32."""
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for r in range(a.shape[1]):
            total += a[i, r] * b[r, j]
        c[i, j] = total


# --8<-- [end:solution]

START = [
    ["        total = np.float32(0)\n", "        c[i, j] = np.float32(0)\n"],
    [
        "            total += a[i, r] * b[r, j]\n        c[i, j] = total\n",
        "            c[i, j] += a[i, r] * b[r, j]\n",
    ],
]
HINTS = [
    "`c[i, j] += ...` is a load and a store, each round. How many of them does the result need?",
    "A local variable before the loop, and one store after it.",
]

WRONG = {
    "the sum lives in c": {"edits": "START", "says": "above par"},
    "c is loaded, too": {
        "edits": [["        total = np.float32(0)\n", "        total = c[i, j]\n"]],
        "says": "should be",
    },
    "written in each round": {
        "edits": [["        c[i, j] = total\n", "            c[i, j] = total\n"]],
        "says": "above par",
    },
    "rows and columns change places": {
        "edits": [["j, i = cuda.grid(2)", "i, j = cuda.grid(2)"]],
        "says": "No thread wrote it",
    },
}

CASES = [(1, 1, 1), (5, 3, 33), (9, 8, 20)]
PAR = ["requests"]


def test(product, m, k, n):
    """Blocks of 32 x 2 threads, x along the columns.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> c = cuda.device_array((2, 2), dtype=np.float32)
    >>> product[(1, 1), (32, 2)](a, a, c)
    >>> c.copy_to_host()
    array([[ 7., 10.],
           [15., 22.]], dtype=float32)

    --8<-- [end:example]
    """
    a = (np.arange(m * k, dtype=np.float32) % 7).reshape(m, k)
    b = (np.arange(k * n, dtype=np.float32) % 5).reshape(k, n)
    c = cuda.to_device(np.full((m, n), np.nan, dtype=np.float32))
    product[(-(-n // 32), -(-m // 2)), (32, 2)](cuda.to_device(a), cuda.to_device(b), c)
    yield "c", c, a @ b
