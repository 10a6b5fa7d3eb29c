"""Pack a halo of columns

Cut a plate into slabs of *columns*, and its halo is a piece of each row. MPI sends it best from one
buffer, so a kernel packs it first. Write `pack_halo`: the `wide` columns of `u` from column `left`
on, row after row, come into `out`. One thread for each element of `out`, in blocks of 64. **Par**
counts the sectors of global memory that the warps touch, for reading and for writing.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def pack_halo(u, left, wide, out):
    """Copy ``u[:, left : left + wide]`` to ``out``, both float32, ``out`` of one dimension."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = u[i // wide, left + i % wide]


# --8<-- [end:solution]


HINTS = [
    "Neighboring threads should write neighboring elements of `out`, and read neighbors in a row "
    "of `u`.",
    "Element `i` of `out` is column `i % wide` of the piece in row `i // wide`.",
]

WRONG = {
    "a thread for each row": {
        "edits": [
            [
                "    if i < out.size:\n        out[i] = u[i // wide, left + i % wide]\n",
                "    if i < u.shape[0]:\n        for k in range(wide):\n"
                "            out[i * wide + k] = u[i, left + k]\n",
            ]
        ],
        "says": "above par",
    },
    "column after column": {
        "edits": [
            ["u[i // wide, left + i % wide]", "u[i % u.shape[0], left + i // u.shape[0]]"],
        ],
        "says": "should be",
    },
    "from the first column on": {
        "edits": [["left + i % wide", "i % wide"]],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < out.size:", "if i >= 0:"]], "says": "out of bounds"},
}

CASES = [(1, 1, 0, 1), (3, 5, 4, 1), (70, 9, 6, 3), (100, 40, 24, 8)]
PAR = ["sectors"]


def test(pack_halo, rows, columns, left, wide):
    """Blocks of 64 threads over the elements of the buffer.

    --8<-- [start:example]
    >>> u = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
    >>> out = cuda.device_array(6, dtype=np.float32)
    >>> pack_halo[1, 64](u, 2, 2, out)
    >>> out.copy_to_host()
    array([ 2.,  3.,  6.,  7., 10., 11.], dtype=float32)

    --8<-- [end:example]
    """
    u = (np.arange(rows * columns) * 7 % 31).astype(np.float32).reshape(rows, columns)
    out = cuda.to_device(np.full(rows * wide, np.nan, dtype=np.float32))
    pack_halo[-(-rows * wide // 64), 64](cuda.to_device(u), left, wide, out)
    want = [u[row, left + k] for row in range(rows) for k in range(wide)]
    yield "out", out, np.array(want, dtype=np.float32)
