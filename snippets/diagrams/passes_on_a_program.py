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


def values(ops, arrays):
    """Compute every line of a program with NumPy."""
    known = []
    for op in ops:
        if op.name == "load":
            known.append(arrays[int(op.value[1:])])
        elif op.name == "const":
            known.append(op.value)
        else:
            known.append(getattr(np, op.name)(*(known[a] for a in op.args)))
    return known


def draw(theme):
    arrays = list(np.random.default_rng(0).random((2, 3, 4), np.float32))
    before = trace(fade, *arrays, np.float32(0.25))
    after = optimize(before)
    left_over = [(op.name, value) for op, value in zip(after, values(after, arrays), strict=True)]
    shapes = []
    for left, title, ops in ((4, "traced", before), (196, "after the passes", after)):
        name = f"{title}: {len(ops)} lines"
        shapes.append(common.text(left, 14, name, theme["ink"], 12, "start", "bold"))
        what = zip(ops, lines(ops), values(ops, arrays), strict=True)
        for row, (op, words, value) in enumerate(what):
            top = 24 + row * ROW
            fill, ink = theme["faint"], theme["ink"]
            found = [k for k, (_, other) in enumerate(left_over) if np.array_equal(other, value)]
            if ops is after:
                fill, ink = theme["accent"], theme["on_accent"]
            elif found:  # the first line with a value that is still computed
                same = left_over.pop(found[0])[0] == op.name
                fill, ink = theme["accent" if same else "amber"], theme["on_accent"]
            shapes.append(common.rect(left, top, 172, ROW - 3, fill, theme["grid"]))
            shapes.append(common.text(left + 6, top + 13, words, ink, anchor="start"))
    shapes.append(common.arrow(178, 100, 194, 100, theme["amber"]))
    height = 30 + ROW * len(before)
    label = "The lines of a traced program, and those that folding, sharing and dropping leave"
    return common.svg(372, height, *shapes, label=label)
