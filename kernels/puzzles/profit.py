"""Three arrays in, one out

A shop keeps three lists, an entry a product: `sold` pieces, the `price` of one, and what all of
them `cost`. Write `profit`, one product a thread: pieces times price, less the cost.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def profit(sold, price, cost, out):
    """Write sold * price - cost for n products (float32)."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = sold[i] * price[i] - cost[i]


# --8<-- [end:solution]


HINTS = [
    "Element i of every array belongs to product i, so one index serves all four.",
    "One line inside the guard: read three values, write one.",
]

WRONG = {
    "no guard": {
        "edits": [["    if i < out.size:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
    "one index for each block": {
        "edits": [["cuda.grid(1)", "cuda.blockIdx.x"]],
        "says": "No thread wrote it",
    },
    "one element behind": {
        "edits": [["price[i]", "price[i - 1]"]],
        "says": "negative index",
    },
}

CASES = [1, 5, 31, 33, 97]


def test(profit, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> sold = cuda.to_device(np.array([3, 0, 2], dtype=np.float32))
    >>> price = cuda.to_device(np.array([10, 99, 5], dtype=np.float32))
    >>> cost = cuda.to_device(np.array([12, 4, 9], dtype=np.float32))
    >>> out = cuda.device_array_like(sold)
    >>> profit[1, 32](sold, price, cost, out)
    >>> out.copy_to_host()
    array([18., -4.,  1.], dtype=float32)

    --8<-- [end:example]
    """
    sold = np.arange(n, dtype=np.float32) % 7
    price = np.arange(n, dtype=np.float32) % 11 + 2
    cost = np.arange(n, dtype=np.float32) % 13 * 3
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    arrays = [cuda.to_device(a) for a in (sold, price, cost)]
    profit[-(-n // 32), 32](*arrays, out)
    yield "out", out, sold * price - cost
