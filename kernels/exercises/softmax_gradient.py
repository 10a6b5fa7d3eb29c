"""The gradient of a softmax

A row of weights came out of a softmax. `d_weights` says how much the loss grows with each of them.
How much does it grow with each score? A larger score takes weight from all others of its row, so a
score's gradient is its weight times how far its weight's gradient lies above the row's average:
weight * (d_weight - sum of weight * d_weight over the row). Write it for one row a thread.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def softmax_gradient(weights, d_weights, d_scores):
    """Write the gradient of the scores whose softmax ``weights`` is."""
    row = cuda.grid(1)
    if row < weights.shape[0]:
        delta = np.float32(0)
        for key in range(weights.shape[1]):
            delta += weights[row, key] * d_weights[row, key]
        for key in range(weights.shape[1]):
            d_scores[row, key] = weights[row, key] * (d_weights[row, key] - delta)


# --8<-- [end:solution]


HINTS = [
    "Two passes over the row: the first sums weight * d_weight, the second writes.",
    "The sum needs the whole row before anything can be written. With d_weights all alike nothing "
    "should change: then the sum equals each of them, because the weights of a row add up to 1.",
]

WRONG = {
    "as if each weight had its own score": {
        "edits": [[" * (d_weights[row, key] - delta)", " * d_weights[row, key]"]],
        "says": "should be",
    },
    "an average without weights": {
        "edits": [["delta += weights[row, key] * d_weights", "delta += d_weights"]],
        "says": "should be",
    },
    "the weight is forgotten": {
        "edits": [
            ["= weights[row, key] * (d_weights[row, key] - delta)", "= d_weights[row, key] - delta"]
        ],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 5), (33, 9)]


def test(softmax_gradient, rows, keys):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> weights = cuda.to_device(np.array([[0.5, 0.5], [0.25, 0.75]], dtype=np.float32))
    >>> d_weights = cuda.to_device(np.array([[2, 2], [4, 0]], dtype=np.float32))
    >>> d_scores = cuda.device_array((2, 2), dtype=np.float32)
    >>> softmax_gradient[1, 32](weights, d_weights, d_scores)
    >>> d_scores.copy_to_host()
    array([[ 0.  ,  0.  ],
           [ 0.75, -0.75]], dtype=float32)

    --8<-- [end:example]
    """
    places = np.arange(rows * keys, dtype=np.int32)
    powers = ((places * 29) % 11 + 1).astype(np.float32).reshape(rows, keys)
    weights = powers / powers.sum(axis=1).reshape(rows, 1)
    asked = ((places * 7) % 5 - 2).astype(np.float32).reshape(rows, keys)
    want = []
    for line, wish in zip(weights.tolist(), asked.tolist(), strict=True):
        average = sum(w * d for w, d in zip(line, wish, strict=True))
        want.append([w * (d - average) for w, d in zip(line, wish, strict=True)])
    out = cuda.to_device(np.full((rows, keys), np.nan, dtype=np.float32))
    softmax_gradient[-(-rows // 32), 32](cuda.to_device(weights), cuda.to_device(asked), out)
    yield "d_scores", out, np.array(want, dtype=np.float32)
