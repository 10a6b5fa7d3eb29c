"""NumPy goes over an array once for each operation; a compiled loop or a kernel goes once."""

from snippets.diagrams import common

PASSES = ("photo * gain", "1 + light", "light / ...", "... ** 0.4545")


def draw(theme):
    shapes, y = [], 20
    shapes.append(common.text(4, y, "NumPy: four passes", theme["ink"], 13, "start", "bold"))
    y += 12
    for words in PASSES:
        shapes.append(common.text(4, y + 16, words, theme["ink"], 12, "start"))
        for k in range(24):
            x = 120 + k * 13
            shapes.append(common.rect(x, y + 4, 12, 16, theme["faint"], theme["grid"], radius=1))
        shapes.append(common.arrow(120, y + 12, 434, y + 12, theme["amber"], 2))
        y += 28
    shapes.append(
        common.text(436, y + 4, "out to memory and in again, each time", theme["amber"], 12, "end")
    )
    y += 30
    shapes.append(
        common.text(
            4, y, "A compiled loop or a kernel: one pass", theme["ink"], 13, "start", "bold"
        )
    )
    y += 12
    shapes.append(common.text(4, y + 16, "all four steps", theme["ink"], 12, "start"))
    for k in range(24):
        x = 120 + k * 13
        shapes.append(common.rect(x, y + 4, 12, 16, theme["accent"], theme["grid"], radius=1))
    shapes.append(common.arrow(120, y + 12, 434, y + 12, theme["ink"], 2))
    y += 34
    shapes.append(
        common.text(436, y, "intermediate values stay in registers", theme["accent"], 12, "end")
    )
    label = (
        "NumPy goes over the photo four times for four operations, a compiled loop or a kernel once"
    )
    return common.svg(440, y + 10, *shapes, label=label)
