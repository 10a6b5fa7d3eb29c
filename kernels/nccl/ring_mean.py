"""The exercise of the NCCL page, on NumPy arrays: a ring all-reduce that ends in the mean."""

import numpy as np

from kernels.nccl.ring import ring_all_gather, ring_reduce_scatter


# --8<-- [start:mean]
def ring_mean(arrays):
    """Return, for each rank, the mean of all ranks' arrays (all of one shape, float32)."""
    n = len(arrays)
    parts = [np.array_split(np.asarray(a, dtype=np.float32), n) for a in arrays]
    ring_reduce_scatter(parts)
    for rank in range(n):
        own = (rank + 1) % n  # the one part that this rank has finished
        parts[rank][own] = parts[rank][own] / np.float32(n)
    ring_all_gather(parts)
    return [np.concatenate(own) for own in parts]


# --8<-- [end:mean]


def examples():
    """Three ranks.

    --8<-- [start:example]
    >>> for result in ring_mean([[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 9, 10]]):
    ...     print(result.tolist())
    [4.0, 5.0, 6.0, 7.0]
    [4.0, 5.0, 6.0, 7.0]
    [4.0, 5.0, 6.0, 7.0]

    --8<-- [end:example]
    """
