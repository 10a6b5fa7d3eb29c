"""Back to int8

An int8 convolution adds its products in int32. The next layer wants int8 again: multiply a sum by
`factor`, round to the nearest integer (halves up), and clip to −127 to 127, so that the largest
sums do not wrap around. A thread has a sum.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def requantize(sums, factor, out):
    """Write each sum times the factor as an 8-bit integer."""
    i = cuda.grid(1)
    if i < out.size:
        q = math.floor(sums[i] * factor + np.float32(0.5))
        out[i] = min(max(q, -127), 127)


# --8<-- [end:solution]

HINTS = [
    "`math.floor(x + 0.5)` is the nearest integer, with halves going up.",
    "Clip before you write: what does not fit into 8 bits loses its upper bits.",
]

WRONG = {
    "nobody clips": {"edits": [["min(max(q, -127), 127)", "q"]], "says": "should be"},
    "rounded toward minus infinity": {
        "edits": [[" + np.float32(0.5)", ""]],
        "says": "should be",
    },
    "only the top is clipped": {
        "edits": [["min(max(q, -127), 127)", "min(q, 127)"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 64, 130]


def test(requantize, n):
    """Sums on both sides of what fits.

    --8<-- [start:example]
    >>> sums = cuda.to_device(np.array([100, -101, 5000, -5000, 6], dtype=np.int32))
    >>> out = cuda.device_array(5, dtype=np.int8)
    >>> requantize[1, 8](sums, np.float32(0.25), out)
    >>> out.copy_to_host()
    array([  25,  -25,  127, -127,    2], dtype=int8)

    --8<-- [end:example]
    """
    sums = np.random.default_rng(n).integers(-2000, 2000, n).astype(np.int32)
    sums[0] = 1999
    if n > 2:
        sums[1], sums[2] = -1999, 7
    out = cuda.to_device(np.full(n, -128, dtype=np.int8))
    requantize[-(-n // 32), 32](cuda.to_device(sums), np.float32(0.125), out)
    expected = np.zeros(n, dtype=np.int8)
    for i in range(n):
        expected[i] = min(max(math.floor(int(sums[i]) / 8 + 0.5), -127), 127)
    yield "out", out, expected
