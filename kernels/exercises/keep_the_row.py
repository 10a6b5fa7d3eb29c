"""Keep the row

A row that fits into shared memory has to be fetched only once, and that is what a cluster buys for
a long one. Here a block of 64 threads has a row of up to 512 numbers, and writes how far each is
above the row's mean. The kernel that you start from is right, and fetches the row twice: for the
mean, and for the differences. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def above_mean(x, out):
    """Write ``x`` minus the mean of its row to ``out``; both are rows x n float32, n <= 512."""
    kept = cuda.shared.array(512, np.float32)
    partial = cuda.shared.array(64, np.float32)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = np.float32(0)
    for i in range(t, x.shape[1], 64):
        kept[i] = x[row, i]
        total += kept[i]
    partial[t] = total
    step = 32
    while step > 0:
        cuda.syncthreads()
        if t < step:
            partial[t] += partial[t + step]
        step //= 2
    cuda.syncthreads()
    mean = partial[0] / np.float32(x.shape[1])
    for i in range(t, x.shape[1], 64):
        out[row, i] = kept[i] - mean


# --8<-- [end:solution]

START = [
    ["        kept[i] = x[row, i]\n        total += kept[i]\n", "        total += x[row, i]\n"],
    ["    kept = cuda.shared.array(512, np.float32)\n", ""],
    ["kept[i] - mean", "x[row, i] - mean"],
]
HINTS = [
    "Put each number into shared memory when you add it. 512 floats are 2 KB.",
    "A thread reads back what it has put there itself, so the numbers need no barrier. The mean "
    "does: thread 0 has written the last sum.",
]

WRONG = {
    "fetched twice": {"edits": "START", "says": "above par"},
    "nobody waits for the mean": {
        "edits": [["    cuda.syncthreads()\n    mean", "    mean"]],
        "says": "comes first",
    },
    "divided by the block": {
        "edits": [["np.float32(x.shape[1])", "np.float32(64)"]],
        "says": "should be",
    },
    "room for a block": {
        "edits": [["cuda.shared.array(512, np.float32)", "cuda.shared.array(64, np.float32)"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (2, 63), (3, 130), (2, 500)]
PAR = ["requests"]


def test(above_mean, rows, n):
    """Blocks of 64 threads, one for each row.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[1, 2, 3, 6]], dtype=np.float32))
    >>> out = cuda.device_array((1, 4), dtype=np.float32)
    >>> above_mean[1, 64](x, out)
    >>> out.copy_to_host()
    array([[-2., -1.,  0.,  3.]], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rows * n) * 3 % 11 + 20).astype(np.float32).reshape(rows, n)
    out = cuda.to_device(np.full((rows, n), np.nan, dtype=np.float32))
    above_mean[rows, 64](cuda.to_device(x), out)
    want = [[value - sum(row) / n for value in row] for row in x.tolist()]
    yield "out", out, np.array(want, dtype=np.float32), 1e-4
