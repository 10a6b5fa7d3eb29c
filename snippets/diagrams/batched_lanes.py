"""Who has what in a small product: a thread a product, and lanes that have columns."""

from snippets.diagrams import common

N, CELL = 8, 14
COLORS = ("accent", "amber")


def grid(theme, left, top, fill):
    """Return the cells of an 8 x 8 matrix, each filled as fill(row, column) says."""
    cells = []
    for i in range(N):
        for j in range(N):
            x, y = left + j * CELL, top + i * CELL
            color = theme[fill(i, j)]
            cells.append(common.rect(x, y, CELL - 1, CELL - 1, color, theme["grid"], radius=1))
    return cells


def draw(theme):
    ink, shapes = theme["ink"], []
    top = 40
    shapes.append(common.text(4, 14, "Lane 3 of eight makes column 3", ink, 13, "start", "bold"))
    places = (("a", 4), ("b", 158), ("out", 312))
    fills = (
        lambda i, j: "amber" if i < 4 else "faint",
        lambda i, j: "accent" if j == 3 else "faint",
        lambda i, j: "accent" if j == 3 and i < 4 else "faint",
    )
    for (name, left), fill in zip(places, fills, strict=True):
        shapes.append(common.text(left, top - 6, name, ink, 12, "start", "bold"))
        shapes += grid(theme, left, top, fill)
    for x, sign in ((137, "@"), (291, "=")):
        shapes.append(common.text(x, top + N * CELL / 2 + 4, sign, ink, 15))
    y = top + N * CELL + 18
    lines = (
        (4, "from shared memory,"),
        (4, "16 bytes to all lanes"),
        (158, "in registers of"),
        (158, "lane 3"),
        (312, "four sums at a"),
        (312, "time"),
    )
    for k, (x, words) in enumerate(lines):
        shapes.append(common.text(x, y + 15 * (k % 2), words, ink, 11, "start"))
    y += 44
    title = "Four products of 8 x 8 in a warp: lane 0 to lane 31"
    shapes.append(common.text(4, y, title, ink, 13, "start", "bold"))
    for lane in range(32):
        x = 4 + lane * 13.4
        fill = theme[COLORS[lane // 8 % 2]]
        shapes.append(common.rect(x, y + 8, 12, 20, fill, radius=1))
        shapes.append(common.text(x + 6, y + 22, lane % 8, theme["on_accent"], 10))
    for p in range(4):
        x = 4 + (p * 8 + 4) * 13.4
        shapes.append(common.text(x, y + 44, f"product {p}", ink, 11))
    label = (
        "Eight lanes make one product of 8 x 8. A lane holds a column of b in registers, reads rows"
        " of a from shared memory as all the others do, and writes a column of out."
    )
    return common.svg(440, y + 52, *shapes, label=label)
