"""A rank's share of the batch

`text` holds numbers of symbols, and `starts` where each sequence of the *whole* batch begins. Rank
`rank` of `ranks` takes a stretch of them: with 8 sequences and 2 ranks, rank 1 takes numbers 4 to
7. Write `my_sequences`: block s of the rank's grid fills row s of `tokens` with the symbols of its
sequence, and row s of `targets` with the symbols that follow each.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def my_sequences(text, starts, rank, tokens, targets):
    """Fill ``tokens`` and ``targets``, whose rows are the sequences of this rank."""
    share, length = tokens.shape
    s = cuda.blockIdx.x
    first = starts[rank * share + s]
    for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        tokens[s, i] = text[first + i]
        targets[s, i] = text[first + i + 1]


# --8<-- [end:solution]


HINTS = [
    "A rank has as many sequences as `tokens` has rows. So the ranks before it have `rank` times "
    "as many, and they come first in `starts`.",
    "Let the block's threads stride over the row. Symbol i of the row is symbol i after the start, "
    "and its target is the next one.",
]

WRONG = {
    "every rank takes the first sequences": {
        "edits": [["rank * share + s", "s"]],
        "says": "should",
    },
    "the targets are the tokens": {
        "edits": [["first + i + 1", "first + i"]],
        "says": "should",
    },
    "only as many symbols as threads": {
        "edits": [
            [
                "range(cuda.threadIdx.x, length, cuda.blockDim.x)",
                "range(cuda.threadIdx.x, cuda.threadIdx.x + 1)",
            ]
        ],
        "says": "out of bounds",
    },
}

CASES = [(2, 3, 8), (4, 2, 50), (3, 1, 33)]
PAR = ["sectors", "requests"]


def test(my_sequences, ranks, share, length):
    """A block of 32 threads for each sequence of the last rank.

    --8<-- [start:example]
    >>> text = cuda.to_device(np.arange(20, dtype=np.int32))
    >>> starts = cuda.to_device(np.array([3, 0, 9, 5], dtype=np.int32))  # of two ranks
    >>> tokens, targets = (cuda.device_array((2, 4), dtype=np.int32) for _ in range(2))
    >>> my_sequences[2, 32](text, starts, 1, tokens, targets)
    >>> tokens.copy_to_host()
    array([[ 9, 10, 11, 12],
           [ 5,  6,  7,  8]], dtype=int32)

    --8<-- [end:example]
    """
    rank, count = ranks - 1, 4 * length + 1
    text = (np.arange(count) * 7 % 61).astype(np.int32)
    starts = (np.arange(ranks * share) * 13 % (count - length)).astype(np.int32)
    tokens, targets = (cuda.to_device(np.full((share, length), -1, np.int32)) for _ in range(2))
    my_sequences[share, 32](cuda.to_device(text), cuda.to_device(starts), rank, tokens, targets)
    mine = [text.tolist()[s : s + length + 1] for s in starts.tolist()[rank * share :]]
    yield "tokens", tokens, np.array([row[:-1] for row in mine], dtype=np.int32)
    yield "targets", targets, np.array([row[1:] for row in mine], dtype=np.int32)
