"""Little's law as a pipe: what is in flight is the bandwidth times the latency."""

from snippets.diagrams import common

BANDWIDTH, CYCLES, CLOCK = 4.3e12, 670, 1.98e9  # bytes/s, cycles, cycles/s: those of the lesson
MULTIPROCESSORS, THREADS = 132, 2048


def numbers():
    """Return (bytes in flight, loads of 4 bytes for each multiprocessor)."""
    size = BANDWIDTH * CYCLES / CLOCK
    return size, size / MULTIPROCESSORS / 4


def draw(theme):
    size, loads = numbers()
    have = THREADS / loads
    shapes, left, right, top = [], 30, 410, 58
    shapes.append(
        common.text(220, 18, f"{size / 1e6:.2f} MB in flight", theme["ink"], 14, "middle", "bold")
    )
    shapes.append(common.text(220, 38, "if the pipe is to be full", theme["ink"], 12))
    shapes.append(common.rect(left, top, right - left, 48, theme["faint"], theme["grid"], radius=4))
    columns, rows = 38, 4
    filled = round(have * columns * rows)
    for k in range(columns * rows):
        column, row = divmod(k, rows)
        x, y = left + 2 + column * 9.9, top + 3 + row * 11
        fill = theme["accent"] if (k * 7919) % (columns * rows) < filled else "none"
        stroke = theme["accent"] if fill == "none" else "none"
        shapes.append(common.rect(x + 0.5, y, 8, 9, fill, stroke, radius=1, dash="2 2"))
    shapes.append(common.arrow(2, top + 24, left - 3, top + 24, theme["amber"], 2))
    shapes.append(common.arrow(right + 3, top + 24, 438, top + 24, theme["amber"], 2))
    y = top + 66
    shapes.append(common.line(left, y, right, y, theme["ink"]))
    for end in (left, right):
        shapes.append(common.line(end, y - 5, end, y + 5, theme["ink"]))
    ns = 1e9 * CYCLES / CLOCK
    words = f"latency: {CYCLES} cycles, {ns:.0f} ns"
    shapes.append(common.text(220, y + 18, words, theme["ink"], 12))
    words = f"bandwidth: {BANDWIDTH / 1e12} TB/s come out"
    shapes.append(common.text(220, y + 36, words, theme["amber"], 12, "middle", "bold"))
    y += 62
    shapes.append(common.rect(4, y - 11, 12, 12, theme["accent"], radius=1))
    words = f"2,048 threads with one 4-byte load each: {100 * have:.0f} % of a full pipe"
    shapes.append(common.text(22, y - 1, words, theme["ink"], 12, "start"))
    label = (
        f"{size / 1e6:.2f} MB are in flight at 4.3 TB/s and 670 cycles; one load of 4 bytes in each"
        f" of 2,048 threads on every multiprocessor is {100 * have:.0f} % of that"
    )
    return common.svg(440, y + 8, *shapes, label=label)
