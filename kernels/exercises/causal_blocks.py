"""Blocks that a mask leaves over

Under a causal mask, query i sees keys 0 to i. Queries come in blocks of `q`, keys in blocks of `k`.
Of the key blocks that a query block meets, the first ones need no mask at all, some need it element
by element, and the rest are never read. Thread b writes for query block b how many blocks of keys
it reads, and how many of those come without a mask.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def causal_blocks(length, q, k, read, whole):
    """Write the number of key blocks that each query block reads, and of those without a mask."""
    b = cuda.grid(1)
    if b < read.size:
        first = b * q
        last = min(first + q, length) - 1
        read[b] = last // k + 1
        whole[b] = (first + 1) // k


# --8<-- [end:solution]


HINTS = [
    "The last query of the block sees the most: keys 0 to itself. In which block of keys is the "
    "last of them?",
    "A block of keys needs no mask if the first query of the block sees all of it. The first query "
    "sees first + 1 keys: how many whole blocks are those?",
]

WRONG = {
    "one block too many": {"edits": [["last // k + 1", "last // k + 2"]], "says": "should be"},
    "rows behind the end count": {
        "edits": [["min(first + q, length) - 1", "first + q - 1"]],
        "says": "should be",
    },
    "the last query decides about the mask": {
        "edits": [["(first + 1) // k", "(last + 1) // k"]],
        "says": "should be",
    },
}

CASES = [(1, 4, 4), (20, 8, 4), (100, 16, 32), (130, 64, 16)]


def test(causal_blocks, length, q, k):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> read, whole = (cuda.device_array(3, dtype=np.int32) for _ in range(2))
    >>> causal_blocks[1, 32](20, 8, 4, read, whole)
    >>> read.copy_to_host(), whole.copy_to_host()
    (array([2, 4, 5], dtype=int32), array([0, 2, 4], dtype=int32))

    --8<-- [end:example]
    """
    blocks = -(-length // q)
    reads, wholes = [], []
    for b in range(blocks):
        queries = range(b * q, min(b * q + q, length))
        keys = [range(first, first + k) for first in range(0, length, k)]
        reads.append(sum(any(key <= i for i in queries for key in one) for one in keys))
        wholes.append(sum(all(key <= i for i in queries for key in one) for one in keys))
    read = cuda.to_device(np.full(blocks, -1, dtype=np.int32))
    whole = cuda.to_device(np.full(blocks, -1, dtype=np.int32))
    causal_blocks[-(-blocks // 32), 32](length, q, k, read, whole)
    yield "read", read, np.array(reads, dtype=np.int32)
    yield "whole", whole, np.array(wholes, dtype=np.int32)
