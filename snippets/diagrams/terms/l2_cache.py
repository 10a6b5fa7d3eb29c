"""L2 between the multiprocessors and device memory."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    place = Panel("One L2 for all multiprocessors")
    for k in range(8):
        place.box(4 + 42 * k, 26, 38, 26, "ta", "L1", "ka km")
        place.line(23 + 42 * k, 52, 23 + 42 * k, 70, "ls")
    place.box(4, 72, 332, 34, "fv", "L2 cache: 50 MB", "kw")
    for k in range(6):
        place.line(34 + 54 * k, 106, 34 + 54 * k, 124, "lb")
        place.box(10 + 54 * k, 126, 48, 26, "fb", "HBM", "kw km")

    reuse = Panel("The second reader finds it there")
    reuse.box(4, 26, 100, 28, "fa", "block 0 reads x", "kw km")
    reuse.box(236, 26, 100, 28, "fc", "block 9 reads x", "kw km")
    reuse.box(60, 82, 220, 28, "tv", "x, a sector in L2", "km")
    reuse.box(60, 140, 220, 28, "tb", "x in HBM", "kb km")
    reuse.bend([(84, 140), (84, 112)], "lb")
    reuse.bend([(84, 82), (84, 56)], "la")
    reuse.bend([(256, 82), (256, 56)], "lc")
    reuse.text(76, 130, "first", "kb km", "end")
    reuse.text(250, 72, "no trip to HBM", "km", "end")
    return Picture(
        place,
        reuse,
        alt="Left, eight multiprocessors over one L2 cache, which stands over six stacks of HBM. "
        "Right, block 0's read brings a sector from HBM into L2, and block 9's read of the same "
        "sector ends in L2.",
        see="All traffic to device memory passes L2, and all blocks share it. Blocks that read "
        "the same data at about the same time pay for it once; atomics on global memory happen "
        "here.",
    )
