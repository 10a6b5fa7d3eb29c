"""A value and the number of its call in one word, from one GPU into a box of another."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "A 64-bit word holds the number of the call, 7, and a value, 0.5. Rank 0 stores it into a box "
    "in the memory of rank 1. The box has words of call 7, and of call 5 where nothing came yet."
)
CALLS = (7, 7, 5, 7, 5)
VALUES = ("0.5", "1.2", "9.9", "0.1", "4.0")


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, paper = theme["ink"], theme["accent"], theme["on_accent"]
    shapes = [
        text(60, 22, "rank 0", ink, 13, weight="bold"),
        text(300, 22, "memory of rank 1", ink, 13, weight="bold"),
        text(60, 58, "one store of 64 bits", ink),
        rect(10, 68, 50, 28, theme["amber"]),
        rect(60, 68, 50, 28, accent),
        text(35, 87, "call 7", paper),
        text(85, 87, "0.5", paper),
        arrow(116, 82, 204, 62, ink),
        text(160, 52, "NVLink", ink),
        text(300, 42, "box for rank 0", ink),
    ]
    for k, (call, value) in enumerate(zip(CALLS, VALUES, strict=True)):
        y, new = 50 + 30 * k, call == 7
        shapes += [
            rect(210, y, 56, 26, theme["amber"] if new else theme["faint"], ink),
            rect(266, y, 56, 26, accent if new else theme["faint"], ink),
            text(238, y + 17, f"call {call}", paper if new else ink),
            text(294, y + 17, value, paper if new else ink),
            text(330, y + 17, "here" if new else "not yet", ink, anchor="start"),
        ]
    shapes.append(text(10, 150, "A thread of rank 1 looks", ink, anchor="start"))
    shapes.append(text(10, 166, "until it sees call 7.", ink, anchor="start"))
    return svg(390, 210, *shapes, label=LABEL)
