"""A reduction by shuffles that begins at 16: on 64 lanes, half of them never meet lane 0."""

import numpy as np

from kernels.rocm.waves import shuffle_down
from snippets.diagrams.panels import Panel, Picture


def reaching(width, first):
    """Return which lanes' values reach lane 0, with steps from ``first`` down."""
    sets = np.array([1 << lane for lane in range(width)], dtype=object)
    step = first
    while step:
        moved = shuffle_down(sets, step)
        sets = np.array([a | b for a, b in zip(sets, moved, strict=True)], dtype=object)
        step //= 2
    return [bool(int(sets[0]) >> lane & 1) for lane in range(width)]


def draw():
    panels = []
    for title, first in (("Steps 16, 8, 4, 2, 1", 16), ("Steps 32, 16, 8, 4, 2, 1", 32)):
        panel = Panel(f"{title} on 64 lanes")
        for half in range(2):
            y = 40 + 52 * half
            panel.text(10, y - 6, f"lanes {32 * half} to {32 * half + 31}", "km", "start")
            got = reaching(64, first)[32 * half : 32 * half + 32]
            panel.cells(10, y, ["fa" if g else "fr" for g in got], 10, 18)
        panel.key(132, ("fa", "in the sum of lane 0"), ("fr", "lost"))
        panels.append(panel)
    return Picture(
        *panels,
        alt="Two pictures of a wave of 64 lanes. With steps 16, 8, 4, 2, 1 lanes 0 to 31 are in "
        "lane 0's sum and lanes 32 to 63 are lost. With steps from 32 on all 64 are in it.",
        see="With the loop of 32 lanes, lane 0 has half of the sum of a wave of 64, and "
        "nothing fails: no error, no warning, a number that looks like one.",
    )
