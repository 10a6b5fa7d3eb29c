"""What three softmax kernels read and write of a row."""

from snippets.diagrams import common

LADDER = (
    ("three passes", ("read: largest", "read: sum", "read", "write")),
    ("online", ("read: largest and sum", "read", "write")),
    ("registers", ("read", "write")),
)
WIDE, HIGH = 236, 15


def draw(theme):
    shapes, y = [], 22
    for name, passes in LADDER:
        shapes.append(common.text(8, y + 11, name, theme["ink"], anchor="start", weight="bold"))
        for words in passes:
            written = words == "write"
            fill = theme["amber"] if written else theme["accent"]
            shapes.append(common.rect(112, y, WIDE, HIGH, fill))
            shapes.append(common.text(230, y + 11.5, words, theme["on_accent"]))
            if name == "registers" and not written:
                y += HIGH + 4
                shapes.append(
                    common.rect(112, y, WIDE, HIGH + 4, "none", theme["accent"], dash="4 3")
                )
                words = "largest, sum and exp, in registers"
                shapes.append(common.text(230, y + 13.5, words, theme["ink"]))
                y += 4
            y += HIGH + 4
        y += 12
    shapes.append(common.text(112, 14, "a row, from left to right", theme["ink"], anchor="start"))
    label = "Passes over a row: three reads and a write, two and a write, one and a write"
    return common.svg(360, y, *shapes, label=label)
