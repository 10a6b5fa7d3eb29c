"""A grid of blocks over 1,000 elements, and the threads at its end."""

from snippets.diagrams.panels import Panel, Picture

N, SIZE = 1000, 256
BLOCKS = -(-N // SIZE)
SPARE = BLOCKS * SIZE - N


def draw():
    over = Panel(f"{N:,} elements, {BLOCKS} blocks of {SIZE}")
    wide = 320 / (BLOCKS * SIZE)
    over.text(10, 38, f"x, {N:,} elements", "ks km", "start")
    over.box(10, 44, N * wide, 18, "tc", radius=1)
    for k in range(BLOCKS):
        x = 10 + k * SIZE * wide
        over.box(x + 1, 76, SIZE * wide - 2, 34, "fa", (f"block {k}",), "kw")
    over.box(10 + N * wide, 76, SPARE * wide - 1, 34, "fr", radius=0)
    over.arrow(290, 138, 10 + (N + SPARE / 2) * wide, 113, "lr")
    over.text(286, 146, f"{SPARE} threads too many: if i < n", "kr km", "end")

    two = Panel("A grid may have two dimensions")
    two.lines([(121, 64, 200, 28), (121, 97, 200, 136)], "ls dash")
    for row in range(3):
        for column in range(4):
            chosen = (row, column) == (1, 2)
            two.box(
                4 + 40 * column,
                28 + 36 * row,
                37,
                33,
                "fa" if chosen else "ta",
                f"{column}, {row}",
                None if not chosen else "kw",
            )
    two.text(82, 154, "blockIdx.x, blockIdx.y", "ks km")
    two.cells(200, 28, ["fa"] * 72, 14, 12, columns=9)
    two.text(263, 154, "block 2, 1: its threads", "ks km")
    return Picture(
        over,
        two,
        alt=f"Left, a row of {N:,} elements under which {BLOCKS} blocks of {SIZE} threads stand; "
        f"the last {SPARE} threads reach past the end. Right, a grid of four by three blocks, one "
        "of which is shown large with its threads.",
        see="A launch names the grid: how many blocks, of how many threads. Blocks are whole, so "
        f"{BLOCKS} × {SIZE} = {BLOCKS * SIZE:,} threads start for {N:,} elements, and the kernel "
        f"sends the last {SPARE} home with an if.",
    )
