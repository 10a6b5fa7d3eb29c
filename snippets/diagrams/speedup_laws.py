"""Speed-up against workers, by Amdahl's law and by Gustafson's, on logarithmic axes."""

from math import log2

from kernels.thinking_in_parallel.laws import amdahl, gustafson
from snippets.diagrams.common import line, svg, text

LEFT, TOP, SIDE = 44, 14, 252  # the plot is a square: both axes have the same scale
DOUBLINGS = 12  # up to 4096 workers
SERIAL = (0.5, 0.1, 0.01, 0.001)


def place(workers, speedup):
    x = LEFT + SIDE * log2(workers) / DOUBLINGS
    y = TOP + SIDE * (1 - log2(speedup) / DOUBLINGS)
    return x, y


def curve(law, stroke, width=2, dash=None):
    points = []
    for quarter in range(4 * DOUBLINGS + 1):
        workers = 2 ** (quarter / 4)
        points.append("{:.1f},{:.1f}".format(*place(workers, law(workers))))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{stroke}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def draw(theme):
    ink = theme["ink"]
    shapes = []
    for doublings in range(0, DOUBLINGS + 1, 3):
        n = 2**doublings
        x, y = place(n, n)
        shapes += [
            line(x, TOP, x, TOP + SIDE, theme["grid"]),
            line(LEFT, y, LEFT + SIDE, y, theme["grid"]),
            text(x, TOP + SIDE + 15, f"{n:,}", ink),
            text(LEFT - 5, y + 4, f"{n:,}", ink, anchor="end"),
        ]
    shapes.append(text(LEFT + SIDE / 2, TOP + SIDE + 31, "workers", ink))
    end = 2**DOUBLINGS
    shapes.append(curve(lambda workers: workers, ink, width=1, dash="1 3"))
    shapes.append(curve(lambda workers: gustafson(0.5, workers), theme["amber"], dash="5 3"))
    for serial in SERIAL:
        shapes.append(curve(lambda workers, s=serial: amdahl(s, workers), theme["accent"]))
        x, y = place(end, amdahl(serial, end))
        shapes.append(text(x + 4, y + 4, f"{serial:g}", theme["accent"], anchor="start"))
    x, y = place(end, gustafson(0.5, end))
    shapes.append(text(x + 4, y + 8, "0.5, grown", theme["amber"], anchor="start"))
    shapes.append(text(x + 4, place(end, end)[1] - 2, "ideal", ink, anchor="start"))
    shapes.append(text(LEFT + 6, TOP + 12, "speed-up", ink, anchor="start"))
    label = (
        "Speed-up against workers for four serial shares, after Amdahl, and one after Gustafson."
    )
    return svg(360, TOP + SIDE + 38, *shapes, label=label)
