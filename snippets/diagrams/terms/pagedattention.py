"""Two sequences whose cache lies in blocks anywhere, found by a table."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    whole = Panel("Reserved in one piece")
    for k, (name, used, kind) in enumerate((("A", 5, "fa"), ("B", 3, "fc"))):
        y = 44 + 56 * k
        whole.text(0, y - 6, f"sequence {name}: room for 16, {used} used", "km", "start")
        whole.cells(0, y, [kind] * used + ["d"] * (16 - used), 21, 22, 2)
    whole.rows(
        0,
        148,
        "24 places wait for tokens that may never",
        "come. Nobody else can have them.",
        kind="km",
        anchor="start",
    )

    paged = Panel("In blocks of 4, found by a table")
    blocks = [None, ("fc", 3), None, ("fa", 4), None, None, ("fa", 1), None]
    for k, block in enumerate(blocks):
        x, y = 4 + 84 * (k % 4), 104 + 40 * (k // 4)
        paged.text(x + 38, y - 3, k, "ks km")
        kinds = [block[0]] * block[1] + ["d"] * (4 - block[1]) if block else ["n"] * 4
        paged.cells(x, y, kinds, 19, 20, 2)
    paged.text(0, 44, "A", "kx km", "start")
    paged.cells(16, 30, ["ta"] * 2, 30, 20, 3, words=(3, 6), look="ka km")
    paged.text(180, 44, "B", "kx km", "start")
    paged.cells(196, 30, ["tc"], 30, 20, 3, words=(1,), look="km")
    paged.bend([(30, 50), (30, 66), (294, 66), (294, 90)], "la")
    paged.bend([(60, 50), (60, 78), (166, 78), (166, 124), (194, 138)], "la")
    paged.bend([(210, 50), (210, 58), (104, 58), (104, 100)], "lc")
    return Picture(
        whole,
        paged,
        alt="Left, two sequences each have 16 places in a row, most of them empty. Right, memory "
        "in blocks of four places: a table says that sequence A lies in blocks 3 and 6 and "
        "sequence B in block 1; the other blocks are free.",
        see="A sequence's cache grows by one token at a time, and nobody knows how far. In "
        "blocks that may lie anywhere, as pages of an operating system do, at most the end of "
        "the last block is empty, and free blocks serve any sequence.",
    )
