"""Sixteen samples in registers of 1, 4, 8 and 16 floats: how many instructions each takes."""

from snippets.diagrams import common

SAMPLES, CELL, LEFT = 16, 18, 112
WIDTHS = (("scalar", 1), ("SSE, xmm", 4), ("AVX2, ymm", 8), ("AVX-512, zmm", 16))


def draw(theme):
    shapes, y = [], 18
    for name, width in WIDTHS:
        count = SAMPLES // width
        words = f"{count} instruction{'s' if count > 1 else ''}"
        shapes.append(common.text(4, y + 10, name, theme["ink"], 12, "start", "bold"))
        shapes.append(common.text(4, y + 26, words, theme["ink"], 11, "start"))
        for first in range(0, SAMPLES, width):
            x = LEFT + first * CELL
            box = common.rect(x, y, width * CELL - 3, 28, theme["faint"], theme["accent"], 3)
            shapes.append(box)
            for lane in range(width):
                at = x + 2.5 + lane * CELL
                shapes.append(common.rect(at, y + 6, CELL - 8, 16, theme["accent"], radius=1))
        y += 44
    label = (
        "Sixteen samples take 16 scalar instructions, 4 of SSE, 2 of AVX2 and one of AVX-512: each "
        "box is one instruction, and each cell in it a sample"
    )
    return common.svg(404, y - 4, *shapes, label=label)
