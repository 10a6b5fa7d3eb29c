"""Two lanes with four cells each: a number from the west is read where it lies, then handed on."""

from snippets.diagrams.common import arrow, rect, svg, text

SIDE, LEFT = 38, 40
LANES = (128, 129, 130, 131), (132, 133, 134, 135)  # the second warp of a row


def from_west(fours, edges):
    """Return what ``from_west`` of the kernel gives each lane; ``edges`` is what lane 0 loads."""
    return [(fours[lane - 1][3] if lane else edges, *four[:3]) for lane, four in enumerate(fours)]


def cells(theme, top, lane, values, edge, special=None):
    shapes = []
    for at, value in enumerate(values):
        x = LEFT + (4 * lane + at) * SIDE + 12 * lane
        marked = at == 0 and special
        fill = theme["amber"] if marked else theme["faint"]
        ink = theme["on_accent"] if marked else theme["ink"]
        shapes.append(rect(x, top, SIDE - 3, 26, fill, edge, 3))
        shapes.append(text(x + (SIDE - 3) / 2, top + 18, value, ink, 12))
    return shapes


def draw(theme):
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    shapes = []
    edge = LANES[0][0] - 1
    for lane, name in enumerate(("lane 0: cells 128 to 131", "lane 1: 132 to 135")):
        middle = LEFT + (4 * lane + 2) * SIDE + 12 * lane
        shapes.append(text(middle, 16, name, ink, 12, weight="bold"))
    shapes.append(text(LEFT, 42, "loaded, 16 bytes each", ink, 11, "start"))
    shapes.append(text(LEFT, 172, "wanted: one cell to the west", ink, 11, "start"))
    wanted = from_west(LANES, edge)
    for lane in range(2):
        shapes += cells(theme, 48, lane, LANES[lane], accent)
        shapes += cells(theme, 128, lane, wanted[lane], accent, special=True)
    handed = LEFT + 3 * SIDE + SIDE / 2, LEFT + 4 * SIDE + 12 + SIDE / 2
    shapes.append(arrow(handed[0], 75, handed[1], 127, amber))
    shapes.append(text(LEFT + 4 * SIDE + 34, 98, "shuffle", amber, 11, "start"))
    shapes.append(arrow(LEFT + SIDE / 2, 106, LEFT + SIDE / 2, 127, amber))
    shapes.append(text(LEFT, 98, f"loads {edge} itself", amber, 11, "start"))
    label = "Lane 0 holds cells 128 to 131, lane 1 132 to 135. Wanted: 127 to 130, 131 to 134."
    return svg(LEFT + 8 * SIDE + 22, 182, *shapes, label=label)
