"""Which 32-byte sectors a warp's read touches, at three strides: read off the lesson's kernels."""

from functools import cache

import numpy as np

from snippets.diagrams import common

ROWS = ((1, 0), (1, 1), (2, 0), (8, 0))  # stride, first element
SHOWN = 32  # sectors in a row of the picture


@cache
def warp_reads(stride, offset):
    """Return (sectors that the read of one warp touches, the elements that it reads)."""
    out = np.zeros(32, dtype=np.float32)
    a = np.zeros(32 * stride + offset, dtype=np.float32)
    if offset:
        launch = common.watch("memory_hierarchy/offset_read.py", "offset_kernel", (1, 32), a,
                              offset, out)  # fmt: skip
    else:
        launch = common.watch("memory_hierarchy/strided_read.py", "strided_kernel", (1, 32), a,
                              stride, out)  # fmt: skip
    (elements,) = (e for array, kind, _, e in launch.accesses if (array, kind) == ("a", "load"))
    return launch.counts.total("sectors", kind="load"), tuple(elements.values())


def draw(theme):
    shapes, y = [], 16
    for stride, offset in ROWS:
        count, elements = warp_reads(stride, offset)
        used = {}
        for element in elements:
            used.setdefault(element // 8, set()).add(element % 8)  # eight elements a sector
        share = len(elements) / (8 * count)
        words = f"stride {stride}" + (f" from element {offset}" if offset else "")
        words += f": {count} sectors, {100 * share:.3g} % of their bytes used"
        shapes.append(common.text(4, y, words, theme["ink"], anchor="start"))
        for s in range(SHOWN):
            x = 4 + s * 11
            fill = theme["faint"] if s not in used else theme["amber"]
            shapes.append(common.rect(x, y + 6, 10, 18, fill, theme["grid"], radius=1))
            height = 18 * len(used.get(s, ())) / 8
            if s in used:  # the part of the sector that the warp asked for
                shapes.append(
                    common.rect(x, y + 24 - height, 10, height, theme["accent"], radius=1)
                )
        y += 46
    shapes.append(common.rect(4, y - 8, 10, 10, theme["accent"]))
    shapes.append(common.text(18, y + 1, "asked for", theme["ink"], anchor="start"))
    shapes.append(common.rect(92, y - 8, 10, 10, theme["amber"]))
    shapes.append(common.text(106, y + 1, "moved, not asked for", theme["ink"], anchor="start"))
    label = "Sectors that a warp touches at strides 1, 2 and 8, and with an offset of one element"
    return common.svg(360, y + 8, *shapes, label=label)
