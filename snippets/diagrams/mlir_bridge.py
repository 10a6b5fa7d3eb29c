"""Three ways from a kernel of numba-cuda-mlir to an instruction, and where each ends."""

from snippets.diagrams import common

WAYS = [
    ("experimental.inline_ptx", "one instruction, in place", True),
    ("cuda.intrin", "barriers, TMA, clusters", False),
    ("our bridge: intrinsic + inline asm", "tuples of 128 registers", True),
]


def draw(theme):
    shapes = []
    for row, (name, what, arrives) in enumerate(WAYS):
        top = 4 + row * 62
        fill = theme["accent"] if row == 2 else theme["faint"]
        ink = theme["on_accent"] if row == 2 else theme["ink"]
        shapes.append(common.rect(4, top, 224, 46, fill, theme["grid"], radius=4))
        shapes.append(common.text(116, top + 20, name, ink, weight="bold"))
        shapes.append(common.text(116, top + 36, what, ink, size=10))
        if arrives:
            shapes.append(common.arrow(228, top + 23, 284, 89 + (row - 1) * 16, theme["ink"]))
        else:
            shapes.append(common.arrow(228, top + 23, 254, top + 23, theme["amber"]))
            shapes.append(
                common.text(258, top + 27, "×", theme["amber"], anchor="start", weight="bold")
            )
    shapes.append(common.rect(284, 62, 88, 54, theme["faint"], theme["grid"], radius=4))
    shapes.append(common.text(328, 85, "LLVM 7", theme["ink"], weight="bold"))
    shapes.append(common.text(328, 101, "for Hopper", theme["ink"], size=10))
    label = "Three ways to PTX on numba-cuda-mlir 0.6; on Hopper two of them arrive"
    return common.svg(376, 180, *shapes, label=label)
