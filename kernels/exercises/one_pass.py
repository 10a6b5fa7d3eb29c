"""Normalize, add, and cut off, in one pass

After a convolution a network often normalizes each channel, adds a shortcut and takes the positive
part: `out = max(x * factor[c] + offset[c] + shortcut, 0)`. Element `i` belongs to channel
`i // pixels`. The kernel that you start from is right, and it writes each step to memory and reads
it again. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def finish(x, factor, offset, shortcut, pixels, out):
    """Write max(x * factor + offset + shortcut, 0)."""
    i = cuda.grid(1)
    if i < out.size:
        c = i // pixels
        value = x[i] * factor[c] + offset[c]
        value += shortcut[i]
        out[i] = max(value, np.float32(0))


# --8<-- [end:solution]

START = [
    ["value = x[i] * factor[c] + offset[c]", "out[i] = x[i] * factor[c] + offset[c]"],
    ["value += shortcut[i]", "out[i] = out[i] + shortcut[i]"],
    ["max(value, np.float32(0))", "max(out[i], np.float32(0))"],
]
HINTS = [
    "How often does the start read and write `out[i]`? Once is needed.",
    "Keep what is between two steps in a local variable: it lives in a register.",
]

WRONG = {
    "each step goes through memory": {"edits": "START", "says": "above par"},
    "the channel of the pixel": {
        "edits": [["i // pixels", "i % factor.size"]],
        "says": "should be",
    },
    "the positive part before the shortcut": {
        "edits": [
            ["value += shortcut[i]", "value = max(value, np.float32(0))"],
            ["out[i] = max(value, np.float32(0))", "out[i] = value + shortcut[i]"],
        ],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 64, 200]
PAR = ["requests"]


def test(finish, n):
    """Channels of 16 pixels; the last may have fewer.

    --8<-- [start:example]
    >>> x, shortcut = np.array([1, 2, 3, 4], np.float32), np.array([0, 0, 5, 0], np.float32)
    >>> factor, offset = np.array([2, -1], np.float32), np.array([1, 0], np.float32)
    >>> out = cuda.device_array(4, dtype=np.float32)
    >>> arrays = [cuda.to_device(a) for a in (x, factor, offset, shortcut)]
    >>> finish[1, 4](*arrays, 2, out)
    >>> out.copy_to_host()
    array([3., 5., 2., 0.], dtype=float32)

    --8<-- [end:example]
    """
    random = np.random.default_rng(n)
    channels = -(-n // 16)
    x = random.integers(-20, 20, n).astype(np.float32)
    shortcut = random.integers(-20, 20, n).astype(np.float32)
    factor = random.integers(-4, 5, channels).astype(np.float32)
    offset = random.integers(-9, 9, channels).astype(np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    arrays = [cuda.to_device(a) for a in (x, factor, offset, shortcut)]
    finish[-(-n // 32), 32](*arrays, 16, out)
    expected = np.zeros(n, dtype=np.float32)
    for i in range(n):
        value = float(x[i]) * float(factor[i // 16]) + float(offset[i // 16]) + float(shortcut[i])
        expected[i] = max(value, 0)
    yield "out", out, expected
