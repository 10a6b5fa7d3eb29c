"""Stream compaction on eight numbers: flags, their running sum, and where the kept ones go."""

from snippets.diagrams.common import arrow, rect, svg, text

VALUES = [3, -1, 4, -1, -5, 9, 2, -6]
CELL, GAP, LEFT = 30, 6, 74


def draw(theme):
    flags = [int(v > 0) for v in VALUES]
    places = [sum(flags[: i + 1]) for i in range(len(VALUES))]
    kept = [v for v in VALUES if v > 0]
    shapes = []
    rows = (("x", VALUES, 4), ("flags", flags, 46), ("scan", places, 88), ("kept", kept, 166))
    for name, values, top in rows:
        shapes.append(text(0, top + 19, name, theme["ink"], 11, "start", "bold"))
        for i, value in enumerate(values):
            on = name == "kept" or flags[i]
            fill = theme["accent"] if on else theme["faint"]
            x = LEFT + i * (CELL + GAP)
            shapes.append(rect(x, top, CELL, 28, fill, theme["grid"], 3))
            color = theme["on_accent"] if on else theme["ink"]
            words = str(value).replace("-", "−")
            shapes.append(text(x + CELL / 2, top + 19, words, color))
    for i, flag in enumerate(flags):
        if flag:
            start = LEFT + i * (CELL + GAP) + CELL / 2
            end = LEFT + (places[i] - 1) * (CELL + GAP) + CELL / 2
            shapes.append(arrow(start, 118, end, 164, theme["amber"], 1.2))
    label = "Each number above zero goes to the place that the running sum of the flags gives it."
    return svg(364, 198, *shapes, label=label)
