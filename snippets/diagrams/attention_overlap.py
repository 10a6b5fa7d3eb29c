"""A warpgroup's two units over time: in turns, and with the next scores during the softmax."""

from snippets.diagrams import common

# Cycles of a step of 64 queries and 128 keys, head dimension 128, from the hardware's rates:
# 2 x 64 x 128 x 128 operations at 4,096 a cycle; 8,192 powers of 2 at 16 a cycle, and 320 cycles
# of the softmax's other instructions. Nothing here is measured.
PRODUCT, SOFTMAX, TILES = 512, 512 + 320, 4
STEP = [("tensor cores", PRODUCT, "S"), ("softmax", SOFTMAX, "P"), ("tensor cores", PRODUCT, "O")]


def in_turns():
    """Return (unit, begin, length, what, tile) where each waits for the one before."""
    parts, now = [], 0
    for tile in range(TILES):
        for unit, length, what in STEP:
            parts.append((unit, now, length, what, tile))
            now += length
    return parts


def overlapped():
    """Return the same work where S of the next tile, and O of this one, run during a softmax."""
    parts = [("tensor cores", 0, PRODUCT, "S", 0), ("softmax", PRODUCT, SOFTMAX, "P", 0)]
    tensor, ready = PRODUCT, PRODUCT + SOFTMAX
    for tile in range(1, TILES):
        begin = max(tensor, ready)  # S and O are issued together, when P of the tile before is done
        parts.append(("tensor cores", begin, PRODUCT, "S", tile))
        parts.append(("tensor cores", begin + PRODUCT, PRODUCT, "O", tile - 1))
        parts.append(("softmax", begin + PRODUCT, SOFTMAX, "P", tile))
        tensor, ready = begin + 2 * PRODUCT, begin + PRODUCT + SOFTMAX
    parts.append(("tensor cores", ready, PRODUCT, "O", TILES - 1))
    return parts


def draw(theme):
    shapes, scale, left = [], 278 / (TILES * (2 * PRODUCT + SOFTMAX)), 80
    y = 14
    for title, parts in (("In turns", in_turns()), ("Overlapped", overlapped())):
        shapes.append(common.text(4, y, title, theme["ink"], anchor="start", weight="bold"))
        for row, unit in enumerate(("tensor cores", "softmax")):
            top = y + 8 + 24 * row
            shapes.append(common.text(4, top + 13, unit, theme["ink"], anchor="start"))
            shapes.append(common.line(left, top + 18, 358, top + 18, theme["grid"]))
            for name, begin, length, what, tile in parts:
                if name == unit:
                    fill = theme["amber"] if unit == "softmax" else theme["accent"]
                    x, width = left + begin * scale, length * scale - 1
                    shapes.append(common.rect(x, top, width, 17, fill, radius=1))
                    label = f"{what}{tile}"
                    shapes.append(common.text(x + width / 2, top + 12, label, theme["on_accent"]))
        y += 76
    words = "S: scores, P: softmax, O: weights times values, by tile"
    shapes.append(common.text(4, y - 6, words, theme["ink"], anchor="start"))
    label = "Tensor cores and softmax of one warpgroup, in turns and overlapped"
    return common.svg(362, y + 2, *shapes, label=label)
