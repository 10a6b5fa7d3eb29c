"""A GPU that drifts: A twenty times and then B, against A and B in alternation."""

from snippets.diagrams import common

SAMPLES, DRIFT = 12, 0.06  # the true time of both is the same; each sample drifts by this much


def times(interleaved):
    """Return [(name, time)] of the samples, in order."""
    names = "AB" * (SAMPLES // 2) if interleaved else "A" * (SAMPLES // 2) + "B" * (SAMPLES // 2)
    return [(name, 1 + DRIFT * k) for k, name in enumerate(names)]


def means(interleaved):
    """Return the mean of A and of B."""
    rows = times(interleaved)
    return [sum(t for n, t in rows if n == name) / (SAMPLES // 2) for name in "AB"]


def draw(theme):
    shapes, y = [], 18
    for interleaved, title in ((False, "A, then B"), (True, "A B A B: interleaved")):
        a, b = means(interleaved)
        shapes.append(common.text(4, y, title, theme["ink"], 13, "start", "bold"))
        words = f"B looks {100 * (b / a - 1):.0f} % slower"
        shapes.append(common.text(436, y, words, theme["ink"], 12, "end"))
        base = y + 84
        for k, (name, time) in enumerate(times(interleaved)):
            high = 70 * (time - 0.7) / (1 + DRIFT * SAMPLES - 0.7)
            fill = theme["accent"] if name == "A" else theme["amber"]
            x = 4 + k * 36
            shapes.append(common.rect(x, base - high, 32, high, fill))
            shapes.append(common.text(x + 16, base - 5, name, theme["on_accent"], 12))
        y = base + 30
    shapes.append(
        common.text(
            4, y - 8, "time of each sample, in order: the GPU slows down", theme["ink"], 12, "start"
        )
    )
    label = "With a drift, B after A looks slower; interleaved, both share the drift"
    return common.svg(440, y, *shapes, label=label)
