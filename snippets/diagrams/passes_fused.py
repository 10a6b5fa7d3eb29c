"""SwiGLU as five operations, each with its trips to memory, and as one kernel."""

from snippets.diagrams.common import arrow, rect, svg, text

OPERATIONS = [("negate", 1), ("exp", 1), ("add 1", 1), ("divide", 2), ("multiply", 2)]
WIDE, HIGH, STEP, TOP = 76, 26, 36, 30


def trips(theme, x, y, reads):
    """Return arrows: so many arrays read on the left, and one written on the right."""
    shapes = []
    for r in range(reads):
        shift = 0 if reads == 1 else 7 * (2 * r - 1)
        shapes.append(arrow(x - 44, y + shift, x - 2, y + shift, theme["amber"]))
    shapes.append(arrow(x + WIDE + 2, y, x + WIDE + 44, y, theme["amber"]))
    return shapes


def box(theme, x, y, words):
    fill = theme["accent"]
    return [
        rect(x, y - HIGH / 2, WIDE, HIGH, fill, "none", 3),
        text(x + WIDE / 2, y + 4, words, theme["on_accent"], 11),
    ]


def draw(theme):
    passes = sum(reads + 1 for _, reads in OPERATIONS)
    shapes = [
        text(88, 12, f"five kernels: {passes} passes", theme["ink"], 12, weight="bold"),
        text(276, 12, "one kernel: 3 passes", theme["ink"], 12, weight="bold"),
    ]
    for i, (words, reads) in enumerate(OPERATIONS):
        y = TOP + HIGH / 2 + i * STEP
        shapes += trips(theme, 50, y, reads) + box(theme, 50, y, words)
    middle, high = TOP + HIGH / 2 + 2 * STEP, HIGH + 4 * STEP
    shapes.append(rect(238, TOP, WIDE, high, theme["accent"], "none", 3))
    for i, (words, _) in enumerate(OPERATIONS):
        y = TOP + HIGH / 2 + i * STEP
        shapes.append(text(238 + WIDE / 2, y + 4, words, theme["on_accent"], 11))
    shapes += trips(theme, 238, middle, 2)
    label = "Five operations take twelve trips to memory; fused into one kernel they take three."
    return svg(364, TOP + high + 8, *shapes, label=label)
