"""What the first eight lanes of a warp read of a and b, and write of c, in both index orders."""

from functools import cache

import numpy as np

from snippets.diagrams import common

N, LANES = 8, 8  # a small matrix and the first lanes of a warp
FIXED = 2  # the row, or swapped the column, that the lanes share
STEP = 3  # the k at which the picture is taken


@cache
def places(swapped):
    """Return the elements of a, b and c that the lanes touch at step STEP."""
    kernel = "matmul_swapped_kernel" if swapped else "matmul_kernel"
    a, b, c = (np.zeros((N, N), dtype=np.float32) for _ in range(3))
    launch = common.watch("naive_matmul/matmul.py", kernel, ((1, N), (LANES, 1)), a, b, c)
    found = []
    for name, kind, step in (("a", "load", STEP), ("b", "load", STEP), ("c", "store", 0)):
        touched = [e for array, what, block, e in launch.accesses
                   if (array, what, block) == (name, kind, (0, FIXED, 0))]  # fmt: skip
        found.append({divmod(element, N) for element in touched[step].values()})
    return found


def draw(theme):
    shapes, top = [], 16
    for swapped in (False, True):
        words = "x runs down a column (swapped)" if swapped else "x runs along a row"
        shapes.append(common.text(4, top, words, theme["ink"], anchor="start", weight="bold"))
        for m, (name, touched) in enumerate(zip("abc", places(swapped), strict=True)):
            left = 4 + m * 122
            rows = len({row for row, _ in touched})
            said = "1 element" if len(touched) == 1 else f"8 in {rows} row{'s' * (rows > 1)}"
            shapes.append(
                common.text(left, top + 18, f"{name}: {said}", theme["ink"], anchor="start")
            )
            for row in range(N):
                for column in range(N):
                    hit = (row, column) in touched
                    neat = rows == 1
                    fill = (theme["accent"] if neat else theme["amber"]) if hit else theme["faint"]
                    x, y = left + column * 13, top + 25 + row * 13
                    shapes.append(common.rect(x, y, 12, 12, fill, theme["grid"], radius=1))
        top += 150
    label = "The elements of a, b and c that eight lanes touch at one step, in both index orders"
    return common.svg(366, top - 10, *shapes, label=label)
