"""A scale for a whole matrix, for each row, for each group: who suffers from one large weight."""

import numpy as np

from kernels.quantization.integers import quantize
from snippets.diagrams import common

ROWS, COLUMNS, GROUP, CELL = 4, 12, 4, 11


def lost(w, group):
    """Return which weights of a matrix become zero in 4 bits."""
    q, _ = quantize(w, 4, group)
    return q == 0


def draw(theme):
    w = np.random.default_rng(4).uniform(0.5, 1, (ROWS, COLUMNS))
    w *= np.random.default_rng(5).choice([-1, 1], w.shape)
    w[1, 6] = 20
    ink, shapes, y = theme["ink"], [], 16
    for words, group in (
        ("one scale for the matrix", None),
        ("one for each row", 0),
        (f"one for each group of {GROUP}", GROUP),
    ):
        gone = lost(w, group)
        shapes.append(common.text(8, y, words, ink, anchor="start", weight="bold"))
        count = f"{gone.sum()} of {gone.size} become 0"
        shapes.append(common.text(352, y, count, ink, anchor="end"))
        for row in range(ROWS):
            for column in range(COLUMNS):
                gap = 10 * (column // GROUP) if group == GROUP else 0
                x, top = 8 + column * 26 + gap, y + 8 + row * (CELL + (4 if group == 0 else 2))
                fill = theme["faint"] if gone[row, column] else theme["accent"]
                if abs(w[row, column]) > 5:
                    fill = theme["amber"]
                shapes.append(common.rect(x, top, 24, CELL, fill, theme["grid"]))
        y += 84
    words = "orange: the large weight; pale: rounded to 0"
    shapes.append(common.text(8, y - 4, words, ink, anchor="start"))
    label = "A matrix with one large weight, rounded to 4 bits with three choices of scales"
    return common.svg(360, y + 6, *shapes, label=label)
