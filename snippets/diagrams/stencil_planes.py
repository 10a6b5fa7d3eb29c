"""A warp's patch of a cube: three planes in registers, a queue that moves up by one plane."""

from snippets.diagrams.common import arrow, line, rect, svg, text

WIDE, LEFT, SLANT, DEEP = 150, 74, 34, 26


def plane(theme, y, words, fill, edge):
    ink = theme["ink"]
    points = (
        (LEFT, y + DEEP), (LEFT + SLANT, y), (LEFT + SLANT + WIDE, y), (LEFT + WIDE, y + DEEP),
    )  # fmt: skip
    path = " ".join(f"{a},{b}" for a, b in points)
    shapes = [f'<polygon points="{path}" fill="{fill}" stroke="{edge}" stroke-width="1.5"/>']
    middle = LEFT + (SLANT + WIDE) / 2
    on = theme["on_accent"] if fill == theme["amber"] else ink
    shapes.append(text(middle, y + 17, words, on, 11))
    return shapes


def draw(theme):
    ink, accent, amber, shapes = theme["ink"], theme["accent"], theme["amber"], []
    names = (("z + 1", "comes in"), ("z", "this one"), ("z − 1", "falls out next"))
    for number, (name, words) in enumerate(names):
        y = 14 + 50 * number
        fill = amber if number == 1 else theme["faint"]
        shapes += plane(theme, y, words, fill, amber if number == 1 else accent)
        shapes.append(text(LEFT - 8, y + 17, f"plane {name}", ink, 11, "end"))
    x = LEFT + SLANT + WIDE + 14
    shapes.append(arrow(x, 128, x, 22, accent))
    shapes.append(text(x + 8, 72, "the warp", ink, 11, "start"))
    shapes.append(text(x + 8, 87, "marches", ink, 11, "start"))
    y = 178
    shapes.append(line(8, y - 14, 356, y - 14, theme["grid"], 1))
    shapes.append(text(8, y, "six neighbors of a cell of plane z:", ink, 11, "start", "bold"))
    for number, (who, how) in enumerate(
        (
            ("below, above", "planes z − 1 and z + 1, in registers"),
            ("left, right", "own columns, or a shuffle"),
            ("north, south", "own rows, or one row read besides"),
        )
    ):
        top = y + 8 + 22 * number
        shapes.append(rect(8, top, 92, 18, theme["faint"], amber, 2))
        shapes.append(text(54, top + 13, who, ink, 11))
        shapes.append(text(110, top + 13, how, ink, 11, "start"))
    label = "Planes z - 1, z and z + 1 of a warp's patch stand in registers; the queue moves up."
    return svg(364, y + 78, *shapes, label=label)
