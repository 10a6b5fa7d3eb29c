"""Who carries a tile to shared memory, and what waits for it: three generations."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    panels = []
    for title, who, how, through, waits in (
        ("Before: a load and a store", "every thread", "load, store", "registers", "a barrier"),
        ("Ampere: cp.async", "every thread", "16 bytes each", "", "its own copies, then a barrier"),
        ("Hopper: TMA", "one thread", "a whole box", "", "a barrier that counts bytes"),
    ):
        panel = Panel(title)
        panel.text(0, 34, f"asks: {who}, {how}", "km", "start")
        lanes = ["fa"] + ["n"] * 31 if who == "one thread" else ["fa"] * 32
        panel.warp(42, lanes)
        panel.box(10, 76, 90, 34, "n", ("global", "memory"), "km")
        panel.box(240, 76, 90, 34, "ta", ("shared", "memory"), "km")
        if through:
            panel.box(130, 76, 80, 34, "tb", through, "km")
            panel.arrow(100, 93, 129, 93, "lb")
            panel.arrow(210, 93, 239, 93, "lb")
        else:
            panel.arrow(100, 93, 239, 93, "la")
        panel.text(0, 132, f"waits for: {waits}", "km", "start")
        panels.append(panel)
    return Picture(
        *panels,
        alt="Three panels. Before Ampere every thread of a warp loads to a register and stores to "
        "shared memory. With cp.async every thread asks for 16 bytes, which go to shared memory "
        "past the registers. With TMA one thread asks for a whole box.",
        see="With each generation fewer threads take part. Registers drop out first, then the "
        "threads: what is left for them is to wait, and to compute.",
    )
