"""A box of a matrix that the TMA copies, at the edge and with the swizzle."""

import numpy as np

from kernels.terms.tma_box import box
from snippets.diagrams.panels import Panel, Picture

ROWS, COLUMNS = 10, 15  # of the picture's array, in pieces
BOX = (6, 11, 6, 6)  # top, left, rows, columns


def draw():
    top, left, rows, columns = BOX
    source = Panel("One thread asks: box at (6, 11)")
    kinds = ["ga"] * (ROWS * COLUMNS)
    for r in range(rows):
        for c in range(columns):
            if top + r < ROWS and left + c < COLUMNS:
                kinds[(top + r) * COLUMNS + left + c] = "fa"
    source.text(0, 36, "array in global memory, 10 × 15", "ks km", "start")
    source.cells(0, 42, kinds, 16, 12, columns=COLUMNS)
    source.box(16 * left - 1, 42 + 12 * top - 1, 16 * columns + 1, 12 * rows + 1, "o")
    source.text(284, 100, "outside", "ks km")
    source.text(338, 194, "the box", "ks km", "end")

    tile = Panel("It lands as a tile, edges filled")
    tile.text(0, 36, "shared memory, 6 × 6", "ks km", "start")
    landed = box(np.ones((ROWS, COLUMNS)), (top, left), (rows, columns))
    inside = [bool(value) for value in landed.flat]
    tile.cells(0, 42, ["fa" if i else "n" for i in inside], 24, 18, columns=columns,
               words=["" if i else 0 for i in inside], look="ks km")  # fmt: skip
    tile.box(176, 42, 160, 36, "tc", ("tensor map: shape,", "strides, box"), "km")
    tile.bend([(176, 60), (150, 60)], "lc")
    tile.box(176, 96, 160, 36, "tv", ("mbarrier: counts the", "bytes that land"), "km")
    tile.bend([(150, 114), (174, 114)], "lv")
    tile.text(0, 172, "All 36 elements count, the zeros too.", "km", "start")
    return Picture(
        source,
        tile,
        alt="Left, an array of 10 by 15 with a box of 6 by 6 that reaches past its lower right "
        "corner. Right, the tile of 6 by 6 in shared memory: what lay inside the array is "
        "filled, what lay outside is zero; a tensor map describes the array, an mbarrier counts "
        "the bytes.",
        see="The host describes the array once, in a tensor map. A thread names a corner; the "
        "unit computes the addresses of the box, fills what lies outside with zeros, and counts "
        "the bytes down at a barrier. No other thread takes part.",
    )
