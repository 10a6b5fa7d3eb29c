"""How many steps must share two copies before the GPU wins?"""

# --8<-- [start:solution]
import math


def break_even(cpu, copies, kernel):
    """Return the least number of steps for which the GPU is faster, or None if there is none.

    cpu, kernel: the time of one step. copies: of both copies together. All in the same unit.
    """
    if kernel >= cpu:
        return None
    return math.floor(copies / (cpu - kernel)) + 1


# --8<-- [end:solution]


def example():
    """Invented times.

    --8<-- [start:example]
    >>> break_even(cpu=10, copies=25, kernel=0.1)  # milliseconds
    3
    >>> break_even(cpu=1, copies=25, kernel=2) is None
    True

    --8<-- [end:example]
    """
