"""What a warp's read costs in L1: the bank rule and the line rule, whichever is slower."""

from kernels.memory_access.lines import touched, ways


# --8<-- [start:rule]
def l1_cycles(stride, offset=0):
    """Return the cycles that L1 takes for one read of a warp, 4 bytes a lane, all of it in L1.

    The data lies in 32 banks, as shared memory's does; and four lines are looked up in a cycle.
    """
    _, lines = touched(stride, offset)
    return max(ways(stride), -(-lines // 4))


# --8<-- [end:rule]


def check():
    """Predict what was measured.

    --8<-- [start:example]
    >>> [l1_cycles(stride) for stride in (1, 2, 4, 8, 16, 32)]
    [1, 2, 4, 8, 16, 32]
    >>> [l1_cycles(stride) for stride in (3, 9, 17, 31)]  # odd: no conflict, but many lines
    [1, 3, 5, 8]
    >>> l1_cycles(stride=1, offset=8)  # two lines, one cycle
    1

    --8<-- [end:example]
    """
