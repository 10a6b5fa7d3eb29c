"""Pipeline schedules as lists of work, timed by their dependencies, and run with real gradients."""
# ruff: noqa: I001

import numpy as np

from kernels.megatron.ranks import on_ranks  # noqa: F401

# --8<-- [start:schedules]
from collections import deque


def gpipe(stage, stages, micro):
    """All forward passes, then all backward passes. Work: ("F" or "B", micro-batch, chunk)."""
    return [("F", m, 0) for m in range(micro)] + [("B", m, 0) for m in range(micro)]


def one_f_one_b(stage, stages, micro):
    """A few forward passes first, fewer on later stages; then one forward, one backward."""
    first = min(stages - 1 - stage, micro)
    work = [("F", m, 0) for m in range(first)]
    for m in range(micro - first):
        work += [("F", first + m, 0), ("B", m, 0)]
    return work + [("B", m, 0) for m in range(micro - first, micro)]


def interleaved(stage, stages, micro, chunks=2):
    """Each stage has several chunks of layers, so that a micro-batch passes it several times.

    The number of micro-batches must be a multiple of the stages.
    """
    if micro % stages:
        raise ValueError(f"{micro} micro-batches on {stages} stages: take a multiple")

    def order(kind):
        for group in range(0, micro, stages):
            for chunk in range(chunks) if kind == "F" else reversed(range(chunks)):
                yield from ((kind, group + m, chunk) for m in range(stages))

    forward, backward = deque(order("F")), deque(order("B"))
    first = min((stages - stage - 1) * 2 + (chunks - 1) * stages, len(forward))
    work = [forward.popleft() for _ in range(first)]
    while forward:
        work += [forward.popleft(), backward.popleft()]
    return work + list(backward)


# --8<-- [end:schedules]


# --8<-- [start:timetable]
def timetable(schedule, stages, micro, chunks=1):
    """Return {(stage, work): (start, end)}. A forward pass takes 1 / chunks, a backward one twice.

    Work starts when its stage is free and its input is there.
    """
    lists = [deque(schedule(stage, stages, micro)) for stage in range(stages)]
    free, done = [0.0] * stages, {}
    last = stages * chunks - 1  # virtual stages, of which stage s has s, s + stages, ...

    def ready(stage, kind, m, chunk):
        """Return when the input of some work is there, or None."""
        place = chunk * stages + stage
        if kind == "F":
            before = ("F", place - 1) if place else None
        else:
            before = ("B", place + 1) if place < last else ("F", place)
        if before is None:
            return 0.0
        name, at = before
        found = done.get((at % stages, (name, m, at // stages)))
        return found and found[1]

    while any(lists):
        moved = False
        for stage, waiting in enumerate(lists):
            while waiting and (start := ready(stage, *waiting[0])) is not None:
                work, start = waiting.popleft(), max(start, free[stage])
                free[stage] = start + (1 if work[0] == "F" else 2) / chunks
                done[stage, work] = start, free[stage]
                moved = True
        if not moved:
            raise RuntimeError(f"every stage waits: {[w[0] for w in lists if w]}")
    return done


def bubble(schedule, stages, micro, chunks=1):
    """Return the share of the stages' time that is idle."""
    done = timetable(schedule, stages, micro, chunks)
    busy = sum(end - start for start, end in done.values())
    return 1 - busy / (stages * max(end for _, end in done.values()))


def kept(schedule, stages, micro):
    """Return the most micro-batches whose activations each stage holds at one time."""
    most = []
    for stage in range(stages):
        held = [1 if kind == "F" else -1 for kind, _, _ in schedule(stage, stages, micro)]
        most.append(int(max(np.cumsum(held))))
    return most


# --8<-- [end:timetable]


# --8<-- [start:train]
def pipeline(rank, schedule, weights, xs, ys):
    """Run a schedule for real: y = tanh(x @ w) on each stage. Return the gradient of this w.

    xs and ys are micro-batches; the loss is the mean over all of them of (y - target) squared.
    """
    w, first, last = weights[rank.number], rank.number == 0, rank.number == rank.size - 1
    held, gradient = {}, np.zeros_like(w)
    for kind, m, _ in schedule(rank.number, rank.size, len(xs)):
        if kind == "F":
            x = xs[m] if first else rank.recv(rank.number - 1)
            held[m] = x, np.tanh(x @ w)
            if not last:
                rank.send(held[m][1], rank.number + 1)
        else:
            x, y = held.pop(m)
            d_y = 2 * (y - ys[m]) / (y.size * len(ys)) if last else rank.recv(rank.number + 1)
            d_before = d_y * (1 - y * y)
            gradient += x.T @ d_before
            if not first:
                rank.send(d_before @ w.T, rank.number - 1)
    return gradient


# --8<-- [end:train]


def examples():
    """Bubbles, memory and gradients.

    --8<-- [start:bubble]
    >>> for micro in (4, 8, 32):
    ...     found = bubble(gpipe, 4, micro), bubble(one_f_one_b, 4, micro)
    ...     two = bubble(interleaved, 4, micro, chunks=2)
    ...     formula = 3 / (micro + 3), 3 / (2 * micro + 3)
    ...     print(micro, [f"{share:.1%}" for share in (*found, two)], [f"{f:.1%}" for f in formula])
    4 ['42.9%', '42.9%', '27.3%'] ['42.9%', '27.3%']
    8 ['27.3%', '27.3%', '15.8%'] ['27.3%', '15.8%']
    32 ['8.6%', '8.6%', '4.5%'] ['8.6%', '4.5%']

    --8<-- [end:bubble]

    --8<-- [start:kept]
    >>> kept(gpipe, 4, 32), kept(one_f_one_b, 4, 32)
    ([32, 32, 32, 32], [4, 3, 2, 1])

    --8<-- [end:kept]

    --8<-- [start:same]
    >>> random = np.random.default_rng(seed=9)
    >>> weights = list(random.normal(0, 0.5, (4, 6, 6)))
    >>> x, y = random.normal(size=(2, 32, 6))
    >>> right = on_ranks(1, lambda rank: one_device(weights, x, y))[0][0]
    >>> xs, ys = np.split(x, 8), np.split(y, 8)
    >>> for schedule in (gpipe, one_f_one_b):
    ...     found, _ = on_ranks(4, lambda rank: pipeline(rank, schedule, weights, xs, ys))
    ...     print(schedule.__name__, np.allclose(found, right))
    gpipe True
    one_f_one_b True

    --8<-- [end:same]
    """


# --8<-- [start:one_device]
def one_device(weights, x, y):
    """Return the gradients of all stages' weights, on one device, of the whole batch."""
    states = [x]
    for w in weights:
        states.append(np.tanh(states[-1] @ w))
    d_y, gradients = 2 * (states[-1] - y) / y.size, []
    for w, before, after in zip(weights[::-1], states[-2::-1], states[::-1], strict=False):
        d_before = d_y * (1 - after * after)
        gradients.append(before.T @ d_before)
        d_y = d_before @ w.T
    return gradients[::-1]


# --8<-- [end:one_device]
