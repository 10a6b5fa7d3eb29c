"""The ring's bookkeeping

Tiles go through a ring of `stages` slots, tile i through slot i % stages. A barrier's phases are
numbered 0, 1, 2, ..., and a thread waits for one by its parity. Write `ring_parity`: for each tile
i, `slots[i]`, and `full[i]`, the parity for which a consumer waits before it reads the tile, and
`empty[i]`, the parity for which the producer waits before it fetches the tile. In the first round
all slots are free, and a wait for parity 1 returns at once. One thread for each tile.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def ring_parity(stages, slots, full, empty):
    """Fill three int32 arrays: the slot of each tile, and what consumer and producer wait for."""
    i = cuda.grid(1)
    if i < slots.size:
        slots[i] = i % stages
        full[i] = i // stages % 2
        empty[i] = (i // stages + 1) % 2


# --8<-- [end:solution]


HINTS = [
    "The ring is filled for the first time by tiles 0 to stages - 1, and each of its full "
    "barriers completes its phase 0 then. Which phase does tile `stages` complete?",
    "`i // stages` counts the rounds: that is the full barrier's phase. The producer in round r "
    "waits until the consumers have used up round r - 1, so its parity is the other one.",
]

WRONG = {
    "the tile's own parity": {
        "edits": [["i // stages % 2", "i % 2"]],
        "says": "should be",
    },
    "the producer waits as the consumer does": {
        "edits": [["(i // stages + 1) % 2", "i // stages % 2"]],
        "says": "should be",
    },
    "no guard": {
        "edits": [["    if i < slots.size:\n", "    if i >= 0:\n"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (2, 4), (5, 31), (4, 64), (3, 67)]


def test(ring_parity, stages, tiles):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> slots, full, empty = (cuda.to_device(np.full(9, -1, dtype=np.int32)) for _ in range(3))
    >>> ring_parity[1, 32](4, slots, full, empty)
    >>> for part in (slots, full, empty):
    ...     print(part.copy_to_host())
    [0 1 2 3 0 1 2 3 0]
    [0 0 0 0 1 1 1 1 0]
    [1 1 1 1 0 0 0 0 1]

    --8<-- [end:example]
    """
    slots, full, empty = (cuda.to_device(np.full(tiles, -1, dtype=np.int32)) for _ in range(3))
    ring_parity[-(-tiles // 32), 32](stages, slots, full, empty)
    rounds = np.arange(tiles) // stages
    yield "slots", slots, (np.arange(tiles) % stages).astype(np.int32)
    yield "full", full, (rounds % 2).astype(np.int32)
    yield "empty", empty, ((rounds + 1) % 2).astype(np.int32)
