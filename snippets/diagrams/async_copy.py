"""Copying, then multiplying, against both at once: tiles over time."""

from snippets.diagrams import common

COPY, MULTIPLY, TILES = 40, 46, 4  # lengths in the picture; nothing is measured


def draw(theme):
    shapes, left, y = [], 86, 20
    shapes.append(
        common.text(4, y, "load, wait, multiply, wait", theme["ink"], 13, "start", "bold")
    )
    y += 10
    x = left
    for row, words in ((0, "copy"), (1, "multiply")):
        shapes.append(common.text(4, y + 17 + row * 28, words, theme["ink"], 12, "start"))
    for tile in range(TILES):
        shapes.append(common.rect(x, y, COPY - 2, 24, theme["amber"]))
        shapes.append(common.text(x + COPY / 2, y + 16, tile, theme["on_accent"], 12))
        x += COPY
        shapes.append(common.rect(x, y + 28, MULTIPLY - 2, 24, theme["accent"]))
        shapes.append(common.text(x + MULTIPLY / 2, y + 44, tile, theme["on_accent"], 12))
        x += MULTIPLY
    y += 84
    shapes.append(common.text(4, y, "cp.async with two stages", theme["ink"], 13, "start", "bold"))
    y += 10
    for row, words in ((0, "copy"), (1, "multiply")):
        shapes.append(common.text(4, y + 17 + row * 28, words, theme["ink"], 12, "start"))
    x = left
    starts = []
    for tile in range(TILES + 1):
        begin = x if tile == 0 else starts[-1][1]
        shapes.append(common.rect(begin, y, COPY - 2, 24, theme["amber"]))
        shapes.append(common.text(begin + COPY / 2, y + 16, tile, theme["on_accent"], 12))
        multiply = max(begin + COPY, starts[-1][1] + MULTIPLY if starts else 0)
        starts.append((begin, multiply))
        if tile < TILES + 1:
            shapes.append(common.rect(multiply, y + 28, MULTIPLY - 2, 24, theme["accent"]))
            shapes.append(
                common.text(multiply + MULTIPLY / 2, y + 44, tile, theme["on_accent"], 12)
            )
    y += 78
    shapes.append(common.text(4, y, "time", theme["ink"], 12, "start"))
    shapes.append(common.arrow(38, y - 4, 130, y - 4, theme["ink"]))
    words = "while tile 0 is multiplied, tile 1 arrives"
    shapes.append(common.text(436, y, words, theme["ink"], 12, "end"))
    label = "Without overlap copies and multiplications alternate; with cp.async they run at once"
    return common.svg(440, y + 8, *shapes, label=label)
