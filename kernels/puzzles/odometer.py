"""Running totals

Kilometers of each day of a trip, at most 64 days; `out` holds how far you had come after each. One
block of 64 threads: in step s, every thread adds the value s places to its left, with s = 1, 2, 4,
... 32. Six steps in place of 63. Mind who reads while who writes.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def odometer(days, out):
    """Write the inclusive prefix sum of n <= 64 int32, with one block of 64."""
    sums = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    sums[t] = days[t] if t < days.size else 0
    step = 1
    while step < 64:
        cuda.syncthreads()
        left = sums[t - step] if t >= step else 0
        cuda.syncthreads()  # everybody has read, now everybody writes
        sums[t] += left
        step *= 2
    if t < days.size:
        out[t] = sums[t]


# --8<-- [end:solution]


HINTS = [
    "Each step doubles how many days a place stands for. Threads with nothing s places to their "
    "left add 0.",
    "Read, wait, write, wait: two barriers in the loop. With one of them, a thread reads what "
    "its neighbor has already changed.",
]

WRONG = {
    "one barrier": {
        "edits": [["        cuda.syncthreads()  # everybody has read, now everybody writes\n", ""]],
        "says": "comes first",
    },
    "without today": {
        "edits": [["out[t] = sums[t]", "out[t] = sums[t] - days[t]"]],
        "says": "should be",
    },
    "a step too few": {
        "edits": [["while step < 64:", "while step < 32:"]],
        "says": "should be",
    },
}

CASES = [1, 2, 31, 33, 64]


def test(odometer, n):
    """One block of 64 threads.

    --8<-- [start:example]
    >>> days = cuda.to_device(np.array([120, 80, 0, 200], dtype=np.int32))
    >>> out = cuda.device_array_like(days)
    >>> odometer[1, 64](days, out)
    >>> out.copy_to_host()
    array([120, 200, 200, 400], dtype=int32)

    --8<-- [end:example]
    """
    days = (np.arange(n, dtype=np.int32) * 17) % 50
    want, total = [], 0
    for d in days.tolist():
        total += d
        want.append(total)
    out = cuda.to_device(np.full(n, -1, dtype=np.int32))
    odometer[1, 64](cuda.to_device(days), out)
    yield "out", out, np.array(want, dtype=np.int32)
