"""What each GPU sends for an all-reduce: around a ring, or once to a switch that adds."""

# --8<-- [start:imports]
from fractions import Fraction

# --8<-- [end:imports]


# --8<-- [start:sent]
def sent_in_ring(gpus):
    """Return what each GPU sends, in sizes of the array: reduce-scatter, then all-gather."""
    return 2 * Fraction(gpus - 1, gpus)


def sent_to_switch(gpus):
    """Return the same if each GPU owns one part, which the switch adds up for it.

    The switch reads every part from each GPU, and each GPU sends the sum of its own part back.
    """
    return 1 + Fraction(1, gpus)


# --8<-- [end:sent]


def examples():
    """Two, eight and 64 GPUs.

    --8<-- [start:example]
    >>> for gpus in (2, 8, 64):
    ...     print(gpus, float(sent_in_ring(gpus)), float(sent_to_switch(gpus)))
    2 1.0 1.5
    8 1.75 1.125
    64 1.96875 1.015625

    --8<-- [end:example]
    """
