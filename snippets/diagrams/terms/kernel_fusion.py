"""Trips to memory of three elementwise kernels and of one that does all three."""

from snippets.diagrams.panels import Panel, Picture

STEPS = ("scale", "add", "relu")


def panel(fused):
    trips = 2 if fused else 2 * len(STEPS)
    drawn = Panel(f"{'One kernel' if fused else 'Three kernels'}: x crosses {trips} times")
    drawn.box(0, 128, 338, 28, "tb", "global memory", "kb")
    if fused:
        drawn.box(60, 44, 220, 40, "fa", "scale, add, relu", "kw")
        drawn.arrow(90, 128, 90, 86, "lb")
        drawn.arrow(250, 84, 250, 126, "lb")
        drawn.text(170, 110, "between: registers", "ka km")
    else:
        for k, name in enumerate(STEPS):
            x = 6 + 114 * k
            drawn.box(x, 44, 96, 40, "fa", name, "kw")
            drawn.arrow(x + 24, 128, x + 24, 86, "lb")
            drawn.arrow(x + 72, 84, x + 72, 126, "lb")
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Left, three kernels each read an array from global memory and write it back. Right, "
        "one kernel reads it once, does the three steps in registers and writes it once.",
        see="Each elementwise kernel brings the whole array in and sends it out again. Fused, "
        "what lies between two steps never leaves the registers: two crossings in place of six.",
    )
