"""Is the answer right?

A time is worth nothing if the answer is wrong, so a harness compares before it times. Write
`count_wrong`: it adds to `wrong[0]` the number of elements of `got` that differ from `want` by more
than `tolerance`. A NaN in `got` is wrong, too; remember that every comparison with a NaN is false.
**Par** counts atomic updates: only wrong elements need one.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def count_wrong(got, want, tolerance, wrong):
    """Add to ``wrong`` (one int32) how many of n float32 are off, or NaN."""
    i = cuda.grid(1)
    if i < got.size and not abs(got[i] - want[i]) <= tolerance:
        cuda.atomic.add(wrong, 0, 1)


# --8<-- [end:solution]


HINTS = [
    "Ask whether an element is right, and negate that: `not (... <= tolerance)` is true for a NaN.",
    "Many threads may find a mistake at the same moment: `cuda.atomic.add(wrong, 0, 1)`.",
]

WRONG = {
    "a NaN passes": {
        "edits": [["not abs(got[i] - want[i]) <= tolerance", "abs(got[i] - want[i]) > tolerance"]],
        "says": "should be",
    },
    "updates get lost": {
        "edits": [["cuda.atomic.add(wrong, 0, 1)", "wrong[0] += 1"]],
        "says": "comes first",
    },
    "every thread updates": {
        "edits": [
            [
                "    if i < got.size and not abs(got[i] - want[i]) <= tolerance:\n"
                "        cuda.atomic.add(wrong, 0, 1)\n",
                "    if i < got.size:\n        off = not abs(got[i] - want[i]) <= tolerance\n"
                "        cuda.atomic.add(wrong, 0, 1 if off else 0)\n",
            ]
        ],
        "says": "above par",
    },
}

CASES = [1, 31, 33, 200]
PAR = ["atomics"]


def test(count_wrong, n):
    """Blocks of 64 threads; every seventh element is off, and one is NaN.

    --8<-- [start:example]
    >>> want = np.zeros(5, dtype=np.float32)
    >>> got = np.array([0, 0.5, np.nan, 1e-7, -3], dtype=np.float32)
    >>> wrong = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> count_wrong[1, 8](cuda.to_device(got), cuda.to_device(want), np.float32(1e-6), wrong)
    >>> int(wrong.copy_to_host()[0])
    3

    --8<-- [end:example]
    """
    want = np.arange(n, dtype=np.float32)
    got = want + np.float32(0.25) * (np.arange(n) % 7 == 3).astype(np.float32)
    got[n // 2] = np.nan
    expected = sum(k % 7 == 3 or k == n // 2 for k in range(n))
    wrong = cuda.to_device(np.zeros(1, dtype=np.int32))
    blocks = -(-n // 64)
    count_wrong[blocks, 64](cuda.to_device(got), cuda.to_device(want), np.float32(0.1), wrong)
    yield "wrong", wrong, np.array([expected], dtype=np.int32)
