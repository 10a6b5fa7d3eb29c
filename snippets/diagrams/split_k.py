"""Split-K: few tiles leave multiprocessors idle; parts of k give each of them something to add."""

from snippets.diagrams import common

TILES, PARTS, WIDE, HIGH = 2, 3, 156, 20  # tiles of the result; parts of k; units


def draw(theme):
    ink, shapes = theme["ink"], []

    def block(x, y, wide, words, fill, color):
        shapes.append(common.rect(x, y, wide, HIGH, fill, theme["grid"], 3))
        shapes.append(common.text(x + wide / 2, y + 14, words, color, 10))

    titles = ((8, "One block a tile"), (218, "Three blocks a tile"))
    for left, title in titles:
        shapes.append(common.text(left, 16, title, ink, 12, "start", "bold"))
        shapes.append(common.text(left, 36, "k", ink, 11, "start"))
        shapes.append(common.arrow(left + 12, 32, left + WIDE, 32, ink, 1))
    number = 0
    for tile in range(TILES):
        y = 48 + tile * (PARTS * (HIGH + 4) + 36)
        block(8, y, WIDE, f"block {tile}: all of k", theme["accent"], theme["on_accent"])
        for idle in range(1, PARTS):
            at = y + idle * (HIGH + 4)
            shapes.append(common.rect(8, at, WIDE, HIGH, stroke=theme["grid"], dash="3 3"))
            shapes.append(common.text(8 + WIDE / 2, at + 14, "idle", ink, 10))
        for part in range(PARTS):
            x, at = 218 + part * WIDE / PARTS, y + part * (HIGH + 4)
            block(x, at, WIDE / PARTS, f"block {number}", theme["accent"], theme["on_accent"])
            shapes.append(common.arrow(218 + WIDE, at + 10, 402, at + 10, theme["amber"]))
            number += 1
        shapes.append(
            common.rect(404, y, 30, PARTS * (HIGH + 4) - 4, theme["faint"], theme["amber"])
        )
        shapes.append(common.text(419, y + 38, "L2", ink, 11))
        foot = y + PARTS * (HIGH + 4) + 11
        shapes.append(common.text(8, foot, f"tile {tile}", ink, 11, "start"))
        words = f"tile {tile}: whoever comes last adds up"
        shapes.append(common.text(218, foot, words, ink, 11, "start"))
    label = "Each tile's k is split among three blocks; the last to finish adds the partial sums"
    return common.svg(440, foot + 8, *shapes, label=label)
