"""Two matrices on two ranks: the first by columns, the second by rows, one sum at the end."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "On each of two ranks: the whole x, half of the columns of the first weight, half of the "
    "columns in between, half of the rows of the second weight, and a partial sum of the output. "
    "An all-reduce adds the two."
)


def draw(theme):
    """Return the picture as SVG."""
    ink, paper = theme["ink"], theme["on_accent"]
    fills = theme["accent"], theme["amber"]
    shapes, mid = [], 116
    for rank, fill in enumerate(fills):
        top = 30 + 108 * rank
        shapes.append(text(4, top - 8, f"rank {rank}", ink, 12, "start", "bold"))

        def box(x, y, wide, high, words, filled, under="", fill=fill, top=top):
            shapes.append(rect(x, y, wide, high, fill if filled else "none", ink))
            color = paper if filled else ink
            shapes.append(text(x + wide / 2, y + high / 2 + 4, words, color, 11))
            if under:
                shapes.append(text(x + wide / 2, top + 78, under, ink, 11))

        box(4, top, 44, 60, "x", False, "whole")
        shapes.append(rect(66, top, 88, 44, "none", theme["grid"]))
        box(66 + 44 * rank, top, 44, 44, "up", True, "")
        shapes.append(text(110, top + 78, "columns", ink, 11))
        shapes.append(rect(172, top, 70, 60, "none", theme["grid"]))
        box(172 + 35 * rank, top, 35, 60, "h", True, "")
        shapes.append(text(207, top + 78, "columns", ink, 11))
        shapes.append(rect(260, top - 6, 44, 76, "none", theme["grid"]))
        box(260, top - 6 + 38 * rank, 44, 38, "down", True, "")
        shapes.append(text(282, top + 84, "rows", ink, 11))
        box(322, top, 44, 60, "part", True, "of a sum")
        shapes.append(arrow(370, top + 30, 392, mid + (8 if rank else -8), ink))
    shapes.append(rect(394, mid - 22, 42, 44, "none", ink))
    shapes.append(text(415, mid + 4, "sum", ink, 12))
    return svg(440, 232, *shapes, label=LABEL)
