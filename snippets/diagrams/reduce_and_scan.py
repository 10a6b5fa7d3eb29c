"""The rounds of the tree reduction and of the Hillis-Steele scan, on seven values."""

from snippets.diagrams.common import arrow, rect, svg, text

VALUES = [3, 1, 7, 0, 4, 1, 6]
CELL, GAP, ROW, LEFT = 30, 8, 50, 84


def reduction_rounds(values):
    """Return for each round (values after it, [(from, to), ...]) as sum_kernel does them."""
    values, rounds = list(values), []
    count = len(values)
    while count > 1:
        half = (count + 1) // 2
        moves = [(i + half, i) for i in range(half) if i + half < count]
        for source, target in moves:
            values[target] += values[source]
        count = half
        rounds.append((values[:count], moves))
    return rounds


def scan_rounds(values):
    """Return for each round (values after it, [(from, to), ...]) as scan_kernel does them."""
    values, rounds, step = list(values), [], 1
    while step < len(values):
        moves = [(i - step, i) for i in range(step, len(values))]
        values = [v + (values[i - step] if i >= step else 0) for i, v in enumerate(values)]
        rounds.append((values, moves))
        step *= 2
    return rounds


def middle(i):
    return LEFT + i * (CELL + GAP) + CELL / 2


def rows(theme, top, title, values, rounds):
    shapes = [text(0, top + 19, title, theme["ink"], anchor="start", weight="bold")]
    shapes += cells(theme, top, values, set())
    for number, (after, moves) in enumerate(rounds, start=1):
        y = top + number * ROW
        shapes.append(text(0, y + 19, f"round {number}", theme["ink"], anchor="start"))
        for source, target in moves:
            start = middle(source), y - ROW + CELL + 1
            shapes.append(arrow(*start, middle(target), y - 1, theme["amber"], 1))
        shapes += cells(theme, y, after, {target for _, target in moves})
    return shapes


def cells(theme, y, values, changed):
    shapes = []
    for i, value in enumerate(values):
        fill = theme["accent"] if i in changed else theme["faint"]
        color = theme["on_accent"] if i in changed else theme["ink"]
        shapes.append(rect(LEFT + i * (CELL + GAP), y, CELL, CELL, fill, theme["grid"]))
        shapes.append(text(middle(i), y + 19, value, color))
    return shapes


def draw(theme):
    tree, running = reduction_rounds(VALUES), scan_rounds(VALUES)
    lower = ROW * (len(tree) + 1) + 20
    shapes = rows(theme, 4, "reduction", VALUES, tree)
    shapes += rows(theme, lower, "scan", VALUES, running)
    height = lower + ROW * len(running) + CELL + 6
    label = "Three rounds of a reduction and of a scan of seven values; arrows show what is added."
    return svg(360, height, *shapes, label=label)
