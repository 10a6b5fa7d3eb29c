"""A block of 70 threads as three warps, and one instruction for 32 lanes."""

from snippets.diagrams.panels import Panel, Picture

THREADS = 70


def draw():
    cut = Panel(f"A block of {THREADS} threads")
    warps = -(-THREADS // 32)
    for warp in range(warps):
        y = 34 + warp * 42
        filled = min(32, THREADS - 32 * warp)
        cut.text(10, y, f"warp {warp}", "kx km", "start")
        cut.text(330, y, f"threads {32 * warp} to {32 * warp + filled - 1}", "ks km", "end")
        cut.warp(y + 6, ["fa"] * filled + ["o"] * (32 - filled), height=14)
    y = 34 + warps * 42
    left = 32 * warps - THREADS
    cut.key(y + 4, ("fa", "a thread"), ("o", f"{left} lanes of warp 2 stay empty"), x=10)

    one = Panel("Inside a warp: one instruction, 32 lanes")
    one.box(95, 26, 150, 24, "fi", "x[i] = x[i] * 2", "kw")
    lanes = [16 + k * 44 for k in range(8)]
    for k, x in enumerate(lanes):
        lane = k if k < 7 else 31
        if k == 6:
            one.text(x, 100, "…", "kx")
            one.text(x, 142, "…", "ks")
            continue
        one.arrow(170 + (x - 170) * 0.42, 52, x, 82)
        one.box(x - 16, 84, 32, 24, "fa", lane)
        one.text(x, 124, f"i={lane}", "km")
        one.text(x, 142, f"x[{lane}]", "ks km")
    one.text(0, 164, "The lanes share the instruction. Each has its own", "km", "start")
    one.text(0, 179, "registers, so each i is another number.", "km", "start")
    return Picture(
        cut,
        one,
        alt="On the left a block of 70 threads is cut into three rows of 32 lanes; the last row "
        "has 6 threads and 26 empty lanes. On the right one instruction goes to lanes 0 to 31, "
        "each of which has an index and an element of its own.",
        see="The hardware cuts a block into warps of 32, in order. A warp takes its 32 places "
        "whether they are filled or not, and issues one instruction for all of them.",
    )
