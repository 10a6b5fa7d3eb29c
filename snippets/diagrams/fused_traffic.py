"""What passes between memory and the multiprocessors: an operation at a time, and fused."""

import numpy as np

from kernels.compilers.fuse import optimize, trace
from kernels.compilers.normalize import normalize
from snippets.diagrams import common


def draw(theme):
    table, column = np.ones((64, 8), np.float32), np.ones(8, np.float32)
    ops = optimize(trace(normalize, table, column, column, column, column))
    large = [op for op in ops if op.args and op.shape == table.shape]
    shapes = [
        common.rect(4, 22, 60, 178, theme["faint"], theme["grid"]),
        common.text(34, 14, "memory", theme["ink"], weight="bold"),
        common.text(150, 14, "one by one", theme["ink"], weight="bold"),
        common.text(310, 14, "fused", theme["ink"], weight="bold"),
    ]
    for row, op in enumerate(large):
        top = 26 + row * 35
        shapes.append(common.rect(110, top, 80, 28, theme["accent"], theme["grid"], radius=4))
        shapes.append(common.text(150, top + 18, op.name, theme["on_accent"]))
        shapes.append(common.arrow(64, top + 8, 110, top + 8, theme["amber"]))
        shapes.append(common.arrow(110, top + 21, 64, top + 21, theme["amber"]))
        shapes.append(common.rect(270, top, 80, 28, theme["accent"], theme["grid"], radius=4))
        shapes.append(common.text(310, top + 18, op.name, theme["on_accent"]))
        if row:
            shapes.append(common.arrow(310, top - 7, 310, top, theme["ink"]))
    last = 26 + 35 * (len(large) - 1)
    shapes.append(common.rect(208, 22, 30, 178, theme["faint"], theme["grid"]))
    shapes.append(common.arrow(238, 34, 270, 34, theme["amber"]))
    shapes.append(common.arrow(270, last + 20, 238, last + 20, theme["amber"]))
    words = f"{2 * len(large)} passes over memory"
    shapes.append(common.text(127, 218, words, theme["ink"]))
    shapes.append(common.text(290, 218, "2 passes, the rest in registers", theme["ink"], size=10))
    label = "Ten passes over memory for five operations, and two for one fused kernel"
    return common.svg(372, 226, *shapes, label=label)
