"""Where each run begins

Run-length encoding writes 5 5 5 2 2 7 as three values and where each begins: 5 2 7 and 0 3 5. It is
a compaction: an element is kept if it differs from the one before. `places` is the inclusive scan
of those flags, so place 1 is the first. Write the second half, which finds out who is kept and
where it goes. The first element has nobody before it.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def run_starts(x, places, values, starts):
    """Write the value and the index of each run's first element; all int32."""
    i = cuda.grid(1)
    if i < x.size:
        if i == 0 or x[i] != x[i - 1]:
            values[places[i] - 1] = x[i]
            starts[places[i] - 1] = i


# --8<-- [end:solution]

HINTS = [
    "Which thread writes run number r? The one whose element begins it. All others of the run hold "
    "the same number in `places`.",
    "`places` counts from 1, arrays from 0. And `x[i - 1]` of thread 0 would be `x[-1]`: the last "
    "element, in Numba as in Python. Where it equals the first, the first run is lost.",
]

WRONG = {
    "the first looks before the array": {
        "edits": [["i == 0 or x[i] != x[i - 1]", "x[i] != x[i - 1]"]],
        "says": "negative index",
    },
    "places from 1": {
        "edits": [["values[places[i] - 1]", "values[places[i]]"]],
        "says": "out of bounds",
    },
    "everybody writes": {
        "edits": [["if i == 0 or x[i] != x[i - 1]:", "if True:"]],
        "says": "let one thread write it",
    },
    "the last of each run": {
        "edits": [
            ["i == 0 or x[i] != x[i - 1]", "i == x.size - 1 or x[i] != x[i + 1]"],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < x.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 2, 33, 64, 150]


def test(run_starts, n):
    """Blocks of 32 threads; the scan is done.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([5, 5, 5, 2, 2, 7], dtype=np.int32))
    >>> places = cuda.to_device(np.array([1, 1, 1, 2, 2, 3], dtype=np.int32))
    >>> values, starts = (cuda.device_array(3, dtype=np.int32) for _ in range(2))
    >>> run_starts[1, 32](x, places, values, starts)
    >>> values.copy_to_host(), starts.copy_to_host()
    (array([5, 2, 7], dtype=int32), array([0, 3, 5], dtype=int32))

    --8<-- [end:example]
    """
    x = [i * i // 50 % 3 for i in range(n)]
    begins = [i for i in range(n) if i == 0 or x[i] != x[i - 1]]
    places = [sum(b <= i for b in begins) for i in range(n)]
    given = [cuda.to_device(np.array(v, dtype=np.int32)) for v in (x, places)]
    values = cuda.to_device(np.full(len(begins), -1, dtype=np.int32))
    starts = cuda.to_device(np.full(len(begins), -1, dtype=np.int32))
    run_starts[-(-n // 32), 32](*given, values, starts)
    yield "values", values, np.array([x[i] for i in begins], dtype=np.int32)
    yield "starts", starts, np.array(begins, dtype=np.int32)
