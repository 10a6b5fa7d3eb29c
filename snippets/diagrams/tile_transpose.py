"""How a row of threads carries its elements through a tile: read off the lesson's kernel."""

from functools import cache

import numpy as np

from snippets.diagrams import common

TILE = 4  # the kernel's is 16; four can be seen
SHAPE = (TILE, TILE + 1)
ROWS, COLUMNS = 4, 8  # a is 4 x 8, so out is 8 x 4
BLOCK = (1, 0, 0)  # the block that is shown
Y = 1  # its row of threads that is shown


@cache
def threads():
    """Return what the threads (x, Y) of the block touch: in a, in the tile twice, in out."""
    a = np.zeros((ROWS, COLUMNS), dtype=np.float32)
    launch = common.watch("memory_hierarchy/transpose_tile.py", "transpose_tile_kernel",
                          ((COLUMNS // TILE, ROWS // TILE), (TILE, TILE)), a,
                          np.zeros((COLUMNS, ROWS), dtype=np.float32),
                          TILE=TILE, SHAPE=SHAPE)  # fmt: skip
    names = {
        ("a", "load"): ("a", COLUMNS),
        ("tile", "store"): ("tile, written", SHAPE[1]),
        ("tile", "load"): ("tile, read", SHAPE[1]),
        ("out", "store"): ("out", ROWS),
    }
    found = {}
    for array, kind, block, elements in launch.accesses:
        if block == BLOCK:
            name, width = names[array, kind]
            found[name] = [divmod(elements[Y * TILE + x], width) for x in range(TILE)]
    return found


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
