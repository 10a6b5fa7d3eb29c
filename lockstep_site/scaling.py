"""Weak and strong scaling on two and four GPUs, drawn from the evidence when the site is built.

``[[plot:heatscaling]]``, ``[[plot:heatfour]]`` and ``[[plot:gptscaling]]``, on lines of their own,
become SVGs that take the page's colors. A point is a microbenchmark with its size in its id; its
``efficiency`` is the time of one GPU over that of several, over what it would be at best.
"""

import math
import re
from dataclasses import dataclass

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

WIDTH, HEIGHT = 680, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 18, 30, 44
MOST = 1.2  # efficiency: a little above the ideal
STYLES = (
    ("--ls-accent", "none"),
    ("--ls-cpu", "none"),
    ("--ls-accent", "6 4"),
    ("--ls-cpu", "6 4"),
)


@dataclass
class Plot:
    series: dict[str, str]  # what a line is called: a pattern of ids, whose group is the size
    across: str
    gpus: str = "two"


PLATES = "rows of the plate (strong: of all; weak: for each GPU)"
PLOTS = {
    "heatscaling": Plot(
        {
            "strong": r"heat-strong-(\d+)-staged",
            "weak": r"heat-weak-(\d+)-staged",
            "strong, overlapped": r"heat-strong-(\d+)-staged-overlap",
            "weak, overlapped": r"heat-weak-(\d+)-staged-overlap",
        },
        PLATES,
    ),
    "heatfour": Plot(
        {
            "strong": r"heat-strong-(\d+)-staged-4",
            "weak": r"heat-weak-(\d+)-staged-4",
            "strong, overlapped": r"heat-strong-(\d+)-staged-overlap-4",
            "weak, overlapped": r"heat-weak-(\d+)-staged-overlap-4",
        },
        PLATES,
        "four",
    ),
    "gptscaling": Plot(
        {"strong": r"gpt-strong-(\d+)", "weak": r"gpt-weak-(\d+)"},
        "sequences (strong: of all; weak: for each GPU)",
    ),
}


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return a plot as Markdown. ``as_text``: a list of its figures."""
    plot = PLOTS[name]
    lines: dict[str, list[tuple[int, float]]] = {}
    for words, pattern in plot.series.items():
        found = []
        for i, row in records.microbenchmarks.items():
            if row["fresh"] and (match := re.fullmatch(pattern, i)):
                found.append((int(match[1]), row["efficiency"]))
        if not found:
            return waiting.awaiting(pattern.replace(r"(\d+)", "*"))
        lines[words] = sorted(found)
    told = [
        f"{words}: " + ", ".join(f"{size:,}: {figures.quantity(value)}" for size, value in line)
        for words, line in lines.items()
    ]
    if as_text:
        return "\n".join(f"- Efficiency, {line}" for line in told)
    return _draw(plot, lines, "; ".join(told))


def _draw(plot: Plot, lines: dict, words: str) -> str:
    sizes = sorted({size for line in lines.values() for size, _ in line})
    low, high = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(size: float) -> float:
        share = (math.log2(size) - low) / ((high - low) or 1)
        return round(LEFT + 14 + (WIDTH - LEFT - RIGHT - 28) * share, 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value, MOST) / MOST, 1)

    inside = [charts.text(WIDTH / 2, HEIGHT - 8, plot.across, "middle")]
    for tenth in range(0, 13, 2):
        value, color = tenth / 10, "--ls-ink" if tenth == 10 else "--ls-line"
        inside.append(
            f'<line x1="{LEFT}" y1="{y(value)}" x2="{WIDTH - RIGHT}" y2="{y(value)}" '
            f'style="stroke: var({color}); stroke-width: 1"/>'
        )
        inside.append(charts.text(LEFT - 6, y(value) + 4, f"{value:g}", "end"))
    for size in sizes:
        inside.append(charts.text(x(size), HEIGHT - BOTTOM + 16, f"{size:,}", "middle"))
    for at, ((name, line), (color, dash)) in enumerate(zip(lines.items(), STYLES, strict=False)):
        inside.append(charts.curve([(x(size), y(value)) for size, value in line], color, dash))
        style = f"stroke: var({color}); stroke-width: 2; stroke-dasharray: {dash}"
        key = LEFT + 150 * at
        inside.append(f'<line x1="{key}" y1="10" x2="{key + 22}" y2="10" style="{style}"/>')
        inside.append(charts.text(key + 28, 14, name))
    return charts.picture(WIDTH, HEIGHT, f"Efficiency on {plot.gpus} GPUs. {words}", inside)
