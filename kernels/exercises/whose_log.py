"""Whose log do you need?

A job hangs. `waits[r]` is the rank that rank r waits for, or -1 for a rank that waits for nobody,
because it has died. Write `whose_log`: each rank follows the chain to its end and writes down the
dead rank that it finds there. A chain that leads into a circle has no end: then the answer is -1,
and your kernel has to come to it.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def whose_log(waits, culprit):
    """Write to ``culprit`` the rank at the end of each rank's chain, -1 for a circle; int32."""
    r = cuda.grid(1)
    if r < waits.size:
        last = r
        found = -1
        for _ in range(waits.size):
            if waits[last] < 0:
                found = last
                break
            last = waits[last]
        culprit[r] = found


# --8<-- [end:solution]

HINTS = [
    "Go from `last` to `waits[last]` until a rank waits for nobody. How many steps can that take "
    "at most, with so many ranks?",
    "A chain that has not ended after as many steps as there are ranks has met a rank twice: it "
    "is a circle.",
]

WRONG = {
    "the neighbor is blamed": {
        "edits": [["range(waits.size)", "range(2)"]],
        "says": "should be",
    },
    "the last one met, even in a circle": {
        "edits": [["        culprit[r] = found\n", "        culprit[r] = last\n"]],
        "says": "should be",
    },
    "one step too few": {
        "edits": [["range(waits.size)", "range(waits.size - 1)"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 70]


def test(whose_log, ranks):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> waits = cuda.to_device(np.array([1, 2, -1, 4, 3], dtype=np.int32))
    >>> culprit = cuda.device_array(5, dtype=np.int32)
    >>> whose_log[1, 32](waits, culprit)  # rank 2 is dead; 3 and 4 wait for each other
    >>> culprit.copy_to_host()
    array([ 2,  2,  2, -1, -1], dtype=int32)

    --8<-- [end:example]
    """
    waits = [(r * 7 + 3) % ranks for r in range(ranks)]
    waits[ranks // 2] = -1
    if ranks > 20:
        waits[5], waits[9] = 9, 5
        waits[2] = -1
    want = []
    for last in range(ranks):
        for _ in range(ranks):
            last = waits[last] if waits[last] >= 0 else last
        want.append(last if waits[last] < 0 else -1)
    culprit = cuda.to_device(np.full(ranks, -9, dtype=np.int32))
    whose_log[-(-ranks // 32), 32](cuda.to_device(np.array(waits, dtype=np.int32)), culprit)
    yield "culprit", culprit, np.array(want, dtype=np.int32)
