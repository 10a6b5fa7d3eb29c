"""Squares that launch squares on the Mandelbrot set, and who launches the levels of a search."""

import numpy as np

from kernels.pmpp_15_20.escape import escape_steps
from snippets.diagrams.panels import Panel, Picture

SIDE, START, SMALLEST, MOST = 256, 64, 8, 16


def squares(steps, x, y, size):
    """Yield (x, y, size, kind) of the squares that are filled."""
    part = steps[y : y + size, x : x + size]
    border = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    if (border == border[0]).all():
        yield x, y, size, "fa" if border[0] == MOST else "ta"
    elif size > SMALLEST:
        for k in range(4):
            half = size // 2
            yield from squares(steps, x + k % 2 * half, y + k // 2 * half, half)


def draw():
    steps = escape_steps(SIDE, MOST)
    cut = Panel("Each square looks at its border first")
    cut.box(42, 22, SIDE, SIDE, "n", radius=0)
    paths = {"fa": "", "ta": ""}  # one for each kind: there are hundreds of squares
    for y in range(0, SIDE, START):
        for x in range(0, SIDE, START):
            for left, top, size, kind in squares(steps, x, y, START):
                paths[kind] += f"M{42 + left} {22 + top}h{size}v{size}h-{size}z"
    cut.shapes += [f'<path class="{kind}" d="{path}"/>' for kind, path in paths.items()]
    cut.key(300, ("fa", "filled: in the set"), ("ta", "filled"), ("n", "pixel by pixel"))

    who = Panel("Who launches the next level?")
    who.text(0, 34, "The host, after a count has come back", "km", "start")
    who.text(0, 62, "host", "km", "start")
    who.text(0, 92, "GPU", "km", "start")
    for k in range(3):
        x = 38 + 100 * k
        who.box(x, 48, 22, 20, "fb")
        who.box(x + 24, 78, 22, 20, "fa", f"{k}")
        who.arrow(x + 20, 69, x + 27, 77)
        if k < 2:
            who.arrow(x + 47, 80, x + 98, 66)
    who.text(0, 140, "The GPU: a tail begins when the level has ended", "km", "start")
    who.text(0, 168, "host", "km", "start")
    who.text(0, 198, "GPU", "km", "start")
    who.box(38, 154, 22, 20, "fb")
    who.arrow(58, 175, 65, 183)
    for k in range(5):
        x = 62 + 42 * k
        who.box(x, 184, 12, 20, "fv")
        who.box(x + 14, 184, 22, 20, "fa", f"{k}")
    who.key(240, ("fb", "a launch by the host"), ("fa", "a level"))
    who.key(262, ("fv", "one thread launches it and its tail"))
    return Picture(
        cut,
        who,
        alt="Left, the Mandelbrot set cut into squares: large ones are filled far outside and deep "
        "inside, small ones stand along its edge. Right, two timelines of a search: the host "
        "launches each level after it has read a count; or it launches once, and on the GPU a "
        "single thread launches each level and, as a tail, itself.",
        see="A launch from a kernel serves two ends: work that turns up where it is needed, as "
        "squares along an edge, and a loop that no longer asks the host. The lengths of time are "
        "not to scale.",
    )
