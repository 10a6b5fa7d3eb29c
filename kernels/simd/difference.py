"""How far two tracks are apart, in packed instructions."""

import numpy as np  # noqa: F401
from numba import njit


# --8<-- [start:solution]
@njit(fastmath={"reassoc"})
def difference(x, y):
    """Return the mean squared difference of two float32 tracks of one length."""
    total = np.float32(0)
    for i in range(x.size):
        apart = x[i] - y[i]
        total += apart * apart
    return total / x.size


# --8<-- [end:solution]


def example():
    """One addition in another order, and no division inside the loop.

    --8<-- [start:example]
    >>> bool(np.isclose(difference(voice, music), np.mean((voice - music) ** 2)))
    True
    >>> packed(machine_code(difference))
    ['addps', 'mulps', 'subps']

    --8<-- [end:example]
    """
