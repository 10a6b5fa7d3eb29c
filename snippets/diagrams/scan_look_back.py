"""Decoupled look-back: what the tiles have published, and how far the last one has to look."""

from snippets.diagrams.common import arrow, rect, svg, text

SUMS = [4, 9, 2, 7, 1, 5, 3]  # of each tile's own elements
KNOWN = 3  # so many tiles have published their prefix
CELL, LEFT, TOP = 52, 8, 40


def seen(sums, known):
    """Return what the last tile adds, as look_back does: own sums, then one prefix."""
    added = [(t, sums[t]) for t in range(len(sums) - 2, known - 1, -1)]
    return [*added, (known - 1, sum(sums[:known]))]


def draw(theme):
    shapes = []
    last = len(SUMS) - 1
    added = seen(SUMS, KNOWN)
    assert sum(value for _, value in added) == sum(SUMS[:last])
    for t, own in enumerate(SUMS):
        x = LEFT + t * CELL
        fill, ink = theme["faint"], theme["ink"]
        lines = [f"sum {own}", ""]
        if t < KNOWN:
            fill, ink = theme["accent"], theme["on_accent"]
            lines = [f"sum {own}", f"prefix {sum(SUMS[: t + 1])}"]
        elif t == last:
            fill, ink = theme["amber"], theme["on_accent"]
            lines = [f"sum {own}", "prefix ?"]
        shapes.append(text(x + CELL / 2 - 2, TOP - 8, f"tile {t}", theme["ink"], 10))
        shapes.append(rect(x, TOP, CELL - 4, 44, fill, theme["grid"], 3))
        for row, words in enumerate(lines):
            if words:
                shapes.append(text(x + CELL / 2 - 2, TOP + 18 + 16 * row, words, ink, 9.5))
    for step, (t, value) in enumerate(added):
        x, start = LEFT + t * CELL + CELL / 2 - 2, LEFT + last * CELL + 8 + step * 8
        y = TOP + 58 + 14 * step
        shapes.append(arrow(x, y + 6, x, TOP + 46, theme["amber"], 1.2))
        shapes.append(rect(x, y + 5, start - x, 1.2, theme["amber"]))
        shapes.append(rect(start - 0.6, TOP + 46, 1.2, y + 6 - TOP - 46, theme["amber"]))
        shapes.append(text(x + 6, y + 2, f"+ {value}", theme["ink"], 10, "start"))
    total = sum(SUMS[:last])
    words = f"before tile {last}: " + " + ".join(str(v) for _, v in added) + f" = {total}"
    shapes.append(text(LEFT, TOP + 134, words, theme["ink"], 11, "start", "bold"))
    label = "Tile 6 adds the own sums of tiles 5, 4 and 3 and the prefix of tile 2."
    return svg(376, TOP + 144, *shapes, label=label)
