"""A breadth-first search, level by level: the frontier, and who works in push, pull and queue."""

import numpy as np

from kernels.pmpp_15_20.bfs import bfs, push_kernel
from snippets.diagrams.panels import Panel, Picture

EDGES = ((0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5), (4, 6))
PLACES = {0: (30, 84), 1: (100, 54), 2: (100, 114), 3: (190, 54), 4: (190, 114), 5: (280, 54),
          6: (280, 114)}  # fmt: skip


def draw():
    sources, targets = np.array(EDGES).T
    level = bfs(sources, targets, 7, 0, push_kernel, threads=8)
    graph = Panel("Levels: 0, then 1, 2, 3")
    for a, b in EDGES:
        (x1, y1), (x2, y2) = PLACES[a], PLACES[b]
        long = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / long * 14, (y2 - y1) / long * 14
        graph.arrow(x1 + dx, y1 + dy, x2 - dx, y2 - dy)
    for v, (x, y) in PLACES.items():
        kind = {1: "fa", 2: "fb"}.get(int(level[v]), "fr" if level[v] == 0 else "fv")
        graph.box(x - 12, y - 12, 24, 24, kind, f"{v}", radius=12)
    graph.key(148, ("fr", "0"), ("fa", "1: the frontier"), ("fb", "2: found now"), ("fv", "later"))

    work = Panel("Who works to find level 2")
    rows = (
        ("push: 7 threads, 2 have work", [level[v] == 1 for v in range(7)]),
        ("pull: 7 threads, those without a level", [level[v] > 1 for v in range(7)]),
        ("queue: a thread for each of the frontier", [level[v] == 1 for v in range(7)]),
    )
    for k, (words, active) in enumerate(rows):
        y = 34 + 42 * k
        work.text(0, y, words, "km", "start")
        vertices = [v for v in range(7) if k < 2 or active[v]]
        kinds = ["fa" if active[v] else "n" for v in vertices]
        work.cells(0, y + 6, kinds, 30, 20, 3, vertices)
    return Picture(
        graph,
        work,
        alt="Left, a graph of seven vertices in levels: 0; 1 and 2; 3 and 4; 5 and 6. Right, who "
        "works when level 2 is found: in push, two of seven threads; in pull, the four without "
        "a level; with a queue, two threads and no others.",
        see="Push and pull launch a thread for every vertex, and most look and leave. With a "
        "queue a launch is as large as the frontier, and the price is the queue.",
    )
