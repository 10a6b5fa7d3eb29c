"""The middle of a layer: as two operations with memory between them, and as one."""

from snippets.diagrams import common


def draw(theme):
    shapes = []

    def box(x, y, wide, words, fill, ink):
        shapes.append(common.rect(x, y, wide, 26, fill, theme["grid"], 4))
        shapes.append(common.text(x + wide / 2, y + 17, words, ink, 11.5))

    def op(x, y, wide, words):
        box(x, y, wide, words, theme["accent"], theme["on_accent"])

    def data(x, y, wide, words):
        box(x, y, wide, words, theme["faint"], theme["ink"])

    def bytes_of(x1, y1, x2, y2):
        shapes.append(common.arrow(x1, y1, x2, y2, theme["amber"], 2))

    def title(y, words):
        shapes.append(common.text(6, y, words, theme["ink"], 12, "start", "bold"))

    title(16, "silu(gate) * up: two kernels")
    data(6, 30, 58, "gate")
    op(96, 30, 58, "silu")
    data(186, 30, 76, "silu(gate)")
    op(186, 86, 76, "times")
    data(96, 86, 58, "up")
    data(294, 86, 58, "out")
    bytes_of(66, 43, 94, 43)
    bytes_of(156, 43, 184, 43)
    bytes_of(224, 58, 224, 84)
    bytes_of(156, 99, 184, 99)
    bytes_of(264, 99, 292, 99)
    shapes.append(common.text(6, 136, "5 x 4 bytes for each result", theme["ink"], 11.5, "start"))

    title(168, "fused: one kernel")
    data(6, 182, 58, "gate")
    data(6, 222, 58, "up")
    op(130, 202, 92, "SwiGLU")
    data(288, 202, 58, "out")
    bytes_of(66, 195, 128, 210)
    bytes_of(66, 235, 128, 220)
    bytes_of(224, 215, 286, 215)
    shapes.append(common.text(6, 272, "3 x 4 bytes for each result", theme["ink"], 11.5, "start"))
    label = "SwiGLU as two kernels moves each number five times, as one kernel three times"
    return common.svg(362, 280, *shapes, label=label)
