"""A softmax in one pass

FlashAttention never sees a whole row of scores. It meets them block by block, and keeps a running
maximum `m`, a running sum of exp(score - m), and a running output. When a block brings a larger
maximum, what was summed before shrinks by exp(m_before - m). Write it for one query a thread:
scores and values arrive one by one, and each of them is read once.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def running_softmax(scores, values, out):
    """Write the mean of ``values``, weighted by the softmax of each row of ``scores``."""
    row = cuda.grid(1)
    if row < scores.shape[0]:
        m, denominator, total = -np.inf, np.float32(0), np.float32(0)
        for key in range(scores.shape[1]):
            s = scores[row, key]
            top = max(m, s)
            shrink = math.exp(m - top)
            weight = math.exp(s - top)
            denominator = denominator * shrink + weight
            total = total * shrink + weight * values[key]
            m = top
        out[row] = total / denominator


# --8<-- [end:solution]


HINTS = [
    "After each key, three things must hold: m is the largest score so far, denominator the sum of "
    "exp(score - m) over the keys so far, total the same sum with each value in it.",
    "top = max(m, s). Multiply denominator and total by exp(m - top), then add exp(s - top), times "
    "the value for total. At the first key m is -inf, and exp(-inf) is 0.",
]

WRONG = {
    "no maximum": {
        "edits": [["            top = max(m, s)\n", "            top = np.float32(0)\n"]],
        "says": "should be",
    },
    "the output is not shrunk": {
        "edits": [["total = total * shrink + weight", "total = total + weight"]],
        "says": "should be",
    },
    "the sum is not shrunk": {
        "edits": [["denominator * shrink + weight", "denominator + weight"]],
        "says": "should be",
    },
    "not divided": {"edits": [["total / denominator", "total"]], "says": "should be"},
}

CASES = [(1, 1), (3, 5), (33, 9)]


def test(running_softmax, rows, keys):
    """Blocks of 32 threads. Scores reach 150: exp of that is too large for a float32.

    --8<-- [start:example]
    >>> scores = cuda.to_device(np.array([[0, 0], [100, 0]], dtype=np.float32))
    >>> values = cuda.to_device(np.array([1, 3], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> running_softmax[1, 32](scores, values, out)
    >>> out.copy_to_host()
    array([2., 1.], dtype=float32)

    --8<-- [end:example]
    """
    places = np.arange(rows * keys, dtype=np.int32)
    scores = (140 + (places * 29) % 11).astype(np.float32).reshape(rows, keys)
    values = (np.arange(keys, dtype=np.int32) * 7 % 5 + 1).astype(np.float32)
    want = []
    for line in scores.tolist():
        weights = [math.exp(s - max(line)) for s in line]
        want.append(
            sum(w * v for w, v in zip(weights, values.tolist(), strict=True)) / sum(weights)
        )
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    running_softmax[-(-rows // 32), 32](cuda.to_device(scores), cuda.to_device(values), out)
    yield "out", out, np.array(want, dtype=np.float32)
