"""Two GPUs: the wide road through the switch, and the narrow one through the host."""

from snippets.diagrams.common import line, rect, svg, text

LABEL = (
    "Two GPUs. Many NVLinks lead from each to the NVSwitch between them; one PCIe link leads from "
    "each to the host."
)


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, paper = theme["ink"], theme["accent"], theme["on_accent"]
    shapes = []
    for x, name in ((10, "GPU 0"), (310, "GPU 1")):
        shapes += [
            rect(x, 20, 80, 110, accent),
            text(x + 40, 60, name, paper, 13, weight="bold"),
            text(x + 40, 84, "its memory", paper),
        ]
    shapes += [
        rect(160, 20, 80, 110, theme["faint"], ink),
        text(200, 80, "NVSwitch", ink, 13, weight="bold"),
    ]
    for k in range(9):
        y = 30 + 11 * k
        shapes += [line(90, y, 160, y, accent, 2), line(240, y, 310, y, accent, 2)]
    shapes += [
        text(125, 14, "18 NVLinks", ink),
        text(275, 14, "18 NVLinks", ink),
        rect(130, 170, 140, 36, theme["faint"], ink),
        text(200, 193, "CPU and its memory", ink),
        line(50, 130, 50, 188, theme["amber"], 2),
        line(50, 188, 130, 188, theme["amber"], 2),
        line(350, 130, 350, 188, theme["amber"], 2),
        line(350, 188, 270, 188, theme["amber"], 2),
        text(92, 182, "PCIe", ink),
        text(310, 182, "PCIe", ink),
    ]
    return svg(400, 214, *shapes, label=LABEL)
