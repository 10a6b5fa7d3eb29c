"""Which lanes of a warp are active in each statement: sides chosen by lane, and by warp.

Read off the lesson's kernel, statement by statement.
"""

from functools import cache

import numpy as np

from snippets.diagrams import common

SIDES = (("side by lane", np.arange(64) % 2), ("side by warp", np.arange(64) // 32 % 2))
ROUNDS = 1


@cache
def masks(number):
    """Return (line of source, lanes that ran it) for each statement of the first warp."""
    x = np.zeros(64, dtype=np.float32)
    _, side = SIDES[number]
    launch = common.watch("threads_and_blocks/divergence.py", "two_sides_kernel", (1, 64), side, x,
                          ROUNDS)  # fmt: skip
    return launch.masks


def draw(theme):
    shapes, y, cell, high = [], 16, 7, 12
    for number, (name, _) in enumerate(SIDES):
        rows = masks(number)
        words = f"{name}: {len(rows)} statements for one warp"
        shapes.append(common.text(4, y, words, theme["ink"], anchor="start", weight="bold"))
        y += 8
        for source, lanes in rows:
            for lane in range(32):
                fill = theme["faint"]
                if lane in lanes:
                    fill = theme["accent"] if len(lanes) == 32 else theme["amber"]
                x = 136 + lane * cell
                shapes.append(common.rect(x, y, cell - 1, high, fill, theme["grid"], radius=1))
            short = source if len(source) <= 24 else source[:23] + "…"
            shapes.append(common.text(4, y + high - 2, short, theme["ink"], 10, "start"))
            y += high + 2
        y += 20
    shapes.append(common.rect(4, y - 12, 10, 10, theme["accent"]))
    shapes.append(common.text(18, y - 3, "all lanes run it", theme["ink"], anchor="start"))
    shapes.append(common.rect(118, y - 12, 10, 10, theme["amber"]))
    shapes.append(
        common.text(132, y - 3, "some run it, the others wait", theme["ink"], anchor="start")
    )
    label = (
        f"The statements of one warp with its active lanes: {len(masks(0))} where the lanes take "
        f"turns on two sides, {len(masks(1))} where all take the same side"
    )
    return common.svg(364, y + 4, *shapes, label=label)
