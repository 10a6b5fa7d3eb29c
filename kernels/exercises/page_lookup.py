"""Find a token by its page

The cache of a sequence lies in pages of `page` numbers, anywhere in memory: number t of a sequence
is number `t % page` of page `table[t // page]`. Copy the sequence's numbers, in order, into `out`,
a thread for each. Entries of the table past the sequence's end are −1.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def in_order(cache, table, page, out):
    """Write the numbers of a sequence, which lie in pages, in order."""
    t = cuda.grid(1)
    if t < out.size:
        out[t] = cache[table[t // page], t % page]


# --8<-- [end:solution]

HINTS = [
    "Two steps: which page of the sequence is it, and which number of that page?",
    "`table[t // page]` is the page's place in the cache. Look it up inside the guard.",
]

WRONG = {
    "the table is not asked": {
        "edits": [["cache[table[t // page], t % page]", "cache[t // page, t % page]"]],
        "says": "should be",
    },
    "place in the page and page are swapped": {
        "edits": [["table[t // page], t % page", "table[t % page], t // page"]],
        "says": "negative index",
    },
    "no guard": {"edits": [["if t < out.size", "if True"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 64, 100]


def test(in_order, n):
    """Pages of 8, in a shuffled cache.

    --8<-- [start:example]
    >>> cache = cuda.to_device(np.arange(12, dtype=np.float32).reshape(4, 3))
    >>> table = cuda.to_device(np.array([2, 0], dtype=np.int32))
    >>> out = cuda.device_array(5, dtype=np.float32)
    >>> in_order[1, 8](cache, table, 3, out)
    >>> out.copy_to_host()
    array([6., 7., 8., 0., 1.], dtype=float32)

    --8<-- [end:example]
    """
    pages = -(-n // 8)
    cache = np.arange(8 * (2 * pages + 1), dtype=np.float32).reshape(2 * pages + 1, 8)
    table = np.full(pages + 2, -1, dtype=np.int32)
    for i in range(pages):
        table[i] = 2 * (pages - i)  # from the end, and every other one
    expected = np.zeros(n, dtype=np.float32)
    for t in range(n):
        expected[t] = 8 * int(table[t // 8]) + t % 8
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    blocks = -(-n // 32)
    in_order[blocks, 32](cuda.to_device(cache), cuda.to_device(table), 8, out)
    yield "out", out, expected
