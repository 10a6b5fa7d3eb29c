"""Linear attention twice: over all pairs of tokens, and with a state that each token updates."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:attention]
def over_pairs(q, k, v):
    """Return causal attention without the softmax."""
    scores = np.tril(q @ k.T)
    return scores @ v


def with_state(q, k, v):
    """Return the same with a matrix as the only memory of the past."""
    state, out = np.zeros((k.shape[1], v.shape[1])), np.empty(v.shape)
    for t in range(len(q)):
        state += np.outer(k[t], v[t])
        out[t] = q[t] @ state
    return out


# --8<-- [end:attention]


def examples():
    """100 tokens, heads of 16, whole numbers so that no order of adding changes the result.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(0)
    >>> q, k, v = rng.integers(-3, 4, (3, 100, 16))
    >>> bool((over_pairs(q, k, v) == with_state(q, k, v)).all())
    True
    >>> k.size + v.size, k.shape[1] * v.shape[1]  # a cache, the state
    (3200, 256)

    --8<-- [end:example]
    """
