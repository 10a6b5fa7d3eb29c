"""Training on many GPUs, as programs of ranks: pipelines, and gradients added up on the way."""

import numpy as np

from kernels.many_gpus.world import Recv, Send, Work


# --8<-- [start:pipeline]
def pipeline(schedule, micro, forward, backward, activation):
    """Return a program in which rank r is stage r of a model and ``micro`` batches pass through.

    ``schedule(rank, ranks, micro)`` gives the order of a stage: ("F", batch) and ("B", batch).
    """

    def program(rank, ranks):
        for kind, batch in schedule(rank, ranks, micro):
            onward, back = (rank + 1, rank - 1) if kind == "F" else (rank - 1, rank + 1)
            if 0 <= back < ranks:
                yield Recv(back)
            yield Work(forward if kind == "F" else backward, f"{kind}{batch}")
            if 0 <= onward < ranks:
                yield Send(onward, activation)

    return program


def gpipe(rank, ranks, micro):
    """All forward passes, then all backward passes."""
    yield from (("F", batch) for batch in range(micro))
    yield from (("B", batch) for batch in range(micro))


def one_f_one_b(rank, ranks, micro):
    """As few batches in flight as keep everybody busy: then one forward, one backward, in turns."""
    ahead = min(micro, ranks - 1 - rank)
    yield from (("F", batch) for batch in range(ahead))
    for batch in range(micro - ahead):
        yield "F", ahead + batch
        yield "B", batch
    yield from (("B", batch) for batch in range(micro - ahead, micro))


def in_flight(schedule, rank, ranks, micro):
    """Return how many batches a stage holds at most: passed forward, not yet backward."""
    held = [0]
    for kind, _ in schedule(rank, ranks, micro):
        held.append(held[-1] + (1 if kind == "F" else -1))
    return max(held)


# --8<-- [end:pipeline]


# --8<-- [start:buckets]
def training_step(world, all_reduce, layers, seconds, bucket, gradient):
    """Return the seconds of a backward pass whose gradients are added up on the way.

    Each of ``layers`` takes ``seconds`` and leaves ``gradient``, an array. Every ``bucket`` layers
    an all-reduce starts, beside the layers that follow, and after the all-reduce before it. The
    last bucket has what is left.
    """
    free, before, size = 0.0, 0, 0  # free: when the links are, for the next bucket
    for done in (*range(bucket, layers, bucket), layers):
        if done - before != size:  # the first bucket, and a last one that is smaller
            size = done - before
            world.run(all_reduce, [np.tile(gradient, size)] * world.ranks)
        free, before = max(free, done * seconds) + world.seconds, done
    return free


# --8<-- [end:buckets]
