"""A traced program beside what three passes leave of it. Read off the compiler itself."""

import numpy as np

from kernels.compilers.fade import fade
from kernels.compilers.fuse import optimize, trace
from snippets.diagrams import common

ROW = 21


def lines(ops):
    for at, op in enumerate(ops):
        says = ", ".join([f"%{a}" for a in op.args] + ([] if op.value is None else [str(op.value)]))
        yield f"%{at} = {op.name} {says}"


def draw(theme):
    image = np.ones((3, 4), np.float32)
    before = trace(fade, image, image, np.float32(0.25))
    after = optimize(before)
    kept = [(op.name, op.value) for op in after]
    shapes = []
    for left, title, ops in ((4, "traced", before), (196, "after three passes", after)):
        name = f"{title}: {len(ops)} lines"
        shapes.append(common.text(left, 14, name, theme["ink"], 12, "start", "bold"))
        left_over = list(kept)
        for row, (op, words) in enumerate(zip(ops, lines(ops), strict=True)):
            top = 24 + row * ROW
            stays = (op.name, op.value) in left_over
            if stays:
                left_over.remove((op.name, op.value))
            fill = theme["accent"] if stays else theme["faint"]
            ink = theme["on_accent"] if stays else theme["ink"]
            shapes.append(common.rect(left, top, 172, ROW - 3, fill, theme["grid"]))
            shapes.append(common.text(left + 6, top + 13, words, ink, anchor="start"))
    shapes.append(common.arrow(178, 100, 194, 100, theme["amber"]))
    height = 30 + ROW * len(before)
    label = "The lines of a traced program, and those that folding, sharing and dropping leave"
    return common.svg(372, height, *shapes, label=label)
