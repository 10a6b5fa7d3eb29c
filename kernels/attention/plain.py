"""Attention by the online softmax: a thread for each query, one pass over the keys."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:reference]
def attention(q, k, v, causal=False):
    """Return softmax(q @ k.T / sqrt(depth)) @ v in float64, with all scores in memory.

    q is (queries, depth), k and v are (keys, depth). With ``causal`` query i sees keys 0 to i.

    --8<-- [start:reference_example]
    >>> words = ["the", "cat", "sat", "because", "it", "was", "tired"]
    >>> meaning = np.zeros((7, 4))  # is it a noun, a verb, an animal, a pronoun
    >>> meaning[[1, 2, 4, 5]] = [[3, 0, 3, 0], [0, 3, 0, 0], [1, 0, 1, 3], [0, 3, 0, 0]]
    >>> asks = meaning.copy()
    >>> asks[4] = [2, 0, 3, 0]  # "it" looks for a noun, an animal
    >>> weights = attention(asks, meaning, np.eye(7))  # values that tell whose they are
    >>> words[weights[4].argmax()], weights[4].max().round(2)
    ('cat', np.float64(0.99))

    --8<-- [end:reference_example]
    """
    scores = np.asarray(q, np.float64) @ np.transpose(k) / math.sqrt(np.shape(q)[1])
    if causal:
        scores[np.triu_indices(len(scores), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


# --8<-- [end:reference]


# --8<-- [start:kernel]
LARGEST_DEPTH = 128


@cuda.jit
def online_kernel(q, k, v, out, scale, causal):
    """A thread takes a query through all keys, and keeps a maximum, a sum and a sum of values."""
    query = cuda.grid(1)
    if query < q.shape[0]:
        acc = cuda.local.array(LARGEST_DEPTH, np.float32)
        for d in range(q.shape[1]):
            acc[d] = np.float32(0)
        row_max, row_sum = np.float32(-math.inf), np.float32(0)
        keys = query + 1 if causal else k.shape[0]
        for key in range(keys):
            score = np.float32(0)
            for d in range(q.shape[1]):
                score += q[query, d] * k[key, d]
            score *= scale
            new_max = max(row_max, score)
            alpha = math.exp(row_max - new_max)  # 1 where the maximum stays
            weight = math.exp(score - new_max)
            row_sum = row_sum * alpha + weight
            for d in range(q.shape[1]):
                acc[d] = acc[d] * alpha + weight * v[key, d]
            row_max = new_max
        for d in range(q.shape[1]):
            out[query, d] = acc[d] / row_sum


# --8<-- [end:kernel]


# --8<-- [start:host]
def online_attention(q, k, v, causal=False):
    """Return softmax(q @ k.T / sqrt(depth)) @ v as float32, for a depth of at most 128.

    --8<-- [start:example]
    >>> online_attention(asks, meaning, np.eye(7)[:, :4])[4].round(2)  # mostly "cat", number 1
    array([0.  , 0.99, 0.  , 0.  ], dtype=float32)

    --8<-- [end:example]
    """
    q, k, v = (np.ascontiguousarray(x, dtype=np.float32) for x in (q, k, v))
    if not q.shape[1] == k.shape[1] <= LARGEST_DEPTH or v.shape[1] > q.shape[1]:
        raise ValueError(f"depths {q.shape[1]}, {k.shape[1]} and {v.shape[1]}: one of at most 128")
    d_q, d_k, d_v = map(cuda.to_device, (q, k, v))
    d_out = cuda.device_array(q.shape, np.float32)
    scale = np.float32(1 / math.sqrt(q.shape[1]))
    online_kernel[-(-len(q) // 128), 128](d_q, d_k, d_v, d_out, scale, causal)
    return d_out.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:exercise]
def merge(parts):
    """Return one query's output from (row_max, row_sum, acc) of some of its keys each."""
    largest = max(row_max for row_max, _, _ in parts)
    alphas = [math.exp(row_max - largest) for row_max, _, _ in parts]
    total = sum(alpha * row_sum for alpha, (_, row_sum, _) in zip(alphas, parts, strict=True))
    acc = sum(alpha * acc for alpha, (_, _, acc) in zip(alphas, parts, strict=True))
    return acc / total


# --8<-- [end:exercise]


def _exercise():
    """
    --8<-- [start:exercise_example]
    >>> random = np.random.default_rng(seed=1)
    >>> query, keys, content = (random.normal(size=n) for n in (8, (1000, 8), (1000, 8)))
    >>> parts = []
    >>> for some in np.array_split(np.arange(1000), 7):  # seven blocks, each with its keys
    ...     scores = keys[some] @ query / math.sqrt(8)
    ...     powers = np.exp(scores - scores.max())
    ...     parts.append((scores.max(), powers.sum(), powers @ content[some]))
    >>> np.allclose(merge(parts), attention(query[None], keys, content)[0])
    True

    --8<-- [end:exercise_example]
    """
