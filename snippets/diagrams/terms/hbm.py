"""Stacks of memory beside the chip, and the width of their bus (JEDEC HBM3, NVIDIA H200)."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    side = Panel("From the side: dies in a stack")
    side.box(4, 150, 332, 16, "n", "interposer", "ks km")
    side.box(122, 112, 126, 36, "fa", "GPU", "kw")
    for x in (20, 262):
        for k in range(8):
            side.box(x, 50 + 11 * k, 60, 9, "fb", radius=1)
        side.box(x, 138, 60, 10, "fs", radius=1)
    side.text(50, 42, "8 dies", "ks km")
    side.lines([(82, 152 + 3 * k, 120, 152 + 3 * k) for k in range(4)], "lb")
    side.lines([(250, 152 + 3 * k, 260, 152 + 3 * k) for k in range(4)], "lb")
    side.arrow(180, 66, 102, 146, "ls")
    side.text(184, 62, "1,024 wires", "km")

    bus = Panel("Wide and slow beats narrow and fast")
    bus.text(4, 38, "HBM: 6 stacks × 1,024 = 6,144 wires", "km", "start")
    bus.lines([(4, 48 + 3 * k, 336, 48 + 3 * k) for k in range(24)], "lb")
    bus.text(4, 144, "GDDR: 16 chips × 32 = 512 wires", "km", "start")
    bus.lines([(4, 154 + 3 * k, 336, 154 + 3 * k) for k in range(2)], "lc")
    bus.text(4, 178, "a line is 256 wires", "ks km", "start")
    return Picture(
        side,
        bus,
        alt="Left, a GPU between two stacks of eight memory dies on one interposer, with many "
        "short wires. Right, 24 lines for the 6,144 wires of six stacks of HBM, and 2 lines for "
        "the 512 wires of a GDDR card.",
        see="HBM is fast because it is wide: dies are stacked beside the GPU, so thousands of "
        "wires a few millimeters long can lie between them. Each wire runs slower than one of "
        "GDDR.",
    )
