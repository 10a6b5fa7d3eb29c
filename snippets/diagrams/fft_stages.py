"""Eight points through a transform: three stages of radix 2, or one of radix 8."""

from snippets.diagrams.common import line, rect, svg, text

N, STEP, TOP = 8, 22, 40
COLUMNS = [16, 92, 168, 244]  # where points stand in shared memory, between the stages


def stage(length):
    """Return (thread, place read, place written) of one stage of radix 2, as Stockham has it."""
    moves = []
    for j in range(N // 2):
        first = j // length * 2 * length + j % length
        moves += [(j, j, first), (j, j + N // 2, first + length)]
    return moves


def y(place):
    return TOP + place * STEP


def draw(theme):
    shapes = [
        text(122, 14, "radix 2: three stages", theme["ink"], 12, weight="bold"),
        text(330, 14, "radix 8: one", theme["ink"], 12, weight="bold"),
    ]
    for s, length in enumerate((1, 2, 4)):
        middle = (COLUMNS[s] + COLUMNS[s + 1]) / 2
        for t, before, after in stage(length):
            box = TOP + (2 * t + 0.5) * STEP
            shapes.append(line(COLUMNS[s], y(before), middle - 9, box, theme["ink"], 0.9))
            shapes.append(line(middle + 9, box, COLUMNS[s + 1], y(after), theme["ink"], 0.9))
        for t in range(N // 2):
            box = TOP + (2 * t + 0.5) * STEP
            shapes.append(rect(middle - 9, box - 11, 18, 22, theme["accent"], "none", 3))
    for c, x in enumerate(COLUMNS):
        fill = theme["faint"] if c in (0, len(COLUMNS) - 1) else theme["amber"]
        shapes += [rect(x - 4, y(p) - 4, 8, 8, fill, theme["ink"], 4) for p in range(N)]
    for p in range(N):
        shapes.append(line(296, y(p), 364, y(p), theme["ink"], 0.9))
        shapes += [rect(x - 4, y(p) - 4, 8, 8, theme["faint"], theme["ink"], 4) for x in (296, 364)]
    shapes.append(rect(321, TOP - 11, 18, 7 * STEP + 22, theme["accent"], "none", 3))
    label = "Radix 2 exchanges all points twice between three stages; radix 8 never does."
    return svg(376, y(N - 1) + 14, *shapes, label=label)
