"""Whoever comes last adds up

Split-K gives one sum to several blocks. Here each block of one warp sums its part of `x`, thread 0
writes the result to `parts`, makes it visible, and counts up. Whoever sees the last count adds all
parts, in their order, into `out[0]`. Nobody knows which block that will be.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def last_adds(x, parts, counter, out):
    """Write the sum of ``x`` (float32) to ``out[0]``; ``counter[0]`` is 0 before."""
    if cuda.threadIdx.x == 0:
        total = np.float32(0)
        for i in range(cuda.blockIdx.x, x.size, cuda.gridDim.x):
            total += x[i]
        parts[cuda.blockIdx.x] = total
        cuda.threadfence()
        before = cuda.atomic.add(counter, 0, 1)
        if before == cuda.gridDim.x - 1:
            cuda.threadfence()
            total = np.float32(0)
            for block in range(cuda.gridDim.x):
                total += parts[block]
            out[0] = total


# --8<-- [end:solution]


HINTS = [
    "`cuda.atomic.add` returns the count from before it. What does the last of g blocks get?",
    "Between the write of a part and the count stands `cuda.threadfence()`: whoever sees the count "
    "sees the part, too. The last block reads `parts` from 0 on, its own part included.",
]

WRONG = {
    "the first one adds": {
        "edits": [["before == cuda.gridDim.x - 1", "before == 0"]],
        "says": "comes first",
    },
    "counts one too far": {
        "edits": [["before == cuda.gridDim.x - 1", "before == cuda.gridDim.x"]],
        "says": "No thread wrote it",
    },
    "its own part alone": {
        "edits": [["total += parts[block]", "total = parts[block]"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (10, 3), (100, 4)]


def test(last_adds, n, blocks):
    """Blocks of 32 threads, of which the first one works.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([1, 2, 3, 4, 5], dtype=np.float32))
    >>> parts, out = cuda.device_array(2, np.float32), cuda.device_array(1, np.float32)
    >>> counter = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> last_adds[2, 32](x, parts, counter, out)
    >>> out.copy_to_host()
    array([15.], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.int32) % 13 + 1).astype(np.float32)
    parts = cuda.to_device(np.full(blocks, np.nan, dtype=np.float32))
    out = cuda.to_device(np.full(1, np.nan, dtype=np.float32))
    counter = cuda.to_device(np.zeros(1, dtype=np.int32))
    last_adds[blocks, 32](cuda.to_device(x), parts, counter, out)
    yield "out", out, np.array([sum(x.tolist())], dtype=np.float32)
