"""Reduce-scatter on one GPU

`gradients` holds a row for each of several ranks. After a reduce-scatter, rank r has the sum over
all ranks of its own share, and of that alone: elements `r * share` up to `(r + 1) * share`, where
`share` is the length divided by the ranks, rounded up. Write `own_share`: block r is rank r and
writes its share of `out`. The last share may be short or empty. **Par** counts sectors and
requests.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def own_share(gradients, out):
    """Sum ``gradients``, ranks x n float32, over the ranks; block r writes rank r's share."""
    ranks, n = gradients.shape
    share = -(-n // ranks)
    first = cuda.blockIdx.x * share
    for i in range(first + cuda.threadIdx.x, min(first + share, n), cuda.blockDim.x):
        total = np.float32(0)
        for rank in range(ranks):
            total += gradients[rank, i]
        out[i] = total


# --8<-- [end:solution]


HINTS = [
    "Find the first element of the block's share and one past its last, and let the block's "
    "threads go over it with a step of `cuda.blockDim.x`.",
    "The share ends at `min(first + share, n)`. A sum over the ranks in a register, one store "
    "for each element.",
]

WRONG = {
    "the last share is taken to be full": {
        "edits": [["min(first + share, n)", "first + share"]],
        "says": "out of bounds",
    },
    "each rank sums everything": {
        "edits": [
            [
                "range(first + cuda.threadIdx.x, min(first + share, n), cuda.blockDim.x)",
                "range(cuda.threadIdx.x, n, cuda.blockDim.x)",
            ]
        ],
        "says": "above par",
    },
    "the share is rounded down": {
        "edits": [["-(-n // ranks)", "n // ranks"]],
        "says": "No thread wrote it",
    },
}

CASES = [(2, 8), (3, 100), (4, 5), (4, 203)]
PAR = ["sectors", "requests"]


def test(own_share, ranks, n):
    """A block of 32 threads for each rank.

    --8<-- [start:example]
    >>> gradients = cuda.to_device(np.arange(10, dtype=np.float32).reshape(2, 5))
    >>> out = cuda.device_array(5, dtype=np.float32)
    >>> own_share[2, 32](gradients, out)
    >>> out.copy_to_host()
    array([ 5.,  7.,  9., 11., 13.], dtype=float32)

    --8<-- [end:example]
    """
    gradients = (np.arange(ranks * n, dtype=np.float32) % 13).reshape(ranks, n)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    own_share[ranks, 32](cuda.to_device(gradients), out)
    yield "out", out, gradients.sum(axis=0)
