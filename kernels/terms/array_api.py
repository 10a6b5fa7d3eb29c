"""One function for any array library that follows the standard."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:softmax]
def softmax(x):
    """Return the softmax of a 1-D array of whatever library ``x`` is from."""
    xp = x.__array_namespace__()  # numpy, cupy, ...
    weights = xp.exp(x - xp.max(x))
    return weights / xp.sum(weights)


# --8<-- [end:softmax]


def examples():
    """With NumPy.

    --8<-- [start:example]
    >>> softmax(np.asarray([1.0, 2.0, 3.0])).round(3)
    array([0.09 , 0.245, 0.665])

    --8<-- [end:example]
    """
    return softmax(np.asarray([1.0, 2.0, 3.0]))
