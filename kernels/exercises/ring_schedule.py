"""Who sends what

In a ring of n ranks, rank r sends the chunk `r - step` in each step of the reduce-scatter, counted
around the ring. Write `ring_schedule`: block r fills row r of `chunks` with the numbers of the
chunks that rank r sends in steps 0 to n - 2, one thread for each step. No chunk has a negative
number.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def ring_schedule(chunks):
    """Fill ``chunks``, ranks x (ranks - 1) int32: what each rank sends in each step."""
    ranks, steps = chunks.shape
    rank = cuda.blockIdx.x
    step = cuda.threadIdx.x
    if step < steps:
        chunks[rank, step] = (rank - step + ranks) % ranks


# --8<-- [end:solution]


HINTS = [
    "With four ranks, rank 0 sends chunk 0, then 3, then 2. Around the ring, one before 0 is n "
    "- 1.",
    "Add the number of ranks before you take the remainder: then nothing is negative, in any "
    "language.",
]

WRONG = {
    "the other way round": {
        "edits": [["(rank - step + ranks)", "(rank + step)"]],
        "says": "should be",
    },
    "no remainder": {
        "edits": [["(rank - step + ranks) % ranks", "rank - step"]],
        "says": "should be",
    },
}

CASES = [2, 3, 4, 7]


def test(ring_schedule, ranks):
    """A block for each rank, with more threads than steps.

    --8<-- [start:example]
    >>> chunks = cuda.to_device(np.full((4, 3), -1, dtype=np.int32))
    >>> ring_schedule[4, 32](chunks)
    >>> chunks.copy_to_host()
    array([[0, 3, 2],
           [1, 0, 3],
           [2, 1, 0],
           [3, 2, 1]], dtype=int32)

    --8<-- [end:example]
    """
    chunks = cuda.to_device(np.full((ranks, ranks - 1), -1, dtype=np.int32))
    ring_schedule[ranks, 32](chunks)
    want = [[(r - s) % ranks for s in range(ranks - 1)] for r in range(ranks)]
    yield "chunks", chunks, np.array(want, dtype=np.int32)
