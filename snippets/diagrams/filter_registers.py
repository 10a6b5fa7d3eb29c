"""One row of pixels in a thread: three loads of 16 bytes, and the sums that it is added to."""

from snippets.diagrams import common

R, DOWN, REACH, CELL, NOW = 7, 8, 4, 15, 6


def draw(theme):
    shapes = []
    title = "pixels that one thread reads"
    shapes.append(common.text(4, 14, title, theme["ink"], 12, "start", "bold"))
    for i in range(DOWN + R - 1):
        for j in range(4 + 2 * REACH):
            fill = theme["accent"] if i == NOW else theme["faint"]
            x, y = 4 + j * CELL, 22 + i * CELL
            shapes.append(common.rect(x, y, CELL - 1, CELL - 1, fill, theme["grid"], radius=1))
    for q in range(3):  # the three loads
        x, y = 4 + q * 4 * CELL - 0.5, 22 + NOW * CELL - 1
        shapes.append(common.rect(x, y, 4 * CELL, CELL + 1, "none", theme["ink"], radius=2))
    x, y = 4 + REACH * CELL - 1, 22 + R // 2 * CELL - 1
    shapes.append(
        common.rect(x, y, 4 * CELL + 1, DOWN * CELL + 1, "none", theme["amber"], radius=1)
    )
    shapes.append(common.text(232, 14, "added to", theme["ink"], 12, "start", "bold"))
    for k in range(DOWN):
        y = 22 + (R // 2 + k) * CELL + 11
        r = NOW - k
        used = 0 <= r < R
        words = f"row {k}: weights of row {r}" if used else f"row {k}: nothing yet"
        shapes.append(common.text(232, y, words, theme["ink"], 12, "start"))
        if used:
            shapes.append(common.line(190, 22 + NOW * CELL + 7, 228, y - 4, theme["grid"]))
    y = 22 + (DOWN + R - 1) * CELL + 16
    for fill, stroke, words, x in (
        (theme["accent"], "none", "a row, by three loads", 4),
        ("none", theme["amber"], f"its {DOWN} x 4 results", 190),
    ):
        shapes.append(common.rect(x, y - 10, 12, 12, fill, stroke, radius=1))
        shapes.append(common.text(x + 18, y, words, theme["ink"], 12, "start"))
    label = (
        f"A thread makes {DOWN} x 4 results of a {R} x {R} filter. Row {NOW} of its pixels is added"
        f" to results of rows 0 to {NOW}, each with another row of weights."
    )
    return common.svg(400, y + 8, *shapes, label=label)
