"""Softmax in two passes

A network gives each picture a score for each class; softmax turns a row of scores into shares that
add up to 1. One warp a row. The kernel that you start from is right and reads each row three times:
for the largest score, for the sum of `exp(score - largest)`, for the result. Find largest and sum
in one pass: when a larger score comes, scale the sum that you have. **Par** counts sectors.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def certainty(scores, out):
    """Write the softmax of each row, rows x columns float32, one warp a row."""
    row = cuda.blockIdx.x
    lane = cuda.threadIdx.x
    columns = scores.shape[1]
    top = np.float32(-np.inf)
    total = np.float32(0)
    for column in range(lane, columns, 32):
        score = scores[row, column]
        if score > top:
            total *= math.exp(top - score)  # what was added so far, seen from the new top
            top = score
        total += math.exp(score - top)
    delta = 16
    while delta > 0:
        other_top = cuda.shfl_xor_sync(0xFFFFFFFF, top, delta)
        other_total = cuda.shfl_xor_sync(0xFFFFFFFF, total, delta)
        if other_top > top:
            total = total * math.exp(top - other_top) + other_total
            top = other_top
        elif other_total > 0:
            total += other_total * math.exp(other_top - top)
        delta //= 2
    for column in range(lane, columns, 32):
        out[row, column] = math.exp(scores[row, column] - top) / total


# --8<-- [end:solution]


START = [
    [
        "    total = np.float32(0)\n    for column in range(lane, columns, 32):\n"
        "        score = scores[row, column]\n        if score > top:\n            total *= "
        "math.exp(top - score)  # what was added so far, seen from the new top\n"
        "            top = score\n        total += math.exp(score - top)\n    delta = 16\n"
        "    while delta > 0:\n        other_top = cuda.shfl_xor_sync(0xFFFFFFFF, top, delta)\n"
        "        other_total = cuda.shfl_xor_sync(0xFFFFFFFF, total, delta)\n"
        "        if other_top > top:\n"
        "            total = total * math.exp(top - other_top) + other_total\n"
        "            top = other_top\n        elif other_total > 0:\n"
        "            total += other_total * math.exp(other_top - top)\n        delta //= 2\n",
        "    for column in range(lane, columns, 32):\n"
        "        top = max(top, scores[row, column])\n    delta = 16\n    while delta > 0:\n"
        "        top = max(top, cuda.shfl_xor_sync(0xFFFFFFFF, top, delta))\n"
        "        delta //= 2\n    total = np.float32(0)\n"
        "    for column in range(lane, columns, 32):\n"
        "        total += math.exp(scores[row, column] - top)\n    delta = 16\n"
        "    while delta > 0:\n        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, delta)\n"
        "        delta //= 2\n",
    ],
]
HINTS = [
    "Keep a top and a total for each lane. A new top s makes every term smaller by `exp(top - "
    "s)`: multiply the total once.",
    "Two lanes join in the same way: the one with the smaller top scales its total. A lane "
    "without a score has a top of minus infinity and a total of 0: take care that it does not "
    "compute infinity minus infinity.",
]

WRONG = {
    "three passes": {
        "edits": "START",
        "says": "above par",
    },
    "the old sum is not scaled": {
        "edits": [
            [
                "            total *= math.exp(top - score)  # what was added so far, seen from "
                "the new top\n",
                "",
            ],
        ],
        "says": "should be",
    },
    "no largest score": {
        "edits": [
            [
                "        if score > top:\n            total *= math.exp(top - score)  # what was "
                "added so far, seen from the new top\n            top = score\n"
                "        total += math.exp(score - top)\n",
                "        top = np.float32(0)\n        total += math.exp(score)\n",
            ],
        ],
        "says": "should be",
    },
}

CASES = [(1, 1), (2, 5), (2, 33), (3, 100)]
PAR = ["sectors"]


def test(certainty, rows, columns):
    """A block of one warp for each row; scores up to 1000.

    --8<-- [start:example]
    >>> scores = cuda.to_device(np.array([[0, 0, 0, 0], [1000, 0, 0, 1000]], dtype=np.float32))
    >>> out = cuda.device_array_like(scores)
    >>> certainty[2, 32](scores, out)
    >>> out.copy_to_host()
    array([[0.25, 0.25, 0.25, 0.25],
           [0.5 , 0.  , 0.  , 0.5 ]], dtype=float32)

    --8<-- [end:example]
    """
    scores = ((np.arange(rows * columns, dtype=np.float32) * 37) % 1001).reshape(rows, columns)
    scores = scores / 2 + 500
    want = []
    for line in scores.tolist():
        shares = [math.exp(s - max(line)) for s in line]
        want.append([s / sum(shares) for s in shares])
    out = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    certainty[rows, 32](cuda.to_device(scores), out)
    yield "out", out, np.array(want, dtype=np.float32), 1e-4
