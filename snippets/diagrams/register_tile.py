"""What a thread with several results reads, and how often it uses it."""

from snippets.diagrams import common

HIGH = WIDE = 4
SIDE = 24


def draw(theme):
    shapes = []
    left, top = 150, 50
    for row in range(HIGH):
        for column in range(WIDE):
            x, y = left + column * SIDE, top + row * SIDE
            shapes.append(
                common.rect(x, y, SIDE - 2, SIDE - 2, theme["accent"], theme["grid"], radius=1)
            )
            shapes.append(common.text(x + SIDE / 2 - 1, y + 15, "+=", theme["on_accent"], size=9))
    for row in range(HIGH):
        y = top + row * SIDE
        shapes.append(common.rect(left - 40, y, SIDE - 2, SIDE - 2, theme["amber"], radius=1))
        shapes.append(common.arrow(left - 16, y + 11, left - 4, y + 11, theme["amber"]))
    for column in range(WIDE):
        x = left + column * SIDE
        shapes.append(common.rect(x, top - 40, SIDE - 2, SIDE - 2, theme["amber"], radius=1))
        shapes.append(common.arrow(x + 11, top - 16, x + 11, top - 4, theme["amber"]))
    shapes.append(common.text(left - 48, top + 52, "4 of a", theme["ink"], anchor="end"))
    shapes.append(common.text(left - 6, top - 24, "4 of b", theme["ink"], anchor="end"))
    right = left + WIDE * SIDE + 10
    for i, words in enumerate(("8 values read,", "16 products,", "each added to", "a register")):
        shapes.append(common.text(right, top + 20 + 17 * i, words, theme["ink"], anchor="start"))
    label = (
        "Four values of a and four of b give sixteen products, each added to a result in a register"
    )
    return common.svg(360, top + HIGH * SIDE + 10, *shapes, label=label)
