"""Where attention's data lie: what stays in a multiprocessor, and what streams through it."""

from snippets.diagrams import common

DEPTH = 128


def draw(theme, rows=128, slots=(2, 2, 2), product="wgmma"):
    """Return the picture for tiles of ``rows``, and so many slots for tiles of Q, K and V."""
    shapes, far = [], 36 * (max(slots) - 2)  # how much wider than with two slots
    kilobytes = rows * DEPTH * 2 // 1024
    for x, title in ((4, "memory"), (122, "shared memory"), (246 + far, "registers")):
        shapes.append(common.text(x, 14, title, theme["ink"], anchor="start", weight="bold"))
    for row, name in enumerate(("Q", "K", "V")):
        y = 26 + 54 * row
        tiles = 4
        for tile in range(tiles):
            chosen = tile == 1
            fill = theme["accent"] if chosen else theme["faint"]
            shapes.append(common.rect(22 + 18 * tile, y, 17, 34, fill, theme["grid"], radius=1))
        shapes.append(common.text(4, y + 21, name, theme["ink"], anchor="start"))
        for slot in range(slots[row]):
            fill = theme["accent"] if slot == 0 else theme["faint"]
            shapes.append(common.rect(134 + 36 * slot, y, 34, 34, fill, theme["grid"], radius=1))
            color = theme["on_accent"] if slot == 0 else theme["ink"]
            label = f"{kilobytes} KB"
            shapes.append(common.text(151 + 36 * slot, y + 21, label, color, size=10))
        shapes.append(common.arrow(98, y + 17, 130, y + 17, theme["ink"]))
        shapes.append(common.text(114, y + 11, "TMA", theme["ink"], size=10))
    shapes.append(common.rect(252 + far, 40, 58, 50, theme["amber"], theme["grid"], radius=1))
    shapes.append(common.text(281 + far, 60, "scores,", theme["on_accent"]))
    shapes.append(common.text(281 + far, 75, "weights", theme["on_accent"]))
    shapes.append(common.rect(252 + far, 134, 58, 34, theme["amber"], theme["grid"], radius=1))
    shapes.append(common.text(281 + far, 155, "out", theme["on_accent"]))
    shapes.append(common.arrow(136 + 36 * slots[0], 44, 249 + far, 56, theme["ink"]))
    shapes.append(common.arrow(136 + 36 * slots[1], 92, 249 + far, 76, theme["ink"]))
    shapes.append(common.arrow(136 + 36 * slots[2], 150, 249 + far, 150, theme["ink"]))
    shapes.append(common.arrow(281 + far, 91, 281 + far, 131, theme["ink"]))
    shapes.append(common.text(316 + far, 68, product, theme["ink"], size=11, anchor="start"))
    shapes.append(common.text(316 + far, 154, product, theme["ink"], size=11, anchor="start"))
    shapes.append(common.line(281 + far, 169, 281 + far, 186, theme["ink"]))
    shapes.append(common.arrow(281 + far, 186, 98, 186, theme["ink"]))
    shapes.append(common.text(4, 190, "output, once", theme["ink"], anchor="start"))
    words = "Scores stay in registers. K and V stream by."
    shapes.append(common.text(4, 214, words, theme["ink"], anchor="start"))
    label = "Tiles of Q, K and V in memory and in shared memory; scores and output in registers"
    return common.svg(362 + far, 222, *shapes, label=label)
