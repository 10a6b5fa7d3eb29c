"""Round to TF32

A tensor core reads the first 19 bits of a float32 number and ignores the last 13. Round to the
nearest TF32 number before, halves away from zero: `rounded` gets the bits of the result, with the
last 13 zero. Numbers come as their bits, in uint32; none of them is infinite or NaN.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def round_tf32(bits, rounded):
    """Round the float32 numbers whose bits are in ``bits``, uint32, to TF32."""
    i = cuda.grid(1)
    if i < bits.size:
        up = np.uint32(bits[i] + np.uint32(0x1000))
        rounded[i] = up & np.uint32(0xFFFFE000)


# --8<-- [end:solution]


HINTS = [
    "The 13 bits that go are worth at least half of the last bit that stays when they are 0x1000 "
    "or more. The sign has a bit of its own, so nothing changes for negative numbers.",
    "Add 0x1000 to the bits, then clear the last 13. A carry runs through the fraction into the "
    "exponent, and that is the right answer, too.",
]

WRONG = {
    "cut off": {
        "edits": [["bits[i] + np.uint32(0x1000)", "bits[i]"]],
        "says": "should be",
    },
    "a bit too far": {
        "edits": [["0x1000", "0x2000"]],
        "says": "should be",
    },
    "the last bits stay": {
        "edits": [["up & np.uint32(0xFFFFE000)", "up"]],
        "says": "should be",
    },
}

CASES = [1, 31, 64, 65]


def test(round_tf32, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> x = np.array([1 / 3, -1 / 3, 1 + 2**-11], dtype=np.float32)
    >>> rounded = cuda.device_array(3, dtype=np.uint32)
    >>> round_tf32[1, 32](cuda.to_device(x.view(np.uint32)), rounded)
    >>> rounded.copy_to_host().view(np.float32)
    array([ 0.33325195, -0.33325195,  1.0009766 ], dtype=float32)

    --8<-- [end:example]
    """
    drawn = np.random.default_rng(n).integers(0, 2**23, n).tolist()
    bits = [i % 2 << 31 | (120 + i % 9) << 23 | fraction for i, fraction in enumerate(drawn)]
    bits[0] = 0x3F801000  # half way: 1 + 2**-11
    for i in range(1, n, 3):
        bits[i] &= 0xFFFFE000  # numbers of ten bits stay as they are
    want = [(number + 0x1000) & 0xFFFFE000 for number in bits]
    rounded = cuda.to_device(np.full(n, 0xFFFFFFFF, dtype=np.uint32))
    round_tf32[-(-n // 32), 32](cuda.to_device(np.array(bits, dtype=np.uint32)), rounded)
    yield "rounded", rounded, np.array(want, dtype=np.uint32)
