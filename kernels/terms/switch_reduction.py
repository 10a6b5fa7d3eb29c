"""What each GPU sends for an all-reduce: around a ring, or once to a switch that adds."""

# --8<-- [start:imports]
from fractions import Fraction

# --8<-- [end:imports]


# --8<-- [start:sent]
def sent_in_ring(gpus):
    """Return what a GPU sends, in arrays: reduce-scatter, all-gather."""
    return 2 * Fraction(gpus - 1, gpus)


def sent_to_switch(gpus):
    """Return the same if the switch adds one part for each GPU.

    It reads every part from each GPU, and each GPU sends the sum of
    its own part back.
    """
    return 1 + Fraction(1, gpus)


# --8<-- [end:sent]


def examples():
    """Two, eight and 64 GPUs.

    --8<-- [start:example]
    >>> for gpus in (2, 8, 64):
    ...     ring, switch = sent_in_ring(gpus), sent_to_switch(gpus)
    ...     print(gpus, float(ring), float(switch))
    2 1.0 1.5
    8 1.75 1.125
    64 1.96875 1.015625

    --8<-- [end:example]
    """
