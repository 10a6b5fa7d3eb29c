"""Context parallelism: ring attention, forward and backward, over a sequence that nobody holds."""
# ruff: noqa: I001

import numpy as np

from kernels.megatron.ranks import on_ranks  # noqa: F401

# --8<-- [start:one]
import math


def scores_of(q, k, first_q, first_k):
    """Return causal scores of queries and keys whose first positions are given."""
    later = np.arange(first_k, first_k + len(k)) > np.arange(first_q, first_q + len(q))[:, None]
    return np.where(later, -np.inf, q @ k.T / math.sqrt(q.shape[1]))


def attention(q, k, v, d_out):
    """On one device: the output, and for d_out the gradients of q, k and v."""
    scores = scores_of(q, k, 0, 0)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    d_weights = d_out @ v.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    d_scores /= math.sqrt(q.shape[1])
    return weights @ v, d_scores @ k, d_scores.T @ q, weights.T @ d_out


# --8<-- [end:one]


# --8<-- [start:ring]
def ring_forward(rank, q, k, v):
    """Attention of this rank's queries over all keys: keys and values pass by, one part a step.

    Returns the output, and each row's log of the sum of powers, which the backward pass needs.
    """
    n, rows = rank.size, len(q)
    acc, row_max, row_sum = np.zeros(q.shape), np.full((rows, 1), -np.inf), np.zeros((rows, 1))
    for step in range(n):
        owner = (rank.number - step) % n  # whose keys are here
        if owner <= rank.number:  # later keys are masked altogether
            scores = scores_of(q, k, rank.number * rows, owner * rows)
            new_max = np.maximum(row_max, scores.max(axis=1, keepdims=True))
            alpha, powers = np.exp(row_max - new_max), np.exp(scores - new_max)
            row_sum = row_sum * alpha + powers.sum(axis=1, keepdims=True)
            acc, row_max = acc * alpha + powers @ v, new_max
        if step < n - 1:
            rank.send(np.stack([k, v]), (rank.number + 1) % n)
            k, v = rank.recv((rank.number - 1) % n)
    return acc / row_sum, row_max + np.log(row_sum)


def ring_backward(rank, q, k, v, out, log_sum, d_out):
    """Gradients of this rank's q, k and v. Those of k and v travel along, back to their owner."""
    n, rows = rank.size, len(q)
    d_q, d_k, d_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    own = (d_out * out).sum(axis=1, keepdims=True)
    for step in range(n):
        owner = (rank.number - step) % n
        if owner <= rank.number:
            weights = np.exp(scores_of(q, k, rank.number * rows, owner * rows) - log_sum)
            d_scores = weights * (d_out @ v.T - own) / math.sqrt(q.shape[1])
            d_q += d_scores @ k
            d_k, d_v = d_k + d_scores.T @ q, d_v + weights.T @ d_out
        rank.send(np.stack([k, v, d_k, d_v]), (rank.number + 1) % n)
        k, v, d_k, d_v = rank.recv((rank.number - 1) % n)
    return d_q, d_k, d_v  # after n steps each part is at home again


# --8<-- [end:ring]


def examples():
    """Four ranks, 16 tokens each.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=2)
    >>> whole = random.normal(size=(4, 64, 8))  # q, k, v and d_out
    >>> right = attention(*whole)
    >>> def ring(rank):
    ...     q, k, v, d_out = np.split(whole, rank.size, axis=1)[rank.number]
    ...     out, log_sum = ring_forward(rank, q, k, v)
    ...     return out, *ring_backward(rank, q, k, v, out, log_sum, d_out)
    >>> found, received = on_ranks(4, ring)
    >>> [np.allclose(np.concatenate(parts), r) for parts, r in zip(zip(*found), right)]
    [True, True, True, True]
    >>> received[0] == (3 * 2 + 4 * 4) * 16 * 8 * 8  # parts of 16 x 8 numbers of 8 bytes
    True

    --8<-- [end:example]
    """
