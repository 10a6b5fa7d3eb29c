"""Threads of a block, by warp and lane."""

from snippets.diagrams.panels import Panel, Picture

THREAD = 70


def draw():
    warp, lane = divmod(THREAD, 32)
    drawn = Panel(f"Thread {THREAD} is lane {lane} of warp {warp}")
    for k in range(0, 32, 4):
        drawn.text(14.5 + 10 * k, 38, k, "ks km")
    for k in range(3):
        y = 44 + 34 * k
        kinds = ["ga"] * 32
        if k == warp:
            kinds[lane] = "fr"
        drawn.warp(y, kinds, height=18)
        drawn.text(330, y + 29, f"warp {k}: threads {32 * k} to {32 * k + 31}", "ks km", "end")
    drawn.box(9 + 10 * lane, 42, 11, 106, "o")
    return Picture(
        drawn,
        alt=f"Three rows of 32 lanes, for warps 0 to 2. Thread {THREAD} is marked: it stands in "
        f"row {warp}, column {lane}.",
        see="Threads are dealt to lanes in order: lane = thread mod 32, warp = thread // 32. "
        f"{THREAD} = {warp} × 32 + {lane}. The column that is framed is lane {lane} of each warp, "
        "and warp operations name partners by that number.",
    )
