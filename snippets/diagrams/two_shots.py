"""An all-reduce in two shots, as rank 1 sees it: load part 1 of all, store the sum to all."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "Four ranks with arrays of four parts. First shot: rank 1 loads part 1 of all four arrays and "
    "adds them up. Second shot: it stores the sum into part 1 of all four outputs."
)
RANKS, CELL = 4, 26


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, paper = theme["ink"], theme["accent"], theme["on_accent"]
    middle = 40 + 34 * (RANKS - 1) / 2 + CELL / 2
    shapes = [
        text(92, 20, "arrays", ink, 12, weight="bold"),
        text(342, 20, "outputs", ink, 12, weight="bold"),
        text(166, 20, "shot 1: load", ink),
        text(262, 20, "shot 2: store", ink),
        rect(196, middle - 16, 36, 32, accent),
        text(214, middle + 5, "sum", paper, 12, weight="bold"),
        text(214, middle + 34, "rank 1", ink),
    ]
    for rank in range(RANKS):
        y = 40 + 34 * rank
        shapes.append(text(34, y + 18, f"r{rank}", ink, 12, "end"))
        for left, filled in ((40, theme["amber"]), (290, accent)):
            for part in range(RANKS):
                here = part == 1
                fill = filled if here else theme["faint"]
                x = left + part * CELL
                shapes.append(rect(x, y, CELL - 2, CELL - 2, fill, theme["grid"]))
                shapes.append(text(x + 12, y + 17, part, paper if here else ink))
        shapes.append(arrow(148, y + 12, 194, middle + 6 * (rank - 1.5), ink))
        shapes.append(arrow(234, middle + 6 * (rank - 1.5), 286, y + 12, ink))
    return svg(400, 186, *shapes, label=LABEL)
