"""Guard what you write

A sensor reports three times a minute, and one reading a minute is enough. Write `every_third`:
`out[i]` becomes reading 3i. `out` has a place for every three readings, rounded up, and the launch
has enough threads for `out`.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def every_third(readings, out):
    """Write readings[0], readings[3], readings[6], ... to ``out``."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = readings[3 * i]


# --8<-- [end:solution]


HINTS = [
    "A thread for each element that is written, not for each that is read.",
    "Two lengths, one guard. Which length does the thread's number count to?",
]

WRONG = {
    "guarded by the readings": {
        "edits": [["i < out.size", "i < readings.size"]],
        "says": "out of bounds",
    },
    "a thread for each reading": {
        "edits": [
            [
                "    if i < out.size:\n        out[i] = readings[3 * i]\n",
                "    if i < readings.size and i % 3 == 0:\n        out[i // 3] = readings[i]\n",
            ],
        ],
        "says": "No thread wrote it",
    },
    "no guard": {
        "edits": [["    if i < out.size:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
}

CASES = [1, 3, 4, 95, 96, 97, 200]


def test(every_third, n):
    """As many blocks of 32 threads as ``out`` needs.

    --8<-- [start:example]
    >>> readings = cuda.to_device(np.arange(10, 80, 10, dtype=np.float32))
    >>> out = cuda.device_array(3, dtype=np.float32)
    >>> every_third[1, 32](readings, out)
    >>> out.copy_to_host()
    array([10., 40., 70.], dtype=float32)

    --8<-- [end:example]
    """
    readings = np.arange(n, dtype=np.float32) * 2 + 1
    size = -(-n // 3)
    out = cuda.to_device(np.full(size, np.nan, dtype=np.float32))
    every_third[-(-size // 32), 32](cuda.to_device(readings), out)
    yield "out", out, readings[::3]
