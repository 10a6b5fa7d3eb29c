"""Bytes in flight as an area: latency by bandwidth."""

from snippets.diagrams.panels import Panel, Picture


def panel(flight):
    drawn = Panel(
        f"{flight} in flight: {'every slot is used' if flight == 8 else 'the road is half empty'}"
    )
    drawn.box(10, 40, 320, 40, "n", radius=0)
    for k in range(8):
        if flight == 8 or k % 2 == 0:
            drawn.box(16 + 40 * k, 48, 30, 24, "fa", "B", "kw km")
    drawn.text(10, 34, "asked for", "ks km", "start")
    drawn.text(330, 34, "arrives", "ks km", "end")
    drawn.arrow(10, 94, 330, 94, "ls")
    drawn.text(170, 110, "latency: how long the road is", "km")
    drawn.text(10, 138, "arrive in a unit of time", "ks km", "start")
    for k in range(4):
        full = flight == 8 or k % 2 == 0
        drawn.box(10 + 40 * k, 146, 34, 24, "fb" if full else "d", "B" if full else None, "kw km")
    return drawn


def draw():
    return Picture(
        panel(4),
        panel(8),
        alt="A road with eight places between where loads are asked for and where they arrive. "
        "With four loads on it, every second place is empty and every second arrival is missing. "
        "With eight, all are full.",
        see="In flight = bandwidth × latency. The road is as long either way; how much arrives "
        "depends on how many places are filled. To use all of a memory's bandwidth, that many "
        "bytes must have been asked for and not yet have come.",
    )
