"""The two best experts

A mixture-of-experts layer sends each token to the two experts with the highest scores: a top-k with
k = 2 in every row. A block of 32 threads has one token. The kernel that you start from is right,
and reads the row twice: for the best, and then for the best of the others. Read it once: each
thread keeps its own best two, and a tree in shared memory merges pairs of them. No two scores of a
row are equal. **Par** counts requests.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def two_experts(scores, out):
    """Write the two highest float32 scores of each row to ``out``, rows x 2, the highest first."""
    first = cuda.shared.array(32, np.float32)
    second = cuda.shared.array(32, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    best, next_best = np.float32(-np.inf), np.float32(-np.inf)
    for i in range(t, scores.shape[1], 32):
        score = scores[row, i]
        next_best = max(next_best, min(best, score))
        best = max(best, score)
    first[t], second[t] = best, next_best
    step = 16
    while step > 0:
        cuda.syncthreads()
        if t < step:
            loser = min(first[t], first[t + step])
            first[t] = max(first[t], first[t + step])
            second[t] = max(loser, max(second[t], second[t + step]))
        step //= 2
    if t == 0:
        out[row, 0], out[row, 1] = first[0], second[0]


# --8<-- [end:solution]

START = [
    ["    second = cuda.shared.array(32, np.float32)\n", ""],
    [
        """    best, next_best = np.float32(-np.inf), np.float32(-np.inf)
    for i in range(t, scores.shape[1], 32):
        score = scores[row, i]
        next_best = max(next_best, min(best, score))
        best = max(best, score)
    first[t], second[t] = best, next_best
    step = 16
    while step > 0:
        cuda.syncthreads()
        if t < step:
            loser = min(first[t], first[t + step])
            first[t] = max(first[t], first[t + step])
            second[t] = max(loser, max(second[t], second[t + step]))
        step //= 2
    if t == 0:
        out[row, 0], out[row, 1] = first[0], second[0]
""",
        """    highest = np.float32(np.inf)
    for k in range(2):
        best = np.float32(-np.inf)
        for i in range(t, scores.shape[1], 32):
            if scores[row, i] < highest:
                best = max(best, scores[row, i])
        first[t] = best
        step = 16
        while step > 0:
            cuda.syncthreads()
            if t < step:
                first[t] = max(first[t], first[t + step])
            step //= 2
        cuda.syncthreads()
        highest = first[0]
        cuda.syncthreads()
        if t == 0:
            out[row, k] = highest
""",
    ],
]
HINTS = [
    "A new score meets the two that you keep. It is the best, or the next best, or neither: "
    "`next_best` becomes the larger of itself and the loser of score against best.",
    "Merging two pairs is the same: the better of the two firsts wins. The second place is fought "
    "out by the loser and both seconds.",
]

WRONG = {
    "the row is read twice": {"edits": "START", "says": "above par"},
    "the better of the two seconds": {
        "edits": [
            ["max(loser, max(second[t], second[t + step]))", "max(second[t], second[t + step])"]
        ],
        "says": "should be",
    },
    "the dethroned best is forgotten": {
        "edits": [
            [
                "max(next_best, min(best, score))",
                "max(next_best, score) if score < best else next_best",
            ]
        ],
        "says": "should be",
    },
    "no barrier in the tree": {
        "edits": [["        cuda.syncthreads()\n        if t < step:", "        if t < step:"]],
        "says": "comes first",
    },
}

CASES = [(1, 2), (2, 33), (2, 64), (3, 100)]
PAR = ["requests"]


def test(two_experts, tokens, experts):
    """Blocks of 32 threads, one for each token.

    --8<-- [start:example]
    >>> scores = cuda.to_device(np.array([[3, 1, 4, 2], [-1, -5, -2, -6]], dtype=np.float32))
    >>> out = cuda.device_array((2, 2), dtype=np.float32)
    >>> two_experts[2, 32](scores, out)
    >>> out.copy_to_host()
    array([[ 4.,  3.],
           [-1., -2.]], dtype=float32)

    --8<-- [end:example]
    """
    rows = [[float((i * 37 + 11 * r) % 101 - 120) for i in range(experts)] for r in range(tokens)]
    for r, row in enumerate(rows):  # one lane sees both of the best, in either order
        row[1 % experts], row[33 % experts] = 10.0 + r % 2, 10.5
    scores = cuda.to_device(np.array(rows, dtype=np.float32))
    out = cuda.to_device(np.full((tokens, 2), np.nan, dtype=np.float32))
    two_experts[tokens, 32](scores, out)
    want = [sorted(row)[:-3:-1] for row in rows]
    yield "out", out, np.array(want, dtype=np.float32)
