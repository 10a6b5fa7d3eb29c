"""Pack a bucket

Before the all-reduce, the gradients of several parameters go into one flat array, and each is
divided by the number of ranks. `gradients` holds a parameter to a row, `sizes` how much of each
row counts. Write `pack_bucket`: block p takes parameter p, and finds where it begins in `flat`.
**Par** counts sectors and requests.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def pack_bucket(gradients, sizes, ranks, flat):
    """Write the counted parts of all rows into ``flat``, one after another, over ``ranks``."""
    parameter = cuda.blockIdx.x
    start = 0
    for before in range(parameter):
        start += sizes[before]
    for i in range(cuda.threadIdx.x, sizes[parameter], cuda.blockDim.x):
        flat[start + i] = gradients[parameter, i] / ranks


# --8<-- [end:solution]


HINTS = [
    "A parameter begins where the sizes of those before it end.",
    "Let the block's threads go over the row with a step of `cuda.blockDim.x`, up to its size.",
]

WRONG = {
    "all rows are taken to be full": {
        "edits": [["start += sizes[before]", "start += gradients.shape[1]"]],
        "says": "out of bounds",
    },
    "the sum, and no mean": {
        "edits": [["gradients[parameter, i] / ranks", "gradients[parameter, i]"]],
        "says": "should be",
    },
    "one thread for the whole row": {
        "edits": [
            [
                "range(cuda.threadIdx.x, sizes[parameter], cuda.blockDim.x)",
                "range(sizes[parameter] * (cuda.threadIdx.x == 0))",
            ]
        ],
        "says": "above par",
    },
}

CASES = [(1, 1), (2, 31), (3, 33), (4, 100)]
PAR = ["sectors", "requests"]


def test(pack_bucket, parameters, longest):
    """A block of 32 threads for each parameter, and two ranks.

    --8<-- [start:example]
    >>> gradients = np.array([[2, 4, 6], [8, 0, 0]], dtype=np.float32)
    >>> flat = cuda.device_array(4, dtype=np.float32)
    >>> sizes = cuda.to_device(np.array([3, 1], dtype=np.int32))
    >>> pack_bucket[2, 32](cuda.to_device(gradients), sizes, 2, flat)
    >>> flat.copy_to_host()
    array([1., 2., 3., 4.], dtype=float32)

    --8<-- [end:example]
    """
    sizes = [1 + (longest - 1) * (p + 1) // parameters for p in range(parameters)]
    rows = [np.arange(size, dtype=np.float32) * 2 + row for row, size in enumerate(sizes)]
    gradients = np.full((len(sizes), max(sizes)), 1000, dtype=np.float32)
    for row, values in enumerate(rows):
        gradients[row, : len(values)] = values
    flat = cuda.to_device(np.full(sum(sizes), np.nan, dtype=np.float32))
    counts = cuda.to_device(np.array(sizes, dtype=np.int32))
    pack_bucket[len(sizes), 32](cuda.to_device(gradients), counts, 2, flat)
    yield "flat", flat, np.concatenate(rows) / 2
