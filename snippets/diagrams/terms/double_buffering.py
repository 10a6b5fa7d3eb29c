"""Load and compute with one buffer and with two."""

from snippets.diagrams.panels import Panel, Picture


def panel(buffers):
    drawn = Panel("One buffer: they take turns" if buffers == 1 else "Two buffers: they overlap")
    drawn.text(0, 46, "load", "km", "start")
    drawn.text(0, 86, "compute", "km", "start")
    colors = ("fc", "fv")
    for k in range(5):
        color = colors[k % buffers]
        if buffers == 1:
            load, work = 58 + 88 * k, 58 + 88 * k + 44
        else:
            load, work = 58 + 44 * k, 58 + 44 * (k + 1)
        if load + 42 <= 338:
            drawn.box(load, 32, 42, 24, color, k, "kw km")
        if work + 42 <= 338:
            drawn.box(work, 72, 42, 24, color, k, "kw km")
    drawn.time(114, 58)
    if buffers == 1:
        drawn.key(138, ("fc", "the tile's buffer"), x=58)
    else:
        drawn.key(138, ("fc", "buffer 0"), ("fv", "buffer 1"), x=58)
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(2),
        alt="Two time lines with a row for loading tiles and one for computing. With one buffer "
        "a tile is loaded, then computed, and the other row is empty meanwhile. With two buffers "
        "tile k + 1 is loaded while tile k is computed.",
        see="A tile may not be overwritten while it is in use, so with one buffer loading and "
        "computing alternate. With two, tile 1 arrives in the violet buffer while tile 0 is "
        "computed in the blue one.",
    )
