"""Wrong: in every step each rank sends its own part again, not the part that just arrived."""


# --8<-- [start:kernel]
def ring_stuck(parts):
    n = len(parts)
    for _ in range(n - 1):
        for rank in range(n):
            p = rank  # should be (rank - step) % n
            right = (rank + 1) % n
            parts[right][p] = parts[right][p] + parts[rank][p]


# --8<-- [end:kernel]


def examples():
    """Right with two ranks, wrong with three.

    --8<-- [start:example]
    >>> two = [np.array_split(np.full(2, 10**rank), 2) for rank in range(2)]
    >>> ring_stuck(two)
    >>> ring_all_gather(two)
    >>> [[int(p[0]) for p in own] for own in two]
    [[11, 11], [11, 11]]
    >>> three = [np.array_split(np.full(3, 10**rank), 3) for rank in range(3)]
    >>> ring_stuck(three)
    >>> ring_all_gather(three)
    >>> [int(p[0]) for p in three[0]]  # should be [111, 111, 111]
    [100, 1, 10]

    --8<-- [end:example]
    """
