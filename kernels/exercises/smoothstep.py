"""Be the optimizer

A smooth step from 0 to 1 between `low` and `high`: with t = (x - low) / (high - low), cut off at 0
and 1, it is t * t * (3 - 2 * t). The kernel that you start from is right, and writes t out each
time that it occurs. Do by hand what CSE does: give what is computed several times a name. **Par**
counts operations of all threads, and requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def smoothstep(x, low, high, out):
    """Write the smooth step of each x to ``out``; all float32."""
    i = cuda.grid(1)
    if i < x.size:
        t = min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))
        out[i] = t * t * (np.float32(3) - np.float32(2) * t)


# --8<-- [end:solution]

START = [
    [
        "        t = min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))\n"
        "        out[i] = t * t * (np.float32(3) - np.float32(2) * t)\n",
        "        out[i] = (\n"
        "            min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))\n"
        "            * min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))\n"
        "            * (\n"
        "                np.float32(3)\n"
        "                - np.float32(2)\n"
        "                * min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))\n"
        "            )\n"
        "        )\n",
    ]
]
HINTS = [
    "The same expression stands there three times, and none of its parts changes in between.",
    "One line for t, one for the result. In SSA's words: one definition, three uses.",
]

WRONG = {
    "written out": {"edits": "START", "says": "above par"},
    "not cut off below": {
        "edits": [
            ["max((x[i] - low) / (high - low), np.float32(0))", "(x[i] - low) / (high - low)"]
        ],
        "says": "should be",
    },
    "cut off after the polynomial": {
        "edits": [
            [
                "        t = min(max((x[i] - low) / (high - low), np.float32(0)), np.float32(1))\n",
                "        t = (x[i] - low) / (high - low)\n",
            ],
            [
                "t * t * (np.float32(3) - np.float32(2) * t)",
                "min(max(t * t * (np.float32(3) - np.float32(2) * t), np.float32(0)), "
                "np.float32(1))",
            ],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < x.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 70]
PAR = ["operations", "requests"]


def test(smoothstep, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([-1, 0, 2, 4, 9], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> smoothstep[1, 32](x, np.float32(0), np.float32(4), out)
    >>> out.copy_to_host()
    array([0. , 0. , 0.5, 1. , 1. ], dtype=float32)

    --8<-- [end:example]
    """
    x = np.array([i * 5 % 23 - 6 for i in range(n)], dtype=np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    smoothstep[-(-n // 32), 32](cuda.to_device(x), np.float32(-2), np.float32(6), out)
    steps = [min(max((value + 2) / 8, 0), 1) for value in x.tolist()]
    yield "out", out, np.array([t * t * (3 - 2 * t) for t in steps], dtype=np.float32)
