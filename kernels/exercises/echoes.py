"""An echo for each channel

An echo, `out[i] = decay * out[i - 1] + x[i]`, needs the sample before it, so this loop has no two
iterations that could run at once. A concert has many tracks: `x` and `out` hold a row for each
moment and a column for each channel, and each channel has a thread. The kernel that you start from
is right, and fetches the last output from memory each time. **Par** counts the sectors of memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def echoes(decay, x, out):
    """``x`` and ``out``, moments x channels, float32; a thread for each channel."""
    channel = cuda.grid(1)
    if channel < x.shape[1]:
        last = np.float32(0)
        for i in range(x.shape[0]):
            last = decay * last + x[i, channel]
            out[i, channel] = last


# --8<-- [end:solution]


START = [
    ["        last = np.float32(0)\n", "        out[0, channel] = x[0, channel]\n"],
    ["range(x.shape[0])", "range(1, x.shape[0])"],
    [
        "            last = decay * last + x[i, channel]\n            out[i, channel] = last\n",
        "            out[i, channel] = decay * out[i - 1, channel] + x[i, channel]\n",
    ],
]
HINTS = [
    "The thread that needs the last output is the one that made it. Where can it keep one number?",
    "A local variable lives in a register: `last = decay * last + x[i, channel]`, then store it.",
]

WRONG = {
    "the last output is fetched again": {"edits": "START", "says": "above par"},
    "the last input instead": {
        "edits": [
            [
                "decay * last + x[i, channel]",
                "x[i, channel] + decay * (x[i - 1, channel] if i else 0)",
            ]
        ],
        "says": "out[",
    },
    "no guard": {
        "edits": [["    if channel < x.shape[1]:\n", "    if channel < x.shape[1] + 1:\n"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (5, 31), (3, 33), (6, 70)]
PAR = ["sectors"]


def test(echoes, moments, channels):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.eye(3, 2, dtype=np.float32))  # channel 1 has its sound one later
    >>> out = cuda.device_array((3, 2), dtype=np.float32)
    >>> echoes[1, 32](np.float32(0.5), x, out)
    >>> out.copy_to_host()
    array([[1.  , 0.  ],
           [0.5 , 1.  ],
           [0.25, 0.5 ]], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(moments * channels, dtype=np.float32).reshape(moments, channels)
    right = x.copy()
    for i in range(1, moments):
        right[i] += np.float32(0.5) * right[i - 1]
    out = cuda.to_device(np.full(x.shape, np.nan, dtype=np.float32))
    echoes[-(-channels // 32), 32](np.float32(0.5), cuda.to_device(x), out)
    yield "out", out, right
