"""How one warp's row travels through a tile: read as a row, turned, written as a row."""

from snippets.diagrams import common

TILE = 4  # the kernel's is 16; four can be seen
ROWS, COLUMNS = 4, 8  # a is 4 x 8, so out is 8 x 4
BLOCK_X, BLOCK_Y = 1, 0  # the block that is shown
Y = 1  # its row of threads that is shown


def threads():
    """Return what the threads (x, Y) of the block touch: in a, in the tile twice, in out."""
    left, top = BLOCK_X * TILE, BLOCK_Y * TILE
    xs = range(TILE)
    return {
        "a": [(top + Y, left + x) for x in xs],
        "tile, written": [(Y, x) for x in xs],
        "tile, read": [(x, Y) for x in xs],
        "out": [(left + Y, top + x) for x in xs],
    }


def draw(theme):
    shapes, touched = [], threads()
    boxes = (("a", ROWS, COLUMNS), ("tile, written", TILE, TILE))
    boxes += (("tile, read", TILE, TILE), ("out", COLUMNS, ROWS))
    left = 6
    for name, rows, columns in boxes:
        shapes.append(common.text(left, 14, name, theme["ink"], anchor="start"))
        for row in range(rows):
            for column in range(columns):
                x, y = left + column * 14, 22 + row * 14
                hit = (row, column) in touched[name]
                fill = theme["faint"]
                if hit:
                    fill = theme["amber"] if name == "tile, read" else theme["accent"]
                shapes.append(common.rect(x, y, 13, 13, fill, theme["grid"], radius=1))
                if hit:
                    lane = touched[name].index((row, column))
                    shapes.append(common.text(x + 6.5, y + 10, lane, theme["on_accent"], size=9))
        left += columns * 14 + 18
    shapes.append(common.text(6, 110, "0 to 3: the threads x", theme["ink"], anchor="start"))
    shapes.append(common.text(6, 125, "of one row of a block", theme["ink"], anchor="start"))
    label = (
        "Four threads read a row of a, write a row of the tile, read a column, write a row of out"
    )
    return common.svg(left, 142, *shapes, label=label)
