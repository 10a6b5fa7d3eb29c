"""Bus bandwidth: how fast the links ran, whatever the number of ranks.

Source: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
"""


# --8<-- [start:bus]
def bus_bandwidth(size, seconds, ranks):
    """Return the bus bandwidth of an all-reduce, in the unit of ``size`` a second.

    ``size`` is the size of one rank's array. ``size / seconds`` is the algorithm bandwidth.
    """
    return size / seconds * 2 * (ranks - 1) / ranks


# --8<-- [end:bus]


def examples():
    """The same link speed, seen with 2 and with 8 ranks.

    --8<-- [start:example]
    >>> bus_bandwidth(size=8, seconds=0.02, ranks=2)  # 8 GB in 20 ms
    400.0
    >>> bus_bandwidth(size=8, seconds=0.035, ranks=8)  # slower, and the links are as busy
    400.0

    --8<-- [end:example]
    """
