"""A convolution as a product: rows of nine neighbors, which nobody stores, times the filters."""

from snippets.diagrams import common

PIXELS, TAPS, FILTERS = 7, 9, 4


def draw(theme):
    shapes = []
    cell = 19

    def matrix(left, top, rows, columns, fill, dash=None, marked=()):
        for r in range(rows):
            for c in range(columns):
                color = theme["accent"] if (r, c) in marked else fill
                shapes.append(
                    common.rect(
                        left + c * cell, top + r * cell, cell - 2, cell - 2, color,
                        theme["grid"], 1, dash,
                    )
                )  # fmt: skip

    def words(x, y, what, weight="normal", size=11):
        shapes.append(common.text(x, y, what, theme["ink"], size, weight=weight))

    left, top = 8, 214
    b_top = 24
    row, column = 2, 1
    matrix(left, top, PIXELS, TAPS, "none", "2 2", {(row, c) for c in range(TAPS)})
    b_left = left + TAPS * cell + 66
    matrix(b_left, b_top, TAPS, FILTERS, theme["faint"], None, {(r, column) for r in range(TAPS)})
    matrix(b_left, top, PIXELS, FILTERS, theme["faint"], None, {(row, column)})
    words(left + TAPS * cell / 2, top - 24, "nine neighbors of each pixel", "bold", 12)
    words(left + TAPS * cell / 2, top - 8, "addresses, not memory")
    words(b_left + FILTERS * cell / 2, 14, "filters", "bold", 12)
    under = top + PIXELS * cell + 14
    words(left + TAPS * cell / 2, under, "9 x channels along k")
    words(b_left + FILTERS * cell / 2, under, "output pixels", "bold", 12)
    middle = top + (row + 0.5) * cell - 1
    shapes.append(
        common.arrow(left + TAPS * cell + 6, middle, b_left - 8, middle, theme["accent"], 2)
    )
    words(left + TAPS * cell + 31, middle - 8, "row x")
    words(left + TAPS * cell + 31, middle + 18, "column")
    label = "Rows of nine neighbors times columns of filters give the output pixels"
    return common.svg(352, under + 10, *shapes, label=label)
