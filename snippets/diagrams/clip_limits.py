"""A histogram with a few numbers far out, and where three ways of calibration clip it."""

import numpy as np

from kernels.network_graph.calibrate import entropy, largest, percentile
from snippets.diagrams import common

HIGH, WIDE = 110, 336


def numbers():
    x = np.random.default_rng(7).laplace(size=200_000)
    x[:20] *= 20
    return np.abs(x)


def draw(theme):
    ink, shapes = theme["ink"], []
    x = numbers()
    limits = {"percentile": percentile(x), "entropy": entropy(x), "largest": largest(x)}
    most = limits["largest"] * 1.02
    counts, edges = np.histogram(x, 84, (0, most))
    shapes.append(common.text(8, 14, "how many numbers, by magnitude", ink, 11, "start", "bold"))
    shapes.append(common.text(352, 14, "logarithmic", ink, anchor="end"))
    floor = 32 + HIGH
    for count, left in zip(counts, edges[:-1], strict=True):
        if count:
            high = HIGH * (np.log10(count) + 0.3) / 5.6
            at = 12 + WIDE * left / most
            shapes.append(common.rect(at, floor - high, 3.4, high, theme["accent"], radius=0))
    for i, (name, limit) in enumerate(limits.items()):
        at, top = 12 + WIDE * limit / most, 30 + 16 * i
        shapes.append(common.line(at, top, at, floor, theme["amber"], 1.5))
        side, shift = ("end", -4) if name == "largest" else ("start", 4)
        shapes.append(common.text(at + shift, top + 9, f"{name} {limit:.0f}", ink, 11, side))
    shapes.append(common.line(8, floor, 356, floor, ink))
    label = "A histogram with a long tail, and the limits that three ways of calibration choose"
    return common.svg(364, floor + 8, *shapes, label=label)
