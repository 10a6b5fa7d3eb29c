"""What a warp reads of a matrix in one step: a thread a row, a warp a row, and 16 bytes a lane."""

import numpy as np

from snippets.diagrams import common

ROWS, COLUMNS, SECTOR = 32, 128, 8  # of the matrix shown, and floats in 32 bytes
CELL, HIGH = 8, 5


def first_read(kernel):
    """Return the floats of the matrix that a warp reads first, as the stepper saw it."""
    arrays = np.ones((ROWS, COLUMNS), np.float32), np.ones(COLUMNS, np.float32), np.ones(ROWS)
    seen = common.watch(
        "matvec/rows.py", kernel, (1, 32), *(a.astype(np.float32) for a in arrays)
    ).accesses
    return next(list(elements.values()) for array, _, _, elements in seen if array == "a")


def draw(theme):
    wide = [r * COLUMNS + c for r in range(4) for c in range(COLUMNS)]  # 32 lanes, 4 rows
    panels = (
        ("a thread a row", first_read("thread_row_kernel")),
        ("a warp a row", first_read("warp_row_kernel")),
        ("16 bytes, 4 rows", wide),
    )
    shapes, label = [], []
    for number, (title, floats) in enumerate(panels):
        left = 4 + number * 148
        shapes.append(common.text(left, 14, title, theme["ink"], 12, "start", "bold"))
        used = {}
        for place in floats:
            sector = place // SECTOR
            used[sector] = used.get(sector, 0) + 1
        for row in range(ROWS):
            for s in range(COLUMNS // SECTOR):
                count = used.get(row * COLUMNS // SECTOR + s, 0)
                fill = theme["faint"]
                if count:
                    fill = theme["accent"] if count == SECTOR else theme["amber"]
                x, y = left + s * CELL, 22 + row * HIGH
                shapes.append(common.rect(x, y, CELL - 1, HIGH - 1, fill, radius=0))
        words = f"{len(used)} sectors", f"{4 * len(floats):,} of {32 * len(used):,} bytes used"
        for k, line in enumerate(words):
            y = 22 + ROWS * HIGH + 14 + 15 * k
            shapes.append(common.text(left, y, line, theme["ink"], 11, "start"))
        label.append(f"{title}: {', '.join(words)}")
    y = 22 + ROWS * HIGH + 50
    for x, fill, words in (
        (4, theme["accent"], "a sector of 32 bytes, used whole"),
        (236, theme["amber"], "4 of its 32 bytes used"),
    ):
        shapes.append(common.rect(x, y - 9, 12, 10, fill, radius=1))
        shapes.append(common.text(x + 18, y, words, theme["ink"], 11, "start"))
    return common.svg(440, y + 8, *shapes, label="One step of a warp. " + "; ".join(label))
