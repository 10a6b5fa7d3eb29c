"""ZeRO in NumPy: four ranks train one model, and each stage shards one thing more."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:collectives]
def all_reduce(arrays):
    """Return to each rank the mean of all ranks' arrays."""
    return [sum(arrays) / len(arrays)] * len(arrays)


def reduce_scatter(arrays):
    """Return to each rank its own part of the mean."""
    return np.split(sum(arrays) / len(arrays), len(arrays))


def all_gather(parts):
    """Return to each rank all parts, one after another."""
    return [np.concatenate(parts)] * len(parts)


# --8<-- [end:collectives]


# --8<-- [start:adam]
class Adam:
    """Adam for some of the parameters. It looks at each of them alone."""

    def __init__(self, size, rate=0.01):
        self.first, self.second, self.rate, self.steps = np.zeros(size), np.zeros(size), rate, 0

    def step(self, weights, gradients):
        self.steps += 1
        self.first += 0.1 * (gradients - self.first)
        self.second += 0.001 * (gradients**2 - self.second)
        first = self.first / (1 - 0.9**self.steps)
        second = self.second / (1 - 0.999**self.steps)
        weights -= self.rate * first / (np.sqrt(second) + 1e-8)


# --8<-- [end:adam]


# --8<-- [start:model]
def gradient(weights, x, y):
    """Return the gradient of the mean squared error of x @ weights."""
    return 2 * x.T @ (x @ weights - y) / len(y)


random = np.random.default_rng(seed=3)
WEIGHTS = random.normal(size=12)
X = random.normal(size=(64, 12))
Y = X @ random.normal(size=12)


def one_gpu(steps):
    weights, adam = WEIGHTS.copy(), Adam(12)
    for _ in range(steps):
        adam.step(weights, gradient(weights, X, Y))
    return weights


# --8<-- [end:model]


# --8<-- [start:stages]
def data_parallel(steps, ranks):
    """Stage 0. Everything on every rank; gradients are averaged."""
    xs, ys = np.split(X, ranks), np.split(Y, ranks)
    weights, adams = [WEIGHTS.copy() for _ in range(ranks)], [Adam(12) for _ in range(ranks)]
    for _ in range(steps):
        gradients = all_reduce([gradient(*mine) for mine in zip(weights, xs, ys, strict=True)])
        for mine in zip(adams, weights, gradients, strict=True):
            Adam.step(*mine)
    return weights


def zero_1_and_2(steps, ranks):
    """Optimizer state (stage 1), and what is kept of the gradients (stage 2), are sharded."""
    xs, ys = np.split(X, ranks), np.split(Y, ranks)
    weights, adams = (
        [WEIGHTS.copy() for _ in range(ranks)],
        [Adam(12 // ranks) for _ in range(ranks)],
    )
    for _ in range(steps):
        parts = reduce_scatter([gradient(*mine) for mine in zip(weights, xs, ys, strict=True)])
        shards = [np.split(w, ranks)[rank] for rank, w in enumerate(weights)]
        for mine in zip(adams, shards, parts, strict=True):
            Adam.step(*mine)
        weights = all_gather(shards)
    return weights


def zero_3(steps, ranks):
    """The weights are sharded too: whole only while they are at work, twice in each step."""
    xs, ys = np.split(X, ranks), np.split(Y, ranks)
    shards, adams = np.split(WEIGHTS.copy(), ranks), [Adam(12 // ranks) for _ in range(ranks)]
    for _ in range(steps):
        whole = all_gather(shards)  # the forward pass; a real one frees it, layer by layer,
        whole = all_gather(shards)  # and gathers it again for the backward pass
        parts = reduce_scatter([gradient(*mine) for mine in zip(whole, xs, ys, strict=True)])
        for mine in zip(adams, shards, parts, strict=True):
            Adam.step(*mine)
    return all_gather(shards)


# --8<-- [end:stages]


# --8<-- [start:memory]
def gigabytes(parameters, ranks, stage):
    """Return the GB of weights, gradients and Adam's state on each rank, all in float32."""
    weights = 4 / (ranks if stage >= 3 else 1)
    gradients = 4 / (ranks if stage >= 2 else 1)
    adam = 8 / (ranks if stage >= 1 else 1)
    return [parameters * bytes / 1e9 for bytes in (weights, gradients, adam)]


def traffic(parameters, ranks, stage):
    """Return the GB that each rank receives in a step of float32, through rings."""
    passes = 3 if stage == 3 else 2  # an all-reduce is a reduce-scatter and an all-gather
    return passes * 4 * parameters * (ranks - 1) / ranks / 1e9


# --8<-- [end:memory]


def examples():
    """Each stage beside one GPU.

    --8<-- [start:example]
    >>> right = one_gpu(steps=100)
    >>> for way in (data_parallel, zero_1_and_2, zero_3):
    ...     every_rank = way(steps=100, ranks=4)
    ...     print(way.__name__, all(np.allclose(w, right, rtol=1e-9) for w in every_rank))
    data_parallel True
    zero_1_and_2 True
    zero_3 True

    --8<-- [end:example]

    --8<-- [start:memory_example]
    >>> for stage in range(4):
    ...     kept = gigabytes(7e9, ranks=8, stage=stage)
    ...     print(stage, [round(x, 1) for x in kept], round(sum(kept), 1), traffic(7e9, 8, stage))
    0 [28.0, 28.0, 56.0] 112.0 49.0
    1 [28.0, 28.0, 7.0] 63.0 49.0
    2 [28.0, 3.5, 7.0] 38.5 49.0
    3 [3.5, 3.5, 7.0] 14.0 73.5

    --8<-- [end:memory_example]
    """


# --8<-- [start:accumulate]
def accumulated(weights, micro_batches, ranks):
    """Return the mean gradient of all micro-batches of all ranks, with one all-reduce.

    micro_batches[rank] is a list of (x, y) of one size.
    """
    local = []
    for rank in range(ranks):
        total = sum(gradient(weights, x, y) for x, y in micro_batches[rank])
        local.append(total / len(micro_batches[rank]))
    return all_reduce(local)[0]


# --8<-- [end:accumulate]


def _accumulate():
    """
    --8<-- [start:accumulate_example]
    >>> pieces = list(zip(np.split(X, 8), np.split(Y, 8)))  # four ranks, two micro-batches each
    >>> batches = [pieces[2 * rank : 2 * rank + 2] for rank in range(4)]
    >>> np.allclose(accumulated(WEIGHTS, batches, ranks=4), gradient(WEIGHTS, X, Y))
    True

    --8<-- [end:accumulate_example]
    """
