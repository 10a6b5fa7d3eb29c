"""Reading memory: in strides, in random order, and where each address stands in the last value."""

import numpy as np
from numba import njit


# --8<-- [start:stride]
@njit
def read(x, stride):
    a = b = c = d = 0.0
    i = 0
    while i < x.size - 3 * stride:
        a += x[i]
        b += x[i + stride]
        c += x[i + 2 * stride]
        d += x[i + 3 * stride]
        i += 4 * stride
    while i < x.size:
        a += x[i]
        i += stride
    return (a + b) + (c + d)


# --8<-- [end:stride]


# --8<-- [start:order]
@njit
def visit(x, order):
    total = 0
    for i in range(order.size):
        total += x[order[i]]
    return total


@njit
def chase(following, steps):
    at = 0
    for _ in range(steps):
        at = following[at]
    return at


# --8<-- [end:order]


# --8<-- [start:ring]
def ring(n, seed=0):
    """Return for each of n places the next one, on a random way through all of them and back."""
    way = np.random.default_rng(seed).permutation(n)
    following = np.empty(n, np.int64)
    following[way] = np.roll(way, -1)
    return following


# --8<-- [end:ring]


def example():
    """A way through all places ends where it began.

    --8<-- [start:example]
    >>> following = ring(1003)
    >>> chase(following, 1003), chase(following, 1002) != 0
    (0, True)
    >>> x = np.arange(1003)
    >>> visit(x, following) == x.sum()  # another order, the same sum
    np.True_

    --8<-- [end:example]

    --8<-- [start:stride_example]
    >>> read(np.arange(10.0), 3)
    18.0

    --8<-- [end:stride_example]
    """
