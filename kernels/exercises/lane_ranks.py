"""A place for each vote

`votes[w]` holds the ballot of wave w, 64 bits, one for each lane that voted yes; a wave of 32
lanes uses the lower half. For each lane that voted, `places` gets how many lanes of its wave before
it did, and -1 for the others. One thread for each lane, `wave` of them for each ballot. Use
`cuda.popc`, which counts bits.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def lane_ranks(votes, wave, places):
    """Write each lane's rank among those of its wave that voted to ``places``, int32."""
    i = cuda.grid(1)
    if i < places.size:
        mine, lane = votes[i // wave], np.uint64(i % wave)
        below = (np.uint64(1) << lane) - np.uint64(1)
        voted = mine >> lane & np.uint64(1)
        places[i] = cuda.popc(mine & below) if voted else -1


# --8<-- [end:solution]


HINTS = [
    "The bits below lane 5 are `(1 << 5) - 1`. Which type must the 1 have, so that the shift also "
    "works for lane 40?",
    "`np.uint64(1) << np.uint64(lane)`. Mask the ballot with that minus one, and count with "
    "`cuda.popc`. Bit `lane` itself says whether the lane voted.",
]

WRONG = {
    "lanes modulo 32": {
        "edits": [["np.uint64(i % wave)", "np.uint64(i % 32)"]],
        "says": "should be",
    },
    "the lane counts itself": {
        "edits": [
            ["(np.uint64(1) << lane) - np.uint64(1)", "(np.uint64(2) << lane) - np.uint64(1)"]
        ],
        "says": "should be",
    },
    "everybody gets a place": {
        "edits": [["cuda.popc(mine & below) if voted else -1", "cuda.popc(mine & below)"]],
        "says": "should be",
    },
}

CASES = [(1, 32), (3, 32), (1, 64), (3, 64)]


def test(lane_ranks, waves, wave):
    """Blocks of 128 threads.

    --8<-- [start:example]
    >>> votes = cuda.to_device(np.array([0b10110 << 40], dtype=np.uint64))  # lanes 41, 42 and 44
    >>> places = cuda.device_array(64, dtype=np.int32)
    >>> lane_ranks[1, 128](votes, 64, places)
    >>> places.copy_to_host()[40:46]
    array([-1,  0,  1, -1,  2, -1], dtype=int32)

    --8<-- [end:example]
    """
    drawn = np.random.default_rng(waves + wave).integers(0, 2, waves * wave).tolist()
    rows = [[1, *drawn[w * wave + 1 : (w + 1) * wave - 1], 1] for w in range(waves)]
    bits = [sum(flag << lane for lane, flag in enumerate(row)) for row in rows]
    votes = cuda.to_device(np.array(bits, dtype=np.uint64))
    places = cuda.to_device(np.full(waves * wave, -9, dtype=np.int32))
    lane_ranks[-(-waves * wave // 128), 128](votes, wave, places)
    want = [sum(row[:lane]) if row[lane] else -1 for row in rows for lane in range(wave)]
    yield "places", places, np.array(want, dtype=np.int32)
