"""A cell and its neighbors, and the patch of a warp, whose lanes hand their edges on."""

from snippets.diagrams import common

CELL = 15


def cells(left, top, wide, high, theme, shapes, fill):
    for row in range(high):
        for column in range(wide):
            x, y = left + column * CELL, top + row * CELL
            color = fill(row, column)
            shapes.append(common.rect(x, y, CELL - 2, CELL - 2, color, theme["grid"], radius=1))


def draw(theme):
    shapes = []
    faint, accent, amber = theme["faint"], theme["accent"], theme["amber"]

    def cross(row, column):
        if (row, column) == (2, 2):
            return amber
        return accent if abs(row - 2) + abs(column - 2) == 1 else faint

    cells(12, 40, 5, 5, theme, shapes, cross)
    shapes.append(common.text(48, 20, "a cell and", theme["ink"]))
    shapes.append(common.text(48, 33, "its neighbors", theme["ink"]))

    left, top = 118, 40

    def patch(row, column):
        if 1 <= row <= 2:
            return accent if column // 4 % 2 else amber
        return faint

    cells(left, top, 16, 4, theme, shapes, patch)
    for lane in range(4):
        x = left + lane * 4 * CELL + 2 * CELL
        shapes.append(common.text(x, 33, f"lane {lane}", theme["ink"]))
    for lane in range(1, 4):
        x = left + lane * 4 * CELL
        y = top + 4 * CELL + 12
        shapes.append(common.arrow(x - CELL / 2, y, x + CELL / 2 + 4, y, theme["ink"]))
        shapes.append(common.arrow(x + CELL / 2, y + 9, x - CELL / 2 - 4, y + 9, theme["ink"]))
    shapes.append(
        common.text(left + 8 * CELL, top + 4 * CELL + 38, "edges by shuffles", theme["ink"])
    )
    shapes.append(
        common.text(left + 8 * CELL, top + 4 * CELL + 52, "faint: read, not written", theme["ink"])
    )
    label = "A cell with four neighbors; a patch of two rows, four columns for each lane of a warp"
    return common.svg(366, 160, *shapes, label=label)
