"""How a block gets at another's data: by way of L2, or straight out of its shared memory."""

from snippets.diagrams.panels import Panel, Picture


def side(direct):
    drawn = Panel(
        "In a cluster: read it where it lies" if direct else "Without a cluster: by global memory"
    )
    for k in range(2):
        x = 4 + 190 * k
        drawn.box(x, 26, 142, 88, "n")
        drawn.text(x + 71, 42, f"block {k}", "kx km")
        drawn.box(x + 10, 50, 122, 22, "ga", "threads", "km")
        drawn.box(x + 10, 84, 100, 24, "tc", "shared memory", "km")
    drawn.box(4, 148, 332, 24, "tb", "L2 and global memory", "km")
    if direct:
        drawn.bend([(204, 61), (170, 61), (170, 96), (116, 96)], "la")
        drawn.text(172, 136, "map_shared_rank(tile, 0)", "ka km")
    else:
        drawn.arrow(75, 108, 75, 146, "lb")
        drawn.arrow(316, 146, 316, 74, "lb")
        drawn.text(170, 136, "write, wait, read", "kb km")
    return drawn


def draw():
    return Picture(
        side(False),
        side(True),
        alt="Two blocks with their shared memories. Left, block 0 writes to global memory and "
        "block 1 reads it from there. Right, a thread of block 1 reads the shared memory of "
        "block 0 directly.",
        see="Left, the way between blocks of a plain grid. Right, a thread of block 1 turns its "
        "own pointer into one to block 0's copy and loads through it: no trip to L2.",
    )
