"""What each profiler sees of one program: the host, the queue, the GPU, and one kernel inside."""

from snippets.diagrams.common import line, rect, svg, text

LABEL = (
    "Three rows over time: the host's ranges, the CUDA calls, and what the GPU does. A timeline "
    "profiler, Nsight Systems or PyTorch's, sees all three rows and the gaps between. Nsight "
    "Compute looks into a single kernel of the last row: its units, its warps, its instructions."
)
HOST = (("decode", 10, 120), ("copy", 132, 60), ("blur", 194, 44), ("mean", 240, 90))
CALLS = (("", 134, 12), ("", 196, 12), ("wait", 254, 72))
GPU = (("copy", 146, 56), ("blur", 212, 70), ("", 286, 34))


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber, paper = theme["ink"], theme["accent"], theme["amber"], theme["on_accent"]
    left, shapes = 62, []
    rows = (("host", 40, HOST), ("calls", 80, CALLS), ("GPU", 120, GPU))
    for name, y, bars in rows:
        shapes.append(text(left - 6, y + 17, name, ink, 12, "end"))
        for words, x, width in bars:
            fill = theme["faint"] if name == "host" else amber if name == "calls" else accent
            color = ink if name == "host" else paper
            shapes.append(rect(left + x, y, width, 26, fill, theme["grid"]))
            shapes.append(text(left + x + width / 2, y + 17, words, color, 12))
    right = left + 340
    shapes += [
        rect(4, 30, right - 4, 126, "none", ink, dash="5 4"),
        text(8, 20, "a timeline: which of these is the GPU waiting for?", ink, 12, "start", "bold"),
        rect(left + 208, 114, 78, 38, "none", amber, dash="3 3"),
        line(left + 247, 152, left + 247, 174, amber, 1.5),
        text(
            8, 190, "Nsight Compute: why does this kernel take so long?", ink, 12, "start", "bold"
        ),
    ]
    return svg(right + 6, 202, *shapes, label=LABEL)
