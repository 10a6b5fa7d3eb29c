"""Merge two parts of an attention

In ring attention a query has met some keys, and now meets more. Of each part there is a maximum of
the scores, a sum of powers relative to that maximum, and the values weighted by those powers. Write
`merge_attention`, a thread for each query: the part in `row_max`, `row_sum` and `acc` becomes that
of all keys. A part that has seen no key has a maximum of minus infinity and zeros; two such parts
do not meet. **Par** counts requests to global memory: both factors belong to a query, not to a
value.
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
    "the factors anew for each value": {
        "edits": [
            [
                "acc[i, d] * mine + more_acc[i, d] * other",
                "acc[i, d] * math.exp(row_max[i] - largest) + "
                "more_acc[i, d] * math.exp(more_max[i] - largest)",
            ]
        ],
        "says": "above par",
    },
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
PAR = ["requests"]


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
    maxima = np.array(
        [
            [-math.inf if i % 4 == 0 else i * 5 % 9 - 4 for i in range(rows)],
            [i * 7 % 11 - 5 for i in range(rows)],
        ],
        np.float32,
    )
    sums = np.array(
        [[(i % 4 > 0) * (1 + i % 3) for i in range(rows)], [2 + i % 2 for i in range(rows)]],
        np.float32,
    )
    accs = np.array(
        [
            [[(i % 4 > 0) * (i % 5 + d) for d in range(depth)] for i in range(rows)],
            [[i % 3 - d for d in range(depth)] for i in range(rows)],
        ],
        np.float32,
    )
    first = [cuda.to_device(x.copy()) for x in (maxima[0], sums[0], accs[0])]
    more = [cuda.to_device(x.copy()) for x in (maxima[1], sums[1], accs[1])]
    merge_attention[-(-rows // 32), 32](*first, *more)
    largest, total = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    acc = np.zeros((rows, depth), np.float32)
    for i in range(rows):
        largest[i] = max(maxima[0, i], maxima[1, i])
        mine, other = (math.exp(maxima[part, i] - largest[i]) for part in (0, 1))
        total[i] = sums[0, i] * mine + sums[1, i] * other
        for d in range(depth):
            acc[i, d] = accs[0, i, d] * mine + accs[1, i, d] * other
    yield "row_max", first[0], largest
    yield "row_sum", first[1], total
    yield "acc", first[2], acc
