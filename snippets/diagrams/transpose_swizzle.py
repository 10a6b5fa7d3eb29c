"""The tile of the fast transpose: in which banks its groups lie, without XOR and with it."""

from snippets.diagrams.common import rect, svg, text

SIDE, CELL, SPLIT = 8, 20, 196


def group(rows, columns, swizzled):
    """Return the group of four banks of four rows in a group of columns, as in the kernel.

    A column of the tile is a multiple of 32 words long, so it does not change the bank.
    """
    return (rows ^ columns % 8 if swizzled else rows) % 8


def half(theme, left, title, swizzled):
    shapes = [text(left, 12, title, theme["ink"], 11, "start", "bold")]
    for columns in range(SIDE):
        for rows in range(SIDE):
            banks = group(rows, columns, swizzled)
            x, y = left + rows * CELL, 22 + columns * CELL
            on = banks == 3
            fill = theme["accent"] if on else theme["faint"]
            ink = theme["on_accent"] if on else theme["ink"]
            shapes.append(rect(x, y, CELL - 2, CELL - 2, fill, theme["grid"], 2))
            shapes.append(text(x + CELL / 2 - 1, y + 13, banks, ink, 10))
    return shapes


def draw(theme):
    shapes = half(theme, 20, "as it comes", False) + half(theme, 20 + SPLIT, "with XOR", True)
    for left in (20, 20 + SPLIT):
        words = "groups of four rows, 16 bytes each"
        shapes.append(text(left, 22 + SIDE * CELL + 12, words, theme["ink"], 9.5, "start"))
    label = "Groups of banks of a tile: with XOR every row and every column holds all eight."
    return svg(388, 22 + SIDE * CELL + 18, *shapes, label=label)
