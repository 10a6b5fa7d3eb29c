"""One MLIR program, two ways down: loops for a CPU, a kernel for a GPU."""

from snippets.diagrams import common

CPU = ["scf.for", "cf.br, cf.cond_br", "llvm", "LLVM IR", "x86 or Arm"]
GPU = ["scf.parallel, tiles of 256", "gpu.launch", "gpu.func", "nvvm, llvm", "PTX, SASS"]


def draw(theme):
    shapes = []

    def box(x, y, width, words, fill, ink):
        shapes.append(common.rect(x, y, width, 26, fill, theme["grid"], radius=4))
        shapes.append(common.text(x + width / 2, y + 17, words, ink))

    box(96, 4, 180, "linalg.generic", theme["accent"], theme["on_accent"])
    words = "no order, no thread: a body and maps"
    shapes.append(common.text(186, 44, words, theme["amber"], size=10))
    for left, steps, name in ((8, CPU, "a CPU"), (192, GPU, "a GPU")):
        shapes.append(common.text(left + 86, 78, name, theme["ink"], size=12, weight="bold"))
        shapes.append(common.arrow(186, 49, left + 86, 64, theme["ink"]))
        for row, step in enumerate(steps):
            top = 86 + row * 38
            fill = theme["faint"]
            box(left, top, 172, step, fill, theme["ink"])
            if row:
                shapes.append(common.arrow(left + 86, top - 12, left + 86, top, theme["ink"]))
    label = "From one linalg operation to a CPU's loop and to a GPU's kernel"
    return common.svg(372, 276, *shapes, label=label)
