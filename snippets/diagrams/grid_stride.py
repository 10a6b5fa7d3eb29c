"""Eight threads over 21 elements in a grid-stride loop: which thread takes which element."""

from snippets.diagrams import common

THREADS, ELEMENTS = 8, 21


def taken():
    """Return, for each step, the elements that the threads take: {thread: element}."""
    steps = -(-ELEMENTS // THREADS)
    return [
        {t: t + s * THREADS for t in range(THREADS) if t + s * THREADS < ELEMENTS}
        for s in range(steps)
    ]


def draw(theme):
    shapes, left, side, y = [], 66, 46, 16
    for t in range(THREADS):
        shapes.append(
            common.text(left + t * side + 22, y, f"thread {t}", theme["ink"], 10, weight="bold")
        )
    y += 8
    for s, step in enumerate(taken()):
        shapes.append(common.text(4, y + 23, f"step {s + 1}", theme["ink"], 12, "start"))
        for t in range(THREADS):
            x = left + t * side
            if t in step:
                shapes.append(common.rect(x, y, 44, 34, theme["accent"]))
                shapes.append(common.text(x + 22, y + 22, step[t], theme["on_accent"], 13))
            else:
                shapes.append(common.rect(x, y, 44, 34, "none", theme["grid"], dash="3 3"))
                shapes.append(common.text(x + 22, y + 22, "done", theme["ink"], 10))
        y += 40
    words = "at each step, neighbors take neighboring elements; then all jump by 8"
    shapes.append(common.text(left, y + 12, words, theme["ink"], 11, "start"))
    label = "Eight threads take elements 0 to 7, then 8 to 15, then five of them 16 to 20"
    return common.svg(440, y + 20, *shapes, label=label)
