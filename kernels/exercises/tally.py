"""Private counters, the GPU's way

A warp of 32 threads counts four letters. Each thread has four counters of its own in shared memory,
so nobody needs an atomic. The kernel that you start from is right, and lays them out as a CPU would
like it: the counters of one thread side by side. On a GPU they then meet in few banks. Change the
layout, and keep the sum at the end free of conflicts, too. **Par** counts bank conflicts.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def tally(letters, counts):
    """Count the letters 0 to 3 of ``letters`` into ``counts``; one block of 32 threads."""
    box = cuda.shared.array((4, 32), np.int32)
    t = cuda.threadIdx.x
    for letter in range(4):
        box[letter, t] = 0
    for i in range(t, letters.size, 32):
        box[letters[i], t] += 1  # thread t always meets bank t
    cuda.syncthreads()
    if t < 4:
        total = 0
        for k in range(32):
            total += box[t, (t + k) % 32]
        counts[t] = total


# --8<-- [end:solution]


START = [
    ["(4, 32)", "(32, 4)"],
    ["box[letter, t] = 0", "box[t, letter] = 0"],
    ["box[letters[i], t] += 1  # thread t always meets bank t", "box[t, letters[i]] += 1"],
    ["box[t, (t + k) % 32]", "box[k, t]"],
]
HINTS = [
    "There are 32 banks and 32 threads. In which layout does thread t meet bank t, whatever its "
    "letter is?",
    "With `box[letter, t]` the four threads that sum up go along four rows, and would all begin in "
    "bank 0. Let each begin somewhere else: `(t + k) % 32`.",
]

WRONG = {
    "a thread's counters side by side": {"edits": "START", "says": "above par"},
    "all four begin in bank 0": {"edits": [["(t + k) % 32", "k"]], "says": "above par"},
    "the counters are never cleared": {
        "edits": [["        box[letter, t] = 0\n", "        pass\n"]],
        "says": "nothing has written",
    },
}

CASES = [1, 31, 32, 33, 100]
PAR = ["conflicts"]


def test(tally, n):
    """One block of 32 threads.

    --8<-- [start:example]
    >>> letters = cuda.to_device(np.array([0, 3, 3, 1, 3], dtype=np.uint8))
    >>> counts = cuda.device_array(4, dtype=np.int32)
    >>> tally[1, 32](letters, counts)
    >>> counts.copy_to_host()
    array([1, 1, 0, 3], dtype=int32)

    --8<-- [end:example]
    """
    letters = np.arange(n, dtype=np.int64) * 7 % 5 % 4
    counts = cuda.to_device(np.full(4, -1, dtype=np.int32))
    tally[1, 32](cuda.to_device(letters.astype(np.uint8)), counts)
    yield "counts", counts, np.bincount(letters, minlength=4).astype(np.int32)
