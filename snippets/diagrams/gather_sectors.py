"""Eight lanes gather 4 bytes each: in order from one sector of 32 bytes, at random from eight."""

from snippets.diagrams.common import rect, svg, text

SECTORS, EACH = 8, 8  # sectors, and numbers of each
IN_ORDER = list(range(16, 24))
AT_RANDOM = [13, 58, 2, 37, 45, 20, 29, 50]
CELL, GAP, LEFT = 11, 8, 10


def fetched(indices):
    return sorted({i // EACH for i in indices})


def panel(theme, top, title, indices):
    used = fetched(indices)
    words = f"{title}: {len(used)} sector{'s' if len(used) > 1 else ''}, {32 * len(used)} bytes"
    shapes = [text(LEFT, top + 12, words, theme["ink"], 12, "start", "bold")]
    wide = 4 * CELL + GAP + 32
    for s in range(SECTORS):
        x, y = LEFT + s % 4 * wide, top + 24 + s // 4 * 34
        if s in used:
            shapes.append(
                rect(x - 3, y - 3, EACH * CELL / 1.333 + 6, 24, "none", theme["amber"], 3)
            )
        for e in range(EACH):
            on = s * EACH + e in indices
            fill = theme["accent"] if on else theme["faint"]
            place = x + e * CELL / 1.333
            shapes.append(rect(place, y, CELL / 1.333 - 1, 18, fill, theme["grid"], 1))
    return shapes


def draw(theme):
    shapes = panel(theme, 4, "In order", IN_ORDER) + panel(theme, 110, "At random", AT_RANDOM)
    label = "Eight lanes in order take one sector whole; at random, eight sectors for 4 bytes each."
    return svg(364, 206, *shapes, label=label)
