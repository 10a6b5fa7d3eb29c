"""The instructions that a 4-bit weight costs in three kernels."""

from snippets.diagrams import common

WAYS = [
    ("convert", ["shift", "mask", "to float", "less 8", "fma"]),
    ("bits of 2^23", ["mask, or", "fma: less 2^23", "fma"]),
    ("subnormal", ["mask", "fma"]),
]


def draw(theme):
    ink, shapes, y = theme["ink"], [], 8
    for name, steps in WAYS:
        shapes.append(common.text(4, y + 20, name, ink, anchor="start", weight="bold"))
        x = 92
        for step in steps:
            product = step == "fma"  # the product itself, which every way needs
            width = 96 if ":" in step else 62 if "," in step else 54
            fill = theme["accent"] if product else theme["faint"]
            shapes.append(common.rect(x, y, width, 30, fill, theme["grid"], 3))
            on = theme["on_accent"] if product else ink
            shapes.append(common.text(x + width / 2, y + 20, step, on, 11))
            x += width + 6
        y += 42
    words = "green: the product itself; gray: what unpacks the weight"
    shapes.append(common.text(4, y + 10, words, ink, 11, anchor="start"))
    label = "Five, three and two instructions a weight in three kernels"
    return common.svg(410, y + 20, *shapes, label=label)
