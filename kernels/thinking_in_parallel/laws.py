"""Amdahl's law and Gustafson's view: how fast can it get?"""


# --8<-- [start:host]
def amdahl(serial, workers):
    """Return the speed-up of a fixed job of which the share ``serial`` cannot be split."""
    return 1 / (serial + (1 - serial) / workers)


def gustafson(serial, workers):
    """Return the speed-up when the job grows until the parallel run takes the same time.

    ``serial`` is its share of the parallel run's time.
    """
    return serial + (1 - serial) * workers


# --8<-- [end:host]


def reduction_work(n):
    """Return (work, span) of the tree reduction of n values: additions, and rounds.

    --8<-- [start:cost]
    >>> n = 1000
    >>> steps = [2**k for k in range(10)]  # 1, 2, 4, ... 512: ten rounds reach 1000 values
    >>> n - 1  # additions of a loop, and of the tree
    999
    >>> sum(n - step for step in steps)  # additions of the scan
    8977
    >>> [(n - 1) // p + len(steps) for p in (1, 10, 100, 1000)]  # the tree with p workers
    [1009, 109, 19, 10]

    --8<-- [end:cost]
    """
    work = span = 0
    count = n
    while count > 1:
        half = (count + 1) // 2
        work += count - half
        span += 1
        count = half
    return work, span


def scan_work(n):
    """Return (work, span) of the Hillis-Steele scan of n values: additions, and rounds."""
    work = span = 0
    step = 1
    while step < n:
        work += n - step
        span += 1
        step *= 2
    return work, span


def laws():
    """Show both laws at a few values.

    --8<-- [start:example]
    >>> [round(amdahl(0.5, p), 3) for p in (1, 2, 4, 1000)]  # half of the job is serial
    [1.0, 1.333, 1.6, 1.998]
    >>> round(amdahl(0.01, 1000), 1)  # one percent is serial
    91.0
    >>> round(amdahl(0.01, 1000) / 1000, 3)  # the efficiency of those thousand workers
    0.091
    >>> round(gustafson(0.01, 1000), 1)  # the same share, in a job that grew
    990.0

    --8<-- [end:example]
    """
