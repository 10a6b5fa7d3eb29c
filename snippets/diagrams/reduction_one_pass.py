"""The one-pass reduction: tiles in turns, a sum for each block, and the last ticket adds them."""

from snippets.diagrams.common import arrow, rect, svg, text

TILES, BLOCKS = 12, 3
TICKETS = [0, 2, 1]  # in which order the blocks happen to end
LAST = TICKETS.index(2)
CELL, LEFT, TOP = 30, 14, 26
PLACES = [62, 194, 326]  # the middle of each block


def draw(theme):
    colors = [theme["accent"], theme["amber"], theme["grid"]]
    inks = [theme["on_accent"], theme["on_accent"], theme["ink"]]
    shapes = [text(LEFT, 14, "the array, tile by tile", theme["ink"], 11, "start")]
    for tile in range(TILES):
        block = tile % BLOCKS  # as range(blockIdx.x, whole, gridDim.x) gives them out
        x = LEFT + tile * CELL
        shapes.append(rect(x, TOP, CELL - 2, 22, colors[block], radius=2))
        shapes.append(text(x + CELL / 2 - 1, TOP + 15, tile, inks[block]))
    for block, middle in enumerate(PLACES):
        first = LEFT + block * CELL + CELL / 2 - 1
        shapes.append(arrow(first, TOP + 24, middle, 84, theme["ink"], 1))
        shapes.append(rect(middle - 58, 86, 116, 64, theme["faint"], colors[block], 4))
        shapes.append(text(middle, 102, f"block {block}", theme["ink"], weight="bold"))
        shapes.append(text(middle, 120, "a sum in each thread", theme["ink"], 10))
        shapes.append(text(middle, 138, "shuffles: one sum", theme["ink"], 10))
        shapes.append(arrow(middle, 151, middle, 172, theme["ink"], 1))
        shapes.append(rect(middle - 30, 174, 60, 22, colors[block]))
        shapes.append(text(middle, 189, f"partial[{block}]", inks[block], 10))
        shapes.append(text(middle + 58, 166, f"ticket {TICKETS[block]}", theme["ink"], 10, "end"))
        shapes.append(arrow(middle, 197, PLACES[LAST], 222, theme["ink"], 1))
    shapes.append(rect(PLACES[LAST] - 92, 224, 184, 24, theme["amber"], radius=4))
    words = f"block {LAST} drew the last ticket: total"
    shapes.append(text(PLACES[LAST], 240, words, theme["on_accent"], 10))
    label = "Tiles are dealt out to three blocks; the one with the last ticket adds their sums."
    return svg(388, 254, *shapes, label=label)
