"""Two shots on one GPU

`arrays` holds a row for each of several ranks, and so does `out`. In an all-reduce in two shots,
rank r adds up part r of all rows and writes the sum to *everybody*. A part is the length divided
by the ranks, rounded up. Write `two_shots`: block r is rank r. The last part may be short or
empty. **Par** counts sectors and requests: each element is read once in all.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def two_shots(arrays, out):
    """Write the sum of the rows of ``arrays`` into every row of ``out``; block r does part r."""
    ranks, n = arrays.shape
    part = -(-n // ranks)
    first = cuda.blockIdx.x * part
    for i in range(first + cuda.threadIdx.x, min(first + part, n), cuda.blockDim.x):
        total = np.float32(0)
        for rank in range(ranks):
            total += arrays[rank, i]
        for rank in range(ranks):
            out[rank, i] = total


# --8<-- [end:solution]


HINTS = [
    "First the part: where it begins, and where it ends, which is not beyond the array. Then the "
    "block's threads go over it with a step of `cuda.blockDim.x`.",
    "Two loops over the ranks for each element: one adds up, the other writes the total into each "
    "row of `out`.",
]

WRONG = {
    "only the own row gets the sum": {
        "edits": [
            [
                "for rank in range(ranks):\n            out[rank, i]",
                "if True:\n            out[cuda.blockIdx.x, i]",
            ]
        ],
        "says": "No thread wrote it",
    },
    "every rank adds up everything": {
        "edits": [
            [
                "range(first + cuda.threadIdx.x, min(first + part, n), cuda.blockDim.x)",
                "range(cuda.threadIdx.x, n, cuda.blockDim.x)",
            ]
        ],
        "says": "above par",
    },
    "the last part is taken to be full": {
        "edits": [["min(first + part, n)", "first + part"]],
        "says": "out of bounds",
    },
}

CASES = [(2, 8), (3, 100), (4, 5), (4, 203)]
PAR = ["sectors", "requests"]


def test(two_shots, ranks, n):
    """A block of 32 threads for each rank.

    --8<-- [start:example]
    >>> arrays = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> out = cuda.device_array((2, 3), dtype=np.float32)
    >>> two_shots[2, 32](arrays, out)
    >>> out.copy_to_host()
    array([[3., 5., 7.],
           [3., 5., 7.]], dtype=float32)

    --8<-- [end:example]
    """
    arrays = (np.arange(ranks * n, dtype=np.float32) % 13).reshape(ranks, n)
    out = cuda.to_device(np.full((ranks, n), np.nan, dtype=np.float32))
    two_shots[ranks, 32](cuda.to_device(arrays), out)
    sums = [sum(column) for column in zip(*arrays.tolist(), strict=True)]
    yield "out", out, np.array([sums] * ranks, dtype=np.float32)
