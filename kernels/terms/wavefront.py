"""How many groups of lanes a block becomes, and how many lanes stay empty: arithmetic."""


# --8<-- [start:host]
def groups(threads, width):
    """Return (groups, empty lanes) of a block whose threads run ``width`` together."""
    count = -(-threads // width)
    return count, count * width - threads


# --8<-- [end:host]


def examples():
    """One block on three kinds of hardware.

    --8<-- [start:example]
    >>> groups(256, width=32), groups(256, width=64)  # warps, wavefronts of 64
    ((8, 0), (4, 0))
    >>> groups(96, width=32), groups(96, width=64)
    ((3, 0), (2, 32))
    >>> groups(32, width=64)  # half of it runs empty
    (1, 32)

    --8<-- [end:example]
    """
