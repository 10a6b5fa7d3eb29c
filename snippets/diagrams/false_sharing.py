"""Two threads' counters in one cache line, which travels; and in a line for each."""

from snippets.diagrams import common

CELL, LEFT = 22, 12


def line(theme, x, y, owners):
    """Draw a cache line of 8 cells; ``owners`` are the threads whose counters are in it."""
    shapes = [common.rect(x - 3, y - 3, 8 * CELL + 4, CELL + 4, "none", theme["ink"], 3)]
    colors = {0: theme["accent"], 1: theme["amber"], None: theme["faint"]}
    for k in range(8):
        fill = colors[owners[k]]
        shapes.append(common.rect(x + k * CELL, y, CELL - 2, CELL - 2, fill, theme["grid"]))
    return shapes


def draw(theme):
    shapes = [common.text(4, 14, "Side by side: one line", theme["ink"], 12, "start", "bold")]
    shapes += line(theme, 96, 50, [0] * 4 + [1] * 4)
    shapes.append(common.text(4, 34, "core 0 writes", theme["accent"], 11, "start"))
    shapes.append(common.text(364, 34, "core 1 writes", theme["amber"], 11, "end"))
    shapes.append(common.arrow(60, 40, 92, 56, theme["accent"]))
    shapes.append(common.arrow(306, 40, 276, 56, theme["amber"]))
    shapes.append(
        common.text(184, 92, "each write takes the line away from the other core", theme["ink"])
    )
    y = 124
    shapes.append(common.text(4, y, "Padded: a line each", theme["ink"], 12, "start", "bold"))
    for row, (core, color) in enumerate((("core 0", "accent"), ("core 1", "amber"))):
        at = y + 12 + row * 34
        shapes.append(common.text(4, at + 14, f"{core} writes", theme[color], 11, "start"))
        shapes += line(theme, 96, at, [row] * 4 + [None] * 4)
    shapes.append(common.text(184, y + 92, "each line stays in its core's own cache", theme["ink"]))
    label = (
        "Counters of two threads in one cache line: each write takes the line from the other core. "
        "With padding each thread has a line of its own, which stays in its core's cache"
    )
    return common.svg(368, y + 102, *shapes, label=label)
