"""A reduction along a binary tree of ranks, on Python numbers."""


# --8<-- [start:tree]
def tree_reduce(values):
    """Return the sum of all ranks' values, held by rank 0, and the number of steps taken."""
    values, steps, distance = list(values), 0, 1
    while distance < len(values):
        for rank in range(0, len(values) - distance, 2 * distance):
            values[rank] += values[rank + distance]  # all these pairs meet at once
        distance *= 2
        steps += 1
    return values[0], steps


# --8<-- [end:tree]


def examples():
    """Steps grow with the logarithm of the ranks.

    --8<-- [start:example]
    >>> tree_reduce([1, 2, 3, 4, 5])
    (15, 3)
    >>> [tree_reduce([1] * ranks) for ranks in (2, 8, 64, 1024)]
    [(2, 1), (8, 3), (64, 6), (1024, 10)]

    --8<-- [end:example]
    """
