"""A sum by a tree

The total of a receipt: `pieces` times `price`, added over all n lines, by one block of 64 threads.
First each thread adds every 64th product to a sum of its own. Then the 64 sums become one: halve,
wait, halve, wait.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def receipt(pieces, price, out):
    """Write the dot product of two arrays of n float32 to out[0], with one block of 64."""
    sums = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    total = np.float32(0)
    for i in range(t, pieces.size, 64):
        total += pieces[i] * price[i]
    sums[t] = total
    stride = 32
    while stride > 0:
        cuda.syncthreads()
        if t < stride:
            sums[t] += sums[t + stride]
        stride //= 2
    if t == 0:
        out[0] = sums[0]


# --8<-- [end:solution]


HINTS = [
    "A thread without a product still has a sum: 0. Put all 64 into shared memory.",
    "With a stride of 32, 16, 8, 4, 2, 1: wait, then threads below the stride add what lies a "
    "stride further.",
]

WRONG = {
    "no barrier": {
        "edits": [["        cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "only the first 64 lines": {
        "edits": [["range(t, pieces.size, 64)", "range(t, min(pieces.size, 64), 64)"]],
        "says": "should be",
    },
    "the barrier inside the `if`": {
        "edits": [
            [
                "        cuda.syncthreads()\n        if t < stride:\n",
                "        if t < stride:\n            cuda.syncthreads()\n",
            ],
        ],
        "says": "syncthreads",
    },
}

CASES = [1, 63, 64, 65, 300]


def test(receipt, n):
    """One block of 64 threads.

    --8<-- [start:example]
    >>> pieces = cuda.to_device(np.array([2, 1, 5], dtype=np.float32))
    >>> price = cuda.to_device(np.array([3, 10, 1], dtype=np.float32))
    >>> out = cuda.device_array(1, dtype=np.float32)
    >>> receipt[1, 64](pieces, price, out)
    >>> out.copy_to_host()
    array([21.], dtype=float32)

    --8<-- [end:example]
    """
    pieces = np.arange(n, dtype=np.float32) % 5 + 1
    price = np.arange(n, dtype=np.float32) % 7 + 2
    want = sum(p * q for p, q in zip(pieces.tolist(), price.tolist(), strict=True))
    out = cuda.to_device(np.full(1, np.nan, dtype=np.float32))
    receipt[1, 64](cuda.to_device(pieces), cuda.to_device(price), out)
    yield "out", out, np.array([want], dtype=np.float32)
