"""A ring all-reduce on three ranks: how many ranks' values are in each part, after each step."""

from snippets.diagrams.common import rect, svg, text

RANKS = 3


def states():
    """Return (title, sums, arrived) for the start and for each step.

    ``sums[rank][part]`` is the set of ranks whose values that part holds; ``arrived`` is the set
    of (rank, part) written in the step.
    """
    sums = [[{rank} for _ in range(RANKS)] for rank in range(RANKS)]
    found = [("start", [row[:] for row in sums], set())]
    for phase, first in (("reduce-scatter", 0), ("all-gather", 1)):
        for step in range(RANKS - 1):
            arrived = set()
            for rank in range(RANKS):
                part, right = (rank + first - step) % RANKS, (rank + 1) % RANKS
                sums[right][part] = sums[right][part] | sums[rank][part]
                arrived.add((right, part))
            found.append((f"{phase} {step + 1}", [row[:] for row in sums], arrived))
    return found


def draw(theme):
    cell, gap_x, gap_y, left, top = 26, 122, 122, 30, 30
    shapes = []
    for i, (title, sums, arrived) in enumerate(states()):
        x0, y0 = left + gap_x * (i % 3), top + gap_y * (i // 3)
        middle = x0 + RANKS * cell / 2
        shapes.append(text(middle, y0 - 8, title, theme["ink"], weight="bold"))
        for rank, row in enumerate(sums):
            y = y0 + rank * cell
            if i % 3 == 0:
                shapes.append(text(x0 - 8, y + 17, f"r{rank}", theme["ink"], anchor="end"))
            for part, holds in enumerate(row):
                done = len(holds) == RANKS
                edge = theme["amber"] if (rank, part) in arrived else theme["grid"]
                fill = theme["accent"] if done else theme["faint"]
                x = x0 + part * cell
                shapes.append(rect(x + 1, y + 1, cell - 3, cell - 3, fill, edge))
                ink = theme["on_accent"] if done else theme["ink"]
                shapes.append(text(x + cell / 2 - 0.5, y + 17, len(holds), ink))
    y = top + gap_y + 12
    x = left + 2 * gap_x
    shapes += [
        rect(x, y, 12, 12, theme["faint"], theme["amber"]),
        text(x + 18, y + 10, "just arrived", theme["ink"], anchor="start"),
        rect(x, y + 22, 12, 12, theme["accent"], theme["grid"]),
        text(x + 18, y + 32, "finished", theme["ink"], anchor="start"),
    ]
    label = (
        "A ring all-reduce on three ranks: the number of summed arrays in each part, step by step"
    )
    return svg(380, top + gap_y + RANKS * cell + 6, *shapes, label=label)
