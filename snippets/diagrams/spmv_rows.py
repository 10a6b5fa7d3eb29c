"""The nonzeros of a few rows, handed out by rows and by merge path."""

from snippets.diagrams import common

LENGTHS = (3, 1, 13, 0, 2, 4)
CELL = 13


def draw(theme):
    shapes = []
    ink, faint = theme["ink"], theme["faint"]
    shapes.append(common.text(8, 14, "a thread a row", ink, anchor="start", weight="bold"))
    for row, length in enumerate(LENGTHS):
        y = 22 + row * 17
        shapes.append(common.text(58, y + 10, f"thread {row}", ink, anchor="end"))
        for k in range(max(LENGTHS)):
            fill = theme["accent"] if k < length else faint
            shapes.append(common.rect(64 + k * CELL, y, CELL - 2, CELL - 1, fill, theme["grid"]))
    y = 22 + len(LENGTHS) * 17 + 2
    shapes.append(common.text(64 + 13 * CELL, y + 8, "all wait for the longest", ink, anchor="end"))
    y += 34
    shapes.append(common.text(8, y, "merge path", ink, anchor="start", weight="bold"))
    items = [item for length in LENGTHS for item in [True] * length + [False]]
    each, y = 6, y + 10
    for i, nonzero in enumerate(items):
        x = 8 + i * 11.6
        fill = theme["accent"] if nonzero else theme["amber"]
        shapes.append(common.rect(x, y, 10, 14, fill, theme["grid"]))
    for thread in range(-(-len(items) // each)):
        x = 8 + thread * each * 11.6
        shapes.append(common.line(x - 1, y - 4, x - 1, y + 32, ink))
        shapes.append(common.text(x + 3, y + 30, f"thread {thread}", ink, anchor="start"))
    words = "green: a nonzero; orange: the end of a row"
    shapes.append(common.text(8, y + 50, words, ink, anchor="start"))
    label = "Six rows of very different length, by rows and cut into equal parts by merge path"
    return common.svg(364, y + 60, *shapes, label=label)
