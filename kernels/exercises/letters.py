"""Count letters

`text` holds letters as numbers from 0 to 25. Count how often each occurs. The kernel that you start
from is right: every thread adds to `counts` in global memory, and all threads queue for the few
letters that are common. Let each block count in shared memory first and add its 26 sums at its end.
**Par** counts atomic updates of global memory.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def count_letters(text, counts):
    """Add to ``counts`` (26 int32) how often each number of 0 to 25 occurs in ``text``."""
    own = cuda.shared.array(26, np.int32)
    t = cuda.threadIdx.x
    if t < 26:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < text.size:
        cuda.atomic.add(own, text[i], 1)
    cuda.syncthreads()
    if t < 26 and own[t] > 0:
        cuda.atomic.add(counts, t, own[t])


# --8<-- [end:solution]


START = [
    [
        "    own = cuda.shared.array(26, np.int32)\n"
        "    t = cuda.threadIdx.x\n"
        "    if t < 26:\n"
        "        own[t] = 0\n"
        "    cuda.syncthreads()\n",
        "",
    ],
    ["cuda.atomic.add(own, text[i], 1)", "cuda.atomic.add(counts, text[i], 1)"],
    [
        "    cuda.syncthreads()\n    if t < 26 and own[t] > 0:\n"
        "        cuda.atomic.add(counts, t, own[t])\n",
        "",
    ],
]
HINTS = [
    "Three parts with a barrier between them: 26 threads set the block's own counts to 0; every "
    "thread adds to them; 26 threads add them to `counts`.",
    "The additions in shared memory must be atomic, too: two threads of a block may hold the "
    "same letter. A letter that the block has not seen needs no update.",
]

WRONG = {
    "every thread adds to global memory": {"edits": "START", "says": "above par"},
    "no atomics in shared memory": {
        "edits": [["cuda.atomic.add(own, text[i], 1)", "own[text[i]] += 1"]],
        "says": "comes first",
    },
    "the counts are not set to 0": {
        "edits": [["        own[t] = 0\n", "        pass\n"]],
        "says": "written",
    },
}

CASES = [1, 25, 65, 200, 300]
PAR = ["atomics"]


def test(count_letters, n):
    """Blocks of 64 threads, and counts that begin at 0.

    --8<-- [start:example]
    >>> text = np.frombuffer(b"lockstep and lockstep", dtype=np.uint8).astype(np.int32)
    >>> counts = cuda.to_device(np.zeros(26, dtype=np.int32))
    >>> count_letters[1, 32](cuda.to_device(text[text != 32] - 97), counts)
    >>> counts.copy_to_host()
    array([1, 0, 2, 1, 2, 0, 0, 0, 0, 0, 2, 2, 0, 1, 2, 2, 0, 0, 2, 2, 0, 0,
           0, 0, 0, 0], dtype=int32)

    --8<-- [end:example]
    """
    text = (np.arange(n, dtype=np.int32) * np.arange(n, dtype=np.int32)) % 26
    counts = cuda.to_device(np.zeros(26, dtype=np.int32))
    count_letters[-(-n // 64), 64](cuda.to_device(text), counts)
    yield "counts", counts, np.bincount(text, minlength=26)
