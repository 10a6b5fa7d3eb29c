"""How the air turns in a wind tunnel, drawn from the evidence when the site is built.

``[[plot:cylinder]]`` or ``[[plot:wing]]``, on a line of its own, becomes an SVG that
takes the page's colors, light or dark. Its row is a microbenchmark with a ``field``, a string of
two hexadecimal digits a number for each row, the lowest first, 100 where the air does not turn;
and a ``body``, the outline of what stands in the wind, in numbers from the lower left corner.
"""

from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

PLOTS = {  # its row, and what stands in the wind
    "cylinder": ("flow-cylinder", "a cylinder"),
    "wing": ("flow-wing", "a wing, tilted by ten degrees"),
}
STILL = 100  # what the field holds where the air does not turn
LEVELS = (6, 15, 35, 70)  # of 100: each is another layer of color
TURNS = ((1, "--ls-accent", "turns to the left"), (-1, "--ls-cpu", "turns to the right"))
WIDTH, TOP = 680, 26

# The sides of a square that a contour joins, by which of its corners are above the level: bit 0
# the lower left, then around against the clock. A side is named by the corner that it starts at.
# The area above the level lies to the left of each line.
JOINED = {
    1: ((0, 3),), 2: ((1, 0),), 3: ((1, 3),), 4: ((2, 1),), 5: ((0, 3), (2, 1)), 6: ((2, 0),),
    7: ((2, 3),), 8: ((3, 2),), 9: ((0, 2),), 10: ((1, 0), (3, 2)), 11: ((1, 2),), 12: ((3, 1),),
    13: ((0, 1),), 14: ((3, 0),),
}  # fmt: skip
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return the flow as Markdown. ``as_text``: what it shows, in words."""
    ident, what = PLOTS[name]
    row = records.microbenchmarks.get(ident)
    if not (row and row["fresh"]):
        return waiting.awaiting(ident)
    field = [
        [int(line[k : k + 2], 16) - STILL for k in range(0, len(line), 2)] for line in row["field"]
    ]
    most = max(max(map(abs, line)) for line in field)
    words = (
        f"Air that comes from the left and turns, behind {what}: bands to the left and to "
        f"the right in turns, {len(field[0])} by {len(field)} numbers, the largest {most}"
    )
    return f"- {words}" if as_text else _draw(field, row["body"], words)


def contours(field: list[list[float]], level: float) -> list[list[tuple[float, float]]]:
    """Return closed lines around what is above a level, which the frame around the field is not."""
    high, wide = len(field) + 2, len(field[0]) + 2
    frame = [[level - 1.0] * wide]
    padded = frame + [[level - 1.0, *line, level - 1.0] for line in field] + frame
    leads: dict[tuple, tuple] = {}  # from the side of a square where a line enters to its next
    for y in range(high - 1):
        for x in range(wide - 1):
            values = [padded[y + v][x + u] for u, v in CORNERS]
            above = sum(1 << k for k, value in enumerate(values) if value > level)
            for enters, leaves in JOINED.get(above, ()):
                leads[_side(x, y, enters)] = _side(x, y, leaves)
    lines = []
    while leads:
        side, line = next(iter(leads)), []
        while side in leads:
            (x, y), (u, v) = side
            here, there = padded[y][x], padded[v][u]
            part = (level - here) / (there - here)
            across, up = x + part * (u - x) - 1, y + part * (v - y) - 1
            line.append((min(max(across, 0), wide - 3), min(max(up, 0), high - 3)))
            side = leads.pop(side)
        lines.append(line)
    return lines


def _side(x: int, y: int, corner: int) -> tuple:
    """Return a side of a square as the two corners that it joins, in one order for both squares."""
    ends = [CORNERS[corner], CORNERS[(corner + 1) % 4]]
    first, second = sorted((x + u, y + v) for u, v in ends)
    return first, second


def _draw(field: list[list[float]], body: list[list[float]], words: str) -> str:
    wide, high = len(field[0]), len(field)
    scale = WIDTH / (wide - 1)
    height = round(scale * (high - 1))

    def path(line) -> str:
        places = [(round(scale * x), round(TOP + height - scale * y)) for x, y in line]
        steps = [
            f"{x - a} {y - b}"
            for (a, b), (x, y) in zip(places, places[1:], strict=False)
            if (a, b) != (x, y)
        ]
        return f"M{places[0][0]} {places[0][1]}l{' '.join(steps)}z"

    shapes = []
    for at, (_, color, what) in zip((4, 150), TURNS, strict=True):
        shapes.append(f'<rect x="{at}" y="4" width="12" height="12" style="fill: var({color})"/>')
        shapes.append(charts.text(at + 18, 14, what))
    frame = f'x="0" y="{TOP}" width="{WIDTH}" height="{height}"'
    shapes.append(f'<rect {frame} style="fill: var(--ls-wash)"/>')
    for sign, color, _ in TURNS:
        signed = [[sign * value for value in line] for line in field]
        for level in LEVELS:
            lines = [line for line in contours(signed, level + 0.5) if len(line) > 5]
            if lines:
                drawn = "".join(path(line) for line in lines)
                style = f"fill: var({color}); fill-opacity: 0.32; fill-rule: evenodd"
                shapes.append(f'<path d="{drawn}" style="{style}"/>')
    shapes.append(f'<path d="{path(body)}" style="fill: var(--ls-ink)"/>')
    return charts.picture(WIDTH, TOP + height, words, shapes)
