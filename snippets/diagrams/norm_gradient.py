"""What a layernorm takes out of a gradient: a common shift and a common stretch."""

import numpy as np

from snippets.diagrams.common import line, rect, svg, text

LABEL = (
    "Bars of eight values in four rows: a row, its layernorm, a gradient of the layernorm, and "
    "what of it reaches the row, once its mean and its share along the normalized values are gone."
)
X = np.array([2.0, 3.5, 1.0, 4.0, 2.5, 5.0, 3.0, 4.5])
GRADIENT = np.array([1.0, 0.5, 1.2, 1.5, 0.4, 1.9, 0.9, 1.6])


def values():
    """Return the four rows of the picture."""
    normed = (X - X.mean()) / X.std()
    rest = GRADIENT - GRADIENT.mean() - normed * (GRADIENT * normed).mean()
    assert abs(rest.sum()) < 1e-9 and abs((rest * normed).sum()) < 1e-9
    return (
        ("a row", X),
        ("its layernorm", normed),
        ("gradient of the layernorm", GRADIENT),
        ("what reaches the row (before its scale)", rest),
    )


def draw(theme):
    """Return the picture as SVG."""
    ink, shapes, y = theme["ink"], [], 16
    for number, (title, row) in enumerate(values()):
        shapes.append(text(4, y, title, ink, 12, "start", "bold"))
        scale = 9 if number == 0 else 13
        high, low = max(row.max(), 0) * scale, min(row.min(), 0) * scale
        zero = y + 10 + high
        fill = theme["accent"] if number < 2 else theme["amber"]
        for i, value in enumerate(row):
            top = zero - max(value, 0) * scale
            shapes.append(rect(8 + 46 * i, top, 34, max(abs(value) * scale, 1), fill))
        shapes.append(line(4, zero, 372, zero, ink))
        y = zero - low + 30
    return svg(380, y - 12, *shapes, label=LABEL)
