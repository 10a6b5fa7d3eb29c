"""The gaps of a timeline

A recorded timeline has the events of all streams, sorted by when they began: `begin[i]` and
`end[i]`, in nanoseconds. Before event i the GPU was idle if all earlier events had ended. Write the
length of that gap to `gap[i]`, and 0 where there is none or where nothing came before. Events of
different streams overlap, and a long one may outlast several that began after it.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def gaps(begin, end, gap):
    """Write the idle time before each event to ``gap``; all arrays are int32."""
    i = cuda.grid(1)
    if i < begin.size:
        idle = 0
        if i > 0:
            latest = end[0]
            for k in range(1, i):
                latest = max(latest, end[k])
            idle = max(begin[i] - latest, 0)
        gap[i] = idle


# --8<-- [end:solution]

HINTS = [
    "The event right before need not be the one that ended last. Who ended last of all that "
    "began earlier?",
    "Take the largest `end[k]` of all k < i. If it lies after `begin[i]`, the GPU was busy, and "
    "the difference is negative.",
]

WRONG = {
    "the event before decides": {
        "edits": [["range(1, i)", "range(i - 1, i)"], ["latest = end[0]", "latest = 0"]],
        "says": "should be",
    },
    "an overlap is a negative gap": {
        "edits": [["max(begin[i] - latest, 0)", "begin[i] - latest"]],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < begin.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 70]


def test(gaps, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> begin = cuda.to_device(np.array([0, 10, 20, 50], dtype=np.int32))
    >>> end = cuda.to_device(np.array([40, 15, 25, 60], dtype=np.int32))
    >>> gap = cuda.device_array(4, dtype=np.int32)
    >>> gaps[1, 32](begin, end, gap)  # the first event outlasts the next two
    >>> gap.copy_to_host()
    array([ 0,  0,  0, 10], dtype=int32)

    --8<-- [end:example]
    """
    begin = [10 * i for i in range(n)]
    end = [10 * i + (i * 7 % 13) + (40 if i % 5 == 1 else 0) for i in range(n)]
    want = [max(0, begin[i] - max(end[:i])) if i else 0 for i in range(n)]
    gap = cuda.to_device(np.full(n, -1, dtype=np.int32))
    begin, end = (cuda.to_device(np.array(times, dtype=np.int32)) for times in (begin, end))
    gaps[-(-n // 32), 32](begin, end, gap)
    yield "gap", gap, np.array(want, dtype=np.int32)
