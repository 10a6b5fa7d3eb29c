"""Collectives as programs of ranks: each is a generator that sends and receives."""

import numpy as np

from kernels.many_gpus.world import Recv, Send


# --8<-- [start:ring]
def reduce_scatter(rank, ranks, x):
    """Ring: return the parts of x, of which part ``rank + 1`` is the sum over all ranks."""
    parts = np.array_split(x, ranks)
    for step in range(ranks - 1):
        yield Send((rank + 1) % ranks, parts[(rank - step) % ranks])
        came = yield Recv((rank - 1) % ranks)
        place = (rank - step - 1) % ranks
        parts[place] = parts[place] + came
    return parts


def all_gather(rank, ranks, parts):
    """Ring: every rank has part ``rank + 1``; return all of them, joined."""
    for step in range(ranks - 1):
        yield Send((rank + 1) % ranks, parts[(rank + 1 - step) % ranks])
        parts[(rank - step) % ranks] = yield Recv((rank - 1) % ranks)
    return np.concatenate(parts)


def ring(rank, ranks, x):
    """All-reduce: return the sum of all ranks' x."""
    parts = yield from reduce_scatter(rank, ranks, x)
    return (yield from all_gather(rank, ranks, parts))


# --8<-- [end:ring]


# --8<-- [start:shots]
def one_shot(rank, ranks, x):
    """All-reduce: everybody sends everything to everybody."""
    for other in range(1, ranks):
        yield Send((rank + other) % ranks, x)
    total = x
    for other in range(1, ranks):
        total = total + (yield Recv((rank - other) % ranks))
    return total


def two_shot(rank, ranks, x):
    """All-reduce: rank r adds up part r of all arrays, and sends the sum to everybody."""
    parts = np.array_split(x, ranks)
    for other in range(1, ranks):
        to = (rank + other) % ranks
        yield Send(to, parts[to])
    for other in range(1, ranks):
        parts[rank] = parts[rank] + (yield Recv((rank - other) % ranks))
    for other in range(1, ranks):
        yield Send((rank + other) % ranks, parts[rank])
    for other in range(1, ranks):
        source = (rank - other) % ranks
        parts[source] = yield Recv(source)
    return np.concatenate(parts)


# --8<-- [end:shots]


# --8<-- [start:tree]
def broadcast(rank, ranks, x, root=0):
    """Binomial tree: in each round, everyone who has x sends it to one who has not."""
    me, reach = (rank - root) % ranks, 1
    while reach < ranks:
        if me < reach and me + reach < ranks:
            yield Send((me + reach + root) % ranks, x)
        elif reach <= me < 2 * reach:
            x = yield Recv((me - reach + root) % ranks)
        reach *= 2
    return x


def tree(rank, ranks, x):
    """All-reduce: add up along a binomial tree to rank 0, then broadcast."""
    reach = 1
    while reach < ranks:
        if rank % (2 * reach) == reach:
            yield Send(rank - reach, x)
        elif rank % (2 * reach) == 0 and rank + reach < ranks:
            x = x + (yield Recv(rank + reach))
        reach *= 2
    return (yield from broadcast(rank, ranks, x))


# --8<-- [end:tree]


# --8<-- [start:chain]
def chain(rank, ranks, x, root=0, pieces=64):
    """Broadcast as a ring that is a pipeline: x goes to the right in pieces, each as it came."""
    me, parts = (rank - root) % ranks, np.array_split(x, pieces)
    for i in range(pieces):
        if me > 0:
            parts[i] = yield Recv((rank - 1) % ranks)
        if me < ranks - 1:
            yield Send((rank + 1) % ranks, parts[i])
    return np.concatenate(parts)


# --8<-- [end:chain]


# --8<-- [start:more]
def all_to_all(rank, ranks, x):
    """Part p of rank r becomes part r of rank p."""
    parts = np.array_split(x, ranks)
    for other in range(1, ranks):
        to = (rank + other) % ranks
        yield Send(to, parts[to])
    for other in range(1, ranks):
        source = (rank - other) % ranks
        parts[source] = yield Recv(source)
    return np.concatenate(parts)


def among(members, program, rank, *inputs):
    """Run a program among some ranks only, which count from 0 there."""
    place = {member: i for i, member in enumerate(members)}
    inner, came = program(place[rank], len(members), *inputs), None
    while True:
        try:
            what = inner.send(came)
        except StopIteration as end:
            return end.value
        if isinstance(what, Send):
            what = Send(members[what.to], what.what, what.wait)
        elif isinstance(what, Recv):
            what = Recv(members[what.source])
        came = yield what


def by_node(size):
    """Return an all-reduce for machines of ``size`` GPUs: inside, between, inside."""

    def program(rank, ranks, x):
        first = rank - rank % size
        machine = list(range(first, first + size))
        peers = list(range(rank % size, ranks, size))  # the same place in every machine
        parts = yield from among(machine, reduce_scatter, rank, x)
        mine = (rank + 1) % size
        parts[mine] = yield from among(peers, ring, rank, parts[mine])
        return (yield from among(machine, all_gather, rank, parts))

    return program


# --8<-- [end:more]
