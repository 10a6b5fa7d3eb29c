"""A warp reads the tile by columns: which bank answers which lane, with and without the padding.

Read off the kernel of the lesson, once as it is and once with a tile as wide as it is high.
"""

from functools import cache

import numpy as np

from snippets.diagrams import common

TILE = 16
SHAPES = ((TILE, TILE), (TILE, TILE + 1))
BANKS = 32


@cache
def read(shape):
    """Return ({bank: lanes that it must serve}, turns) of the first warp's read of the tile."""
    a = np.zeros((TILE, TILE), dtype=np.float32)
    launch = common.watch("memory_hierarchy/transpose_tile.py", "transpose_tile_kernel",
                          ((1, 1), (TILE, TILE)), a, a, TILE=TILE, SHAPE=shape)  # fmt: skip
    elements = next(e for array, kind, _, e in launch.accesses if (array, kind) == ("tile", "load"))
    banks = {}
    for lane, element in elements.items():
        banks.setdefault(element % BANKS, []).append(lane)
    (reads,) = (x for x in launch.counts.merged() if (x.array, x.kind) == ("tile", "load"))
    (turns,) = reads.ways  # every warp of the block reads alike
    return banks, turns


def draw(theme):
    shapes, y, width = [], 16, 11
    for shape in SHAPES:
        banks, turns = read(shape)
        words = f"tile of {shape[0]} x {shape[1]}: {turns} turns for one read of a warp"
        shapes.append(common.text(4, y, words, theme["ink"], anchor="start", weight="bold"))
        for bank in range(BANKS):
            lanes = banks.get(bank, [])
            for turn in range(turns):
                fill = theme["faint"]
                if turn < len(lanes):
                    fill = theme["amber"] if turn else theme["accent"]
                x, top = 4 + bank * width, y + 8 + turn * 13
                shapes.append(common.rect(x, top, width - 1, 12, fill, theme["grid"], radius=1))
        y += 8 + turns * 13
        shapes.append(common.text(4, y + 11, "bank 0", theme["ink"], size=10, anchor="start"))
        last = 4 + BANKS * width
        shapes.append(common.text(last, y + 11, "bank 31", theme["ink"], size=10, anchor="end"))
        y += 36
    shapes.append(common.rect(4, y - 18, 10, 10, theme["accent"]))
    shapes.append(common.text(18, y - 9, "a lane in the first turn", theme["ink"], anchor="start"))
    shapes.append(common.rect(168, y - 18, 10, 10, theme["amber"]))
    shapes.append(common.text(182, y - 9, "a lane that has to wait", theme["ink"], anchor="start"))
    label = (
        "The 32 banks of shared memory and the lanes that each serves when a warp reads two columns"
        f" of the tile: {read(SHAPES[0])[1]} turns with 16 columns, {read(SHAPES[1])[1]} with 17"
    )
    return common.svg(360, y - 2, *shapes, label=label)
