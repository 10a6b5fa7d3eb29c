"""Two partial softmaxes make one: the exercise of the page."""

# --8<-- [start:merge]
from math import exp


def partial(scores):
    """Return the largest of some scores, and the sum of exponentials relative to it."""
    largest = max(scores)
    return largest, sum(exp(score - largest) for score in scores)


def merge(a, b):
    """Return the pair of both parts together."""
    largest = max(a[0], b[0])
    return largest, a[1] * exp(a[0] - largest) + b[1] * exp(b[0] - largest)


# --8<-- [end:merge]


def example():
    """Show that the order does not matter.

    --8<-- [start:example]
    >>> parts = [partial([1, 7, 2]), partial([9, 3]), partial([4, 9.5, 0, 1])]
    >>> whole = partial([1, 7, 2, 9, 3, 4, 9.5, 0, 1])
    >>> one = merge(merge(parts[0], parts[1]), parts[2])
    >>> other = merge(parts[0], merge(parts[2], parts[1]))
    >>> one[0] == other[0] == whole[0]
    True
    >>> all(abs(pair[1] - whole[1]) < 1e-12 for pair in (one, other))
    True

    --8<-- [end:example]
    """
