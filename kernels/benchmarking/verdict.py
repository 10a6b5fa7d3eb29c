"""Exercise of the benchmarking page: which of two lists of times is faster, if any."""

from kernels.benchmarking.harness import summary


# --8<-- [start:host]
def verdict(ours, theirs):
    """Return the speed of ours over theirs, or None where the spreads leave it open."""
    (our_time, our_spread), (their_time, their_spread) = summary(ours), summary(theirs)
    ratio = their_time / our_time
    return ratio if abs(ratio - 1) > max(our_spread, their_spread) else None


# --8<-- [end:host]


def cases():
    """Show a clear case and an open one.

    --8<-- [start:example]
    >>> verdict([10.0, 10.1, 9.9, 10.0], [20.0, 20.2, 19.9, 20.0])
    2.0
    >>> verdict([10.0, 11.0, 9.0, 10.0], [10.5, 9.5, 11.5, 10.5]) is None
    True

    --8<-- [end:example]
    """
