"""One piece of memory, read by rows and by columns: the second reading is the transpose."""

from snippets.diagrams.common import rect, svg, text

ROWS, COLUMNS = 2, 3
LABEL = (
    "Six numbers lie in a row in memory. Read by rows, three to a row, they are a 2 x 3 matrix. "
    "Read by columns, three to a column, they are the 3 x 2 matrix that is its transpose."
)
SIZE = 26


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    colors = (accent, amber)
    shapes = []

    def cell(x, y, number):
        shapes.append(rect(x, y, SIZE - 2, SIZE - 2, colors[number // COLUMNS]))
        shapes.append(text(x + SIZE / 2 - 1, y + 17, number, theme["on_accent"]))

    shapes.append(text(8, 18, "memory", ink, 12, "start", "bold"))
    for number in range(ROWS * COLUMNS):
        cell(8 + SIZE * number, 26, number)
    shapes.append(text(8, 84, "read by rows: a, 2 x 3", ink, 11, "start"))
    shapes.append(text(200, 84, "read by columns: a.T, 3 x 2", ink, 11, "start"))
    for number in range(ROWS * COLUMNS):
        row, column = divmod(number, COLUMNS)
        cell(8 + SIZE * column, 94 + SIZE * row, number)
        cell(200 + SIZE * row, 94 + SIZE * column, number)
    return svg(360, 178, *shapes, label=LABEL)
