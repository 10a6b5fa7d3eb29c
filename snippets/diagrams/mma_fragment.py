"""Which lane holds which elements of a and c in mma.sync m16n8k16: read off the lesson's kernel."""

from functools import cache
from types import SimpleNamespace

import numpy as np

from snippets.diagrams import common

KERNEL = ("tensor_cores/one_product.py", "kernel")


class Places:
    """An array whose elements are their own places, and that notes where it is written."""

    def __init__(self):
        self.written = []

    def __getitem__(self, place):
        return place

    def __setitem__(self, place, value):
        self.written.append(place)


@cache
def fragments():
    """Return {place: (lane, register)} of a, in pairs along a row, and of c."""
    held = {"a": {}, "c": {}}
    for lane in range(32):
        got = []

        def mma(total, part_a, part_b, got=got):
            got[:] = part_a
            return total

        cuda = SimpleNamespace(jit=lambda f: f, threadIdx=SimpleNamespace(x=lane))
        kernel = common.run_section(*KERNEL, np=np, cuda=cuda, ptx=lambda *_: mma)
        c = Places()
        kernel["one_product_kernel"](Places(), Places(), c)
        held["a"] |= {place: (lane, register) for register, place in enumerate(got)}
        held["c"] |= {place: (lane, register) for register, place in enumerate(c.written)}
    return held


def draw(theme):
    shapes = []
    held = fragments()
    fills = [theme["accent"], theme["amber"], theme["faint"], theme["grid"]]
    inks = [theme["on_accent"], theme["on_accent"], theme["ink"], theme["ink"]]
    titles = {"a": "a: 16 x 16, two elements a register", "c": "c: 16 x 8"}
    for name, left, wide in (("a", 4, 24), ("c", 212, 18)):
        shapes.append(common.text(left, 14, titles[name], theme["ink"], anchor="start"))
        for (row, column), (lane, register) in held[name].items():
            x, y = left + column * (wide + 1), 22 + row * 15
            shapes.append(common.rect(x, y, wide, 14, fills[register], theme["grid"], radius=1))
            shapes.append(
                common.text(x + wide / 2, y + 11, lane, inks[register], size=10),
            )
    for register, (fill, _) in enumerate(zip(fills, inks, strict=True)):
        x = 4 + register * 88
        shapes.append(common.rect(x, 268, 14, 14, fill, theme["grid"], radius=1))
        shapes.append(
            common.text(x + 20, 279, f"register {register}", theme["ink"], anchor="start")
        )
    label = "The lane that holds each element of a and of c, colored by the register"
    return common.svg(366, 290, *shapes, label=label)
