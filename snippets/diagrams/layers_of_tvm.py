"""From a model to an instruction in TVM: Relax, TensorIR, and the two back ends."""

from snippets.diagrams import common

STAGES = [
    ("a model", "PyTorch, ONNX, TFLite"),
    ("Relax", "a graph of operators"),
    ("TensorIR, as defined", "one operator: what is computed"),
    ("TensorIR, scheduled", "the same: loops, tiles, threads"),
]


def draw(theme):
    shapes = []
    for row, (name, knows) in enumerate(STAGES):
        top = 4 + row * 46
        ours = row >= 2
        fill = theme["accent"] if ours else theme["faint"]
        ink = theme["on_accent"] if ours else theme["ink"]
        shapes.append(common.rect(4, top, 150, 32, fill, theme["grid"], radius=4))
        shapes.append(common.text(79, top + 20, name, ink, weight="bold"))
        shapes.append(common.text(164, top + 20, knows, theme["ink"], anchor="start"))
        if row:
            shapes.append(common.arrow(79, top - 14, 79, top, theme["ink"]))
    words = "you, a rule, or a search"
    shapes.append(common.text(90, 138, words, theme["amber"], size=10, anchor="start"))
    for left, name in ((4, "LLVM: a CPU"), (196, "CUDA C++: a GPU")):
        shapes.append(common.rect(left, 196, 172, 30, theme["faint"], theme["grid"], radius=4))
        shapes.append(common.text(left + 86, 215, name, theme["ink"]))
        shapes.append(common.arrow(79, 174, left + 86, 196, theme["ink"]))
    label = "The layers of TVM, from a model to code for a CPU or a GPU"
    return common.svg(372, 232, *shapes, label=label)
