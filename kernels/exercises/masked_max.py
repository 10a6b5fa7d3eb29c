"""What stands in for what is not there

A Triton program loads a block whose length is a power of two, with a mask, and names a value for
what lies outside: `other`. Do the same by hand. A block of 32 threads finds the largest number of
its row of any length: each thread keeps the largest of its own columns, then the 32 of them meet in
shared memory. What does a thread without a column bring along?
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def masked_max(x, out):
    """Write the largest of each row of ``x`` (float32); a block of 32 threads a row."""
    box = cuda.shared.array(32, np.float32)
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    best = -np.inf
    for column in range(lane, x.shape[1], 32):
        best = max(best, x[row, column])
    box[lane] = best
    cuda.syncthreads()
    step = 16
    while step > 0:
        if lane < step:
            box[lane] = max(box[lane], box[lane + step])
        cuda.syncthreads()
        step //= 2
    if lane == 0:
        out[row] = box[0]


# --8<-- [end:solution]


HINTS = [
    "The neutral element of a sum is 0. Which one changes no maximum, whatever the numbers are?",
    "Negative infinity, `-np.inf`: it loses against every number, the most negative one included.",
]

WRONG = {
    "zero stands in": {"edits": [["best = -np.inf", "best = np.float32(0)"]], "says": "should be"},
    "the first 32 columns alone": {
        "edits": [["range(lane, x.shape[1], 32)", "range(lane, min(32, x.shape[1]), 32)"]],
        "says": "should be",
    },
    "no barrier in the tree": {
        "edits": [["        cuda.syncthreads()\n        step //= 2", "        step //= 2"]],
        "says": "comes first",
    },
}

CASES = [(1, 1), (2, 31), (3, 33), (2, 70)]


def test(masked_max, rows, columns):
    """A block of 32 threads a row. All numbers are below zero.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[-3, -1, -2], [-9, -8, -7]], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> masked_max[2, 32](x, out)
    >>> out.copy_to_host()
    array([-1., -7.], dtype=float32)

    --8<-- [end:example]
    """
    places = np.arange(rows * columns, dtype=np.int32)
    x = (-1 - (places * 37) % 101).astype(np.float32).reshape(rows, columns)
    x[:, columns * 2 // 3] = -0.5
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    masked_max[rows, 32](cuda.to_device(x), out)
    yield "out", out, np.array([max(line) for line in x.tolist()], dtype=np.float32)
