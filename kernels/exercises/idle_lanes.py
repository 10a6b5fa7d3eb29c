"""Lanes that wait

Eight numbers go through one vector register, and a loop that each number would leave at another
time goes on until the last one is done. The others are masked off: they wait. `trips[i]` says how
many rounds number i needs. Write to `idle[g]` how many rounds the eight lanes of group g wait in
all. The last group may be short of numbers; its empty lanes wait all the time.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def idle_lanes(trips, idle):
    """Write the rounds that lanes wait, for each group of eight of ``trips``; int32."""
    g = cuda.grid(1)
    if g < idle.size:
        longest = used = 0
        for i in range(8 * g, min(8 * g + 8, trips.size)):
            longest = max(longest, trips[i])
            used += trips[i]
        idle[g] = 8 * longest - used


# --8<-- [end:solution]

HINTS = [
    "The group runs as many rounds as its longest number needs, with eight lanes each.",
    "Of those rounds the numbers themselves use as many as their trips add up to.",
]

WRONG = {
    "the empty lanes do not count": {
        "edits": [["8 * longest - used", "(min(8 * g + 8, trips.size) - 8 * g) * longest - used"]],
        "says": "should be",
    },
    "the last group is taken to be full": {
        "edits": [["min(8 * g + 8, trips.size)", "8 * g + 8"]],
        "says": "out of bounds",
    },
    "a warp of 32 in place of eight lanes": {
        "edits": [["min(8 * g + 8, trips.size)", "min(8 * g + 32, trips.size)"]],
        "says": "should be",
    },
}

CASES = [1, 8, 33, 300]


def test(idle_lanes, n):
    """Blocks of 32 threads, one for each group.

    --8<-- [start:example]
    >>> trips = cuda.to_device(np.array([5, 1, 1, 1, 1, 1, 1, 1, 2], dtype=np.int32))
    >>> idle = cuda.device_array(2, dtype=np.int32)
    >>> idle_lanes[1, 32](trips, idle)  # seven wait four rounds; seven that are not there wait two
    >>> idle.copy_to_host()
    array([28, 14], dtype=int32)

    --8<-- [end:example]
    """
    trips = [i * i * 7 % 23 + 1 for i in range(n)]
    groups = -(-n // 8)
    idle = cuda.to_device(np.full(groups, -1, dtype=np.int32))
    on_gpu = cuda.to_device(np.array(trips, dtype=np.int32))
    idle_lanes[-(-groups // 32), 32](on_gpu, idle)
    parts = [trips[first : first + 8] for first in range(0, n, 8)]
    want = [8 * max(part) - sum(part) for part in parts]
    yield "idle", idle, np.array(want, dtype=np.int32)
