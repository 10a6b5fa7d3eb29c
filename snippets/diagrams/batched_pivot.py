"""One step of Gauss and Jordan on four rows, a lane for each: pivot by shuffles, no row moves."""

import numpy as np

from snippets.diagrams import common

A = np.array([[1, 2, 0, 1], [4, 2, 2, 0], [2, 1, 3, 1], [0, 1, 1, 2]], dtype=float)
WIDE, HIGH = 40, 24


def number(value):
    return f"{value:g}".replace("-", "−")


def draw(theme):
    where = int(np.argmax(np.abs(A[:, 0])))
    factors = A[:, 0] / A[where, 0]
    factors[where] = 0
    after = A - factors[:, None] * A[where]
    ink, shapes = theme["ink"], []
    for title, matrix, left in (("before", A, 52), ("after step 0", after, 272)):
        shapes.append(common.text(left, 14, title, ink, 12, "start", "bold"))
        for i in range(4):
            y = 22 + i * HIGH
            if left < 100:
                shapes.append(common.text(4, y + 16, f"lane {i}", ink, 11, "start"))
            for j in range(4):
                x = left + j * WIDE
                fill = theme["faint"]
                if i == where:
                    fill = theme["accent"]
                elif j == 0:
                    fill = theme["amber"]
                color = theme["on_accent"] if fill != theme["faint"] else ink
                shapes.append(common.rect(x, y, WIDE - 2, HIGH - 2, fill, theme["grid"]))
                words = number(matrix[i, j])
                shapes.append(common.text(x + WIDE / 2 - 1, y + 15, words, color, 12))
    shapes.append(common.arrow(216, 70, 264, 70, ink))
    y = 22 + 4 * HIGH + 18
    lines = (
        "1. The lanes agree by shuffles: lane 1 has the largest number in column 0.",
        "2. Lane 1 hands its row to all, number by number: that row is the pivot row.",
        "3. Each other lane subtracts its own multiple: "
        + ", ".join(number(f) for k, f in enumerate(factors) if k != where)
        + ".",
        "Lane 1 belongs to unknown 0 now. No row has moved.",
    )
    for k, words in enumerate(lines):
        shapes.append(common.text(4, y + 18 * k, words, ink, 11.5, "start"))
    label = "One step of elimination on four rows. " + " ".join(lines)
    return common.svg(440, y + 18 * 3 + 8, *shapes, label=label)
