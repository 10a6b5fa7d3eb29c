"""Kernels shorter than their launches: the GPU idles; as a graph they stand back to back."""

from snippets.diagrams.common import rect, svg, text

LABEL = (
    "Two timelines of five short kernels. Launched one by one, each kernel starts when the host "
    "has launched it, and the GPU is idle in between. Launched as a graph, the host makes one "
    "call, and the kernels follow each other at once."
)
KERNELS, LAUNCH, KERNEL = 5, 58, 24  # lengths: not to scale


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber, paper = theme["ink"], theme["accent"], theme["amber"], theme["on_accent"]
    shapes, left = [], 64
    for row, (title, graph) in enumerate((("one by one", False), ("as a graph", True))):
        host = 28 + 118 * row
        device = host + 36
        shapes += [
            text(left, host - 10, title, ink, 12, "start", "bold"),
            text(left - 10, host + 18, "host", ink, 12, "end"),
            text(left - 10, device + 18, "GPU", ink, 12, "end"),
        ]
        if graph:
            shapes += [
                rect(left, host, LAUNCH + 20, 26, amber),
                text(left + LAUNCH / 2 + 10, host + 17, "one launch", paper),
            ]
        for k in range(KERNELS):
            if not graph:
                shapes += [
                    rect(left + k * LAUNCH, host, LAUNCH - 2, 26, amber),
                    text(left + k * LAUNCH + LAUNCH / 2 - 1, host + 17, "launch", paper),
                ]
            start = left + (LAUNCH + 20 + k * (KERNEL + 3) if graph else (k + 1) * LAUNCH)
            shapes += [
                rect(start, device, KERNEL, 26, accent),
                text(start + KERNEL / 2, device + 17, k, paper),
            ]
    return svg(left + (KERNELS + 1) * LAUNCH, 232, *shapes, label=LABEL)
