"""Whose element is it?

`mma.m16n8k8` leaves its 16 x 8 result in the registers of one warp, four elements a lane. Lane t
has the elements (t // 4, 2 (t % 4)) and its right neighbor, and the same two columns eight rows
further down. Write `fragment_owner`: each lane of one warp writes its own number to its four places
in `owner`, and the number of the register, 0 to 3, to the same places in `register`: along the row
first.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def fragment_owner(owner, register):
    """Write to ``owner``, 16 x 8 int32, the lane that holds each element, and its register."""
    lane = cuda.threadIdx.x
    row = lane // 4
    column = 2 * (lane % 4)
    for i in range(4):
        r, c = row + 8 * (i // 2), column + i % 2
        owner[r, c] = lane
        register[r, c] = i


# --8<-- [end:solution]


HINTS = [
    "Four lanes share a row, and each has two neighbors of it: eight columns.",
    "Register i is eight rows further down for i of 2 and 3, and one column to the right for i "
    "of 1 and 3.",
]

WRONG = {
    "register 1 lies below, not beside": {
        "edits": [["8 * (i // 2), column + i % 2", "8 * (i % 2), column + i // 2"]],
        "says": "should be",
    },
    "eight lanes share a row": {
        "edits": [["lane // 4", "lane // 8"], ["2 * (lane % 4)", "lane % 8"]],
        "says": "bounds",
    },
}

CASES = [1]


def test(fragment_owner, blocks):
    """One warp.

    --8<-- [start:example]
    >>> owner = cuda.to_device(np.full((16, 8), -1, dtype=np.int32))
    >>> register = cuda.to_device(np.full((16, 8), -1, dtype=np.int32))
    >>> fragment_owner[1, 32](owner, register)
    >>> owner.copy_to_host()[[0, 1, 8]]
    array([[0, 0, 1, 1, 2, 2, 3, 3],
           [4, 4, 5, 5, 6, 6, 7, 7],
           [0, 0, 1, 1, 2, 2, 3, 3]], dtype=int32)

    --8<-- [end:example]
    """
    owner = cuda.to_device(np.full((16, 8), -1, dtype=np.int32))
    register = cuda.to_device(np.full((16, 8), -1, dtype=np.int32))
    fragment_owner[blocks, 32](owner, register)
    want = [[4 * (r % 8) + c // 2 for c in range(8)] for r in range(16)]
    yield "owner", owner, np.array(want, dtype=np.int32)
    want = [[2 * (r // 8) + c % 2 for c in range(8)] for r in range(16)]
    yield "register", register, np.array(want, dtype=np.int32)
