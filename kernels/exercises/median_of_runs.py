"""The median, without sorting

Report the middle, not the mean. Each row of `times` has the runs of one benchmark, an odd number of
them. Write `median`: a thread for each run counts how many runs of its row are shorter, and the one
with as many below as above is the median. Runs of equal length are common, since a clock has ticks:
then the earlier run counts as the shorter one, so that exactly one thread writes.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def median(times, middle):
    """Write the median of each row of ``times``, float32, to ``middle``."""
    run, row = cuda.grid(2)
    if row < times.shape[0] and run < times.shape[1]:
        mine = times[row, run]
        below = 0
        for other in range(times.shape[1]):
            theirs = times[row, other]
            if theirs < mine or (theirs == mine and other < run):
                below += 1
        if below == times.shape[1] // 2:
            middle[row] = mine


# --8<-- [end:solution]

HINTS = [
    "Of 2 h + 1 runs the median has h before it. Count the runs of the row that come before yours.",
    "Another run comes before yours if it is shorter, or if it is as long and has a smaller "
    "number.",
]

WRONG = {
    "equal runs come before nobody": {
        "edits": [["theirs < mine or (theirs == mine and other < run)", "theirs < mine"]],
        "says": "No thread wrote it",
    },
    "equal runs come before each other": {
        "edits": [["theirs < mine or (theirs == mine and other < run)", "theirs <= mine"]],
        "says": "should be",
    },
    "one too far": {
        "edits": [["below == times.shape[1] // 2", "below == times.shape[1] // 2 + 1"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 7), (5, 33), (9, 41)]


def test(median, rows, runs):
    """Blocks of 32 x 2 threads: x for the runs, y for the rows.

    --8<-- [start:example]
    >>> times = cuda.to_device(np.array([[5, 4, 90, 4, 6]], dtype=np.float32))
    >>> middle = cuda.device_array(1, dtype=np.float32)
    >>> median[(1, 1), (32, 2)](times, middle)
    >>> middle.copy_to_host()  # the mean would be 21.8
    array([5.], dtype=float32)

    --8<-- [end:example]
    """
    times = np.random.default_rng(runs).integers(20, 20 + runs // 2 + 1, (rows, runs))
    times = times.astype(np.float32)
    middle = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    median[(-(-runs // 32), -(-rows // 2)), (32, 2)](cuda.to_device(times), middle)
    want = [sorted(row)[runs // 2] for row in times.tolist()]
    yield "middle", middle, np.array(want, dtype=np.float32)
