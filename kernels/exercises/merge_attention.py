"""Merge two parts of an attention

In ring attention a query has met some keys, and now meets more. Of each part there is a maximum of
the scores, a sum of powers relative to that maximum, and the values weighted by those powers. Write
`merge_attention`, a thread for each query: the part in `row_max`, `row_sum` and `acc` becomes that
of all keys. A part that has seen no key has a maximum of minus infinity and zeros; two such parts
do not meet.
"""

import math

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def merge_attention(row_max, row_sum, acc, more_max, more_sum, more_acc):
    """Add a second part of the keys, ``more``, to the first, for each query."""
    i = cuda.grid(1)
    if i < row_max.size:
        largest = max(row_max[i], more_max[i])
        mine, other = math.exp(row_max[i] - largest), math.exp(more_max[i] - largest)
        row_sum[i] = row_sum[i] * mine + more_sum[i] * other
        for d in range(acc.shape[1]):
            acc[i, d] = acc[i, d] * mine + more_acc[i, d] * other
        row_max[i] = largest


# --8<-- [end:solution]


HINTS = [
    "Powers relative to one maximum become powers relative to another by one factor, "
    "`exp(old - new)`.",
    "Take the larger of the two maxima. One of the two factors is 1 then, and the other at most 1.",
]

WRONG = {
    "only the new part is scaled": {
        "edits": [
            ["row_sum[i] * mine", "row_sum[i]"],
            ["acc[i, d] * mine", "acc[i, d]"],
        ],
        "says": "should be",
    },
    "the maximum is not kept": {
        "edits": [["        row_max[i] = largest\n", ""]],
        "says": "should be",
    },
    "the values are forgotten": {
        "edits": [["acc[i, d] * mine + more_acc[i, d] * other", "acc[i, d] + more_acc[i, d]"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (31, 4), (33, 3), (70, 5)]


def test(merge_attention, rows, depth):
    """Blocks of 32 threads over the queries.

    --8<-- [start:example]
    >>> first = np.array([[0.0]], np.float32), np.array([1.0], np.float32)
    >>> acc, row_sum, row_max = map(cuda.to_device, (first[0] + 2, first[1], first[1] * 0))
    >>> more = [cuda.to_device(x) for x in (first[1] * 0, first[1], first[0] + 4)]
    >>> merge_attention[1, 32](row_max, row_sum, acc, *more)
    >>> acc.copy_to_host() / row_sum.copy_to_host()  # two equal keys with values 2 and 4
    array([[3.]], dtype=float32)

    --8<-- [end:example]
    """
    i, d = np.arange(rows), np.arange(depth)
    maxima = np.array([(i * 5) % 9 - 4, (i * 7) % 11 - 5], np.float32)
    maxima[0, ::4] = -np.inf
    sums = np.array([1 + i % 3, 2 + i % 2], np.float32)
    accs = np.stack([np.add.outer(i % 5, d), np.add.outer(i % 3, -d)]).astype(np.float32)
    sums[0, ::4], accs[0, ::4] = 0, 0
    first = [cuda.to_device(x.copy()) for x in (maxima[0], sums[0], accs[0])]
    more = [cuda.to_device(x.copy()) for x in (maxima[1], sums[1], accs[1])]
    merge_attention[-(-rows // 32), 32](*first, *more)
    largest = maxima.max(axis=0)
    factors = np.exp(maxima - largest)
    yield "row_max", first[0], largest
    yield "row_sum", first[1], (sums * factors).sum(axis=0)
    yield "acc", first[2], (accs * factors[:, :, None]).sum(axis=0)
