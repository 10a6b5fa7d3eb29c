"""Reads of a warp at strides 1, 2, 32 and 33: how many lanes each of the 32 banks has to serve."""

from kernels.memory_access.lines import ways
from snippets.diagrams import common

STRIDES = (1, 2, 8, 32, 33)


def draw(theme):
    shapes, y, left, wide = [], 18, 4, 13.5
    for stride in STRIDES:
        most = ways(stride)
        words = f"stride {stride}: {most} way{'s' if most > 1 else ''}"
        shapes.append(common.text(left, y, words, theme["ink"], 12, "start", "bold"))
        high = max(14, 2.6 * most)
        loads = [sum(i * stride % 32 == bank for i in range(32)) for bank in range(32)]
        for bank, load in enumerate(loads):
            x = left + bank * wide
            shapes.append(
                common.rect(x, y + 6, wide - 1.5, high, theme["faint"], theme["grid"], radius=1)
            )
            each = high / max(most, 1)
            for k in range(load):
                fill = theme["amber"] if k else theme["accent"]
                shapes.append(
                    common.rect(x, y + 6 + k * each, wide - 1.5, max(each - 0.6, 1), fill, radius=1)
                )
        y += high + 30
    shapes.append(common.text(left, y - 8, "bank 0", theme["ink"], 12, "start"))
    shapes.append(common.text(left + 32 * wide, y - 8, "bank 31", theme["ink"], 12, "end"))
    y += 14
    for place, fill, words in (
        (4, theme["accent"], "served in the first cycle"),
        (190, theme["amber"], "waits for a later cycle"),
    ):
        shapes.append(common.rect(place, y - 9, 12, 12, fill, radius=1))
        shapes.append(common.text(place + 18, y + 1, words, theme["ink"], 12, "start"))
    found = ", ".join(f"{s}: {ways(s)}" for s in STRIDES)
    label = f"Lanes on each of 32 banks by stride; the most on one bank: {found}"
    return common.svg(440, y + 10, *shapes, label=label)
