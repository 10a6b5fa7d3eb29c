"""Count by ballot

An election with four candidates, 0 to 3, and n votes. The kernel that you start from is right:
every vote is one atomic update of `counts`, and all of them queue for four numbers. Let each warp
count first: `cuda.ballot_sync(mask, condition)` gives every lane a word in which bit t is lane t's
answer, and `cuda.popc` counts its ones. **Par** counts atomic updates.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def votes(ballots, counts):
    """Add to ``counts`` (4 int32) how often each of 0 to 3 occurs in n int32."""
    i = cuda.grid(1)
    vote = ballots[i] if i < ballots.size else -1
    lane = cuda.threadIdx.x % 32
    for candidate in range(4):
        mine = cuda.ballot_sync(0xFFFFFFFF, vote == candidate)
        if lane == 0 and mine != 0:
            cuda.atomic.add(counts, candidate, cuda.popc(mine))


# --8<-- [end:solution]


START = [
    [
        "    vote = ballots[i] if i < ballots.size else -1\n    lane = cuda.threadIdx.x % 32\n"
        "    for candidate in range(4):\n"
        "        mine = cuda.ballot_sync(0xFFFFFFFF, vote == candidate)\n"
        "        if lane == 0 and mine != 0:\n"
        "            cuda.atomic.add(counts, candidate, cuda.popc(mine))\n",
        "    if i < ballots.size:\n        cuda.atomic.add(counts, ballots[i], 1)\n",
    ],
]
HINTS = [
    "For each of the four candidates, the warp asks: who voted for this one? One lane adds the "
    "answer.",
    "A lane past the end has to answer, too: give it a vote that no candidate has. A candidate "
    "without a vote in this warp needs no update.",
]

WRONG = {
    "an update for each vote": {
        "edits": "START",
        "says": "above par",
    },
    "every lane adds": {
        "edits": [["lane == 0 and mine != 0", "mine != 0"]],
        "says": "should be",
    },
    "lanes past the end vote for 0": {
        "edits": [["else -1", "else 0"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 100, 128]
PAR = ["atomics"]


def test(votes, n):
    """Blocks of 64 threads, and counts that begin at 0.

    --8<-- [start:example]
    >>> ballots = cuda.to_device(np.array([0, 3, 3, 1, 0, 0], dtype=np.int32))
    >>> counts = cuda.to_device(np.zeros(4, dtype=np.int32))
    >>> votes[1, 64](ballots, counts)
    >>> counts.copy_to_host()
    array([3, 1, 0, 2], dtype=int32)

    --8<-- [end:example]
    """
    ballots = (np.arange(n, dtype=np.int32) * np.arange(n, dtype=np.int32) + 2) % 7 % 4
    want = [ballots.tolist().count(candidate) for candidate in range(4)]
    counts = cuda.to_device(np.zeros(4, dtype=np.int32))
    votes[-(-n // 64), 64](cuda.to_device(ballots), counts)
    yield "counts", counts, np.array(want, dtype=np.int32)
