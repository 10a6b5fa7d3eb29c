"""Attention, whole and in tiles with a running softmax, in NumPy."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:attention]
def attention(q, k, v):
    """Return softmax(q @ k.T / sqrt(d)) @ v.

    Shapes: q (queries, d), k (tokens, d), v (tokens, d_v); the result is (queries, d_v).
    """
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


# --8<-- [end:attention]


# --8<-- [start:tiled]
def tiled_attention(q, k, v, tile):
    """Return what ``attention`` does, from ``tile`` tokens at a time."""
    top = np.full((len(q), 1), -np.inf)
    total = np.zeros((len(q), 1))
    out = np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k), tile):
        scores = q @ k[start : start + tile].T / np.sqrt(q.shape[1])
        new_top = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink = np.exp(top - new_top)  # what was summed so far, on the new scale
        weights = np.exp(scores - new_top)
        total = total * shrink + weights.sum(axis=1, keepdims=True)
        out = out * shrink + weights @ v[start : start + tile]
        top = new_top
    return out / total


# --8<-- [end:tiled]


# --8<-- [start:online]
def online_softmax_sum(scores):
    """Return the largest score and the sum of exp(score - largest), in one pass."""
    top, total = -np.inf, 0.0
    for score in scores:
        new_top = max(top, score)
        total = total * np.exp(top - new_top) + np.exp(score - new_top)
        top = new_top
    return top, total


# --8<-- [end:online]


def examples():
    """Small inputs.

    --8<-- [start:example]
    >>> keys = np.eye(3) * 9  # three tokens, each with a key of its own
    >>> values = np.array([[1.0], [2.0], [3.0]])
    >>> attention(np.array([[0.0, 9.0, 0.0]]), keys, values).round(3)  # asks for the second
    array([[2.]])
    >>> attention(np.zeros((1, 3)), keys, values).round(3)  # asks for none: the mean
    array([[2.]])
    >>> attention(np.array([[0.0, 0.0, 0.3]]), keys, values).round(3)
    array([[2.556]])

    --8<-- [end:example]

    --8<-- [start:tiled-example]
    >>> rng = np.random.default_rng(1)
    >>> q, k, v = rng.normal(size=(4, 8)), rng.normal(size=(50, 8)), rng.normal(size=(50, 8))
    >>> np.allclose(tiled_attention(q, k, v, tile=16), attention(q, k, v))
    True

    --8<-- [end:tiled-example]

    --8<-- [start:online-example]
    >>> scores = np.array([3.0, 1000.0, 999.0])
    >>> top, total = online_softmax_sum(scores)
    >>> (np.exp(scores - top) / total).round(3)
    array([0.   , 0.731, 0.269])

    --8<-- [end:online-example]
    """
