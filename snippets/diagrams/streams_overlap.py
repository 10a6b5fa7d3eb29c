"""One stream, and two: copies and kernels one after another, and side by side."""

from snippets.diagrams import common

COPY, KERNEL = 52, 70  # lengths in the picture; nothing is measured
WORK = (("copy A in", "copy", COPY), ("kernel A", "kernel", KERNEL))


def draw(theme):
    shapes, left = [], 76

    def bar(x, y, wide, words, fill):
        shapes.append(common.rect(x, y, wide - 2, 26, fill))
        shapes.append(common.text(x + wide / 2 - 1, y + 17, words, theme["on_accent"], 10.5))

    y = 18
    shapes.append(common.text(4, y, "one stream", theme["ink"], 12, "start", "bold"))
    x = left
    for name in "AB":
        bar(x, y - 12 + 20, COPY, f"copy {name}", theme["amber"])
        x += COPY
        bar(x, y - 12 + 20, KERNEL, f"kernel {name}", theme["accent"])
        x += KERNEL
    whole = x
    y += 60
    shapes.append(common.text(4, y, "two streams", theme["ink"], 12, "start", "bold"))
    y += 8
    shapes.append(common.text(4, y + 17, "stream 1", theme["ink"], 11, "start"))
    bar(left, y, COPY, "copy A", theme["amber"])
    bar(left + COPY, y, KERNEL, "kernel A", theme["accent"])
    y += 32
    shapes.append(common.text(4, y + 17, "stream 2", theme["ink"], 11, "start"))
    bar(left + COPY, y, COPY, "copy B", theme["amber"])
    bar(left + COPY + KERNEL, y, KERNEL, "kernel B", theme["accent"])
    y += 40
    end = left + COPY + 2 * KERNEL
    shapes.append(common.line(whole, 20, whole, y, theme["grid"], 1, "3 3"))
    shapes.append(common.line(end, 80, end, y, theme["grid"], 1, "3 3"))
    shapes.append(common.arrow(whole - 2, y - 6, end + 2, y - 6, theme["ink"]))
    words = "copy B hides behind kernel A"
    shapes.append(common.text(end - 8, y - 2, words, theme["ink"], 11, "end"))
    shapes.append(common.text(4, y + 20, "time", theme["ink"], 12, "start"))
    shapes.append(common.arrow(38, y + 16, 120, y + 16, theme["ink"]))
    label = "In one stream two copies and two kernels run one after another; in two, they overlap"
    return common.svg(440, y + 28, *shapes, label=label)
