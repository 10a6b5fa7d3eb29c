"""One kernel on its way down: the stages, who makes each, and what each still knows."""

from snippets.diagrams import common

STAGES = [
    ("Python", "you", "f[i] = 1.8 * c[i] + 32.0"),
    ("syntax tree", "Python", "what is multiplied with what"),
    ("typed IR", "Numba", "+ a type for each value"),
    ("MLIR: gpu, arith, memref", "numba-cuda-mlir", "arrays, threads, blocks"),
    ("MLIR: llvm, nvvm", "MLIR's passes", "pointers and registers"),
    ("LLVM IR, PTX", "LLVM, NVVM", "virtual instructions"),
    ("SASS", "nvJitLink", "this GPU's instructions"),
]
HEIGHT, GAP = 34, 12


def draw(theme):
    shapes = []
    for row, (stage, maker, knows) in enumerate(STAGES):
        top = 4 + row * (HEIGHT + GAP)
        ours = stage.startswith("MLIR")
        fill = theme["accent"] if ours else theme["faint"]
        ink = theme["on_accent"] if ours else theme["ink"]
        shapes.append(common.rect(4, top, 186, HEIGHT, fill, theme["grid"], radius=4))
        shapes.append(common.text(97, top + 21, stage, ink, size=12, weight="bold"))
        shapes.append(common.text(200, top + 14, knows, theme["ink"], anchor="start"))
        made = f"made by {maker}" if row else "written by you"
        shapes.append(common.text(200, top + 29, made, theme["amber"], size=10, anchor="start"))
        if row:
            shapes.append(common.arrow(97, top - GAP, 97, top, theme["ink"]))
    height = 8 + len(STAGES) * (HEIGHT + GAP) - GAP
    return common.svg(372, height, *shapes, label="The stages of a kernel, from Python to SASS")
