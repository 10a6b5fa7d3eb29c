"""The bits of two 8-bit formats beside bfloat16, and all e4m3 numbers from 4 to 64 on a line."""

from snippets.diagrams import common

FORMATS = (("bfloat16", 8, 7), ("e5m2", 5, 2), ("e4m3", 4, 3))  # bits of exponent, of mantissa
CELL, LOW, HIGH = 17, 4, 64


def numbers():
    """Return the e4m3 numbers from LOW to HIGH: eight for each power of two."""
    found, power = [], LOW
    while power < HIGH:
        found += [power * (1 + eighth / 8) for eighth in range(8)]
        power *= 2
    return [*found, HIGH]


def draw(theme):
    ink, shapes = theme["ink"], []
    for row, (name, exponent, mantissa) in enumerate(FORMATS):
        y = 8 + row * 26
        shapes.append(common.text(8, y + 14, name, ink, 12, "start", "bold"))
        kinds = [theme["grid"]] + [theme["amber"]] * exponent + [theme["accent"]] * mantissa
        for at, fill in enumerate(kinds):
            shapes.append(common.rect(80 + at * CELL, y, CELL - 2, 18, fill))
    for x, fill, words in (
        (8, theme["grid"], "sign"),
        (80, theme["amber"], "exponent: how large"),
        (236, theme["accent"], "mantissa: how exact"),
    ):
        shapes.append(common.rect(x, 92, 12, 12, fill))
        shapes.append(common.text(x + 18, 102, words, ink, 11, "start"))
    y, left, scale = 156, 8, 374 / (HIGH - LOW)
    shapes.append(
        common.text(8, y - 24, "every e4m3 number from 4 to 64", ink, 12, "start", "bold")
    )
    shapes.append(common.line(left, y, left + 374, y, ink))
    for number in numbers():
        x = left + (number - LOW) * scale
        power = number in (4, 8, 16, 32, 64)
        shapes.append(common.line(x, y - (12 if power else 7), x, y, theme["accent"], 1.5))
        if number in (8, 16, 32, 64):
            shapes.append(common.text(min(x, 378), y + 16, f"{number:.0f}", ink))
    steps = ((24, "steps of 2"), (48, "steps of 4"))
    for number, words in steps:
        shapes.append(common.text(left + (number - LOW) * scale, y + 16, words, theme["amber"], 11))
    label = "Eight numbers between 16 and 32, eight more between 32 and 64"
    return common.svg(390, y + 26, *shapes, label=label)
