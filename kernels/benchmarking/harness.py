"""A benchmark harness: check, take turns, summarize. The clock is in events.py."""

# --8<-- [start:imports]
import statistics

import numpy as np

# --8<-- [end:imports]


# --8<-- [start:check]
def error_of(call, out, expected):
    """Return ||out - expected|| / ||expected|| after ``call()`` has filled ``out``.

    ``expected`` is float64. What nobody wrote stays NaN, and then the error is NaN.
    """
    out.fill(np.nan)  # poison: a right answer of the call before must not help
    call()
    off = out.astype(np.float64) - expected
    return float(np.sqrt((off * off).sum() / (expected * expected).sum()))


# --8<-- [end:check]


# --8<-- [start:turns]
def in_turns(calls, sample, repeats=20, warmup=3):
    """Time several calls, A B C A B C ..., and return the times of each.

    ``calls`` maps names to functions. ``sample(call)`` runs one and returns its time.
    """
    times = {name: [] for name in calls}
    for turn in range(-warmup, repeats):
        for name, call in calls.items():
            time = sample(call)
            if turn >= 0:  # the turns before compile, load and fill caches
                times[name].append(time)
    return times


# --8<-- [end:turns]


def turns():
    """Show a drift: a clock on which each sample takes longer than the one before.

    --8<-- [start:turns_example]
    >>> clock = iter(range(100, 200))
    >>> in_turns({"A": None, "B": None}, lambda call: next(clock), repeats=3, warmup=1)
    {'A': [102, 104, 106], 'B': [103, 105, 107]}

    --8<-- [end:turns_example]
    """


# --8<-- [start:summary]
def summary(times):
    """Return the median, and the spread: 10th to 90th percentile, over the median."""
    middle = statistics.median(times)
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    return middle, (tenths[-1] - tenths[0]) / middle


# --8<-- [end:summary]


def outlier():
    """Show what one bad sample does to a mean and to a median.

    --8<-- [start:summary_example]
    >>> times = [10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 10.1, 9.9, 60.0]
    >>> statistics.mean(times)
    15.0
    >>> middle, spread = summary(times)
    >>> middle, round(spread, 2)
    (10.0, 0.53)

    --8<-- [end:summary_example]
    """
