"""A backward pass and its gradients' traffic: afterward, and beside it."""

from kernels.ddp_fsdp.overlap import exposed
from snippets.diagrams.common import line, rect, svg, text

LABEL = (
    "Two timelines of a backward pass of six layers. Without overlap one all-reduce of all "
    "gradients follows the backward pass. With buckets of two layers, the first two all-reduces "
    "run beside the backward pass, and only the last one is waited for."
)
LAYERS, WORK, TRAFFIC = 6, 44, 24  # lengths of a layer's work and of its gradients' all-reduce
WAYS = ("one all-reduce at the end", LAYERS), ("buckets of two layers", 2)


def draw(theme):
    """Return the picture as SVG. The wait is what ``exposed`` says of these lengths."""
    ink, accent, amber, paper = theme["ink"], theme["accent"], theme["amber"], theme["on_accent"]
    shapes, left = [], 62
    end = left + LAYERS * WORK
    for row, (title, bucket) in enumerate(
        (("one all-reduce at the end", 6), ("buckets of two", 2))
    ):
        top = 28 + 122 * row
        shapes.append(text(4, top - 10, title, ink, 12, "start", "bold"))
        shapes.append(text(left - 8, top + 18, "compute", ink, 11, "end"))
        shapes.append(text(left - 8, top + 52, "links", ink, 11, "end"))
        for i in range(LAYERS):
            shapes.append(rect(left + i * WORK, top, WORK - 2, 26, accent))
            shapes.append(text(left + i * WORK + WORK / 2 - 1, top + 17, LAYERS - i, paper))
        free = left
        for first in range(0, LAYERS, bucket):
            start = max(free, left + (first + bucket) * WORK)
            free = start + bucket * TRAFFIC
            names = ", ".join(str(LAYERS - i) for i in range(first, first + bucket))
            shapes.append(rect(start, top + 34, free - start - 2, 26, amber))
            shapes.append(text((start + free) / 2 - 1, top + 51, names, paper))
        late = exposed(LAYERS, WORK, 1, 1 / TRAFFIC, 0, bucket)
        assert abs(end + late - free) < 1e-9
        shapes.append(line(end - 1, top - 4, end - 1, top + 78, ink, 1, "3 3"))
        shapes.append(text(end + 4, top + 76, "waited for", ink, 11, "start"))
    return svg(end + LAYERS * TRAFFIC + 8, 236, *shapes, label=LABEL)
