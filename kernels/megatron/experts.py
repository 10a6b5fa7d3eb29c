"""Expert parallelism: tokens travel to their expert and back, by two all-to-alls."""
# ruff: noqa: I001

import numpy as np

from kernels.megatron.ranks import on_ranks  # noqa: F401


# --8<-- [start:one]
def expert(x, w):
    return np.maximum(x @ w[0], 0) @ w[1]


def mixture(x, router, experts):
    """On one device: each token goes to the expert that scores it highest."""
    scores = x @ router
    choice, out = scores.argmax(axis=1), np.zeros_like(x)
    for number, w in enumerate(experts):
        out[choice == number] = expert(x[choice == number], w)
    return out / (1 + np.exp(-scores.max(axis=1, keepdims=True)))


# --8<-- [end:one]


# --8<-- [start:parallel]
def expert_parallel(rank, x, router, mine):
    """On a rank: its own tokens in, the same tokens out, through experts on all ranks.

    mine: this rank's experts. Expert e lives on rank e // len(mine).
    """
    scores = x @ router
    choice = scores.argmax(axis=1)
    order = np.argsort(choice, kind="stable")  # tokens of one rank's experts, side by side
    cuts = np.searchsorted(choice[order], len(mine) * np.arange(1, rank.size))
    came = rank.all_to_all(np.split(x[order], cuts))
    chosen = np.concatenate(rank.all_to_all(np.split(choice[order], cuts)))
    tokens, out = np.concatenate(came), np.zeros((len(chosen), x.shape[1]))
    for number, w in enumerate(mine):
        here = chosen == rank.number * len(mine) + number
        out[here] = expert(tokens[here], w)
    back = rank.all_to_all(np.split(out, np.cumsum([len(part) for part in came])[:-1]))
    result = np.empty_like(x)
    result[order] = np.concatenate(back)
    return result / (1 + np.exp(-scores.max(axis=1, keepdims=True))), len(chosen)


# --8<-- [end:parallel]


def examples():
    """Eight experts on four ranks.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=4)
    >>> x, router = random.normal(size=(40, 6)), random.normal(size=(6, 8))
    >>> experts = [(random.normal(size=(6, 24)), random.normal(size=(24, 6))) for _ in range(8)]
    >>> right = mixture(x, router, experts)
    >>> def work(rank):
    ...     tokens = np.split(x, rank.size)[rank.number]
    ...     return expert_parallel(rank, tokens, router, experts[2 * rank.number :][:2])
    >>> found, received = on_ranks(4, work)
    >>> np.allclose(np.concatenate([out for out, _ in found]), right)
    True
    >>> [tokens for _, tokens in found]  # what each rank's experts got, of 40
    [5, 13, 12, 10]

    --8<-- [end:example]
    """
