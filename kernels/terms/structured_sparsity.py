"""Two of every four weights set to zero, and what is stored then."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:prune]
def prune(weights):
    """Return the two largest of every four weights, and their places (0 to 3) as two bits each.

    Shape of weights: (rows, columns), columns a multiple of 4; both results (rows, columns / 2).
    """
    groups = weights.reshape(len(weights), -1, 4)
    places = np.sort(np.argsort(-np.abs(groups), axis=2)[:, :, :2], axis=2)
    kept = np.take_along_axis(groups, places, axis=2)
    return kept.reshape(len(weights), -1), places.reshape(len(weights), -1)


# --8<-- [end:prune]


def examples():
    """One row.

    --8<-- [start:example]
    >>> kept, places = prune(np.array([[0.1, -3.0, 2.0, 0.5, 4.0, 0.0, 0.2, 1.0]]))
    >>> kept
    array([[-3.,  2.,  4.,  1.]])
    >>> places
    array([[1, 2, 0, 3]])

    --8<-- [end:example]
    """
