"""Unpack four bits

A layer's weights lie in memory as bytes of two 4-bit numbers, the first in the low half. Write each
weight as float32: its number minus 8, times the scale of its group. A group has `group` weights,
and a thread has a byte. The number of weights may be odd: then the last byte's high half is unused.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def unpack(pairs, scales, group, out):
    """Write the weights that the bytes and the scales stand for."""
    i = cuda.grid(1)
    first = 2 * i
    if first < out.size:
        out[first] = (np.float32(pairs[i] & 15) - np.float32(8)) * scales[first // group]
    if first + 1 < out.size:
        out[first + 1] = (np.float32(pairs[i] >> 4) - np.float32(8)) * scales[(first + 1) // group]


# --8<-- [end:solution]

HINTS = [
    "`byte & 15` is the low half, `byte >> 4` the high one.",
    "Weight `j` belongs to group `j // group`. Guard both: the last byte may hold one.",
]

WRONG = {
    "the high half keeps its place": {
        "edits": [["pairs[i] >> 4", "pairs[i] & 240"]],
        "says": "should be",
    },
    "the scale of the byte's index": {
        "edits": [["scales[first // group]", "scales[i // group]"]],
        "says": "should be",
    },
    "one guard for both": {
        "edits": [["    if first + 1 < out.size:\n        out", "        out"]],
        "says": "out of bounds",
    },
}

CASES = [1, 31, 33, 64, 131]


def test(unpack, n):
    """Groups of 16.

    --8<-- [start:example]
    >>> pairs = cuda.to_device(np.array([0x80, 0xF7, 0x0A], dtype=np.uint8))
    >>> scales = cuda.to_device(np.array([1, 0.5], dtype=np.float32))
    >>> out = cuda.device_array(5, dtype=np.float32)
    >>> unpack[1, 4](pairs, scales, 4, out)
    >>> out.copy_to_host()
    array([-8.,  0., -1.,  7.,  1.], dtype=float32)

    --8<-- [end:example]
    """
    random = np.random.default_rng(n)
    q = random.integers(0, 16, n + n % 2).astype(np.uint8)
    scales = random.integers(1, 9, -(-n // 16)).astype(np.float32) / np.float32(8)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    pairs = cuda.to_device(q[0::2] | q[1::2] << 4)
    unpack[-(-n // 64), 32](pairs, cuda.to_device(scales), 16, out)
    expected = (q[:n].astype(np.float32) - 8) * scales[np.arange(n) // 16]
    yield "out", out, expected
