"""Each multiplication waits for the one before: break the chain, and the core works ahead."""

# --8<-- [start:imports]
import numpy as np  # noqa: F401
from numba import njit

# --8<-- [end:imports]


# --8<-- [start:chains]
@njit
def product_1(x):
    a = 1.0
    for i in range(x.size):
        a *= x[i]
    return a


@njit
def product_2(x):
    a = b = 1.0
    for i in range(0, x.size - 1, 2):
        a *= x[i]
        b *= x[i + 1]
    if x.size % 2:
        a *= x[-1]
    return a * b


@njit
def product_4(x):
    a = b = c = d = 1.0
    whole = x.size // 4 * 4
    for i in range(0, whole, 4):
        a *= x[i]
        b *= x[i + 1]
        c *= x[i + 2]
        d *= x[i + 3]
    for i in range(whole, x.size):
        a *= x[i]
    return (a * b) * (c * d)


# --8<-- [end:chains]


@njit
def product_8(x):
    a = b = c = d = e = f = g = h = 1.0
    whole = x.size // 8 * 8
    for i in range(0, whole, 8):
        a *= x[i]
        b *= x[i + 1]
        c *= x[i + 2]
        d *= x[i + 3]
        e *= x[i + 4]
        f *= x[i + 5]
        g *= x[i + 6]
        h *= x[i + 7]
    for i in range(whole, x.size):
        a *= x[i]
    return ((a * b) * (c * d)) * ((e * f) * (g * h))


def example():
    """Daily changes of a price, and what they come to.

    --8<-- [start:example]
    >>> changes = 1 + np.random.default_rng(1).normal(0, 0.01, 1003)
    >>> right = np.prod(changes)
    >>> [bool(np.isclose(f(changes), right)) for f in (product_1, product_2, product_4)]
    [True, True, True]

    --8<-- [end:example]
    """
