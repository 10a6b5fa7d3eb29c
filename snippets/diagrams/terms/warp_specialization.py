"""A kernel in which all warps do all, and one with a producer and consumers."""

from snippets.diagrams.panels import Panel, Picture


def panel(special):
    drawn = Panel(
        "One warp loads, the others compute" if special else "Every warp loads, then computes"
    )
    for warp in range(4):
        y = 30 + 30 * warp
        drawn.text(0, y + 15, f"warp {warp}", "km", "start")
        drawn.box(52, y, 284, 22, "n", radius=1)
        if special and warp == 0:
            for k in range(6):
                drawn.box(52 + 46 * k, y, 34, 22, "fb", k, "kw km")
        elif special:
            for k in range(5):
                drawn.box(90 + 48 * k, y, 46, 22, "fa", k, "kw km")
        else:
            for k in range(4):
                drawn.box(52 + 71 * k, y, 30, 22, "fb", k, "kw km")
                drawn.box(83 + 71 * k, y, 38, 22, "fa", k, "kw km")
    drawn.time(160, 52)
    drawn.key(184, ("fb", "loads a tile"), ("fa", "multiplies it"), x=52)
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Two time lines of four warps. Left, each loads tile 0, multiplies it, loads tile 1, "
        "and so on. Right, warp 0 loads tile after tile and warps 1 to 3 multiply without a gap.",
        see="Left, arithmetic stops whenever a tile is loaded. Right, a producer warp does "
        "nothing but ask for tiles, some ahead, and the consumers do nothing but multiply; "
        "barriers hand the tiles over.",
    )
