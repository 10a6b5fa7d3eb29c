"""The mean gradient, in place

`gradients` holds a row for each of several ranks. After data parallelism's all-reduce every rank
has the *mean* of all rows. Write `average_gradients` so that it works in place, with a thread for
each column: the same bits must end up in every row. **Par** counts sectors and requests: each
element is read once and written once.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def average_gradients(gradients):
    """Replace every row of ``gradients`` by the mean of all rows."""
    ranks, n = gradients.shape
    i = cuda.grid(1)
    if i < n:
        total = np.float32(0)
        for rank in range(ranks):
            total += gradients[rank, i]
        total /= np.float32(ranks)
        for rank in range(ranks):
            gradients[rank, i] = total


# --8<-- [end:solution]


HINTS = [
    "A thread has a column to itself: it reads it whole, and only then writes.",
    "Two loops over the ranks. Between them, divide by how many there are; as a float32, or the "
    "division is done in float64.",
]

WRONG = {
    "the sum in place of the mean": {
        "edits": [["total /= np.float32(ranks)", "pass"]],
        "says": "should",
    },
    "a row is written before the others are read": {
        "edits": [
            [
                "total += gradients[rank, i]\n",
                "total += gradients[rank, i]\n            gradients[rank, i] = total\n",
            ]
        ],
        "says": "above par",
    },
    "rank 0 alone gets the mean": {
        "edits": [
            [
                "for rank in range(ranks):\n            gradients",
                "for rank in range(1):\n            gradients",
            ]
        ],
        "says": "should",
    },
    "no guard": {
        "edits": [["if i < n:", "if True:"]],
        "says": "out of bounds",
    },
}

CASES = [(2, 8), (3, 100), (4, 203)]
PAR = ["sectors", "requests"]


def test(average_gradients, ranks, n):
    """Blocks of 64 threads over the columns.

    --8<-- [start:example]
    >>> gradients = cuda.to_device(np.array([[1, 2, 3], [3, 2, 5]], dtype=np.float32))
    >>> average_gradients[1, 64](gradients)
    >>> gradients.copy_to_host()
    array([[2., 2., 4.],
           [2., 2., 4.]], dtype=float32)

    --8<-- [end:example]
    """
    rows = (np.arange(ranks * n, dtype=np.float32) % 11 * ranks).reshape(ranks, n)
    gradients = cuda.to_device(rows)
    average_gradients[-(-n // 64), 64](gradients)
    means = [sum(column) / ranks for column in zip(*rows.tolist(), strict=True)]
    yield "gradients", gradients, np.array([means] * ranks, dtype=np.float32)
