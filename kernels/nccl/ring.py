"""The ring all-reduce on NumPy arrays: what NCCL's ring moves, step by step, without a GPU.

Source of the idea: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
"""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:reduce-scatter]
def ring_reduce_scatter(parts):
    """Sum in place. parts[rank][p] is part p of that rank's array, one part for each rank.

    Afterward rank r holds the finished sum of one part only: part r + 1.
    """
    n = len(parts)
    for step in range(n - 1):
        for rank in range(n):  # on real hardware all ranks send at once
            p = (rank - step) % n  # the part that arrived in the step before
            right = (rank + 1) % n
            parts[right][p] = parts[right][p] + parts[rank][p]


# --8<-- [end:reduce-scatter]


# --8<-- [start:all-gather]
def ring_all_gather(parts):
    """Pass the finished parts on, in place, until every rank holds them all."""
    n = len(parts)
    for step in range(n - 1):
        for rank in range(n):
            p = (rank + 1 - step) % n  # first my own finished part, then what arrived
            parts[(rank + 1) % n][p] = parts[rank][p]


# --8<-- [end:all-gather]


# --8<-- [start:all-reduce]
def ring_all_reduce(arrays):
    """Return, for each rank, the sum of all ranks' arrays (all of one shape, float32)."""
    parts = [np.array_split(np.asarray(a, dtype=np.float32), len(arrays)) for a in arrays]
    ring_reduce_scatter(parts)
    ring_all_gather(parts)
    return [np.concatenate(own) for own in parts]


# --8<-- [end:all-reduce]


def examples():
    """The ring at work.

    --8<-- [start:example]
    >>> for result in ring_all_reduce([[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400]]):
    ...     print(result.tolist())
    [111.0, 222.0, 333.0, 444.0]
    [111.0, 222.0, 333.0, 444.0]
    [111.0, 222.0, 333.0, 444.0]

    --8<-- [end:example]

    --8<-- [start:half-way]
    >>> parts = [np.array_split(np.full(3, 10**rank), 3) for rank in range(3)]
    >>> ring_reduce_scatter(parts)
    >>> for own in parts:
    ...     print([int(p[0]) for p in own])
    [1, 111, 101]
    [11, 10, 111]
    [111, 110, 100]

    --8<-- [end:half-way]
    """
