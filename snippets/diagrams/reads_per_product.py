"""Values that a thread reads for each multiply-add, by the shape of its results."""

from snippets.diagrams import common

SHAPES = ((1, 1), (4, 1), (16, 1), (4, 4), (8, 8), (8, 16))
BALANCE = 0.25  # one read of a warp in a cycle, four multiply-adds


def reads(TM, TN):
    """Return the values read for each product: ``TM`` of a and ``TN`` of b."""
    return (TM + TN) / (TM * TN)


def draw(theme):
    shapes, y, left, width = [], 20, 96, 300
    title = "Values read for each multiply-add"
    shapes.append(common.text(4, y, title, theme["ink"], 13, "start", "bold"))
    y += 10
    top = y
    for TM, TN in SHAPES:
        value = reads(TM, TN)
        shapes.append(common.text(4, y + 17, f"{TM} x {TN} results", theme["ink"], 12, "start"))
        fill = theme["amber"] if value > BALANCE else theme["accent"]
        shapes.append(common.rect(left, y + 4, width * value / 2, 17, fill))
        words = f"{value:.3g}"
        shapes.append(
            common.text(left + width * value / 2 + 6, y + 17, words, theme["ink"], 12, "start")
        )
        y += 27
    x = left + width * BALANCE / 2
    shapes.append(common.line(x, top, x, y + 4, theme["ink"], 1.5, "4 3"))
    words = "a quarter: reads and multiply-adds in balance"
    shapes.append(common.text(x - 20, y + 18, words, theme["ink"], 12, "start"))
    found = ", ".join(f"{h} x {w}: {reads(h, w):.3g}" for h, w in SHAPES)
    return common.svg(440, y + 28, *shapes, label=f"Values read for each product: {found}")
