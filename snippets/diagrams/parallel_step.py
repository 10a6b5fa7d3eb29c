"""A data-parallel step on two GPUs: each its half of the batch, then one gradient for both."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "Two rows, one for each GPU. Each has the same weights and another half of the batch, and runs "
    "forward, loss and backward alone. An all-reduce joins both rows: each now has the mean "
    "gradient. Then each runs the same AdamW step and has the same weights again."
)
BOXES = [("weights", 46, "faint"), ("half", 44, "amber"), ("forward, backward", 104, "accent")]


def draw(theme):
    """Return the picture as SVG."""
    ink, paper = theme["ink"], theme["on_accent"]
    shapes = []
    for gpu in range(2):
        y, x = 30 + 66 * gpu, 34
        shapes.append(text(28, y + 22, f"r{gpu}", ink, 12, "end"))
        for words, wide, color in BOXES:
            shapes.append(rect(x, y, wide, 34, theme[color], theme["grid"]))
            said = f"{'first' if gpu == 0 else 'second'} half" if words == "half" else words
            shown = paper if color != "faint" else ink
            if words == "half":
                shapes.append(text(x + wide / 2, y + 15, said.split()[0], shown))
                shapes.append(text(x + wide / 2, y + 27, "half", shown))
            else:
                shapes.append(text(x + wide / 2, y + 21, said, shown, 10))
            x += wide + 4
        shapes.append(arrow(x - 4, y + 17, x + 6, y + 17, ink))
        shapes.append(arrow(x + 70, y + 17, x + 86, y + 17, ink))
        shapes.append(rect(x + 88, y, 50, 34, theme["accent"], theme["grid"]))
        shapes.append(text(x + 113, y + 21, "AdamW", paper))
    shapes.append(rect(248, 26, 62, 108, theme["amber"], theme["grid"]))
    shapes.append(text(279, 76, "all-reduce", paper))
    shapes.append(text(279, 92, "mean of", paper))
    shapes.append(text(279, 106, "gradients", paper))
    shapes.append(text(150, 152, "each alone", ink))
    shapes.append(text(279, 152, "together", ink))
    shapes.append(text(319, 152, "each, the same", ink, 11, "start"))
    return svg(400, 162, *shapes, label=LABEL)
