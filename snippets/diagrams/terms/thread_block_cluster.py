"""Blocks of a cluster on neighboring multiprocessors of one GPC."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    drawn = Panel("A cluster of 4 blocks in one GPC")
    drawn.box(2, 24, 336, 158, "d")
    drawn.text(330, 42, "graphics processing cluster (GPC)", "ks km", "end")
    for k in range(4):
        x = 12 + 81 * k
        drawn.box(x, 52, 74, 86, "n")
        drawn.text(x + 37, 66, f"SM {k}", "ks km")
        drawn.box(x + 5, 72, 64, 24, "fa", f"block {k}", "kw km")
        drawn.box(x + 5, 104, 64, 26, "tc", "shared", "km")
    drawn.box(12, 148, 317, 24, "fc", "network between the multiprocessors", "kw km")
    drawn.lines([(49 + 81 * k, 130, 49 + 81 * k, 148) for k in range(4)], "lc")

    grid = Panel("A grid is made of whole clusters")
    for c in range(6):
        x, y = 4 + 112 * (c % 3), 28 + 78 * (c // 3)
        grid.box(x, y, 104, 68, "fa" if c == 4 else "n", radius=5)
        for b in range(4):
            look = "kw km" if c == 4 else "km"
            grid.box(
                x + 6 + 47 * (b % 2),
                y + 6 + 29 * (b // 2),
                44,
                26,
                "ga" if c != 4 else "o",
                4 * c + b,
                look,
            )
    return Picture(
        drawn,
        grid,
        alt="Left, four blocks of a cluster on four multiprocessors of one graphics processing "
        "cluster; a network joins their shared memories. Right, 24 blocks of a grid in six "
        "clusters of four.",
        see="The blocks of a cluster are placed together and start together, on multiprocessors "
        "that a network joins. So they can wait for each other and read each other's shared "
        "memory, which blocks of a plain grid can not.",
    )
