"""Merge two halves of an attention

Two blocks have attended to two halves of a sequence. For each row, half h has the largest of its
scores `tops[h, i]`, the sum of the powers `sums[h, i]` = Σ exp(score − top), and a mixture of the
values with those powers, not yet divided: `mixed[h, i]`. Write the attention of the whole sequence.
A half may be empty: its top is −1e30 and its sum and mixture are 0.
"""

import math

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def merge(tops, sums, mixed, out):
    """Write the attention of two halves, as if they had been one."""
    i = cuda.grid(1)
    if i < out.size:
        top = max(tops[0, i], tops[1, i])
        first, second = math.exp(tops[0, i] - top), math.exp(tops[1, i] - top)
        total = first * sums[0, i] + second * sums[1, i]
        out[i] = (first * mixed[0, i] + second * mixed[1, i]) / total


# --8<-- [end:solution]

HINTS = [
    "The halves have subtracted different numbers before the exponential. What makes them alike?",
    "Multiply a half's sum and mixture by exp(its top − the larger top), add, divide at the end.",
]

WRONG = {
    "the tops are ignored": {
        "edits": [
            [
                "math.exp(tops[0, i] - top), math.exp(tops[1, i] - top)",
                "np.float32(1), np.float32(1)",
            ]
        ],
        "says": "should be",
    },
    "the mean of the two attentions": {
        "edits": [
            [
                "(first * mixed[0, i] + second * mixed[1, i]) / total",
                "(mixed[0, i] / max(sums[0, i], np.float32(1e-9)) "
                "+ mixed[1, i] / max(sums[1, i], np.float32(1e-9))) / np.float32(2)",
            ]
        ],
        "says": "should be",
    },
    "the sums are not scaled": {
        "edits": [["first * sums[0, i] + second * sums[1, i]", "sums[0, i] + sums[1, i]"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 65]


def test(merge, n):
    """One row has an empty half.

    --8<-- [start:example]
    >>> tops, sums = np.array([[0], [0]], np.float32), np.array([[1], [3]], np.float32)
    >>> mixed = np.array([[2], [18]], np.float32)  # attentions of 2 and of 6
    >>> out = cuda.device_array(1, dtype=np.float32)
    >>> merge[1, 1](cuda.to_device(tops), cuda.to_device(sums), cuda.to_device(mixed), out)
    >>> out.copy_to_host()
    array([5.], dtype=float32)

    --8<-- [end:example]
    """
    random = np.random.default_rng(n)
    tops, sums, mixed = (np.zeros((2, n), dtype=np.float32) for _ in range(3))
    expected = np.zeros(n, dtype=np.float32)
    for i in range(n):
        total = mixture = 0.0
        for half in range(1 if i == 0 else 2):
            scores = [int(q) / 4 + 2 * half for q in random.integers(-8, 8, 5)]
            values = [int(q) / 4 for q in random.integers(-8, 8, 5)]
            tops[half, i] = max(scores)
            for score, value in zip(scores, values, strict=True):
                power = math.exp(score - max(scores))
                sums[half, i] += power
                mixed[half, i] += power * value
                total += math.exp(score)
                mixture += math.exp(score) * value
        expected[i] = mixture / total
    tops[1, 0] = -1e30
    arrays = [cuda.to_device(a) for a in (tops, sums, mixed)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    merge[-(-n // 32), 32](*arrays, out)
    yield "out", out, expected
