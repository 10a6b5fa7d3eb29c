"""Totals that start again

Sales of a month, and a running total for each day: wherever `first` is 1, a new day begins and the
total starts again. That is a segmented scan, and it is a scan like any other, of pairs: has a
segment begun, and the sum since then. To put a left pair before a right one, add the left sum only
if the right pair has not begun anew. One block of 64 threads scans up to 64 numbers in log2 steps.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def restart_sums(x, first, out):
    """Write the running sums of ``x``, anew where ``first`` is 1; int32, one block of 64."""
    sums = cuda.shared.array(64, np.int32)
    begun = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    if t < x.size:
        sums[t], begun[t] = x[t], first[t]
    reach = 1
    while reach < x.size:
        cuda.syncthreads()
        left_sum, left_begun = 0, 0
        if reach <= t < x.size:
            left_sum, left_begun = sums[t - reach], begun[t - reach]
        cuda.syncthreads()
        if t < x.size:
            if begun[t] == 0:
                sums[t] += left_sum
            begun[t] |= left_begun
        reach *= 2
    if t < x.size:
        out[t] = sums[t]


# --8<-- [end:solution]

HINTS = [
    "Begin with the scan that you know: in each round thread t reads what thread t - reach holds, "
    "everybody waits, and then it adds. Another barrier keeps a fast thread out of the next round.",
    "Two arrays in shared memory. The sum of the left is added where `begun[t]` is 0, and "
    "`begun[t]` becomes 1 if the left one is.",
]

WRONG = {
    "a scan of all": {"edits": [["if begun[t] == 0:", "if True:"]], "says": "should be"},
    "the beginning is not handed on": {
        "edits": [["            begun[t] |= left_begun\n", ""]],
        "says": "should be",
    },
    "added before all have read": {
        "edits": [["        cuda.syncthreads()\n        if t < x.size:", "        if t < x.size:"]],
        "says": "comes first",
    },
    "the barrier behind a guard": {
        "edits": [
            [
                "        cuda.syncthreads()\n        if t < x.size:\n",
                "        if t < x.size:\n            cuda.syncthreads()\n",
            ]
        ],
        "says": "barrier",
    },
}

CASES = [1, 2, 33, 50, 64]


def test(restart_sums, n):
    """One block of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([3, 1, 4, 1, 5], dtype=np.int32))
    >>> first = cuda.to_device(np.array([1, 0, 1, 0, 0], dtype=np.int32))
    >>> out = cuda.device_array(5, dtype=np.int32)
    >>> restart_sums[1, 64](x, first, out)
    >>> out.copy_to_host()
    array([ 3,  4,  4,  5, 10], dtype=int32)

    --8<-- [end:example]
    """
    x = [i * 7 % 10 + 1 for i in range(n)]
    first = [int(i == 0 or i % 13 == 5 or i % 11 == 3) for i in range(n)]
    out = cuda.to_device(np.full(n, -1, dtype=np.int32))
    given = [cuda.to_device(np.array(v, dtype=np.int32)) for v in (x, first)]
    restart_sums[1, 64](*given, out)
    want, total = [], 0
    for value, begins in zip(x, first, strict=True):
        total = value if begins else total + value
        want.append(total)
    yield "out", out, np.array(want, dtype=np.int32)
