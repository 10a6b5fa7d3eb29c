"""A 3 x 3 filter over an image, and the pixels that its neighbor reads too."""

from snippets.diagrams import common

SIDE, COLUMNS, ROWS = 24, 8, 6
FILTER = 3
AT = (1, 2)  # row and column of the window's upper left pixel


def draw(theme):
    shapes = []
    left, top = 6, 26
    shapes.append(common.text(left, 16, "image", theme["ink"], 12, "start", "bold"))
    row, column = AT
    mine = {(row + r, column + s) for r in range(FILTER) for s in range(FILTER)}
    theirs = {(r, s + 1) for r, s in mine}
    for r in range(ROWS):
        for s in range(COLUMNS):
            fill = theme["faint"]
            if (r, s) in mine:
                fill = theme["accent"]
            x, y = left + s * SIDE, top + r * SIDE
            shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill, theme["grid"]))
    x, y = left + (column + 1) * SIDE - 2, top + row * SIDE - 2
    wide = FILTER * SIDE + 2
    shapes.append(common.rect(x, y, wide, wide, "none", theme["amber"], 3, "5 3"))
    out = left + COLUMNS * SIDE + 66
    shapes.append(common.text(out, 16, "output", theme["ink"], 12, "start", "bold"))
    for r in range(ROWS - 2):
        for s in range(4):
            fill = theme["faint"]
            if (r, s) == (row, 1):
                fill = theme["accent"]
            stroke = theme["amber"] if (r, s) == (row, 2) else theme["grid"]
            x, y = out + s * SIDE, top + SIDE + r * SIDE
            shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill, stroke))
    y = top + (row + 1.5) * SIDE
    shapes.append(common.arrow(left + COLUMNS * SIDE + 4, y, out - 6, y, theme["ink"]))
    shapes.append(common.text(left + COLUMNS * SIDE + 32, y - 8, "9 products", theme["ink"], 10.5))
    shared = len(mine & theirs)
    words = f"Dashed: the next window. {shared} of its {FILTER**2} pixels are in mine, too."
    shapes.append(common.text(6, top + ROWS * SIDE + 20, words, theme["ink"], 12, "start"))
    label = "A window of nine pixels makes one output; the neighbor's window shares six of them"
    return common.svg(368, top + ROWS * SIDE + 30, *shapes, label=label)
