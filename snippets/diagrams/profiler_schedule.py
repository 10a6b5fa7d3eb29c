"""The schedule of PyTorch's profiler: steps that it skips, warms up in, and records."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "Five steps of training in a row. In the first the profiler waits, in the second it warms up "
    "and throws away what it sees, in the next three it records. Then it hands over the trace."
)
STEPS = ("wait", "warmup", "active", "active", "active")


def draw(theme):
    """Return the picture as SVG."""
    ink, width, left, top = theme["ink"], 76, 6, 34
    shapes = [text(left, 18, "wait=1, warmup=1, active=3", ink, 13, "start", "bold")]
    looks = {
        "wait": (theme["faint"], theme["grid"], ink, "not seen"),
        "warmup": ("none", theme["amber"], ink, "thrown away"),
        "active": (theme["accent"], theme["accent"], theme["on_accent"], "recorded"),
    }
    for k, kind in enumerate(STEPS):
        fill, stroke, words, fate = looks[kind]
        x = left + k * width
        shapes += [
            rect(x, top, width - 4, 40, fill, stroke),
            text(x + width / 2 - 2, top + 17, f"step {k}", words, 12, weight="bold"),
            text(x + width / 2 - 2, top + 32, kind, words, 12),
            text(x + width / 2 - 2, top + 58, fate, ink, 12),
        ]
    end = left + len(STEPS) * width
    shapes += [
        arrow(end - 2, top + 20, end + 18, top + 20, ink),
        text(end + 22, top + 24, "trace", ink, 12, "start", "bold"),
    ]
    return svg(end + 62, top + 70, *shapes, label=LABEL)
