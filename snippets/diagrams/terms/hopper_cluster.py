"""65,536 counters over a cluster of four blocks: who owns a value, and what a count crosses."""

from snippets.diagrams.panels import Panel, Picture

VALUES = (40_000, 40_001, 40_002, 40_003)


def draw():
    alone = Panel("Blocks alone: every count goes to L2")
    for b in range(4):
        alone.box(4 + 84 * b, 26, 78, 34, "n", f"block {b}", "km")
        alone.arrow(43 + 84 * b, 60, 43 + 84 * b, 96, "lb")
    alone.box(4, 98, 330, 30, "tb", "65,536 counters in L2 and global memory", "km")
    alone.text(0, 150, "256 KB: more than a block's shared memory", "ks km", "start")

    cluster = Panel("A cluster of four: each owns 16,384")
    for b in range(4):
        cluster.box(4 + 84 * b, 26, 78, 34, "n", f"block {b}", "km")
        cluster.box(4 + 84 * b, 92, 78, 36, "ta", (f"v % 4 = {b}", "64 KB"), "km")
    for value in VALUES:  # block 1 counts four neighbors: one of them at home
        owner = value % 4
        cluster.arrow(127, 60, 43 + 84 * owner, 91, "la" if owner == 1 else "lc")
    cluster.text(0, 150, "block 1 counts 40,000 to 40,003", "ks km", "start")
    return Picture(
        alone,
        cluster,
        alt="Left, four blocks whose counts all go to 65,536 counters in L2. Right, a cluster of "
        "four blocks, each with 16,384 counters of 64 KB in its shared memory: block 1 counts "
        "four neighboring values, one in its own shared memory and three in the others'.",
        see="One value in four is counted at home, the other three cross from one multiprocessor "
        "to another inside the cluster. No count goes to L2 until the end.",
    )
