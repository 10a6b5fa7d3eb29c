"""A softmax that cannot see ahead

`scores` is a square: row t holds the scores that token t gives to all tokens. Write `causal_rows`,
a thread for each row: in place, row t becomes the softmax of its first t + 1 scores, and zeros
behind them. Scores may be as large as 200, whose exponential no float32 holds.
"""

import math

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def causal_rows(scores):
    """Turn row t into the softmax of its first t + 1 scores, followed by zeros."""
    row = cuda.grid(1)
    if row < scores.shape[0]:
        largest = scores[row, 0]
        for c in range(1, row + 1):
            largest = max(largest, scores[row, c])
        total = np.float32(0)
        for c in range(row + 1):
            scores[row, c] = math.exp(scores[row, c] - largest)
            total += scores[row, c]
        for c in range(scores.shape[1]):
            scores[row, c] = scores[row, c] / total if c <= row else 0


# --8<-- [end:solution]


HINTS = [
    "Three passes over the row: its largest score, the powers and their sum, the division.",
    "Subtract the largest of the scores that the row may see, and of no others, before `math.exp`.",
]

WRONG = {
    "it sees ahead": {
        "edits": [
            ["range(1, row + 1)", "range(1, scores.shape[1])"],
            ["range(row + 1)", "range(scores.shape[1])"],
            ["if c <= row else 0", ""],
        ],
        "says": "should be",
    },
    "the largest is not subtracted": {
        "edits": [["math.exp(scores[row, c] - largest)", "math.exp(scores[row, c])"]],
        "says": "should be",
    },
    "what lies ahead stays": {
        "edits": [["range(scores.shape[1])", "range(row + 1)"]],
        "says": "should be",
    },
}

CASES = [1, 5, 31, 33]


def test(causal_rows, n):
    """Blocks of 32 threads over the rows.

    --8<-- [start:example]
    >>> scores = cuda.to_device(np.array([[7, 9, 9], [1, 1, 9], [0, 0, 0]], dtype=np.float32))
    >>> causal_rows[1, 32](scores)
    >>> scores.copy_to_host().round(2)
    array([[1.  , 0.  , 0.  ],
           [0.5 , 0.5 , 0.  ],
           [0.33, 0.33, 0.33]], dtype=float32)

    --8<-- [end:example]
    """
    scores = np.array(
        [[(row * n + c) * 37 % 11 * 20 for c in range(n)] for row in range(n)], np.float32
    )
    expected = np.zeros((n, n), np.float32)
    for row in range(n):
        largest = max(scores[row, c] for c in range(row + 1))
        powers = [math.exp(scores[row, c] - largest) for c in range(row + 1)]
        for c in range(row + 1):
            expected[row, c] = powers[c] / sum(powers)
    d_scores = cuda.to_device(scores)
    causal_rows[-(-n // 32), 32](d_scores)
    yield "scores", d_scores, expected
