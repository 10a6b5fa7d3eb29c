"""Banks of a tile's column, as it is and with the columns permuted by the row."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture

SIDE = 8  # rows and pieces of the picture; the tile of the stepper has 32 of each


@cache
def passes(swizzled):
    """Return the passes of a warp's read of a column of a 32 by 32 tile."""

    def make(cuda):
        @cuda.jit
        def kernel(out, swizzled):
            tile = cuda.shared.array((32, 32), np.float32)
            lane = cuda.threadIdx.x
            for k in range(32):
                tile[k, lane] = k
            cuda.syncwarp()
            out[lane] = tile[lane, (3 ^ lane) if swizzled else 3]

        return kernel

    launch = observe(make, (1, 32), np.zeros(32, np.float32), swizzled)
    (reads,) = (c for c in launch.counts.merged() if (c.array, c.kind) == ("tile", "load"))
    (turns,) = reads.ways
    return turns


def panel(swizzled):
    count = passes(swizzled)
    drawn = Panel(
        f"{'column ^ row' if swizzled else 'as written'}: {count} pass{'es' * (count > 1)}"
    )
    for bank in range(SIDE):
        drawn.text(62 + 34 * bank, 36, bank, "ks km")
    drawn.text(0, 36, "bank", "ks km", "start")
    for row in range(SIDE):
        words = [bank ^ row if swizzled else bank for bank in range(SIDE)]
        kinds = ["fa" if w == 3 and swizzled else "fr" if w == 3 else "n" for w in words]
        drawn.cells(46, 42 + 18 * row, kinds, 34, 18, 2, words=words)
        drawn.text(0, 54 + 18 * row, f"row {row}", "km", "start")
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Two tables of eight rows and eight banks with the number of the column that lies "
        "there. As written, column 3 lies in bank 3 in each row. With the column's number xor "
        "the row's, it lies in another bank in each row.",
        see="A cell says which column of the tile lies there. Written straight, column 3 is one "
        f"bank, and 32 lanes that read it take {passes(False)} passes. With the place of each "
        f"element at column xor row, every row has it in another bank: {passes(True)}, and no "
        "word is wasted on padding.",
    )
