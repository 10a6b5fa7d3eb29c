"""A block's square of the result, and the strips and tiles that it needs."""

from snippets.diagrams import common

SIDE, TILES = 26, 4  # of a tile; tiles along a matrix
ROW, COLUMN, NOW = 2, 1, 1  # the block's square, and the round that is shown


def matrix(left, top, theme, shapes, name, strip, now):
    """Draw a matrix of tiles. ``strip`` and ``now`` say of (row, column) how it is marked."""
    for row in range(TILES):
        for column in range(TILES):
            fill = theme["faint"]
            if strip(row, column):
                fill = theme["grid"]
            if now(row, column):
                fill = theme["accent"]
            x, y = left + column * SIDE, top + row * SIDE
            shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill, theme["grid"], radius=1))
    shapes.append(common.text(left + TILES * SIDE / 2, top - 6, name, theme["ink"]))


def draw(theme):
    shapes = []
    wide = TILES * SIDE
    left, top, gap = 30, 18, 30
    right, below = left + wide + gap, top + wide + gap
    matrix(left, below, theme, shapes, "a",
           lambda r, c: r == ROW, lambda r, c: r == ROW and c == NOW)  # fmt: skip
    matrix(right, top, theme, shapes, "b",
           lambda r, c: c == COLUMN, lambda r, c: c == COLUMN and r == NOW)  # fmt: skip
    matrix(right, below, theme, shapes, "c",
           lambda r, c: False, lambda r, c: (r, c) == (ROW, COLUMN))  # fmt: skip
    y = below + ROW * SIDE + SIDE / 2
    x = right + COLUMN * SIDE + SIDE / 2
    shapes.append(common.arrow(left + wide + 2, y, x - SIDE / 2 - 4, y, theme["amber"]))
    shapes.append(common.arrow(x, top + wide + 2, x, below + ROW * SIDE - 4, theme["amber"]))
    for i, words in enumerate(("one round:", "a tile of a", "times a tile of b", "is added to c")):
        shapes.append(common.text(left, top + 14 + 16 * i, words, theme["ink"], anchor="start"))
    label = (
        "A block adds the products of a row of tiles of a and a column of tiles of b, tile by tile"
    )
    return common.svg(right + wide + 26, below + wide + 12, *shapes, label=label)
