"""The warmest hour

Find the highest temperature of each day by a tree: `readings` has 24 readings for each of `days`, a
block has one day, and its 32 threads halve what is left until one value remains. Write `warmest`;
it puts one number for each day into `out`. 24 is no power of two: what do the last eight threads
bring along?
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def warmest(readings, out):
    """Write the largest of each row of ``readings``, days x 24 float32, to ``out``."""
    best = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    day = cuda.blockIdx.x
    best[t] = readings[day, t] if t < 24 else -np.inf
    stride = 16
    while stride > 0:
        cuda.syncthreads()
        if t < stride:
            best[t] = max(best[t], best[t + stride])
        stride //= 2
    if t == 0:
        out[day] = best[0]


# --8<-- [end:solution]


HINTS = [
    "Put the day's readings into shared memory. The eight threads without a reading bring a "
    "value that can never win.",
    "Then, with a stride of 16, 8, 4, 2 and 1: wait for everyone, and let thread t below the "
    "stride keep the larger of its value and that of thread t + stride.",
]

WRONG = {
    "the last threads bring 0": {"edits": [["-np.inf", "np.float32(0)"]], "says": "should be"},
    "no barrier in the loop": {
        "edits": [["        cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "the barrier inside the `if`": {
        "edits": [
            [
                "        cuda.syncthreads()\n        if t < stride:\n",
                "        if t < stride:\n            cuda.syncthreads()\n",
            ]
        ],
        "says": "syncthreads",
    },
}

CASES = [1, 2, 5]


def test(warmest, days):
    """A block of 32 threads for each day; it freezes on all of them.

    --8<-- [start:example]
    >>> readings = np.sin(np.arange(48, dtype=np.float32)).reshape(2, 24) * 10 - 20
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> warmest[2, 32](cuda.to_device(readings), out)
    >>> bool(np.all(out.copy_to_host() == readings.max(axis=1)))
    True

    --8<-- [end:example]
    """
    readings = ((np.arange(days * 24, dtype=np.float32) * 7) % 24).reshape(days, 24) - 40
    out = cuda.to_device(np.full(days, np.nan, dtype=np.float32))
    warmest[days, 32](cuda.to_device(readings), out)
    yield "out", out, readings.max(axis=1)
