"""The operators of a small network, before and after ONNX Runtime has optimized its graph."""

from snippets.diagrams import common

# What ONNX Runtime makes of which: kernels/network_graph/build.py, and its test.
GROUPS = (
    (("Conv", "BatchNormalization", "Relu"), ("FusedConv",)),
    (("Conv", "BatchNormalization"), ("Conv",)),
    (("Add",), ("Add",)),
    (("Relu",), ("Relu",)),
    (("GlobalAveragePool",), ("GlobalAveragePool",)),
    (("Flatten",), ("Flatten",)),
    (("MatMul", "Add"), ("Gemm",)),
    (("Div", "Erf", "Add", "Mul", "Mul"), ("Gelu",)),
)


def draw(theme):
    ink, shapes, y = theme["ink"], [], 30
    shapes.append(common.text(88, 16, "16 operators", ink, weight="bold"))
    shapes.append(common.text(276, 16, "8 operators", ink, weight="bold"))
    for before, after in GROUPS:
        fused = len(before) > 1
        high = 17 * len(before)
        for i, name in enumerate(before):
            top = y + 17 * i
            fill = theme["amber"] if fused else theme["faint"]
            color = theme["on_accent"] if fused else ink
            shapes.append(common.rect(8, top, 160, 15, fill, theme["grid"]))
            shapes.append(common.text(88, top + 11.5, name, color))
        middle = y + high / 2 - 1
        fill, color = (theme["accent"], theme["on_accent"]) if fused else (theme["faint"], ink)
        shapes.append(common.rect(196, middle - 8, 160, 15, fill, theme["grid"]))
        shapes.append(common.text(276, middle + 3.5, after[0], color))
        shapes.append(common.arrow(170, middle, 194, middle, ink))
        y += high + 4
    label = "Sixteen operators of a graph, and the eight that are left after fusion"
    return common.svg(364, y + 4, *shapes, label=label)
