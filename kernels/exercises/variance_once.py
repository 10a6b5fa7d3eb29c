"""The variance in one reading

A block of 64 threads has a row and writes its variance: the mean of the squared distances from the
mean. The kernel that you start from is right, and reads the row twice, since it has to know the
mean first. The textbook's way out, the mean of the squares minus the square of the mean, is wrong
here: the values lie near 10,000, their squares near 100 million, and float32 has seven digits.
Subtract the row's first element from all of them; that leaves the variance as it is. **Par** counts
requests.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def variance_once(x, out):
    """Write the variance of each row of ``x``, rows x n float32, to ``out``."""
    sums = cuda.shared.array(64, np.float32)
    squares = cuda.shared.array(64, np.float32)
    t, row, n = cuda.threadIdx.x, cuda.blockIdx.x, np.float32(x.shape[1])
    origin = x[row, 0]
    total, total_squares = np.float32(0), np.float32(0)
    for i in range(t, x.shape[1], 64):
        distance = x[row, i] - origin
        total += distance
        total_squares += distance * distance
    sums[t], squares[t] = total, total_squares
    step = 32
    while step > 0:
        cuda.syncthreads()
        if t < step:
            sums[t] += sums[t + step]
            squares[t] += squares[t + step]
        step //= 2
    if t == 0:
        mean = sums[0] / n
        out[row] = squares[0] / n - mean * mean


# --8<-- [end:solution]

START = [
    ["    squares = cuda.shared.array(64, np.float32)\n", ""],
    [
        """    origin = x[row, 0]
    total, total_squares = np.float32(0), np.float32(0)
    for i in range(t, x.shape[1], 64):
        distance = x[row, i] - origin
        total += distance
        total_squares += distance * distance
    sums[t], squares[t] = total, total_squares
    step = 32
    while step > 0:
        cuda.syncthreads()
        if t < step:
            sums[t] += sums[t + step]
            squares[t] += squares[t + step]
        step //= 2
    if t == 0:
        mean = sums[0] / n
        out[row] = squares[0] / n - mean * mean
""",
        """    mean = np.float32(0)
    for reading in range(2):
        total = np.float32(0)
        for i in range(t, x.shape[1], 64):
            if reading == 0:
                total += x[row, i]
            else:
                total += (x[row, i] - mean) * (x[row, i] - mean)
        sums[t] = total
        step = 32
        while step > 0:
            cuda.syncthreads()
            if t < step:
                sums[t] += sums[t + step]
            step //= 2
        cuda.syncthreads()
        mean = sums[0] / n
        cuda.syncthreads()
    if t == 0:
        out[row] = mean
""",
    ],
]
HINTS = [
    "Two sums in one loop: of the distances from `x[row, 0]`, and of their squares. The tree adds "
    "up both.",
    "With distances d the variance is mean(d²) - mean(d)². The distances are small, so float32 "
    "keeps what matters.",
]

WRONG = {
    "read twice": {"edits": "START", "says": "above par"},
    "squares of the values themselves": {
        "edits": [["origin = x[row, 0]", "origin = np.float32(0)"]],
        "says": "should be",
    },
    "the mean of the squared distances": {
        "edits": [["squares[0] / n - mean * mean", "squares[0] / n"]],
        "says": "should be",
    },
    "divided by n - 1": {
        "edits": [["squares[0] / n - mean * mean", "(squares[0] - n * mean * mean) / (n - 1)"]],
        "says": "should be",
    },
    "no barrier in the tree": {
        "edits": [["        cuda.syncthreads()\n        if t < step:", "        if t < step:"]],
        "says": "comes first",
    },
}

CASES = [(1, 2), (2, 63), (2, 65), (3, 200)]
PAR = ["requests"]


def test(variance_once, rows, n):
    """Blocks of 64 threads, one for each row.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[10001, 10003], [9999, 9999]], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> variance_once[2, 64](x, out)
    >>> out.copy_to_host()
    array([1., 0.], dtype=float32)

    --8<-- [end:example]
    """
    values = [[10000.0 + (i * 7 + 3 * r) % 11 / 4 for i in range(n)] for r in range(rows)]
    out = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    variance_once[rows, 64](cuda.to_device(np.array(values, dtype=np.float32)), out)
    means = [sum(row) / n for row in values]
    pairs = zip(values, means, strict=True)
    want = [sum((v - mean) ** 2 for v in row) / n for row, mean in pairs]
    yield "out", out, np.array(want, dtype=np.float32), 1e-4
