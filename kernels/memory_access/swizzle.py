"""Exercises: a tile without conflicts and without padding, and points of three numbers."""

from kernels.memory_access.lines import touched  # noqa: F401


# --8<-- [start:solution]
def swizzled_column(y, x):
    """Return the column of a 32-wide tile in which element (y, x) is stored."""
    return x ^ y % 32


# --8<-- [end:solution]


def check():
    """Banks of a row and of a column.

    --8<-- [start:example]
    >>> len({swizzled_column(5, x) for x in range(32)})
    32
    >>> len({swizzled_column(y, 5) for y in range(32)})
    32

    --8<-- [end:example]

    --8<-- [start:points]
    >>> sectors, lines = touched(stride=3)
    >>> sectors, lines, round(128 / (32 * sectors), 2)
    (12, 3, 0.33)
    >>> touched(stride=1)  # x in an array of its own
    (4, 1)

    --8<-- [end:points]
    """
