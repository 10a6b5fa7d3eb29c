"""The pixels that a block needs for a 7 x 7 filter: its own, and the halo around them."""

from snippets.diagrams import common

WIDE, HIGH, SIDE, CELL = 32, 8, 7, 11


def draw(theme):
    half, shapes = SIDE // 2, []
    across, down = WIDE + SIDE - 1, HIGH + SIDE - 1
    for i in range(down):
        for j in range(across):
            inside = half <= i < half + HIGH and half <= j < half + WIDE
            fill = theme["accent"] if inside else theme["amber"]
            x, y = 4 + j * CELL, 4 + i * CELL
            shapes.append(common.rect(x, y, CELL - 1, CELL - 1, fill, radius=1))
    for i, j in ((0, 0), (4, 17)):  # what two of the threads need
        x, y = 4 + j * CELL - 0.5, 4 + i * CELL - 0.5
        side = SIDE * CELL
        shapes.append(common.rect(x, y, side, side, "none", theme["ink"], radius=1))
    y = 4 + down * CELL + 16
    keys = (
        (theme["accent"], f"{WIDE} x {HIGH} pixels of a block"),
        (theme["amber"], f"halo: {across * down - WIDE * HIGH} more"),
    )
    for x, (fill, words) in zip((4, 230), keys, strict=True):
        shapes.append(common.rect(x, y - 10, 12, 12, fill, radius=1))
        shapes.append(common.text(x + 18, y, words, theme["ink"], 12, "start"))
    each = across * down / (WIDE * HIGH)
    words = (
        f"Fetched {across} x {down} = {across * down}, {each:.1f} for a result;",
        f"without a tile each thread asks for {SIDE * SIDE} (two of them framed).",
    )
    for k, line in enumerate(words):
        shapes.append(common.text(4, y + 22 + 17 * k, line, theme["ink"], 12, "start"))
    label = f"A block of {WIDE} x {HIGH} pixels and its halo of {half}: {' '.join(words)}"
    return common.svg(8 + across * CELL, y + 46, *shapes, label=label)
