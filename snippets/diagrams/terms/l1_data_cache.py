"""One array in each multiprocessor, divided between L1 and shared memory."""

from snippets.diagrams.panels import Panel, Picture

TOTAL = 256
SPLITS = (0, 64, 132, 228)


def draw():
    split = Panel("256 KB, divided by the kernel's needs")
    for k, shared in enumerate(SPLITS):
        y = 42 + 34 * k
        wide = 330 * shared / TOTAL
        split.text(4, y - 4, f"shared memory: {shared} KB", "ka km", "start")
        split.box(4, y, 330, 16, "tc", radius=1)
        if shared:
            split.box(4, y, wide, 16, "fa", radius=1)
    split.key(186, ("fa", "shared memory"), ("tc", "L1 cache"), x=4)

    way = Panel("A load looks here first")
    way.box(4, 30, 90, 30, "fa", "warp's load", "kw km")
    way.arrow(94, 45, 126, 45, "ls")
    way.box(128, 30, 80, 30, "tc", "L1", "kx")
    way.arrow(208, 45, 240, 45, "ls")
    way.box(242, 30, 92, 30, "tv", "L2, HBM", "km")
    way.bend([(168, 60), (168, 82), (49, 82), (49, 62)], "la")
    way.text(108, 98, "hit: stays inside", "ka km")
    way.bend([(288, 60), (288, 118), (30, 118), (30, 62)], "lb")
    way.text(200, 134, "miss: 32-byte sectors come from L2", "kb km")
    way.text(4, 162, "Each multiprocessor has its own, and no L1", "km", "start")
    way.text(4, 177, "sees what another multiprocessor wrote.", "km", "start")
    return Picture(
        split,
        way,
        alt="Left, four bars of 256 KB, divided between shared memory and L1 cache in four ways. "
        "Right, a load that hits in L1 returns at once, and one that misses goes on to L2 and "
        "HBM.",
        see="L1 cache and shared memory are one array of 256 KB on Hopper. What the resident "
        "blocks take as shared memory, the cache lacks.",
    )
