"""Queries that a block of keys meets

In the backward pass the roles are exchanged: a block keeps `k` keys and takes blocks of `q` queries
past them. Under a causal mask query i sees keys 0 to i. So the first blocks of queries see nothing
of these keys, the next ones need a mask, and the rest need none.

Thread b writes for key block b the first block of queries that it has to read, and the first from
which on none needs a mask.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def query_blocks(length, q, k, first, whole):
    """Write where each key block's queries begin, and where those that need no mask begin."""
    b = cuda.grid(1)
    if b < first.size:
        last = min(b * k + k, length) - 1
        first[b] = b * k // q
        whole[b] = (last + q - 1) // q


# --8<-- [end:solution]


HINTS = [
    "The first key of the block, b * k, is seen by query b * k and all after it. In which block of "
    "queries is that query?",
    "A block of queries needs no mask if its first query sees the last key of the block. Its first "
    "query must be at least that key: round up. The last block of keys may be shorter.",
]

WRONG = {
    "one block too late": {"edits": [["b * k // q", "b * k // q + 1"]], "says": "should be"},
    "the first key decides about the mask": {
        "edits": [["(last + q - 1) // q", "(b * k + q - 1) // q"]],
        "says": "should be",
    },
    "keys behind the end count": {
        "edits": [["min(b * k + k, length) - 1", "b * k + k - 1"]],
        "says": "should be",
    },
}

CASES = [(1, 4, 4), (20, 4, 8), (100, 16, 32), (130, 16, 64), (100, 64, 16)]


def test(query_blocks, length, q, k):
    """Blocks of 32 threads. Where every block needs a mask, the number of blocks is right.

    --8<-- [start:example]
    >>> first, whole = (cuda.device_array(3, dtype=np.int32) for _ in range(2))
    >>> query_blocks[1, 32](20, 4, 8, first, whole)
    >>> first.copy_to_host(), whole.copy_to_host()
    (array([0, 2, 4], dtype=int32), array([2, 4, 5], dtype=int32))

    --8<-- [end:example]
    """
    queries, keys = -(-length // q), -(-length // k)
    firsts, wholes = [], []
    for b in range(keys):
        these = range(b * k, min(b * k + k, length))
        blocks = [range(n * q, min(n * q + q, length)) for n in range(queries)]
        met = [n for n in range(queries) if any(key <= i for i in blocks[n] for key in these)]
        masked = [n for n in met if not all(key <= i for i in blocks[n] for key in these)]
        firsts.append(met[0])
        wholes.append(masked[-1] + 1 if masked else met[0])
    first = cuda.to_device(np.full(keys, -1, dtype=np.int32))
    whole = cuda.to_device(np.full(keys, -1, dtype=np.int32))
    query_blocks[-(-keys // 32), 32](length, q, k, first, whole)
    yield "first", first, np.array(firsts, dtype=np.int32)
    yield "whole", whole, np.array(wholes, dtype=np.int32)
