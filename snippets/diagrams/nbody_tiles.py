"""All pairs of stars as a square: rows are threads, columns the stars that come by in tiles."""

from snippets.diagrams import common

CELL, COUNT, TILE, PER = 12, 24, 6, 2


def draw(theme):
    ink, shapes, top, left = theme["ink"], [], 34, 84
    shapes.append(common.text(left, 14, "stars that pull, in tiles", ink, 12, "start", "bold"))
    for i in range(COUNT):
        for j in range(COUNT):
            tile, mine = j // TILE, i // (TILE * PER) == 0
            fill = theme["faint"]
            if mine and tile == 1:
                fill = theme["amber"] if i in (2, 2 + TILE) else theme["accent"]
            x, y = left + j * CELL, top + i * CELL
            shapes.append(common.rect(x, y, CELL - 1, CELL - 1, fill, radius=0))
    for t in range(COUNT // TILE):
        x = left + t * TILE * CELL
        shapes.append(common.line(x - 0.5, top - 8, x - 0.5, top + COUNT * CELL, theme["grid"]))
        shapes.append(common.text(x + TILE * CELL / 2, top - 4, f"turn {t}", ink, 11))
    for b in range(COUNT // (TILE * PER)):
        y = top + b * TILE * PER * CELL
        shapes.append(common.line(left - 8, y - 0.5, left + COUNT * CELL, y - 0.5, theme["grid"]))
        shapes.append(common.text(4, y + TILE * CELL, f"block {b}", ink, 12, "start"))
    y = top + COUNT * CELL + 20
    keys = (
        (theme["accent"], "a turn of block 0: one tile for all of its threads"),
        (theme["amber"], "of it, one thread with two stars: a read serves both"),
    )
    for k, (fill, words) in enumerate(keys):
        shapes.append(common.rect(4, y - 10 + 19 * k, 12, 12, fill, radius=1))
        shapes.append(common.text(22, y + 19 * k, words, ink, 12, "start"))
    label = (
        f"{COUNT} stars against {COUNT}: a block of {TILE} threads with {PER} stars each goes"
        f" through tiles of {TILE} stars, which it fetches once for all of its threads"
    )
    return common.svg(440, y + 28, *shapes, label=label)
