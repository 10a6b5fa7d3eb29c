"""A histogram that four blocks share

Four blocks stand together as a cluster would: block b counts the values with `value % 4 == b % 4`,
in 16 counters of its own for the 64 values there are. Each group of four blocks takes the same
stretch of 32 numbers, one after the other, and block b adds what it counted to `counts`. Write
`shared_bins`. Without distributed shared memory every number is read by all four blocks.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def shared_bins(x, counts):
    """Add the counts of int32 numbers 0 to 63 to ``counts``; 32 threads, blocks in fours."""
    own = cuda.shared.array(16, np.int32)
    rank = cuda.blockIdx.x % 4
    if cuda.threadIdx.x < 16:
        own[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    i = cuda.blockIdx.x // 4 * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.size and x[i] % 4 == rank:
        cuda.atomic.add(own, x[i] // 4, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(counts, 4 * cuda.threadIdx.x + rank, own[cuda.threadIdx.x])


# --8<-- [end:solution]


HINTS = [
    "A block's counter for `value` is number `value // 4`, and counter k of block b is for the "
    "value `4 * k + b % 4`.",
    "The index into x comes from `cuda.blockIdx.x // 4`, not from `cuda.grid(1)`. Two barriers: "
    "one behind the zeros, one before the counters are read.",
]

WRONG = {
    "each block reads its own stretch": {
        "edits": [["cuda.blockIdx.x // 4 * cuda.blockDim.x", "cuda.blockIdx.x * cuda.blockDim.x"]],
        "says": "should be",
    },
    "counters in quarters, not in turns": {
        "edits": [["4 * cuda.threadIdx.x + rank", "16 * rank + cuda.threadIdx.x"]],
        "says": "should be",
    },
    "no barrier before the counters are read": {
        "edits": [
            [
                "        cuda.atomic.add(own, x[i] // 4, 1)\n    cuda.syncthreads()\n",
                "        cuda.atomic.add(own, x[i] // 4, 1)\n",
            ]
        ],
        "says": "comes first",
    },
}

CASES = [1, 31, 32, 33, 100]


def test(shared_bins, n):
    """Blocks of 32 threads, four for each 32 numbers.

    --8<-- [start:example]
    >>> counts = cuda.to_device(np.zeros(64, dtype=np.int32))
    >>> shared_bins[4, 32](cuda.to_device(np.array([5, 63, 5, 8, 5], dtype=np.int32)), counts)
    >>> counts.copy_to_host()[[5, 8, 63, 0]]
    array([3, 1, 1, 0], dtype=int32)

    --8<-- [end:example]
    """
    x = (np.arange(n) * np.arange(n) % 64).astype(np.int32)
    counts = cuda.to_device(np.zeros(64, dtype=np.int32))
    shared_bins[4 * -(-n // 32), 32](cuda.to_device(x), counts)
    yield "counts", counts, np.bincount(x, minlength=64).astype(np.int32)
