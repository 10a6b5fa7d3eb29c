"""Tiles of causal scores: those without a mask, those with one, and those that nobody visits."""

from snippets.diagrams import common

TILES, SIDE = 6, 27  # tiles of queries and of keys; units


def draw(theme):
    ink, left, top, shapes = theme["ink"], 34, 36, []
    shapes.append(common.text(left + TILES * SIDE / 2, 14, "keys", ink, 11))
    shapes.append(common.text(left + TILES * SIDE / 2, 28, "one program: left to right", ink, 10))
    for q in range(TILES):
        y = top + q * SIDE
        shapes.append(common.text(left - 8, y + 17, f"q{q}", ink, 10, "end"))
        for k in range(TILES):
            x = left + k * SIDE
            if k > q:
                edge = theme["grid"]
                shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, stroke=edge, dash="2 2"))
            else:
                fill = theme["amber"] if k == q else theme["accent"]
                shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill))
    right = left + TILES * SIDE
    shapes.append(common.arrow(right + 14, top + TILES * SIDE - 4, right + 14, top + 4, ink))
    for y, words in (
        (top + 12, "launched last: least work"),
        (top + 156, "launched first: most work"),
    ):
        shapes.append(common.text(right + 24, y, words, ink, 11, "start"))
    for row, (fill, edge, words) in enumerate(
        (
            (theme["accent"], "none", "every row sees every key: no mask"),
            (theme["amber"], "none", "cut by the diagonal: masked"),
            ("none", theme["grid"], "hidden: never computed"),
        )
    ):
        y = top + 46 + row * 24
        shapes.append(common.rect(right + 26, y, 12, 12, fill, edge))
        shapes.append(common.text(right + 44, y + 10, words, ink, 10.5, "start"))
    label = "Most visited tiles need no mask, the diagonal ones do, and the rest are skipped"
    return common.svg(440, top + TILES * SIDE + 4, *shapes, label=label)
