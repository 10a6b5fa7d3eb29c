"""Blocks on eight multiprocessors: one wave that fits, and one block too many."""

from snippets.diagrams.panels import Panel, Picture

UNITS = 8


def panel(blocks):
    waves = -(-blocks // UNITS)
    drawn = Panel(f"{blocks} blocks: {waves} wave{'s' * (waves > 1)}")
    for k in range(UNITS):
        y = 26 + 17 * k
        drawn.text(0, y + 11, f"SM {k}", "km", "start")
        drawn.box(40, y, 280, 14, "n", radius=1)
        drawn.box(40, y, 138, 14, "fa", radius=1)
        if k + UNITS < blocks:
            drawn.box(180, y, 138, 14, "fb", radius=1)
    drawn.text(109, 37, "block 0", "kw km")
    if blocks > UNITS:
        drawn.text(249, 37, f"block {UNITS}", "kw km")
        drawn.text(249, 97, f"{UNITS * waves - blocks} SMs idle", "kr km")
    drawn.time(176, 40)
    return drawn


def draw():
    return Picture(
        panel(UNITS),
        panel(UNITS + 1),
        alt=f"Two time lines of {UNITS} multiprocessors. {UNITS} blocks run side by side in one "
        f"wave. With {UNITS + 1}, the last block runs alone while {UNITS - 1} multiprocessors "
        "idle.",
        see="Eight blocks fill eight multiprocessors. The ninth starts when the first is done, "
        "and the launch takes two waves for one block more. An H200 has 132 multiprocessors, and "
        "the same step comes after every full wave.",
    )
