"""Collective operations on NumPy arrays: row r of an array is what rank r holds."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:all-gather]
def all_gather(pieces):
    """Return what each rank holds afterward: every rank's piece, in rank order.

    ``pieces`` has shape (ranks, n), the result (ranks, ranks * n).
    """
    return np.stack([pieces.ravel()] * len(pieces))


# --8<-- [end:all-gather]


# --8<-- [start:reduce-scatter]
def reduce_scatter(arrays):
    """Return what each rank holds afterward: its own part of the sum over all ranks.

    ``arrays`` has shape (ranks, ranks * n), the result (ranks, n).
    """
    return arrays.sum(axis=0).reshape(len(arrays), -1)


# --8<-- [end:reduce-scatter]


# --8<-- [start:broadcast]
def broadcast(buffers, root):
    """Return what each rank holds afterward: the root's buffer. Shape (ranks, n) throughout."""
    return np.stack([buffers[root]] * len(buffers))


# --8<-- [end:broadcast]


# --8<-- [start:all-to-all]
def all_to_all(parts):
    """Return what each rank holds afterward: the part that each rank meant for it.

    ``parts[source][target]`` becomes ``result[target][source]``.
    """
    return parts.swapaxes(0, 1).copy()


# --8<-- [end:all-to-all]


def examples():
    """The four operations on three ranks.

    --8<-- [start:all-gather-example]
    >>> all_gather(np.array([[1, 2], [3, 4], [5, 6]]))
    array([[1, 2, 3, 4, 5, 6],
           [1, 2, 3, 4, 5, 6],
           [1, 2, 3, 4, 5, 6]])

    --8<-- [end:all-gather-example]

    --8<-- [start:reduce-scatter-example]
    >>> reduce_scatter(np.array([[1, 2, 3], [10, 20, 30], [100, 200, 300]]))
    array([[111],
           [222],
           [333]])

    --8<-- [end:reduce-scatter-example]

    --8<-- [start:broadcast-example]
    >>> broadcast(np.array([[1, 2], [3, 4], [5, 6]]), root=1)
    array([[3, 4],
           [3, 4],
           [3, 4]])

    --8<-- [end:broadcast-example]

    --8<-- [start:all-to-all-example]
    >>> all_to_all(np.array([[11, 12, 13], [21, 22, 23], [31, 32, 33]]))  # 12: from rank 1 to 2
    array([[11, 21, 31],
           [12, 22, 32],
           [13, 23, 33]])

    --8<-- [end:all-to-all-example]

    --8<-- [start:two-halves]
    >>> arrays = np.array([[1, 2, 3], [10, 20, 30], [100, 200, 300]])
    >>> all_gather(reduce_scatter(arrays))  # an all-reduce, in two steps
    array([[111, 222, 333],
           [111, 222, 333],
           [111, 222, 333]])

    --8<-- [end:two-halves]
    """
