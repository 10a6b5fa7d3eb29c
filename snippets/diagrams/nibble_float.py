"""A 4-bit weight in the last bits of the float 2^23, and the same weight four bits further up."""

import numpy as np

from snippets.diagrams import common

MAGIC, CELL = 0x4B000000, 10.4


def draw(theme):
    word = 0xA5C3_71E9
    ink, shapes, y = theme["ink"], [], 16
    rows = [("a word of eight weights", word, None)]
    for place in (0, 4):
        bits = word & 15 << place | MAGIC
        value = float(np.uint32(bits).view(np.float32))
        weight = word >> place & 15
        assert value == 2**23 + weight * 2**place
        rows.append((f"mask, and the bits of 2^23: {value:.0f}", bits, (place, weight)))
    for words, bits, found in rows:
        shapes.append(common.text(8, y, words, ink, anchor="start", weight="bold"))
        for bit in range(32):
            x = 8 + (31 - bit) * CELL + (31 - bit) // 4 * 1.6
            inside = found and found[0] <= bit < found[0] + 4
            fill = theme["accent"] if inside or (found is None and bit // 4 % 2) else theme["faint"]
            if found and MAGIC >> bit & 1:
                fill = theme["amber"]
            shapes.append(common.rect(x, y + 8, CELL - 1, 18, fill, theme["grid"], 1))
            on = theme["on_accent"] if fill != theme["faint"] else ink
            shapes.append(common.text(x + CELL / 2 - 0.5, y + 21, bits >> bit & 1, on, 9))
        if found:
            place, weight = found
            times = "" if place == 0 else f" x {2**place}"
            said = f"8388608 + {weight}{times}"
            shapes.append(common.text(352, y + 42, said, ink, anchor="end"))
        y += 62 if found else 46
    words = "orange: 2^23; green: a weight"
    shapes.append(common.text(8, y, words, ink, anchor="start"))
    label = "The bits of a word, and of the floats made of it by a mask and the bits of 2^23"
    return common.svg(364, y + 10, *shapes, label=label)
