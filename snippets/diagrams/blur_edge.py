"""The neighborhood of a corner pixel: what lies outside, and where negative indices wrap to."""

from snippets.diagrams.common import rect, svg, text

ROWS, COLUMNS, RADIUS = 5, 7, 1
CELL, LEFT, TOP = 42, 8, 24


def draw(theme):
    window = [
        (row, column) for row in range(-RADIUS, RADIUS + 1) for column in range(-RADIUS, RADIUS + 1)
    ]
    outside = [p for p in window if p[0] < 0 or p[1] < 0]
    wrapped = {(row % ROWS, column % COLUMNS) for row, column in outside}

    def corner(row, column):
        return LEFT + (column + RADIUS) * CELL, TOP + (row + RADIUS) * CELL

    shapes = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            fill, ink = theme["faint"], theme["ink"]
            if (row, column) in window:
                fill, ink = theme["accent"], theme["on_accent"]
            elif (row, column) in wrapped:
                fill, ink = theme["amber"], theme["on_accent"]
            x, y = corner(row, column)
            shapes.append(rect(x, y, CELL, CELL, fill, theme["grid"]))
            shapes.append(text(x + CELL / 2, y + CELL / 2 + 4, f"{row}, {column}", ink))
    for row, column in outside:
        x, y = corner(row, column)
        shapes.append(rect(x + 1, y + 1, CELL - 2, CELL - 2, "none", theme["amber"], dash="4 3"))
        words = f"{row}, {column}".replace("-", "\N{MINUS SIGN}")
        shapes.append(text(x + CELL / 2, y + CELL / 2 + 4, words, theme["amber"]))
    words = "The neighborhood of pixel 0, 0, and where it wraps to"
    shapes.append(text(LEFT, 14, words, theme["ink"], anchor="start"))
    label = (
        "An image of 5 by 7 pixels. Five of the nine neighbors of pixel 0, 0 have a negative index."
    )
    width = 2 * LEFT + (COLUMNS + RADIUS) * CELL
    return svg(width, TOP + (ROWS + RADIUS) * CELL + 8, *shapes, label=label)
