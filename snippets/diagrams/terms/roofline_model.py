"""A roofline with its two limits and where three kinds of kernel stand."""

from math import log2

from snippets.diagrams.panels import Panel, Picture

LEFT, RIGHT, TOP, BOTTOM = 34, 334, 40, 150
RIDGE = 16  # operations a byte


def x(intensity):
    return LEFT + (RIGHT - LEFT) * (log2(intensity) + 3) / 11


def y(speed):
    return BOTTOM - (BOTTOM - TOP) * (log2(speed) + 3) / 7


def axes(panel):
    panel.bend([(LEFT, BOTTOM), (LEFT, 22)], "ls")
    panel.arrow(LEFT, BOTTOM, 338, BOTTOM, "ls")
    panel.text(338, BOTTOM + 16, "operations for each byte", "ks km", "end")
    panel.text(LEFT + 6, 30, "speed", "ks km", "start")
    roof = [(x(1 / 8), y(1 / 8)), (x(RIDGE), y(RIDGE)), (RIGHT, y(RIDGE))]
    panel.curve(roof, "li")


def draw():
    limits = Panel("Two limits, one roof")
    axes(limits)
    limits.text(84, 84, "bandwidth", "kb km")
    limits.text(276, TOP - 8, "arithmetic", "ka km")
    limits.line(x(RIDGE), y(RIDGE), x(RIDGE), BOTTOM, "ls dash")
    limits.text(x(RIDGE), BOTTOM + 32, "ridge point", "km")
    limits.text(150, 136, "memory-bound", "kb km")
    limits.text(272, 136, "compute-bound", "ka km")

    where = Panel("What would help?")
    axes(where)
    where.line(x(RIDGE), y(RIDGE), x(RIDGE), BOTTOM, "ls dash")
    for intensity, share, kind, name, anchor in (
        (0.5, 0.9, "fb", "vector sum", "start"),
        (64, 0.45, "fa", "matrix product", "middle"),
    ):
        where.dot(x(intensity), y(min(intensity, RIDGE) * share), 4.5, kind)
        at = x(intensity) + (10 if anchor == "start" else 0)
        where.text(
            at,
            y(min(intensity, RIDGE) * share) + (12 if anchor == "start" else 18),
            name,
            "km",
            anchor,
        )
    where.arrow(x(64), y(16 * 0.45) - 6, x(64), y(RIDGE) + 4, "la")
    where.arrow(x(0.5) + 6, y(0.45) - 4, x(1.6), y(1.4), "lb")
    where.text(0, 190, "up: run better.  right: move fewer bytes.", "km", "start")
    return Picture(
        limits,
        where,
        alt="Left, a line that rises with the operations for each byte and then stays level; the "
        "corner is the ridge point, with memory-bound kernels to its left and compute-bound ones "
        "to its right. Right, a vector sum close under the slope and a matrix product below the "
        "flat part, with arrows to where they could go.",
        see="A kernel can be as fast as memory feeds it or as fast as the units compute, "
        "whichever is less. A dot under the roof has room upward; one on the slope gets faster "
        "only by moving right, with fewer bytes for the same work.",
    )
