"""Sixteen points as a 4 x 4 array: a stage down the columns, then one along the rows, in place."""

from types import SimpleNamespace

from snippets.diagrams.common import line, rect, run_section, svg, text

SIDE, CELL, HIGH, TOP, THREAD = 4, 34, 28, 66, 1


def places(stage):
    """Return where the points of each thread are in a stage, by the kernel's own code."""
    plain = SimpleNamespace(jit=lambda **_: lambda function: function)
    code = run_section("fft/in_place.py", "place", cuda=plain)
    place, step = code["make_place"]((SIDE, SIDE), stage), code["strides"]((SIDE, SIDE))[stage]
    return [[place(j) + r * step for r in range(SIDE)] for j in range(SIDE)]


def draw(theme):
    ink, shapes, wide = theme["ink"], [], SIDE + 1
    panels = ((0, "stage 1: down the columns", "loads"), (1, "stage 2: along the rows", "results"))
    for stage, title, shown in panels:
        left = 6 + stage * (wide * CELL + 28)
        shapes.append(text(left, 16, title, ink, 12, "start", "bold"))
        shapes.append(text(left, 34, f"{shown}, and thread {THREAD}'s in amber", ink, 11, "start"))
        for row in range(SIDE):
            x, y = left + SIDE * CELL, TOP + row * HIGH
            shapes.append(rect(x, y, CELL - 3, HIGH - 3, "none", theme["grid"], 3, "3 2"))
        for thread, own in enumerate(places(stage)):
            for r, place in enumerate(own):
                row, column = divmod(place, wide)
                x, y = left + column * CELL, TOP + row * HIGH
                edge = theme["amber"] if thread == THREAD else theme["accent"]
                shapes.append(rect(x, y, CELL - 3, HIGH - 3, theme["faint"], edge, 3))
                # Stage 1 finds point x of row r and column j; stage 2 makes result j + 4 r.
                words = f"x{thread + SIDE * r}" if stage == 0 else f"X{thread + SIDE * r}"
                shapes.append(text(x + (CELL - 3) / 2, y + 17, words, ink, 11))
    end = TOP + SIDE * HIGH + 12
    middle = 6 + wide * CELL + 11
    shapes.append(line(middle, TOP - 10, middle, TOP + SIDE * HIGH, theme["amber"], 2, "4 3"))
    shapes.append(text(middle, TOP - 16, "barrier", ink, 11))
    shapes.append(text(6, end, "dashed: padding, one place a row", ink, 11, "start"))
    label = "Sixteen points as an array of four rows: columns first, then rows, in the same places."
    return svg(2 * wide * CELL + 40, end + 8, *shapes, label=label)
