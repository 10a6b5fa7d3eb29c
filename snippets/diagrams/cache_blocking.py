"""What a row of the product needs of b: all of it, or a tile that stays in the cache."""

from snippets.diagrams import common

N, CELL = 12, 9
TILE = 4


def matrix(theme, x, y, name, filled, color):
    shapes = [common.text(x + N * CELL / 2, y - 5, name, theme["ink"], 12, weight="bold")]
    for row in range(N):
        for column in range(N):
            fill = color if (row, column) in filled else theme["faint"]
            box = common.rect(
                x + column * CELL, y + row * CELL, CELL - 1, CELL - 1, fill, theme["grid"], 1
            )
            shapes.append(box)
    return shapes


def draw(theme):
    shapes, y = [], 34
    everywhere = {(r, c) for r in range(N) for c in range(N)}
    row = {(3, c) for c in range(N)}
    tile = {(r, c) for r in range(TILE) for c in range(TILE, 2 * TILE)}
    part = {(r, c) for r in range(N) for c in range(TILE)}
    rows = {(r, c) for r in range(N) for c in range(TILE, 2 * TILE)}
    cases = (
        ("ikj: each row of c goes over all of b", row, everywhere, row, "amber"),
        ("blocked: all rows of c use one tile of b", part, tile, rows, "accent"),
    )
    for title, of_a, of_b, of_c, color in cases:
        shapes.append(common.text(4, y - 20, title, theme["ink"], 12, "start", "bold"))
        for k, (name, filled) in enumerate((("a", of_a), ("b", of_b), ("c", of_c))):
            fill = theme[color] if name == "b" else theme["ink"]
            shapes += matrix(theme, 4 + k * 130, y, name, filled, fill)
        y += N * CELL + 44
    label = (
        "Above, a row of c needs a row of a and all of b, which has left the cache when the next "
        "row needs it. Below, a tile of b is used by a strip of c for all its rows, and stays"
    )
    return common.svg(376, y - 34, *shapes, label=label)
