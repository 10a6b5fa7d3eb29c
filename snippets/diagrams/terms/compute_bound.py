"""Loads and arithmetic of the same tiles over time, with either of them the longer."""

from snippets.diagrams.panels import Panel, Picture

LEFT, RIGHT = 66, 336
LONG, SHORT = 52, 22


def panel(bound):
    load, work = (SHORT, LONG) if bound == "compute" else (LONG, SHORT)
    words = "arithmetic never rests" if bound == "compute" else "loads never rest"
    drawn = Panel(f"{bound.title()}-bound: {words}")
    drawn.text(0, 48, "memory", "km", "start")
    drawn.text(0, 92, "arithmetic", "km", "start")
    drawn.box(LEFT, 32, RIGHT - LEFT, 26, "n", radius=1)
    drawn.box(LEFT, 76, RIGHT - LEFT, 26, "n", radius=1)
    for k in range(5):
        start = LEFT + LONG * k
        drawn.box(start, 32, load - 2, 26, "fb", k, "kw km")
        if start + load + work <= RIGHT:
            drawn.box(start + load, 76, work - 2, 26, "fa", k, "kw km")
    drawn.time(118, LEFT)
    return drawn


def draw():
    own, other = panel("compute"), panel("memory")
    own.text(0, 144, "Faster: fewer operations, cheaper ones", "km", "start")
    own.text(0, 159, "(bfloat16), or more units.", "km", "start")
    other.text(0, 144, "Faster: fewer bytes. More units would", "km", "start")
    other.text(0, 159, "wait longer.", "km", "start")
    return Picture(
        own,
        other,
        alt="Two time lines with a row for memory and one for arithmetic, working on tiles 0 to "
        "4. Left, arithmetic is busy without a gap, and memory idles after each tile. Right, "
        "memory is busy without a gap and arithmetic idles.",
        see="The same tiles, loaded and then multiplied. Left, a tile takes longer to multiply "
        "than to load: arithmetic has no gap and sets the pace, and that is compute-bound. "
        "Right, the loads set it.",
    )
