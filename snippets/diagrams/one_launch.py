"""A hundred small products: a loop of launches, and one batched launch."""

from snippets.diagrams import common


def draw(theme):
    shapes, y = [], 20
    shapes.append(common.text(4, y, "a loop: 100 launches", theme["ink"], 13, "start", "bold"))
    y += 12
    for row, words in ((0, "Python"), (1, "GPU")):
        shapes.append(common.text(4, y + 16 + 26 * row, words, theme["ink"], 12, "start"))
    for k in range(9):
        x = 60 + k * 42
        shapes.append(common.rect(x, y, 38, 22, theme["amber"]))
        shapes.append(common.text(x + 19, y + 15, "launch", theme["on_accent"], 10))
        if k < 8:
            shapes.append(common.rect(x + 36, y + 26, 5, 22, theme["accent"], radius=1))
    y += 76
    shapes.append(common.text(4, y, "one batched call", theme["ink"], 13, "start", "bold"))
    y += 12
    for row, words in ((0, "Python"), (1, "GPU")):
        shapes.append(common.text(4, y + 16 + 26 * row, words, theme["ink"], 12, "start"))
    shapes.append(common.rect(60, y, 38, 22, theme["amber"]))
    shapes.append(common.text(79, y + 15, "launch", theme["on_accent"], 10))
    shapes.append(common.rect(98, y + 26, 16, 22, theme["accent"], radius=1))
    words = "all 100 products at once"
    shapes.append(common.text(122, y + 42, words, theme["ink"], 12, "start"))
    label = "A loop of launches keeps the GPU idle between small products; one call does them all"
    return common.svg(440, y + 58, *shapes, label=label)
