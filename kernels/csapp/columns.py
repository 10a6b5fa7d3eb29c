"""The mean of each column, in the order in which memory lies."""

import numpy as np  # noqa: F401
from numba import njit


# --8<-- [start:slow]
@njit
def column_means_down(prices, out):
    """Down one column after the other."""
    for column in range(prices.shape[1]):
        total = 0.0
        for row in range(prices.shape[0]):
            total += prices[row, column]
        out[column] = total / prices.shape[0]


# --8<-- [end:slow]


# --8<-- [start:solution]
@njit
def column_means(prices, out):
    """Along one row after the other; ``out`` collects all columns at once."""
    out[:] = 0
    for row in range(prices.shape[0]):
        for column in range(prices.shape[1]):
            out[column] += prices[row, column]
    out /= prices.shape[0]


# --8<-- [end:solution]


def example():
    """A year of prices of 1,000 shares.

    --8<-- [start:example]
    >>> prices = np.random.default_rng(5).normal(100, 5, (250, 1000))
    >>> down, along = np.empty(1000), np.empty(1000)
    >>> column_means_down(prices, down)
    >>> column_means(prices, along)
    >>> np.allclose(down, prices.mean(axis=0)), np.allclose(along, prices.mean(axis=0))
    (True, True)

    --8<-- [end:example]
    """
