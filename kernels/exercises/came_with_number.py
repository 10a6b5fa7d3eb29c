"""A value and its number in one word

A box in your memory holds a 64-bit word for each value that another rank sends: the number of the
call in the upper 32 bits, the value, a whole number here, in the lower 32. Write `unpack`: where
the word bears the number of *this* `call`, store the value. Where it doesn't, the value has not
come yet: store -1. Values are 0 to 4,294,967,295, so none of them is -1.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def unpack(box, call, out):
    """Store the value of each word of this call in ``out`` (int64), and -1 where there is none."""
    i = cuda.grid(1)
    if i < out.size:
        word = box[i]
        if word >> 32 == call:
            out[i] = word & 0xFFFFFFFF
        else:
            out[i] = -1


# --8<-- [end:solution]


HINTS = [
    "Read the word once. The upper half is `word >> 32`, the lower half `word & 0xFFFFFFFF`.",
    "Compare the upper half with `call`: an older call's word is still in the box, and so is its "
    "value.",
]

WRONG = {
    "any number will do": {
        "edits": [["word >> 32 == call", "word >> 32 > 0"]],
        "says": "should be -1",
    },
    "zero stands for nothing": {
        "edits": [["word >> 32 == call", "word & 0xFFFFFFFF > 0"]],
        "says": "should be 0",
    },
    "no guard": {"edits": [["if i < out.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 1001]


def test(unpack, n):
    """Threads in blocks of 32.

    --8<-- [start:example]
    >>> box = cuda.to_device(np.array([7 << 32 | 5, 6 << 32 | 4, 7 << 32 | 0]))
    >>> out = cuda.device_array(3, dtype=np.int64)
    >>> unpack[1, 32](box, 7, out)  # the second word is of the call before
    >>> out.copy_to_host()
    array([ 5, -1,  0])

    --8<-- [end:example]
    """
    values = np.arange(n, dtype=np.int64) * 3 % 4
    calls = 6 + np.arange(n, dtype=np.int64) % 3 % 2
    calls[0] = 7
    out = cuda.to_device(np.full(n, -9, dtype=np.int64))
    unpack[-(-n // 32), 32](cuda.to_device(calls << 32 | values), 7, out)
    yield "out", out, np.where(calls == 7, values, -1)
