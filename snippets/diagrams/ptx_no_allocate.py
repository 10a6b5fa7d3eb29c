"""What a stream does to a table in L1, with a plain load and with no_allocate."""

from snippets.diagrams import common

LINES = 8


def draw(theme):
    shapes = []

    def panel(top, title, table, verdict):
        def words(x, y, what, anchor="middle", weight="normal", fill=None, size=11):
            ink = fill or theme["ink"]
            shapes.append(common.text(x, y, what, ink, size, anchor, weight))

        words(6, top, title, "start", "bold", size=12)
        y = top + 14
        words(24, y + 22, "codes", weight="bold")
        for k in range(4):
            x = 6 + k * 20
            shapes.append(common.rect(x, y + 30, 17, 17, theme["amber"], theme["grid"]))
        words(44, y + 62, "each used once")
        left = 146
        words(left + 70, y + 26, "L1", weight="bold")
        shapes.append(common.rect(left, y + 14, 140, 46, "none", theme["ink"], 4))
        for k in range(LINES):
            fill = theme["accent"] if k < table else theme["amber"]
            place = left + 8 + k % LINES * 16
            shapes.append(common.rect(place, y + 32, 13, 18, fill, theme["grid"], 1))
        words(left + 70, y + 74, verdict)
        if table < LINES:
            shapes.append(common.arrow(90, y + 38, left - 4, y + 38, theme["amber"], 2))
        else:
            shapes.append(common.line(90, y + 38, 116, y + 38, theme["amber"], 2))
            shapes.append(common.line(116, y + 38, 116, y + 2, theme["amber"], 2))
            shapes.append(common.line(116, y + 2, 300, y + 2, theme["amber"], 2))
            shapes.append(common.line(300, y + 2, 300, y + 38, theme["amber"], 2))
        shapes.append(common.arrow(left + 144, y + 38, 326, y + 38, theme["ink"], 2))
        words(346, y + 34, "to the")
        words(346, y + 48, "warp")

    panel(16, "ld.global", 3, "the table's lines are pushed out")
    panel(128, "ld.global.nc.L1::no_allocate", LINES, "all of it is the table's")
    words = "Lines of the table, and of the stream:"
    shapes.append(common.text(6, 240, words, theme["ink"], 11.5, "start"))
    shapes.append(common.rect(216, 230, 13, 13, theme["accent"], theme["grid"], 1))
    shapes.append(common.rect(236, 230, 13, 13, theme["amber"], theme["grid"], 1))
    label = "A stream pushes a table out of L1, or passes it by"
    return common.svg(368, 250, *shapes, label=label)
