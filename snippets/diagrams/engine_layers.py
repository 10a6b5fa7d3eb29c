"""The layers of two engines: of a graph as exported, and with its normalizations folded."""

from snippets.diagrams import common

# What the builder printed: snippets/tensorrt/engine.pycon, sections exported and folded. With each
# layer, how often it reads and writes a tensor of 16 x 32 x 32 floats.
SIDES = {
    "as exported": (
        ("Move", 0, 0),
        ("convolution, normalization, ReLU", 0, 1),
        ("convolution", 1, 1),
        ("normalization, +, ReLU, mean", 2, 0),
        ("head with GELU", 0, 0),
    ),
    "folded by hand": (
        ("Move", 0, 0),
        ("convolution, ReLU", 0, 1),
        ("convolution, +, ReLU", 2, 1),
        ("transposition", 1, 1),
        ("mean", 1, 0),
        ("head with GELU", 0, 0),
    ),
}
WIDE, HIGH, STEP = 168, 24, 46


def draw(theme):
    ink, shapes = theme["ink"], []
    for side, (title, layers) in enumerate(SIDES.items()):
        x = 6 + side * (WIDE + 14)
        shapes.append(common.text(x + WIDE / 2, 14, title, ink, 12, weight="bold"))
        for row, (name, reads, writes) in enumerate(layers):
            y = 24 + row * STEP
            large = reads + writes > 0
            fill, color = ("accent", "on_accent") if large else ("faint", "ink")
            shapes.append(common.rect(x, y, WIDE, HIGH, theme[fill], theme["grid"], radius=4))
            shapes.append(common.text(x + WIDE / 2, y + 16, name, theme[color], 10))
            if row + 1 < len(layers):
                down = y + HIGH
                passes = writes + layers[row + 1][1]
                line = theme["amber"] if passes else ink
                shapes.append(common.arrow(x + WIDE / 2, down, x + WIDE / 2, down + 20, line))
                if passes:
                    words = f"{writes} written, {layers[row + 1][1]} read"
                    shapes.append(common.text(x + WIDE / 2 + 8, down + 14, words, ink, 9, "start"))
        total = sum(reads + writes for _, reads, writes in layers)
        shapes.append(
            common.text(x + WIDE / 2, 24 + 6 * STEP, f"{total} large passes over memory", ink)
        )
    label = "Layers of two engines: five large passes over memory as exported, seven when folded"
    return common.svg(364, 24 + 6 * STEP + 10, *shapes, label=label)
