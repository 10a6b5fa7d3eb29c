"""A column of a tile in the table of banks and words, with rows of 32 words and of 33.

The lanes' words and the passes are what the stepper counts of the same read.
"""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture

BANKS, ROWS = 32, 32


@cache
def read(width):
    """Return (the word that each lane reads, passes) when a warp reads a column of a tile."""

    def make(cuda):
        @cuda.jit
        def column(out):
            tile = cuda.shared.array((ROWS, width), np.float32)
            lane = cuda.threadIdx.x
            for k in range(ROWS):
                tile[k, lane] = k
            cuda.syncwarp()
            out[lane] = tile[lane, 0]

        return column

    launch = observe(make, (1, 32), np.zeros(32, np.float32))
    words = next(e for array, kind, _, e in launch.accesses if (array, kind) == ("tile", "load"))
    (reads,) = (c for c in launch.counts.merged() if (c.array, c.kind) == ("tile", "load"))
    (passes,) = reads.ways
    return words, passes


def table(width):
    words, passes = read(width)
    panel = Panel(f"Rows of {width}: {passes} pass{'es' * (passes > 1)}")
    left, top, wide, high = 36, 44, 9.4, 6.4
    for bank in (0, 8, 16, 24, 31):
        panel.text(left + (bank + 0.45) * wide, 38, bank, "ks km")
    panel.text(0, 38, "bank", "ks km", "start")
    for row in (0, 8, 16, 24, 31):
        panel.text(left - 6, top + row * high + 8, 32 * row, "ks km", "end")
    panel.box(left, top, BANKS * wide, ROWS * high, "n", radius=0)
    down = [(left + k * wide, top, left + k * wide, top + ROWS * high) for k in range(1, BANKS)]
    panel.lines(down, "ll")
    look = {w: "tb" for w in range(32, BANKS * ROWS, width)} if width > BANKS else {}
    look |= dict.fromkeys(words.values(), "fa" if passes == 1 else "fr")
    kinds = [look.get(word) for word in range(BANKS * ROWS)]
    panel.cells(left, top, kinds, wide, high, columns=BANKS)
    y = top + ROWS * high + 16
    if passes > 1:
        panel.key(y, ("fr", "the word that a lane reads"), x=left)
    else:
        panel.key(y, ("fa", "the word that a lane reads"), ("tb", "padding"), x=left)
    return panel


def draw():
    (_, many), (_, one) = read(32), read(33)
    return Picture(
        table(32),
        table(33),
        alt="Two tables with a column for each of 32 banks and a row for each 32 words of shared "
        "memory. With rows of 32 words, the 32 words of a tile's column stand in bank 0, and the "
        f"read takes {many} passes. With rows of 33 words they stand on a diagonal, one in each "
        f"bank, and the read takes {one}.",
        see="Shared memory as the hardware sees it: word w lies in bank w mod 32. A warp reads "
        "one column of a tile, tile[lane, 0]. Left, all 32 words lie in bank 0, and the stepper "
        f"counts {many} passes. Right, an unused word at the end of each row moves each row on by "
        f"one bank: {one} pass.",
    )
