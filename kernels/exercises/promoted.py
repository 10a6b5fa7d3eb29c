"""Promote the sum

float32 has 24 bits, and what happens to 14 bits at 4,096 happens to it at 2^24: add a 1, and
nothing changes. The kernel that you start from adds all products of a row into one sum, and the
first product is 2^24. Promote: sum 128 products into a short sum that begins at 0, add that to the
long one, and begin anew.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def promoted(a, b, out):
    """Write the dot product of each row of ``a`` with that of ``b``, rows x k float32."""
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = np.float32(0)
        for first in range(0, a.shape[1], 128):
            part = np.float32(0)
            for k in range(first, min(first + 128, a.shape[1])):
                part += a[row, k] * b[row, k]
            total += part
        out[row] = total


# --8<-- [end:solution]

START = [
    [
        "        for first in range(0, a.shape[1], 128):\n            part = np.float32(0)\n"
        "            for k in range(first, min(first + 128, a.shape[1])):\n"
        "                part += a[row, k] * b[row, k]\n            total += part\n",
        "        for k in range(a.shape[1]):\n            total += a[row, k] * b[row, k]\n",
    ]
]
HINTS = [
    "Two loops: one over the beginnings of the groups, one over the 128 products of a group. k "
    "need not be a multiple of 128.",
    "`part` begins at 0 in each group, and is added to `total` once, when the group is done.",
]

WRONG = {
    "one long sum": {"edits": "START", "says": "should be"},
    "the last group is taken to be full": {
        "edits": [["min(first + 128, a.shape[1])", "first + 128"]],
        "says": "out of bounds",
    },
    "the short sum is not begun anew": {
        "edits": [
            ["            part = np.float32(0)\n", ""],
            ["        total = np.float32(0)\n", "        total = part = np.float32(0)\n"],
        ],
        "says": "should be",
    },
}

CASES = [(1, 300), (3, 129), (33, 700)]


def test(promoted, rows, k):
    """Blocks of 32 threads, one for each row.

    --8<-- [start:example]
    >>> a = np.ones((1, 384), dtype=np.float32)
    >>> a[0, 0] = 4096
    >>> out = cuda.device_array(1, dtype=np.float32)
    >>> promoted[1, 32](cuda.to_device(a), cuda.to_device(a), out)
    >>> int(out.copy_to_host()[0]) - 2**24  # of 383; the first group has lost its 127
    256

    --8<-- [end:example]
    """
    a = np.ones((rows, k), dtype=np.float32)
    a[:, 0] = 4096
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    promoted[-(-rows // 32), 32](cuda.to_device(a), cuda.to_device(a), out)
    # The first group rounds 2^24 + 1 down, again and again; an odd sum rounds to an even one.
    late = k - 128
    want = np.float32(2**24) + np.float32(late)
    yield "out", out, np.full(rows, want, dtype=np.float32), 1e-8
