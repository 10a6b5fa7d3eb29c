"""Rows against time steps: which rows a marching warp holds, and what one more row sets off."""

from snippets.diagrams.common import arrow, rect, svg, text

ROWS, STEPS, TOP = 8, 3, 6  # TOP: the row that has come in
WIDE, HIGH, LEFT, UP = 62, 24, 62, 40


def state(row, step, top=TOP, steps=STEPS):
    """Return what the warp has of a row after so many steps: held, new or nothing.

    Of each step it keeps two rows. A third comes in, and the one between takes its next step.
    """
    newest = top - step  # of this step
    if row == newest:
        return "out" if step == steps else "new"
    return "held" if step < steps and row in (newest - 1, newest - 2) else None


def draw(theme):
    ink, accent, amber, shapes = theme["ink"], theme["accent"], theme["amber"], []
    for step in range(STEPS + 1):
        words = "read" if step == 0 else f"step {step}"
        shapes.append(text(LEFT + (step + 0.5) * WIDE - 3, 30, words, ink, 11, weight="bold"))
    shapes.append(text(LEFT + 2 * WIDE, 13, "time", ink, 12))
    for row in range(ROWS):
        y = UP + row * HIGH
        shapes.append(text(LEFT - 8, y + 15, f"row {row}", ink, 11, "end"))
        for step in range(STEPS + 1):
            x, kind = LEFT + step * WIDE, state(row, step)
            edge = {"new": amber, "out": amber, "held": accent}.get(kind, theme["grid"])
            fill = amber if kind in ("new", "out") else theme["faint"]
            shapes.append(rect(x, y, WIDE - 6, HIGH - 4, fill, edge, 2))
            if kind:
                on = theme["on_accent"] if kind != "held" else ink
                kept = "mid" if row == TOP - step - 1 else "old"  # as march_kernel names them
                words = {"new": "n", "out": "written", "held": kept}[kind]
                shapes.append(text(x + WIDE / 2 - 3, y + 14, words, on, 11))
    for step in range(STEPS):
        y = UP + (TOP - step) * HIGH
        x = LEFT + (step + 1) * WIDE
        shapes.append(arrow(x - 7, y + 8, x + 3, y - 6, amber))
    label = "Row 6 comes in; row 5 takes step 1, row 4 step 2, row 3 step 3 and is written."
    return svg(LEFT + (STEPS + 1) * WIDE + 12, UP + ROWS * HIGH + 4, *shapes, label=label)
