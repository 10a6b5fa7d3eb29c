"""Four Triton programs over 13 numbers: each has a block of four, and the last a mask."""

from snippets.diagrams import common

N, BLOCK = 13, 4


def draw(theme):
    shapes, programs = [], -(-N // BLOCK)
    for program in range(programs):
        left = 4 + 90 * program
        name = f"program {program}"
        shapes.append(common.text(left + 40, 14, name, theme["ink"], weight="bold"))
        shapes.append(common.rect(left, 22, 82, 62, "none", theme["grid"], dash="3 2"))
        for lane in range(BLOCK):
            index = program * BLOCK + lane
            inside, x = index < N, left + 3 + 19 * lane
            fill = theme["accent"] if inside else theme["faint"]
            shapes.append(common.rect(x, 28, 18, 22, fill, theme["grid"], radius=1))
            color = theme["on_accent"] if inside else theme["ink"]
            shapes.append(common.text(x + 9, 43, index, color))
            mark = "1" if inside else "0"
            shapes.append(common.text(x + 9, 74, mark, theme["ink"]))
    words = "Above: i = program * 4 + arange(4). Below: the mask, i < 13."
    shapes.append(common.text(4, 106, words, theme["ink"], anchor="start"))
    label = "Four programs with blocks of four numbers, and the mask of the last"
    return common.svg(362, 114, *shapes, label=label)
