"""Fewer operations for the same bytes

Evaluate a polynomial at each of n points: `c[0] + c[1] x + c[2] x^2 + ...`. The kernel that you
start from multiplies each power out again. The bytes are the same whatever you do; the operations
are not. **Par** counts the operations of all threads: Horner's rule, `((... + c[2]) x +
c[1]) x + c[0]`, needs one multiplication and one addition a coefficient.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def polynomial(x, c, out):
    """Evaluate the polynomial with coefficients ``c`` (float32) at each of n points ``x``."""
    i = cuda.grid(1)
    if i < x.size:
        point = x[i]
        value = np.float32(0)
        for k in range(c.size - 1, -1, -1):
            value = value * point + c[k]
        out[i] = value


# --8<-- [end:solution]


START = [
    [
        "        for k in range(c.size - 1, -1, -1):\n            value = value * point + c[k]\n",
        "        for k in range(c.size):\n            power = np.float32(1)\n"
        "            for _ in range(k):\n                power *= point\n"
        "            value += c[k] * power\n",
    ]
]
HINTS = [
    "With three coefficients: `c0 + x (c1 + x c2)`. Begin inside the brackets, with the last "
    "coefficient.",
    "Go through the coefficients from the last to the first: `value = value * point + c[k]`.",
]

WRONG = {
    "each power multiplied out": {"edits": "START", "says": "above par"},
    "the powers are kept, and the order": {
        "edits": [
            [
                "        for k in range(c.size - 1, -1, -1):\n            value = value * point "
                "+ c[k]\n",
                "        power = np.float32(1)\n        for k in range(c.size):\n"
                "            value += c[k] * power\n            power *= point\n",
            ]
        ],
        "says": "above par",
    },
    "the coefficients the wrong way round": {
        "edits": [["range(c.size - 1, -1, -1)", "range(c.size)"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (33, 3), (70, 6)]
PAR = ["operations"]


def test(polynomial, n, coefficients):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([0, 1, 2], dtype=np.float32))
    >>> c = cuda.to_device(np.array([1, 2, 3], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> polynomial[1, 8](x, c, out)
    >>> out.copy_to_host()
    array([ 1.,  6., 17.], dtype=float32)

    --8<-- [end:example]
    """
    x = np.linspace(-1, 1, n).astype(np.float32)
    c = np.arange(1, coefficients + 1).astype(np.float32)
    want = sum(c[k] * x**k for k in range(coefficients))
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    polynomial[-(-n // 64), 64](cuda.to_device(x), cuda.to_device(c), out)
    yield "out", out, want, 1e-4
