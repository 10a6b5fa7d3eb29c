"""A block: its threads in warps, and what they share that no other block has."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    cut = Panel("128 threads of a block are 4 warps")
    colors = ("fa", "fc", "fv", "fb")
    for warp in range(4):
        y = 28 + 30 * warp
        cut.warp(y, colors[warp], height=16)
    cut.text(10, 164, "threadIdx.x = 0, 1, 2 … 127", "ks km", "start")

    own = Panel("A block stays on one multiprocessor")
    for k in range(2):
        x = 4 + 172 * k
        own.box(x, 24, 160, 142, "n")
        own.text(x + 80, 42, f"multiprocessor {k}", "ks km")
        own.box(x + 8, 50, 144, 108, "ta")
        own.text(x + 80, 66, f"block {k}", "kx km")
        own.cells(x + 14, 74, ["fa"] * 16, 8.2, 10)
        own.cells(x + 14, 86, ["fa"] * 16, 8.2, 10)
        own.lines([(x + 30 + 26 * j, 98, x + 30 + 26 * j, 114) for j in range(4)], "la")
        own.box(x + 14, 116, 132, 34, "tc", ("shared memory", "and barriers"), "km")
    own.lines([(166, 133, 174, 133), (166, 128, 174, 138), (166, 138, 174, 128)], "lr")
    return Picture(
        cut,
        own,
        alt="Left, a block of 128 threads in four rows of 32, one for each warp. Right, two "
        "multiprocessors with a block each; the threads of a block reach its shared memory and "
        "barriers, and a cross stands between the two blocks.",
        see="All threads of a block are on one multiprocessor at once. That is why they can "
        "share memory and wait for each other, and why threads of two blocks can not: the other "
        "block may be elsewhere, or not have begun.",
    )
