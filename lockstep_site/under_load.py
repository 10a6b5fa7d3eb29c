"""Latency over load, static and continuous batching, drawn from the evidence.

``[[plot:load]]``, on a line of its own, becomes an SVG that takes the page's colors. A point is a
microbenchmark ``serving-WAY-RATE``: the 99th percentile, and beside it the median.
"""

import math
import re

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

NAME = "load"
ROW = re.compile(r"serving-(static|continuous)-(\d+)")
COLORS = {"static": "--ls-ink", "continuous": "--ls-accent"}
WIDTH, HEIGHT = 680, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 24, 44


def render(records: Evidence, as_text: bool = False) -> str:
    """Return the plot as Markdown, and a table of its figures. ``as_text``: the table alone."""
    ways: dict[str, list[tuple[int, float, float]]] = {way: [] for way in COLORS}
    made: dict[tuple[str, int], float] = {}
    for row_id, row in records.microbenchmarks.items():
        if (found := ROW.fullmatch(row_id)) and row["fresh"]:
            ways[found[1]].append((int(found[2]), row["p50_ms"], row["value"]))
            made[found[1], int(found[2])] = row["tokens_per_second"]
    if not all(ways.values()):
        return waiting.awaiting("serving-static, serving-continuous")
    for points in ways.values():
        points.sort()
    rows = [
        [
            str(rate),
            way,
            figures.quantity(p50, "ms"),
            figures.quantity(p99, "ms"),
            figures.quantity(made[way, rate], "tokens/s"),
        ]
        for way, points in ways.items()
        for rate, p50, p99 in points
    ]
    head = ["Requests a second", "Batching", "p50", "p99", "Tokens a second"]
    table = figures.table(head, rows, [True, False, True, True, True])
    return table if as_text else f"{_draw(ways)}\n\n{table}"


def _draw(ways: dict[str, list[tuple[int, float, float]]]) -> str:
    rates = [rate for points in ways.values() for rate, *_ in points]
    times = [ms for points in ways.values() for _, *both in points for ms in both]
    most = 1.05 * max(rates)
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(rate: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * rate / most, 1)

    def y(ms: float) -> float:
        share = (math.log10(ms) - low) / max(high - low, 1)
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)

    inside = [
        charts.text(4, 12, "ms from a request to its last token"),
        charts.text(WIDTH / 2, HEIGHT - 8, "requests a second", "middle"),
    ]
    for power in range(low, high + 1):
        style = "stroke: var(--ls-line); stroke-width: 1"
        height = y(10.0**power)
        inside.append(
            f'<line x1="{LEFT}" y1="{height}" x2="{WIDTH - RIGHT}" y2="{height}" style="{style}"/>'
        )
        inside.append(charts.text(LEFT - 6, height + 4, f"{10.0**power:g}", "end"))
    for rate in sorted(set(rates)):
        inside.append(charts.text(x(rate), HEIGHT - BOTTOM + 16, str(rate), "middle"))
    for way, points in ways.items():
        color = COLORS[way]
        for which, dash, words in ((1, "5 4", "p50"), (2, "none", "p99")):
            line = [(x(point[0]), y(point[which])) for point in points]
            inside.append(charts.curve(line, color, dash))
            first = points[0]  # there the curves are furthest apart, and on the left is room
            inside.append(
                charts.text(x(first[0]) - 8, y(first[which]) + 4, f"{way} {words}", "end")
            )
    title = "Time to the last token over requests a second, static and continuous batching."
    said = "; ".join(
        f"{way}, {rate} a second: p50 {figures.quantity(p50, 'ms')},"
        f" p99 {figures.quantity(p99, 'ms')}"
        for way, points in ways.items()
        for rate, p50, p99 in points
    )
    return charts.picture(WIDTH, HEIGHT, f"{title} {said}", inside)
