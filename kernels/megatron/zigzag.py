"""The exercise of the page: who computes how much of a causal attention."""


# --8<-- [start:work]
def work(stretches):
    """Return for each rank how many pairs of (own stretch, one not after it) there are."""
    return [sum(own + 1 for own in mine) for mine in stretches]


# --8<-- [end:work]


def examples():
    """
    --8<-- [start:example]
    >>> n = 4
    >>> work([[r] for r in range(n)])  # one stretch each: the last rank has four times the first's
    [1, 2, 3, 4]
    >>> work([[r, 2 * n - 1 - r] for r in range(n)])
    [9, 9, 9, 9]

    --8<-- [end:example]
    """
