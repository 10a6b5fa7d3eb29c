"""Warps that arrive at a barrier at different times and leave it together."""

from snippets.diagrams.panels import Panel, Picture

ARRIVE = (120, 60, 190, 90)


def draw():
    drawn = Panel("Four warps at cuda.syncthreads()")
    last = max(ARRIVE)
    for k, at in enumerate(ARRIVE):
        y = 28 + 28 * k
        drawn.text(0, y + 14, f"warp {k}", "km", "start")
        drawn.box(52, y, at - 52 + 30, 20, "fa", "writes" if at > 70 else None, "kw km")
        if at != last:
            drawn.box(
                82 + at - 50 + 50,
                y,
                last - at,
                20,
                "n",
                "waits" if last - at > 40 else None,
                "ks km",
            )
        drawn.box(last + 86, y, 52, 20, "fc", "reads", "kw km")
    drawn.line(last + 84, 22, last + 84, 142, "lr")
    drawn.time(156, 52)

    why = Panel("Why: who wrote what I read?")
    why.text(0, 40, "tile", "kx km", "start")
    why.cells(60, 28, ["fa"] * 4 + ["d"] * 4, 32, 20, 2, words=[0, 1, 2, 3, "?", "?", "?", "?"])
    why.text(0, 92, "no barrier", "kr km", "start")
    why.bend([(110, 84), (220, 84), (220, 52)], "lr")
    why.text(226, 72, "not yet written", "kr km", "start")
    why.text(0, 124, "tile", "kx km", "start")
    why.cells(60, 112, ["fa"] * 8, 32, 20, 2, words=range(8))
    why.text(0, 170, "after it", "ka km", "start")
    why.bend([(110, 164), (220, 164), (220, 136)], "la")
    why.text(226, 156, "whoever wrote it", "ka km", "start")
    return Picture(
        drawn,
        why,
        alt="Left, a time line of four warps that write, wait until the slowest has arrived, and "
        "then read. Right, a tile of which half is not yet written is read without a barrier, "
        "and the whole tile after one.",
        see="No warp passes the line before the last has reached it, here warp 2. So after a "
        "barrier every thread may read what any thread of the block wrote before it.",
    )
