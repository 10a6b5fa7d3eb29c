"""Keep some, in order

Keep the temperatures above a limit, in their order, one behind the other, and say how many there
are. At most 64 readings, two warps. A counter that threads increase hands out places in whatever
order they come; a ballot gives each lane its place among its warp at once, and the second warp has
to know how many the first one keeps.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def keep_warm(readings, limit, out, count):
    """Write the values of n <= 64 float32 above ``limit`` to ``out``, and their number."""
    kept = cuda.shared.array(2, np.int32)  # by each warp
    t = cuda.threadIdx.x
    warp, lane = t // 32, t % 32
    warm = t < readings.size and readings[t] > limit
    mask = cuda.ballot_sync(0xFFFFFFFF, warm)
    if lane == 0:
        kept[warp] = cuda.popc(mask)
    cuda.syncthreads()
    if warm:
        place = cuda.popc(mask & ((1 << lane) - 1))  # who keeps, of the lanes to the left
        if warp == 1:
            place += kept[0]
        out[place] = readings[t]
    if t == 0:
        count[0] = kept[0] + kept[1]


# --8<-- [end:solution]


HINTS = [
    "`cuda.ballot_sync` tells every lane who keeps its reading. A lane's place in its warp is "
    "the number of keepers to its left: `cuda.popc(mask & ((1 << lane) - 1))`.",
    "One lane of each warp puts its number of keepers into shared memory. After a barrier the "
    "second warp adds what the first one keeps.",
]

WRONG = {
    "whoever comes first": {
        "edits": [
            [
                "        out[place] = readings[t]\n",
                "        out[cuda.atomic.add(count, 0, 1)] = readings[t]\n",
            ],
            ["    if t == 0:\n        count[0] = kept[0] + kept[1]\n", ""],
        ],
        "says": "In another order",
    },
    "each warp begins at 0": {
        "edits": [["        if warp == 1:\n            place += kept[0]\n", ""]],
        "says": "which comes last is open",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "with gaps": {
        "edits": [["out[place]", "out[t]"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 50, 64]


def test(keep_warm, n):
    """One block of two warps. What nobody writes in ``out`` stays NaN.

    --8<-- [start:example]
    >>> readings = cuda.to_device(np.array([18, 25, 11, 30, 21], dtype=np.float32))
    >>> out = cuda.to_device(np.zeros(5, dtype=np.float32))
    >>> count = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> keep_warm[1, 64](readings, 20, out, count)
    >>> out.copy_to_host()
    array([25., 30., 21.,  0.,  0.], dtype=float32)
    >>> count.copy_to_host()
    array([3], dtype=int32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.float32) * 11) % 29
    kept = [v for v in x.tolist() if v > 14]
    want = kept + [float("nan")] * (n - len(kept))
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    count = cuda.to_device(np.zeros(1, dtype=np.int32))
    keep_warm[1, 64](cuda.to_device(x), 14, out, count)
    yield "out", out, np.array(want, dtype=np.float32)
    yield "count", count, np.array([len(kept)], dtype=np.int32)
