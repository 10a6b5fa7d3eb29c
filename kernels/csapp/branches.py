"""Keep what is above a threshold: with a branch, and without."""

import numpy as np  # noqa: F401
from numba import njit


# --8<-- [start:keep]
@njit
def keep_branch(x, above, out):
    n = 0
    for i in range(x.size):
        if x[i] > above:
            out[n] = x[i]
            n += 1
    return n


@njit
def keep_always(x, above, out):
    n = 0
    for i in range(x.size):
        out[n] = x[i]  # always written; the next one overwrites it, unless it is kept
        n += x[i] > above
    return n


# --8<-- [end:keep]


def example():
    """``out`` needs as many places as ``x``.

    --8<-- [start:example]
    >>> x = np.random.default_rng(2).integers(0, 100, 1003).astype(np.int32)
    >>> out = np.empty_like(x)
    >>> n = keep_branch(x, 50, out)
    >>> np.array_equal(out[:n], x[x > 50])
    True
    >>> n = keep_always(x, 50, out)
    >>> np.array_equal(out[:n], x[x > 50])
    True

    --8<-- [end:example]
    """
