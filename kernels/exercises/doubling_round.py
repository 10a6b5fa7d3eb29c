"""A round of doubling, in place

In one round of the doubling all-reduce, ranks r and `r ^ reach` swap their sums and both add. Here
all ranks live on one GPU, a row of `parts` each: both rows of a pair must end up as the sum of the
two. In place, two threads that read each other's row would meet; so give a pair of elements to one
thread. The number of ranks is a power of two. **Par** counts requests: each row is read once and
written once.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def doubling_round(parts, reach):
    """Replace rows r and r ^ reach of ``parts``, ranks x n float32, by their sum; y: pairs."""
    i, pair = cuda.grid(2)
    if i < parts.shape[1] and pair < parts.shape[0] // 2:
        rank = pair // reach * 2 * reach + pair % reach  # the lower one of the pair
        total = parts[rank, i] + parts[rank ^ reach, i]
        parts[rank, i] = total
        parts[rank ^ reach, i] = total


# --8<-- [end:solution]

HINTS = [
    "Which ranks are the lower ones of their pairs when `reach` is 2? 0, 1, 4, 5, 8, 9: in "
    "groups of `reach`, with a gap as long.",
    "Pair p belongs to group `p // reach`, which begins at rank `p // reach * 2 * reach`. Read "
    "both elements before you write either.",
]

WRONG = {
    "both partners add": {
        "edits": [
            ["rank = pair // reach * 2 * reach + pair % reach", "rank = pair"],
        ],
        "says": "comes first",
    },
    "the second sum reads the first": {
        "edits": [
            [
                "        parts[rank ^ reach, i] = total\n",
                "        parts[rank ^ reach, i] += parts[rank, i]\n",
            ]
        ],
        "says": "should be",
    },
    "the sum is read back": {
        "edits": [["parts[rank ^ reach, i] = total", "parts[rank ^ reach, i] = parts[rank, i]"]],
        "says": "above par",
    },
    "no guard for the elements": {
        "edits": [["i < parts.shape[1] and ", ""]],
        "says": "out of bounds",
    },
}

CASES = [(2, 1, 1), (4, 1, 33), (4, 2, 31), (8, 4, 70)]
PAR = ["requests"]


def test(doubling_round, ranks, reach, n):
    """Blocks of 32 x 2 threads: x for the elements, y for the pairs.

    --8<-- [start:example]
    >>> parts = cuda.to_device(np.array([[1], [2], [3], [4]], dtype=np.float32))
    >>> doubling_round[(1, 1), (32, 2)](parts, 2)
    >>> parts.copy_to_host().ravel()
    array([4., 6., 4., 6.], dtype=float32)

    --8<-- [end:example]
    """
    rows = (np.arange(ranks * n, dtype=np.float32) * 3 % 17).reshape(ranks, n)
    parts = cuda.to_device(rows)
    doubling_round[(-(-n // 32), -(-ranks // 4)), (32, 2)](parts, reach)
    given = rows.tolist()
    want = [[a + b for a, b in zip(given[r], given[r ^ reach], strict=True)] for r in range(ranks)]
    yield "parts", parts, np.array(want, dtype=np.float32)
