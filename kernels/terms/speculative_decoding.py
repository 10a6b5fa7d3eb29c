"""How many tokens a pass of the large model yields when a drafter proposes some."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:expected]
def expected_tokens(acceptance, drafted):
    """Return the mean number of tokens gained by one pass of the large model.

    Each drafted token is accepted with probability ``acceptance`` (below 1), up to the first
    refusal; the pass itself adds one token of the large model's own.
    """
    return (1 - acceptance ** (drafted + 1)) / (1 - acceptance)


# --8<-- [end:expected]


# --8<-- [start:counted]
def counted_tokens(acceptance, drafted, passes=100_000):
    """Return the same mean, counted over random passes."""
    accepted = np.random.default_rng(0).random((passes, drafted)) < acceptance
    return float(accepted.cumprod(axis=1).sum(axis=1).mean()) + 1


# --8<-- [end:counted]


def examples():
    """Four drafted tokens.

    --8<-- [start:example]
    >>> [round(expected_tokens(a, drafted=4), 2) for a in (0.0, 0.5, 0.8, 0.9)]
    [1.0, 1.94, 3.36, 4.1]
    >>> round(counted_tokens(0.8, drafted=4), 1)
    3.4

    --8<-- [end:example]
    """
