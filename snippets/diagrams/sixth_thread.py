"""Three blocks of two threads over five elements: each thread adds one pair, the sixth has none."""

from snippets.diagrams import common

ELEMENTS, THREADS, BLOCKS = 5, 2, 3


def draw(theme):
    shapes, left, side = [], 44, 56
    rows = (("a", 96, theme["faint"]), ("b", 132, theme["faint"]), ("out", 216, theme["faint"]))
    for name, y, fill in rows:
        shapes.append(common.text(left - 8, y + 20, name, theme["ink"], 13, "end", "bold"))
        for i in range(ELEMENTS):
            x = left + i * (side + 4)
            shapes.append(common.rect(x, y, side, 30, fill, theme["grid"]))
            shapes.append(common.text(x + side / 2, y + 20, f"{name}[{i}]", theme["ink"], 12))
    for block in range(BLOCKS):
        x = left + block * THREADS * (side + 4)
        shapes.append(common.rect(x - 3, 24, 2 * side + 10, 50, "none", theme["accent"], radius=5))
        shapes.append(
            common.text(x + side + 2, 18, f"block {block}", theme["accent"], 12, weight="bold")
        )
        for thread in range(THREADS):
            i, at = block * THREADS + thread, x + thread * (side + 4)
            has = i < ELEMENTS
            fill = theme["accent"] if has else theme["amber"]
            shapes.append(common.rect(at, 30, side, 38, fill))
            words = f"thread {thread}"
            shapes.append(common.text(at + side / 2, 46, words, theme["on_accent"], 11))
            shapes.append(common.text(at + side / 2, 61, f"i = {i}", theme["on_accent"], 11))
            middle = at + side / 2
            if has:
                shapes.append(common.arrow(middle, 166, middle, 212, theme["accent"], 2))
                shapes.append(common.text(middle + 8, 192, "+", theme["accent"], 14, "start"))
            else:
                shapes.append(
                    common.text(middle, 116, "no element", theme["amber"], 11, weight="bold")
                )
                shapes.append(common.text(middle, 132, "5 < 5 is false:", theme["ink"], 10))
                shapes.append(common.text(middle, 146, "does nothing", theme["ink"], 10))
    label = "Three blocks of two threads; threads 0 to 4 add a pair each, thread 5 has no element"
    return common.svg(440, 256, *shapes, label=label)
