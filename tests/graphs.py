"""Small graphs, and how far their vertices are from the first, in plain Python."""

import collections

import numpy as np


def distances(sources, targets, n, first):
    """Return what a queue of plain Python finds."""
    out = collections.defaultdict(list)
    for s, t in zip(sources.tolist(), targets.tolist(), strict=True):
        out[s].append(t)
    level, waiting = np.full(n, -1), collections.deque([first])
    level[first] = 0
    while waiting:
        v = waiting.popleft()
        for w in out[v]:
            if level[w] < 0:
                level[w] = level[v] + 1
                waiting.append(w)
    return level


def graphs():
    random = np.random.default_rng(1)
    yield "one vertex", np.empty(0, int), np.empty(0, int), 1
    yield "no edges", np.empty(0, int), np.empty(0, int), 33
    yield "a path", np.arange(9), np.arange(1, 10), 10
    yield "a ring both ways", np.r_[0:9, 1:9, 0], np.r_[1:9, 0, 0:9], 9
    yield "a star", np.zeros(70, int), np.arange(1, 71), 71
    yield "loops and double edges", np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 1, 2]), 3
    yield "random", *random.integers(0, 97, (2, 300)), 97


GRAPHS = {name: rest for name, *rest in graphs()}
