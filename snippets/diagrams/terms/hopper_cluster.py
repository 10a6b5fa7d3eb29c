"""65,536 counters over a cluster of two blocks: who owns a value, and what a count crosses."""

from snippets.diagrams.panels import Panel, Picture

VALUES = (40_000, 40_001, 40_002, 40_003)


def draw():
    alone = Panel("Blocks alone: every count goes to L2")
    for b in range(2):
        alone.box(4 + 168 * b, 26, 162, 34, "n", f"block {b}", "km")
        alone.arrow(85 + 168 * b, 60, 85 + 168 * b, 96, "lb")
    alone.box(4, 98, 330, 30, "tb", "65,536 counters in L2 and global memory", "km")
    alone.text(0, 150, "256 KiB: more than a block's shared memory", "ks km", "start")

    cluster = Panel("A cluster of two: each owns 32,768")
    for b in range(2):
        cluster.box(4 + 168 * b, 26, 162, 34, "n", f"block {b}", "km")
        cluster.box(4 + 168 * b, 92, 162, 36, "ta", (f"v % 2 = {b}", "128 KiB"), "km")
    for k, value in enumerate(VALUES):  # block 1 reads four neighbors: two are counted at home
        owner = value % 2
        x = 85 + 168 * owner + 12 * k - 18
        cluster.arrow(253 + 12 * k - 18, 60, x, 91, "la" if owner == 1 else "lc")
    cluster.text(0, 150, "block 1 reads samples of value v = 40,000 to 40,003", "ks km", "start")
    return Picture(
        alone,
        cluster,
        alt="Left, two blocks whose counts all go to 65,536 counters in L2. Right, a cluster of "
        "two blocks, each with 32,768 counters of 128 KiB in its shared memory: block 1 reads "
        "four neighboring values and counts two in its own shared memory, two in the other's.",
        see="One value in two is counted at home, the other crosses from one multiprocessor "
        "to another inside the cluster. No count goes to L2 until the end.",
    )
