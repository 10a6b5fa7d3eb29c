"""Gradients of attention: from the whole matrix of scores, and from one score at a time."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]
from kernels.attention.plain import attention


# --8<-- [start:reference]
def gradients_of(q, k, v, d_out, causal=False):
    """Return (dq, dk, dv) of attention in float64, with all scores in memory.

    ``d_out`` is the loss's gradient with respect to the output, with the output's shape.

    --8<-- [start:reference_example]
    >>> words = ["the", "cat", "sat", "because", "it", "was", "tired"]
    >>> meaning = np.zeros((7, 4))  # is it a noun, a verb, an animal, a pronoun
    >>> meaning[[1, 2, 4, 5]] = [[3, 0, 3, 0], [0, 3, 0, 0], [1, 0, 1, 3], [0, 3, 0, 0]]
    >>> asks = meaning.copy()
    >>> asks[4] = [1, 0, 1, 1]  # "it" does not know yet what it looks for
    >>> attention(asks, meaning, np.eye(7))[4].round(2)
    array([0.03, 0.54, 0.03, 0.03, 0.33, 0.03, 0.03])
    >>> d_out = np.zeros((7, 7))
    >>> d_out[4, 1] = 1  # we want more of "cat" in what "it" gets
    >>> dq, dk, dv = gradients_of(asks, meaning, np.eye(7), d_out)
    >>> dq[4].round(2)  # more noun, more animal, less pronoun
    array([ 0.28, -0.04,  0.28, -0.26])

    --8<-- [end:reference_example]
    """
    q, k, v, d_out = (np.asarray(x, np.float64) for x in (q, k, v, d_out))
    scale = 1 / math.sqrt(q.shape[1])
    scores = q @ k.T * scale
    if causal:
        scores[np.triu_indices(len(scores), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    dv = weights.T @ d_out
    d_weights = d_out @ v.T
    delta = (weights * d_weights).sum(axis=1, keepdims=True)
    d_scores = weights * (d_weights - delta)
    return d_scores @ k * scale, d_scores.T @ q * scale, dv


# --8<-- [end:reference]


def _check():
    """
    --8<-- [start:check]
    >>> step = 1e-6
    >>> before, after = (attention(x, meaning, np.eye(7))[4, 1] for x in (asks, asks + step * dq))
    >>> bool(np.isclose(after - before, step * (dq**2).sum(), rtol=1e-4))
    True

    --8<-- [end:check]
    """


# --8<-- [start:kernels]
@cuda.jit
def rows_kernel(q, k, out, d_out, lse, delta, scale, causal):
    """A thread takes a query through all keys, and keeps two numbers: lse and delta."""
    query = cuda.grid(1)
    if query < q.shape[0]:
        row_max, row_sum = np.float32(-math.inf), np.float32(0)
        keys = query + 1 if causal else k.shape[0]
        for key in range(keys):
            score = np.float32(0)
            for d in range(q.shape[1]):
                score += q[query, d] * k[key, d]
            score *= scale
            new_max = max(row_max, score)
            row_sum = row_sum * math.exp(row_max - new_max) + math.exp(score - new_max)
            row_max = new_max
        lse[query] = row_max + math.log(row_sum)
        total = np.float32(0)
        for d in range(out.shape[1]):
            total += out[query, d] * d_out[query, d]
        delta[query] = total


@cuda.jit(device=True)
def d_score_of(q, k, v, d_out, lse, delta, query, key, scale):
    """Return the weight of a pair, computed again, and the gradient of its score."""
    score, d_weight = np.float32(0), np.float32(0)
    for d in range(q.shape[1]):
        score += q[query, d] * k[key, d]
    for d in range(v.shape[1]):
        d_weight += d_out[query, d] * v[key, d]
    weight = math.exp(score * scale - lse[query])
    return weight, weight * (d_weight - delta[query])


@cuda.jit
def queries_kernel(q, k, v, d_out, lse, delta, dq, scale, causal):
    """A thread takes a query past all its keys."""
    query = cuda.grid(1)
    if query < q.shape[0]:
        for d in range(q.shape[1]):
            dq[query, d] = np.float32(0)
        keys = query + 1 if causal else k.shape[0]
        for key in range(keys):
            _, d_score = d_score_of(q, k, v, d_out, lse, delta, query, key, scale)
            for d in range(q.shape[1]):
                dq[query, d] += d_score * scale * k[key, d]


@cuda.jit
def keys_kernel(q, k, v, d_out, lse, delta, dk, dv, scale, causal):
    """A thread takes a key and its value past all queries that see them."""
    key = cuda.grid(1)
    if key < k.shape[0]:
        for d in range(k.shape[1]):
            dk[key, d] = np.float32(0)
        for d in range(v.shape[1]):
            dv[key, d] = np.float32(0)
        first = key if causal else 0
        for query in range(first, q.shape[0]):
            weight, d_score = d_score_of(q, k, v, d_out, lse, delta, query, key, scale)
            for d in range(k.shape[1]):
                dk[key, d] += d_score * scale * q[query, d]
            for d in range(v.shape[1]):
                dv[key, d] += weight * d_out[query, d]


# --8<-- [end:kernels]


# --8<-- [start:host]
def attention_gradients(q, k, v, d_out, causal=False):
    """Return (dq, dk, dv) as float32, given the gradient of attention's output.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> q, k, v, d_out = random.normal(size=(4, 10, 8))
    >>> got, exact = attention_gradients(q, k, v, d_out), gradients_of(q, k, v, d_out)
    >>> [np.allclose(x, y, atol=1e-5) for x, y in zip(got, exact)]
    [True, True, True]
    >>> got = attention_gradients(q, k, v, d_out, causal=True)
    >>> exact = gradients_of(q, k, v, d_out, causal=True)
    >>> [np.allclose(x, y, atol=1e-5) for x, y in zip(got, exact)]
    [True, True, True]

    --8<-- [end:example]
    """
    out = attention(q, k, v, causal)  # the forward pass, which keeps its output
    if np.shape(d_out) != out.shape:
        raise ValueError(f"d_out {np.shape(d_out)} is not of the output's shape, {out.shape}")
    q, k, v, out, d_out = (np.ascontiguousarray(x, dtype=np.float32) for x in (q, k, v, out, d_out))
    d_q, d_k, d_v, d_o, d_do = map(cuda.to_device, (q, k, v, out, d_out))
    lse, delta = (cuda.device_array(len(q), np.float32) for _ in range(2))
    dq, dk, dv = (cuda.device_array(x.shape, np.float32) for x in (q, k, v))
    scale = np.float32(1 / math.sqrt(q.shape[1]))
    for_queries, for_keys = -(-len(q) // 32), -(-len(k) // 32)
    rows_kernel[for_queries, 32](d_q, d_k, d_o, d_do, lse, delta, scale, causal)
    queries_kernel[for_queries, 32](d_q, d_k, d_v, d_do, lse, delta, dq, scale, causal)
    keys_kernel[for_keys, 32](d_q, d_k, d_v, d_do, lse, delta, dk, dv, scale, causal)
    return dq.copy_to_host(), dk.copy_to_host(), dv.copy_to_host()


# --8<-- [end:host]
