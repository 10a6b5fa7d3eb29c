"""Attention in one pass

A row of `scores` becomes weights by a softmax, and the weights mix the `values`, a number for each
key. The kernel that you start from is right and goes over its row three times: for the largest, for
the sum, for the mix. Go over it once. When a larger score comes, what has been added up so far is
rescaled, the sum and the mix alike. **Par** counts requests.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def attend(scores, values, out):
    """Write the weighted mean of ``values`` for each row of ``scores``, rows x keys float32."""
    row = cuda.grid(1)
    if row < scores.shape[0]:
        largest = np.float32(-1e30)
        total = mixed = np.float32(0)
        for key in range(scores.shape[1]):
            score = scores[row, key]
            higher = max(largest, score)
            keep = math.exp(largest - higher)
            weight = math.exp(score - higher)
            total = total * keep + weight
            mixed = mixed * keep + weight * values[key]
            largest = higher
        out[row] = mixed / total


# --8<-- [end:solution]

START = [
    [
        "            score = scores[row, key]\n            higher = max(largest, score)\n"
        "            keep = math.exp(largest - higher)\n"
        "            weight = math.exp(score - higher)\n"
        "            total = total * keep + weight\n"
        "            mixed = mixed * keep + weight * values[key]\n"
        "            largest = higher\n",
        "            largest = max(largest, scores[row, key])\n"
        "        for key in range(scores.shape[1]):\n"
        "            total += math.exp(scores[row, key] - largest)\n"
        "        for key in range(scores.shape[1]):\n"
        "            mixed += math.exp(scores[row, key] - largest) * values[key]\n",
    ]
]
HINTS = [
    "Keep the largest score so far, and the sum and the mix as if it were the largest of all.",
    "A new largest score `higher` makes all earlier weights too large by the same factor, "
    "`exp(largest - higher)`. Multiply both sums by it, then add.",
]

WRONG = {
    "three passes": {"edits": "START", "says": "above par"},
    "the mix is not rescaled": {
        "edits": [["mixed = mixed * keep + weight", "mixed = mixed + weight"]],
        "says": "should be",
    },
    "nothing is subtracted": {
        "edits": [
            ["math.exp(score - higher)", "math.exp(score)"],
            ["math.exp(largest - higher)", "np.float32(1)"],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if row < scores.shape[0]:", "if True:"]], "says": "out of bounds"},
}

CASES = [(1, 1), (3, 7), (33, 20)]
PAR = ["requests"]


def test(attend, rows, keys):
    """Blocks of 32 threads, one for each row.

    --8<-- [start:example]
    >>> scores = cuda.to_device(np.array([[0, 0], [900, 0]], dtype=np.float32))
    >>> values = cuda.to_device(np.array([2, 4], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> attend[1, 32](scores, values, out)
    >>> out.copy_to_host()  # two keys alike, and one that takes all
    array([3., 2.], dtype=float32)

    --8<-- [end:example]
    """
    scores = (np.arange(rows * keys) * 7 % 13 * 20).astype(np.float32).reshape(rows, keys) / 16
    scores[0, 0] = 500  # exp(500) is no float32
    values = (np.arange(keys) % 5 + 1).astype(np.float32)
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    attend[-(-rows // 32), 32](cuda.to_device(scores), cuda.to_device(values), out)
    want = []
    for row in scores.tolist():
        weights = [math.exp(score - max(row)) for score in row]
        mixed = sum(w * v for w, v in zip(weights, values.tolist(), strict=True))
        want.append(mixed / sum(weights))
    yield "out", out, np.array(want, dtype=np.float32)
