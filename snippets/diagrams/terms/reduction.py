"""Sixteen numbers added in a row and as a tree."""

from snippets.diagrams.panels import Panel, Picture

X = (3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 8, 2, 9, 4, 1, 6)


def draw():
    tree = Panel("A tree: 15 additions in 4 steps")
    row, y = list(X), 30
    while True:
        gap = 336 / len(row)
        middles = [2 + gap * (k + 0.5) for k in range(len(row))]
        kind = "fa" if len(row) == 1 else "ta"
        look = "kw km" if len(row) == 1 else "ka km"
        tree.cells(2 + gap / 2 - 10, y, [kind] * len(row), gap, 20, gap - 20, row, look)
        if len(row) == 1:
            break
        nexts = [2 + 2 * gap * (k + 0.5) for k in range(len(row) // 2)]
        tree.lines([(x, y + 18, nexts[k // 2], y + 34) for k, x in enumerate(middles)], "la")
        row = [a + b for a, b in zip(row[::2], row[1::2], strict=True)]
        y += 34
    chain = Panel("In a row: 15 additions in 15 steps")
    total = 0
    for k, value in enumerate(X):
        x, y = 2 + 42 * (k % 8), 34 + 70 * (k // 8)
        chain.box(x, y, 30, 18, "n", value, "km")
        total += value
        chain.arrow(x + 15, y + 18, x + 15, y + 30, "ls")
        chain.box(
            x, y + 31, 30, 18, "fb" if k == 15 else "tb", total, "kw km" if k == 15 else "kb km"
        )
        if k % 8 < 7:
            chain.arrow(x + 30, y + 40, x + 42, y + 40, "lb")
    return Picture(
        chain,
        tree,
        alt="Sixteen numbers. Left, they are added one after another, each sum waiting for the "
        "last. Right, pairs are added, then pairs of the sums, and after four steps one number "
        "is left.",
        see=f"Both add 16 numbers with 15 additions and get {sum(X)}. In a row each waits for the "
        "one before. In a tree the additions of a level do not need each other, so threads do "
        "them at once: log2(16) = 4 steps.",
    )
