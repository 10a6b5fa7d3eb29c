"""Scores of attention as tiles: the forward pass goes along rows, the backward one down columns."""

from snippets.diagrams import common

TILES, SIDE = 6, 20  # tiles of queries and of keys; units


def matrix(theme, left, top, row=None, column=None):
    """Return a causal matrix of tiles in which a row or a column is what one block does."""
    shapes = []
    for q in range(TILES):
        for k in range(TILES):
            x, y = left + SIDE * k, top + SIDE * q
            if k > q:  # hidden by the mask
                shapes.append(
                    common.rect(x, y, SIDE - 2, SIDE - 2, stroke=theme["grid"], dash="2 2")
                )
            elif q == row or k == column:
                fill = theme["amber"] if k == q else theme["accent"]
                shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill))
            else:
                shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, theme["faint"], theme["grid"]))
    return shapes


def draw(theme):
    ink, left, right, top = theme["ink"], 30, 214, 42
    side = TILES * SIDE
    shapes = matrix(theme, left, top, row=3) + matrix(theme, right, top, column=2)
    for x, title in ((left, "Forward: along a row"), (right, "Backward: down a column")):
        shapes.append(common.text(x, 14, title, ink, anchor="start", weight="bold"))
        shapes.append(common.text(x + side / 2, 34, "keys", ink))
    shapes.append(common.text(4, top + 3.5 * SIDE + 4, "Q", ink, anchor="start", weight="bold"))
    shapes.append(common.arrow(14, top + 3.5 * SIDE, left - 3, top + 3.5 * SIDE, ink))
    y = top + 3.5 * SIDE
    shapes.append(common.arrow(left + 4 * SIDE, y, left + side + 8, y, ink))
    shapes.append(common.text(left + side + 12, y + 4, "O", ink, anchor="start", weight="bold"))
    x = right + 2.5 * SIDE
    shapes.append(common.arrow(x, top + side, x, top + side + 14, ink))
    shapes.append(common.text(x, top + side + 27, "dK, dV", ink, weight="bold"))
    for q in range(2, TILES):
        y = top + (q + 0.5) * SIDE
        shapes.append(common.arrow(right + 3 * SIDE, y, right + side + 6, y, ink, 1))
        shapes.append(common.text(right + side + 10, y + 4, "+ dQ", ink, anchor="start", size=10))
    foot = top + side + 48
    for x, fill, words in (
        (left, theme["accent"], "what one block computes"),
        (right, theme["amber"], "with a mask"),
    ):
        shapes.append(common.rect(x, foot - 10, 12, 12, fill))
        shapes.append(common.text(x + 18, foot, words, ink, anchor="start"))
    label = "Forward, a block goes along a row of tiles of scores; backward, down a column"
    return common.svg(376, foot + 10, *shapes, label=label)
