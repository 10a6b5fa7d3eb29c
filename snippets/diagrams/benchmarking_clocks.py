"""What each clock sees of one launch: the host's, without and with a wait, and the GPU's events."""

from snippets.diagrams.common import line, rect, svg, text

LABEL = (
    "Two timelines. On the host: a launch, then a wait. On the GPU: a flush that is still running, "
    "then the kernel. The wall clock without a wait covers the launch alone. With a wait it covers "
    "the launch, what the GPU still had to do, the kernel and the way back. Two events cover "
    "the kernel alone."
)
LAUNCH, FLUSH, KERNEL, BACK = 40, 110, 110, 22  # lengths: not to scale


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    left, host, device = 56, 14, 56
    begin = left + FLUSH
    end = begin + KERNEL
    shapes = [
        text(4, host + 19, "host", ink, 12, "start", "bold"),
        text(4, device + 19, "GPU", ink, 12, "start", "bold"),
        rect(left, host, LAUNCH, 28, amber),
        text(left + LAUNCH / 2, host + 18, "launch", theme["on_accent"]),
        rect(
            left + LAUNCH + 2, host, end + BACK - left - LAUNCH - 2, 28, "none", amber, dash="4 3"
        ),
        text((left + LAUNCH + end + BACK) / 2, host + 18, "wait", ink),
        rect(left, device, FLUSH - 2, 28, "none", accent, dash="4 3"),
        text(left + FLUSH / 2, device + 18, "work before", ink),
        rect(begin, device, KERNEL, 28, accent),
        text(begin + KERNEL / 2, device + 18, "kernel", theme["on_accent"]),
    ]
    spans = [
        (left, left + LAUNCH, "wall clock, no wait", amber),
        (left, end + BACK, "wall clock and wait", amber),
        (begin, end, "two events", accent),
    ]
    for row, (start, stop, words, color) in enumerate(spans):
        y = 108 + 30 * row
        shapes += [
            line(start, y, stop, y, color, 3),
            line(start, y - 5, start, y + 5, color, 2),
            line(stop, y - 5, stop, y + 5, color, 2),
            text(start, y + 16, words, ink, 11, "start"),
        ]
    return svg(360, 190, *shapes, label=LABEL)
