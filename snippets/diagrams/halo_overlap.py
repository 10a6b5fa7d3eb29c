"""A step of the heat equation: halos first and then the rows, or both at once."""

from snippets.diagrams.common import rect, svg, text

LABEL = (
    "Two timelines. Above, the halos travel, then the kernel runs on all rows. Below, the kernel "
    "runs on the inner rows while the halos travel, and a short kernel does the two outer rows."
)


def draw(theme):
    """Return the picture as SVG."""
    ink, paper, left = theme["ink"], theme["on_accent"], 66
    rows = [
        (
            "one after the other",
            34,
            [("halos", 0, 110, "amber")],
            [("all rows", 112, 150, "accent")],
        ),
        (
            "overlapped",
            128,
            [("halos", 0, 110, "amber")],
            [("inner rows", 0, 142, "accent"), ("outer", 144, 40, "accent")],
        ),
    ]
    shapes = []
    for title, top, network, gpu in rows:
        shapes.append(text(left, top - 10, title, ink, 12, "start", "bold"))
        for name, y, bars in (("network", top, network), ("GPU", top + 32, gpu)):
            shapes.append(text(left - 8, y + 18, name, ink, 12, "end"))
            for words, start, wide, color in bars:
                shapes.append(rect(left + start, y, wide, 26, theme[color]))
                shapes.append(text(left + start + wide / 2, y + 17, words, paper))
    return svg(360, 196, *shapes, label=LABEL)
