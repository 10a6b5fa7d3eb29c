"""Latency hiding on paper: how busy a scheduler is, and how many bytes must be in flight."""


# --8<-- [start:busy]
def busy(warps, work=64, latency=670, each=4):
    """Return the share of one scheduler's cycles in which it issues an instruction.

    A warp waits ``latency`` cycles, then runs ``work`` instructions, each of which needs the one
    before and takes ``each`` cycles. A scheduler issues at most one instruction a cycle.

    --8<-- [start:busy_example]
    >>> for warps in (1, 4, 8, 12, 16):
    ...     print(warps, f"{busy(warps):.0%}")
    1 7%
    4 28%
    8 55%
    12 83%
    16 100%

    --8<-- [end:busy_example]
    """
    return min(1.0, warps * work / (latency + each * work))


# --8<-- [end:busy]


# --8<-- [start:in_flight]
def loads_in_flight(bandwidth, latency, multiprocessors, size=4):
    """Return how many loads each multiprocessor must have in flight to keep memory busy.

    bandwidth: bytes per second. latency: seconds. size: bytes of one load.

    --8<-- [start:in_flight_example]
    >>> h200 = dict(bandwidth=4.3e12, latency=670 / 1.98e9, multiprocessors=132)
    >>> round(4.3e12 * 670 / 1.98e9 / 1e6, 2)  # MB in flight on the whole GPU
    1.46
    >>> round(loads_in_flight(**h200))
    2756
    >>> round(loads_in_flight(**h200, size=16))
    689

    --8<-- [end:in_flight_example]
    --8<-- [start:loaded_example]
    >>> in_flight = 2048 * 132 * 4  # bytes: threads, multiprocessors, one load each
    >>> round(in_flight / 2.57e12 * 1e9)  # over the rate
    421

    --8<-- [end:loaded_example]
    """
    return bandwidth * latency / multiprocessors / size


# --8<-- [end:in_flight]


# --8<-- [start:needed]
def warps_needed(work, latency=670, each=4):
    """Return how many warps keep one scheduler busy in every cycle, if it can hold so many."""
    return -(-(latency + each * work) // work)  # rounded up


# --8<-- [end:needed]


def exercise():
    """Work the exercises.

    --8<-- [start:needed_example]
    >>> [warps_needed(work) for work in (64, 32, 8)]
    [15, 25, 88]

    --8<-- [end:needed_example]

    --8<-- [start:laptop_example]
    >>> round(loads_in_flight(bandwidth=400e9, latency=500e-9, multiprocessors=20))
    2500

    --8<-- [end:laptop_example]
    """
