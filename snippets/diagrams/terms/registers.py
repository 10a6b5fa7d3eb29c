"""The register file as rows, one for each register of a warp's lanes."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    drawn = Panel("One register of a warp is 32 words")
    for k, (name, what) in enumerate(
        (("R0", "i"), ("R1", "x[i]"), ("R2", "total"), ("R3", "address"))
    ):
        y = 30 + 34 * k
        drawn.text(10, y + 8, f"{name}: {what}", "km", "start")
        drawn.warp(y + 12, ["fa" if lane != 5 else "fb" for lane in range(32)], height=14)
    drawn.key(178, ("fb", "lane 5's: no other lane can read it"), x=10)

    share = Panel("65,536 of them for all resident warps")
    share.text(0, 36, "32 registers a thread: 64 warps", "km", "start")
    share.cells(0, 42, ["fa"] * 64, 5.3, 26, 0.8)
    share.text(0, 92, "64 registers a thread: 32 warps", "km", "start")
    share.cells(0, 98, ["fc"] * 32, 10.6, 26)
    share.text(0, 148, "128 registers a thread: 16 warps", "km", "start")
    share.cells(0, 154, ["fv"] * 16, 21.2, 26)
    return Picture(
        drawn,
        share,
        alt="Left, four registers of a warp, each a row of 32 words, with the word of lane 5 "
        "marked. Right, the same bar of 65,536 registers divided among 64, 32 and 16 warps.",
        see="A register is a column of numbers, one for each lane. A multiprocessor has 65,536 "
        "of 32 bits; the compiler's count for a thread decides how many warps can stay at once.",
    )
