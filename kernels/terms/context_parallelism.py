"""A softmax average over a sequence that is split between ranks, merged from their parts."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:merge]
def partial(scores, values):
    """Return one rank's part of a softmax average: the maximum, the sum and the weighted sum."""
    top = scores.max()
    weights = np.exp(scores - top)
    return top, weights.sum(), weights @ values


def merge(parts):
    """Return the softmax average over all ranks' tokens."""
    top = max(part[0] for part in parts)
    scale = [np.exp(part[0] - top) for part in parts]
    total = sum(s * part[1] for s, part in zip(scale, parts, strict=True))
    return sum(s * part[2] for s, part in zip(scale, parts, strict=True)) / total


# --8<-- [end:merge]


def examples():
    """Twelve tokens on three ranks.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(5)
    >>> scores, values = rng.normal(size=12), rng.normal(size=(12, 4))
    >>> parts = [partial(s, v) for s, v in zip(np.split(scores, 3), np.split(values, 3))]
    >>> weights = np.exp(scores) / np.exp(scores).sum()
    >>> np.allclose(merge(parts), weights @ values)
    True

    --8<-- [end:example]
    """
