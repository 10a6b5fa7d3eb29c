"""The two percentages at the top of a profile, as a plane: where a kernel lies says what it is."""

from snippets.diagrams.common import arrow, line, rect, svg, text

LABEL = (
    "A square. To the right: memory throughput from 0 to 100 percent. Up: compute throughput from "
    "0 to 100 percent. At the right edge lies memory-bound, at the upper edge compute-bound, in "
    "the upper right corner both, and in the large lower left part latency-bound, where neither "
    "is busy."
)
SIDE, LEFT, TOP = 270, 70, 16
HIGH = 0.6  # of what is possible: below it, the profiler's own rule speaks of latency


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber, grid = theme["ink"], theme["accent"], theme["amber"], theme["grid"]
    edge, bottom = LEFT + SIDE, TOP + SIDE
    cut_x, cut_y = LEFT + HIGH * SIDE, bottom - HIGH * SIDE
    middle = (LEFT + cut_x) / 2
    shapes = [
        rect(LEFT, TOP, SIDE, SIDE, theme["faint"], grid),
        rect(cut_x, cut_y, edge - cut_x, bottom - cut_y, "none", accent),
        rect(LEFT, TOP, cut_x - LEFT, cut_y - TOP, "none", amber),
        line(LEFT, bottom, edge, bottom, ink),
        line(LEFT, bottom, LEFT, TOP, ink),
        text(middle, cut_y + 50, "latency-bound", ink, 14, weight="bold"),
        text(middle, cut_y + 70, "neither is busy:", ink, 12),
        text(middle, cut_y + 86, "what do warps wait for?", ink, 12),
        text(middle, TOP + 46, "compute-bound", amber, 14, weight="bold"),
        text(middle, TOP + 66, "which pipe? is it needed?", ink, 12),
        text((cut_x + edge) / 2, cut_y + 66, "memory-bound", accent, 13, weight="bold"),
        text((cut_x + edge) / 2, cut_y + 86, "which level?", ink, 12),
        text((cut_x + edge) / 2, cut_y + 102, "coalesced?", ink, 12),
        text(LEFT - 8, cut_y + 4, "60 %", ink, 12, "end"),
        text(cut_x, bottom + 18, "60 %", ink, 12),
        text((cut_x + edge) / 2, TOP + 46, "both", ink, 14, weight="bold"),
        text(LEFT - 8, bottom + 4, "0", ink, 12, "end"),
        text(LEFT - 8, TOP + 10, "100 %", ink, 12, "end"),
        text(edge, bottom + 18, "100 %", ink, 12, "end"),
        text(LEFT + SIDE / 4 + 6, bottom + 18, "memory throughput", ink, 12),
        text(LEFT - 10, TOP + SIDE / 2 + 34, "compute", ink, 12, "end"),
        text(LEFT - 10, TOP + SIDE / 2 + 50, "(SM)", ink, 12, "end"),
        arrow(middle - 36, bottom - 28, LEFT + 12, bottom - 8, ink),
        text(middle - 30, bottom - 24, "an idle GPU", ink, 12, "start"),
    ]
    return svg(edge + 20, bottom + 30, *shapes, label=LABEL)
