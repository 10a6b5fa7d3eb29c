"""Live values over the lines of a kernel, under and over the limit."""

from snippets.diagrams.panels import Panel, Picture

LIVE = (2, 4, 6, 9, 11, 8, 5, 3)
LIMIT = 8


def panel(spills):
    drawn = Panel("A limit of 8: what is above spills" if spills else "No limit: 11 registers")
    for k, live in enumerate(LIVE):
        for j in range(live):
            over = spills and j >= LIMIT
            drawn.box(28 + 38 * k, 160 - 11 * j, 32, 9, "fr" if over else "fa", radius=1)
        drawn.text(44 + 38 * k, 186, k + 1, "ks km")
    drawn.text(0, 186, "line", "ks km", "start")
    if spills:
        drawn.line(22, 160 - 11 * LIMIT + 9.5, 336, 160 - 11 * LIMIT + 9.5, "lr dash")
        drawn.box(28, 26, 104, 22, "tr", "local memory", "kr km")
        drawn.bend([(142, 54), (142, 37), (134, 37)], "lr")
        drawn.arrow(120, 48, 146, 74, "lr")
    return drawn


def draw():
    over = sum(max(0, live - LIMIT) for live in LIVE)
    return Picture(
        panel(False),
        panel(True),
        alt="Bars of the values that are alive at each of eight lines of a kernel, eleven at "
        "most. With a limit of eight registers the blocks above a line go to local memory and "
        "back.",
        see="Every value that is needed later occupies a register until then. A limit below the "
        f"highest bar sends what is above it to local memory: {over} values here, each a store "
        "and later a load.",
    )
