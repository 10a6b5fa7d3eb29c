"""A filter with a stride

Networks shrink a signal by a convolution with a *stride*: `out[i]` is the filter laid on `x` from
place `i * stride - padding` on, each number under it times its weight, added up. Outside of `x` are
zeros. Write `strided`, one thread for each number of `out`; the blocks have 32 threads.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def strided(x, w, stride, padding, out):
    """Write the convolution of x by w, ``stride`` apart, to ``out``."""
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for r in range(w.size):
            place = i * stride + r - padding
            if 0 <= place < x.size:
                total += x[place] * w[r]
        out[i] = total


# --8<-- [end:solution]


HINTS = [
    "Thread i makes out[i]. Weight r lies over place i * stride + r - padding of x.",
    "A negative index counts from the end, in a kernel as in Python: no error, and a wrong value. "
    "Ask for both ends, `0 <= place < x.size`.",
]

WRONG = {
    "the stride is forgotten": {"edits": [["i * stride + r", "i + r"]], "says": "should be"},
    "only the upper end is guarded": {
        "edits": [["0 <= place < x.size", "place < x.size"]],
        "says": "negative index",
    },
    "the filter is turned around": {
        "edits": [["* w[r]", "* w[w.size - 1 - r]"]],
        "says": "should be",
    },
}

CASES = [(1, 3, 1, 1), (31, 3, 2, 1), (65, 5, 2, 2), (67, 4, 3, 0)]


def test(strided, length, taps, stride, padding):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> x = np.array([1, 2, 3, 4, 5], dtype=np.float32)
    >>> w = np.array([10, 1, 0], dtype=np.float32)
    >>> out = cuda.device_array(3, dtype=np.float32)
    >>> strided[1, 32](cuda.to_device(x), cuda.to_device(w), 2, 1, out)
    >>> out.copy_to_host()  # 10 * 0 + 1, 10 * 2 + 3, 10 * 4 + 5
    array([ 1., 23., 45.], dtype=float32)

    --8<-- [end:example]
    """
    x = ((np.arange(length) * 7) % 11 - 5).astype(np.float32)
    w = np.arange(1, taps + 1, dtype=np.float32)
    size = (length + 2 * padding - taps) // stride + 1
    right = np.zeros(size, dtype=np.float32)
    for i in range(size):
        for r in range(taps):
            if 0 <= i * stride + r - padding < length:
                right[i] += x[i * stride + r - padding] * w[r]
    out = cuda.to_device(np.full(size, np.nan, dtype=np.float32))
    strided[-(-size // 32), 32](cuda.to_device(x), cuda.to_device(w), stride, padding, out)
    yield "out", out, right
