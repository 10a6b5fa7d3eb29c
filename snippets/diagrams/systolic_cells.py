"""Which cells of a 4 x 4 systolic array work in three of its cycles, for an input of six rows."""

from kernels.questions.systolic import np, systolic
from snippets.diagrams import common

ROWS, SIDE, CELL = 6, 4, 24
CYCLES = (1, 4, 8)


def working(cycle):
    """Return the cells that work in a cycle: input row r is in cell (k, n) at cycle r + k + n."""
    return {
        (k, n) for k in range(SIDE) for n in range(SIDE) if 0 <= cycle - k - n < ROWS
    }  # fmt: skip


def draw(theme):
    _, _, busy = systolic(np.ones((ROWS, SIDE)), np.ones((SIDE, SIDE)))
    shapes = []
    for place, cycle in enumerate(CYCLES):
        cells, x0, y0 = working(cycle), 22 + place * 132, 44
        assert len(cells) == busy[cycle], "the picture is not what the program does"
        words = f"cycle {cycle}: {len(cells)} of 16"
        shapes.append(common.text(x0 + 47, 16, words, theme["ink"], 12, weight="bold"))
        for k in range(SIDE):
            for n in range(SIDE):
                fill = theme["accent"] if (k, n) in cells else theme["faint"]
                x, y = x0 + n * CELL, y0 + k * CELL
                shapes.append(common.rect(x, y, CELL - 3, CELL - 3, fill, theme["grid"]))
                ink = theme["on_accent"] if (k, n) in cells else theme["ink"]
                shapes.append(common.text(x + 10.5, y + 14.5, "w", ink, 11))
            shapes.append(
                common.arrow(x0 - 18, y0 + k * CELL + 10, x0 - 3, y0 + k * CELL + 10, theme["ink"])
            )
        for n in range(SIDE):
            at = x0 + n * CELL + 10
            foot = y0 + SIDE * CELL
            shapes.append(common.arrow(at, foot, at, foot + 16, theme["amber"]))
    y = 44 + SIDE * CELL + 34
    shapes.append(common.text(4, y, "inputs enter from the left", theme["ink"], 11, "start"))
    shapes.append(common.text(404, y, "sums leave at the foot", theme["amber"], 11, "end"))
    label = (
        f"A systolic array of four by four cells with a weight in each. Of its 16 cells "
        f"{', '.join(str(busy[c]) for c in CYCLES)} work in cycles "
        f"{', '.join(map(str, CYCLES))}, as the inputs move through it as a diagonal"
    )
    return common.svg(408, y + 8, *shapes, label=label)
