"""A plate in two parts: each rank's own rows, and the halo row that the other one fills."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "A plate cut in two. Each rank has its own rows and one halo row, which holds a copy of the "
    "other rank's nearest row. Arrows lead from the last row of rank 0 to the halo of rank 1, and "
    "from the first row of rank 1 to the halo of rank 0."
)
COLUMNS, CELL, OWN = 6, 20, 4


def draw(theme):
    """Return the picture as SVG."""
    ink, shapes = theme["ink"], []
    for rank, left in ((0, 40), (1, 232)):
        shapes.append(text(left + COLUMNS * CELL / 2, 18, f"rank {rank}", ink, 12, weight="bold"))
        for row in range(OWN + 1):
            halo = row == (OWN if rank == 0 else 0)
            sent = row == (OWN - 1 if rank == 0 else 1)
            fill = theme["amber"] if sent else theme["faint"] if halo else theme["accent"]
            for column in range(COLUMNS):
                x, y = left + column * CELL, 28 + row * CELL
                shapes.append(rect(x, y, CELL - 2, CELL - 2, fill, theme["grid"]))
    top = 28 + CELL / 2
    shapes += [
        arrow(162, top + (OWN - 1) * CELL, 230, top, ink),
        arrow(230, top + CELL, 162, top + OWN * CELL, ink),
    ]
    for k, (fill, name) in enumerate(
        ((theme["accent"], "own rows"), (theme["amber"], "sent"), (theme["faint"], "halo: a copy"))
    ):
        x = 60 + 100 * k
        shapes += [
            rect(x, 146, 12, 12, fill, theme["grid"]),
            text(x + 18, 156, name, ink, anchor="start"),
        ]
    return svg(392, 168, *shapes, label=LABEL)
