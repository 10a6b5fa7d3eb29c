"""Three blocks of two threads over five elements: each thread adds one pair, the sixth has none."""

from snippets.diagrams import common

ELEMENTS, THREADS, BLOCKS = 5, 2, 3
LEFT, SIDE, GAP = 44, 54, 12  # GAP: between two blocks, whose frames do not touch


def place(i):
    """Return where the column of element i begins."""
    return LEFT + i * (SIDE + 4) + i // THREADS * GAP


def draw(theme):
    shapes, left, side = [], LEFT, SIDE
    rows = (("a", 96, theme["faint"]), ("b", 132, theme["faint"]), ("out", 216, theme["faint"]))
    for name, y, fill in rows:
        shapes.append(common.text(left - 8, y + 20, name, theme["ink"], 13, "end", "bold"))
        for i in range(ELEMENTS):
            x = place(i)
            shapes.append(common.rect(x, y, side, 30, fill, theme["grid"]))
            shapes.append(common.text(x + side / 2, y + 20, f"{name}[{i}]", theme["ink"], 12))
    for block in range(BLOCKS):
        x = place(block * THREADS)
        shapes.append(common.rect(x - 3, 24, 2 * side + 10, 50, "none", theme["accent"], radius=5))
        shapes.append(
            common.text(x + side + 2, 18, f"block {block}", theme["accent"], 12, weight="bold")
        )
        for thread in range(THREADS):
            i = block * THREADS + thread
            at = place(i)
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
                words = "no element"  # from its column on, clear of the last element's box
                shapes.append(common.text(at, 116, words, theme["amber"], 11, "start", "bold"))
                shapes.append(common.text(at, 132, "5 < 5 is false:", theme["ink"], 10, "start"))
                shapes.append(common.text(at, 146, "does nothing", theme["ink"], 10, "start"))
    label = "Three blocks of two threads; threads 0 to 4 add a pair each, thread 5 has no element"
    return common.svg(440, 256, *shapes, label=label)
