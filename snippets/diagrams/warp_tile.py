"""How a block's 128 x 128 results are divided among warps, and a warp's 64 x 32 among lanes."""

from snippets.diagrams import common

WARPS_Y, WARPS_X = 2, 4
LANES_Y, LANES_X = 8, 4


def draw(theme):
    shapes = []
    left, top, side = 10, 34, 136
    shapes.append(common.text(left, 14, "a block: 2 x 4 warps", theme["ink"], anchor="start"))
    for y in range(WARPS_Y):
        for x in range(WARPS_X):
            wide, high = side / WARPS_X, side / WARPS_Y
            first = (x, y) == (0, 0)
            fill = theme["accent"] if first else theme["faint"]
            ink = theme["on_accent"] if first else theme["ink"]
            shapes.append(
                common.rect(left + x * wide, top + y * high, wide - 2, high - 2, fill,
                            theme["grid"], radius=1)
            )  # fmt: skip
            shapes.append(
                common.text(left + x * wide + wide / 2 - 1, top + y * high + high / 2 + 3,
                            y * WARPS_X + x, ink)
            )  # fmt: skip
    middle, cell = left + side + 64, 17
    shapes.append(common.text(middle - 22, 14, "warp 0: 8 x 4 lanes", theme["ink"], anchor="start"))
    for y in range(LANES_Y):
        for x in range(LANES_X):
            lane = y * LANES_X + x
            fill = theme["accent"] if lane == 0 else theme["faint"]
            ink = theme["on_accent"] if lane == 0 else theme["ink"]
            shapes.append(
                common.rect(middle + x * cell * 1.5, top + y * cell, cell * 1.5 - 2, cell - 2, fill,
                            theme["grid"], radius=1)
            )  # fmt: skip
            shapes.append(
                common.text(middle + x * cell * 1.5 + cell * 0.75 - 1, top + y * cell + 11, lane,
                            ink, size=9)
            )  # fmt: skip
        shapes.append(
            common.rect(middle - 14, top + y * cell, 8, cell - 2, theme["amber"], radius=1)
        )
    for x in range(LANES_X):
        shapes.append(
            common.rect(
                middle + x * cell * 1.5, top - 12, cell * 1.5 - 2, 8, theme["amber"], radius=1
            )
        )
    edge = middle + LANES_X * cell * 1.5 + 6
    for i, words in enumerate(("8 places", "of a,", "4 of b,", "for 32", "lanes")):
        shapes.append(common.text(edge, top + 30 + 15 * i, words, theme["ink"], anchor="start"))
    label = "A warp whose lanes stand 8 by 4 reads 8 places of a and 4 of b at each step"
    return common.svg(366, top + side + 8, *shapes, label=label)
