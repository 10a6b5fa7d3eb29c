"""One pass instead of two

A layer of a network computes `max(x * scale + shift, 0)`. The kernel that you start from is right,
and does it in two passes over memory: it writes the first result to `out`, reads it back and writes
again. Keep the value where it costs nothing. **Par** counts requests to global memory.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def scale_and_clip(x, scale, shift, out):
    """Write max(x * scale + shift, 0) for n float32."""
    i = cuda.grid(1)
    if i < x.size:
        value = x[i] * scale + shift  # in a register: it never leaves the thread
        out[i] = max(value, np.float32(0))


# --8<-- [end:solution]


START = [
    [
        "        value = x[i] * scale + shift  # in a register: it never leaves the thread\n"
        "        out[i] = max(value, np.float32(0))\n",
        "        out[i] = x[i] * scale + shift\n        if out[i] < 0:\n            out[i] = 0\n",
    ]
]
HINTS = [
    "Count the brackets: each `out[i]` is a trip to memory. Which of the trips does the result "
    "need?",
    "A local variable lives in a register. Load once, compute, store once.",
]

WRONG = {
    "two passes": {"edits": "START", "says": "above par"},
    "the clip comes first": {
        "edits": [
            ["x[i] * scale + shift", "max(x[i], np.float32(0)) * scale + shift"],
            ["max(value, np.float32(0))", "value"],
        ],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 129, 200]
PAR = ["requests"]


def test(scale_and_clip, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([-2, -1, 0, 1, 2], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> scale_and_clip[1, 8](x, np.float32(2), np.float32(1), out)
    >>> out.copy_to_host()
    array([0., 0., 1., 3., 5.], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(n, dtype=np.float32) - np.float32(n / 2)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    scale_and_clip[-(-n // 64), 64](cuda.to_device(x), np.float32(2), np.float32(0.5), out)
    yield "out", out, np.maximum(x * np.float32(2) + np.float32(0.5), np.float32(0))
