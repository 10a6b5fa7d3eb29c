"""One step after the other: every warp fetches and multiplies, or a producer and two consumers."""

from snippets.diagrams import common

LEFT, UNIT, HIGH = 92, 32, 20  # lengths in the picture
# A step of the tensor cores is 2 * UNIT. With a producer, 15 % of the cycles are empty; without
# one a step takes 16 % longer still. Both are measured, and the page has them by key.
EMPTY = round(2 * UNIT * (1 / 0.85 - 1))
GAP = round(2 * UNIT * (1.16 / 0.85 - 1))
END = LEFT + 4 * (2 * UNIT + GAP)


def draw(theme):
    ink, paper, shapes = theme["ink"], theme["on_accent"], []

    def row(y, name):
        shapes.append(common.text(4, y + 14, name, ink, 11, "start"))
        shapes.append(common.line(LEFT, y + HIGH + 2, END, y + HIGH + 2, theme["grid"]))

    def bar(x, y, wide, fill, words="", color=paper):
        shapes.append(common.rect(x, y, wide - 1.5, HIGH, fill, theme["grid"]))
        if words != "":
            shapes.append(common.text(x + wide / 2 - 1, y + 14, words, color, 10.5))

    shapes.append(common.text(4, 16, "Every warp does everything", ink, 12, "start", "bold"))
    names = "warpgroup 0", "warpgroup 1", "tensor cores"
    tops = [26 + 26 * k for k in range(3)]
    for y, name in zip(tops, names, strict=True):
        row(y, name)
    x = LEFT
    for step in range(4):
        bar(x, tops[0], UNIT, theme["accent"], step)
        bar(x + UNIT, tops[1], UNIT, theme["accent"], step)
        bar(x, tops[2], 2 * UNIT, theme["accent"], f"step {step}")
        for y in tops:
            bar(x + 2 * UNIT, y, GAP, theme["faint"])
        bar(x + 2 * UNIT, tops[0], GAP, theme["amber"], "f")
        x += 2 * UNIT + GAP
    shapes.append(common.rect(4, 110, 14, 12, theme["faint"], theme["grid"]))
    words = "idle: all meet at the barrier"
    shapes.append(common.text(24, 120, words, ink, 11, "start"))
    shapes.append(common.rect(212, 110, 14, 12, theme["amber"]))
    shapes.append(common.text(232, 120, "f: thread 0 asks for a tile", ink, 11, "start"))

    shapes.append(common.text(4, 152, "A producer and two consumers", ink, 12, "start", "bold"))
    names = "producer", "consumer 0", "consumer 1", "tensor cores"
    tops = [162 + 26 * k for k in range(4)]
    for y, name in zip(tops, names, strict=True):
        row(y, name)
    for step in range(5):
        x = LEFT + (2 * UNIT + EMPTY) * step
        bar(x, tops[1], UNIT, theme["accent"], step)
        if step < 4:
            bar(x + UNIT, tops[0], 10, theme["amber"])
            bar(x + UNIT, tops[2], UNIT, theme["accent"], step)
            bar(x + 2 * UNIT, tops[3], EMPTY, theme["faint"])
        bar(x, tops[3], 2 * UNIT if step < 4 else END - x, theme["accent"], f"step {step}")
    words = "While one consumer waits, the other multiplies."
    shapes.append(common.text(4, 284, words, ink, 11, "start"))
    label = (
        "With a barrier in each step the tensor cores pause four times; with a producer and two "
        "consumers they pause half as long, and most of a fifth step fits in"
    )
    return common.svg(END + 8, 292, *shapes, label=label)
