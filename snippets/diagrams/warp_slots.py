"""The 64 warp slots of a multiprocessor, filled by blocks of several shapes."""

from kernels.pmpp_1_4.occupancy import resident
from snippets.diagrams import common

LAUNCHES = ((256, 32), (32, 32), (768, 32), (1024, 33), (33, 32))


def draw(theme):
    shapes, y, left, wide = [], 18, 4, 13.4
    for threads, registers in LAUNCHES:
        blocks, share = resident(threads, registers)
        warps = -(-threads // 32)
        words = f"blocks of {threads} threads, {registers} registers each"
        shapes.append(common.text(left, y, words, theme["ink"], 12, "start"))
        words = f"{blocks} block{'s' if blocks > 1 else ''}: {100 * share:.0f} %"
        shapes.append(common.text(left + 32 * wide, y, words, theme["ink"], 12, "end", "bold"))
        y += 6
        for slot in range(64):
            x, top = left + slot % 32 * wide, y + slot // 32 * 13
            block = slot // warps
            fill = "none"
            if block < blocks:
                fill = theme["accent"] if block % 2 == 0 else theme["amber"]
                lanes = min(32, threads - slot % warps * 32) / 32
                shapes.append(
                    common.rect(x, top + 11 * (1 - lanes), wide - 1.5, 11 * lanes, fill, radius=1)
                )
                fill = "none"
            shapes.append(common.rect(x, top, wide - 1.5, 11, fill, theme["grid"], radius=1))
        y += 48
    words = "64 warp slots each; blocks alternate in color, height is the lanes with a thread"
    shapes.append(common.text(left, y - 12, words, theme["ink"], 11, "start"))
    found = "; ".join(
        f"{t} threads, {r} registers: {100 * resident(t, r)[1]:.0f} %" for t, r in LAUNCHES
    )
    return common.svg(440, y - 2, *shapes, label=f"Warp slots filled: {found}")
