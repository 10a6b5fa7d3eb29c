"""The nine directions of D2Q9, and what a cell pulls from its neighbors."""

from snippets.diagrams import common

SIDE = 44
MOVES = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))


def grid(left, top, theme, shapes):
    for row in range(3):
        for column in range(3):
            fill = theme["faint"]
            x, y = left + column * SIDE, top + row * SIDE
            shapes.append(common.rect(x, y, SIDE - 2, SIDE - 2, fill, theme["grid"]))
    middle = left + 1.5 * SIDE - 1, top + 1.5 * SIDE - 1
    shapes.append(common.rect(left + SIDE, top + SIDE, SIDE - 2, SIDE - 2, "none", theme["amber"]))
    return middle


def draw(theme):
    shapes = []
    for left, name, pulls in ((20, "nine velocities", False), (206, "what a cell pulls", True)):
        x, y = grid(left, 28, theme, shapes)
        shapes.append(common.text(left + 1.5 * SIDE, 18, name, theme["ink"]))
        for number, (right, up) in enumerate(MOVES):
            if (right, up) == (0, 0):
                shapes.append(common.rect(x - 3, y - 3, 6, 6, theme["accent"], radius=3))
                continue
            far = 0.95 * SIDE
            ax, ay = x + far * right, y - far * up
            if pulls:
                from_x, from_y = x - far * right, y + far * up
                to_x, to_y = x - 8 * right, y + 8 * up
                shapes.append(common.arrow(from_x, from_y, to_x, to_y, theme["accent"]))
            else:
                shapes.append(common.arrow(x + 5 * right, y - 5 * up, ax, ay, theme["accent"]))
            off_x, off_y = (-1, 1) if pulls else (1, -1)
            label_x = x + off_x * right * 1.22 * SIDE
            label_y = y + off_y * up * 1.22 * SIDE + 4
            shapes.append(common.text(label_x, label_y, number, theme["ink"], size=10))
    label = "Nine velocities of air in a cell, and the eight neighbors that a cell pulls from"
    return common.svg(360, 172, *shapes, label=label)
