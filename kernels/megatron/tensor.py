"""Tensor and sequence parallelism: a transformer's layer cut by columns, rows and heads."""
# ruff: noqa: I001

import numpy as np

from kernels.megatron.ranks import on_ranks  # noqa: F401

# --8<-- [start:one]
import math


def gelu(x):
    return x / (1 + np.exp(-1.702 * x))


def gelu_slope(x):
    s = 1 / (1 + np.exp(-1.702 * x))
    return s * (1 + 1.702 * x * (1 - s))


def attend(q, k, v):
    """Causal attention of heads: (heads, tokens, depth) each."""
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
    scores += np.triu(np.full(scores.shape[1:], -np.inf), 1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def in_heads(x, heads):
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def layer(x, w):
    """A layer on one device, without norms: attention, then two matrices, each added to x."""
    q, k, v = (in_heads(x @ w[name], HEADS) for name in "qkv")
    x = x + attend(q, k, v).transpose(1, 0, 2).reshape(x.shape) @ w["out"]
    return x + gelu(x @ w["up"]) @ w["down"]


TOKENS, WIDTH, HEADS = 12, 16, 4
random = np.random.default_rng(seed=5)
SHAPES = {name: (WIDTH, WIDTH) for name in ("q", "k", "v", "out")}
SHAPES |= {"up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
W = {name: random.normal(0, 0.3, shape) for name, shape in SHAPES.items()}
X = random.normal(size=(TOKENS, WIDTH))

# --8<-- [end:one]


# --8<-- [start:tensor]
def part(rank, w):
    """Return this rank's share: columns of what opens, rows of what closes."""
    return {
        name: np.split(m, rank.size, axis=0 if name in ("out", "down") else 1)[rank.number]
        for name, m in w.items()
    }


def tensor_parallel(rank):
    """The layer on a rank: whole x in, whole x out, two all-reduces on the way."""
    w, heads, x = part(rank, W), HEADS // rank.size, X
    q, k, v = (in_heads(x @ w[name], heads) for name in "qkv")  # some of the heads
    mixed = attend(q, k, v).transpose(1, 0, 2).reshape(len(x), -1)
    x = x + rank.all_reduce(mixed @ w["out"])
    return x + rank.all_reduce(gelu(x @ w["up"]) @ w["down"])


# --8<-- [end:tensor]


# --8<-- [start:sequence]
def sequence_parallel(rank):
    """The same, and between the matrices each rank keeps some of the tokens only."""
    w, heads = part(rank, W), HEADS // rank.size
    x = np.split(X, rank.size)[rank.number]  # norms and dropout would work on this
    whole = rank.all_gather(x)
    q, k, v = (in_heads(whole @ w[name], heads) for name in "qkv")
    mixed = attend(q, k, v).transpose(1, 0, 2).reshape(len(whole), -1)
    x = x + rank.reduce_scatter(mixed @ w["out"])
    whole = rank.all_gather(x)
    return x + rank.reduce_scatter(gelu(whole @ w["up"]) @ w["down"])


# --8<-- [end:sequence]


# --8<-- [start:backward]
def mlp_back(x, d_out, up, down):
    """Gradients of gelu(x @ up) @ down: of x, of up and of down."""
    before = x @ up
    d_before = d_out @ down.T * gelu_slope(before)
    return d_before @ up.T, x.T @ d_before, gelu(before).T @ d_out


def mlp_back_parallel(rank, x, d_out):
    """On a rank: its own part of both weights' gradients, and one all-reduce for that of x."""
    w = part(rank, W)
    d_x, d_up, d_down = mlp_back(x, d_out, w["up"], w["down"])
    return rank.all_reduce(d_x), d_up, d_down


# --8<-- [end:backward]


def examples():
    """All beside one device.

    --8<-- [start:example]
    >>> right = layer(X, W)
    >>> outputs, received = on_ranks(4, tensor_parallel)
    >>> all(np.allclose(x, right) for x in outputs), received[0]
    (True, 4608)
    >>> outputs, received = on_ranks(4, sequence_parallel)
    >>> np.allclose(np.concatenate(outputs), right), received[0]
    (True, 4608)

    --8<-- [end:example]

    --8<-- [start:backward_example]
    >>> d_out = random.normal(size=X.shape)
    >>> d_x, d_up, d_down = mlp_back(X, d_out, W["up"], W["down"])
    >>> found, _ = on_ranks(4, lambda rank: mlp_back_parallel(rank, X, d_out))
    >>> all(np.allclose(own, d_x) for own, _, _ in found)
    True
    >>> np.allclose(np.concatenate([own for _, own, _ in found], axis=1), d_up)
    True
    >>> np.allclose(np.concatenate([own for _, _, own in found], axis=0), d_down)
    True

    --8<-- [end:backward_example]
    """
