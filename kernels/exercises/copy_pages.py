"""Copy a page before writing to it

Two sequences share a page until one of them writes to it: then the page is copied. `pairs` holds
page numbers, from and to, one pair for each block of 32 threads. A page has 16 tokens of `width`
numbers each, which lie one after another. The kernel that you start from is right and gives a token
to each thread. Let the lanes run along the page. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def copy_pages(cache, pairs):
    """Copy pages of ``cache``, pages x 16 x width float32; as many blocks as pairs."""
    source, target = pairs[cuda.blockIdx.x, 0], pairs[cuda.blockIdx.x, 1]
    width = cache.shape[2]
    for i in range(cuda.threadIdx.x, 16 * width, 32):
        cache[target, i // width, i % width] = cache[source, i // width, i % width]


# --8<-- [end:solution]

START = [
    [
        "    for i in range(cuda.threadIdx.x, 16 * width, 32):\n"
        "        cache[target, i // width, i % width] = cache[source, i // width, i % width]\n",
        "    token = cuda.threadIdx.x\n    if token < 16:\n        for i in range(width):\n"
        "            cache[target, token, i] = cache[source, token, i]\n",
    ]
]
HINTS = [
    "A page is 16 x width numbers in a row. Number them from 0 on, and give number i to thread "
    "`i % 32`.",
    "Number i is number `i % width` of token `i // width`.",
]

WRONG = {
    "a token a thread": {"edits": "START", "says": "above par"},
    "from and to change places": {
        "edits": [
            [
                "pairs[cuda.blockIdx.x, 0], pairs[cuda.blockIdx.x, 1]",
                "pairs[cuda.blockIdx.x, 1], pairs[cuda.blockIdx.x, 0]",
            ]
        ],
        "says": "should be",
    },
    "tokens of 16 numbers": {
        "edits": [
            ["range(cuda.threadIdx.x, 16 * width, 32)", "range(cuda.threadIdx.x, 16 * 16, 32)"]
        ],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (2, 7), (3, 20)]
PAR = ["sectors"]


def test(copy_pages, pairs, width):
    """Blocks of 32 threads, one for each pair of pages.

    --8<-- [start:example]
    >>> pages = np.zeros((3, 16, 2), dtype=np.float32)
    >>> pages[2] = 7
    >>> cache = cuda.to_device(pages)
    >>> copy_pages[1, 32](cache, cuda.to_device(np.array([[2, 0]], dtype=np.int32)))
    >>> cache.copy_to_host()[:, 15, 1]
    array([7., 0., 7.], dtype=float32)

    --8<-- [end:example]
    """
    pages = np.arange(2 * pairs * 16 * width, dtype=np.float32).reshape(2 * pairs, 16, width)
    moves = [[2 * p + p % 2, 2 * p + 1 - p % 2] for p in range(pairs)]
    cache = cuda.to_device(pages)
    copy_pages[pairs, 32](cache, cuda.to_device(np.array(moves, dtype=np.int32)))
    want = pages.copy()
    for source, target in moves:
        want[target] = pages[source]
    yield "cache", cache, want
