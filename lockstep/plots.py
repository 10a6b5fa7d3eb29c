"""Larger pictures of measured figures, drawn from the evidence when the site is built.

``[[plot:roofline]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark, and a table with the same figures.
"""

import html
import math
import re

from lockstep import figures, in_flight, ladder
from lockstep.evidence import Evidence

MARKER = re.compile(r"^\[\[plot:([a-z]+)\]\][ \t]*$")

# The ceilings, each a name and the id of a microbenchmark: memory's, and those of arithmetic.
MEMORY = ("device copy", "device-copy")
ARITHMETIC = (
    ("float32 multiply-adds", "throughput-fma32"),
    ("bfloat16 by cuBLAS", "matmul-bfloat16"),
)
SWEEP = "roofline-dial-"  # microbenchmarks with an intensity: a line
# The ceiling of a kernel whose numbers are narrower than float32
NARROW = {"bfloat16": "matmul-bfloat16", "float16": "matmul-float16", "tf32": "matmul-tf32"}

WIDTH, HEIGHT = 680, 440
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 24, 44
LEAST_X, MOST_X = 2.0**-4, 2.0**12  # operations for each byte
LEAST_Y, MOST_Y = 0.01, 1000.0  # TFLOP/s
LABELS = 12


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return a plot as Markdown. ``as_text``: its table alone."""
    if name == "ladder":
        return ladder.render(records, as_text)
    if name == "inflight":
        return in_flight.render(records, as_text)
    if name != "roofline":
        raise KeyError(f"no plot {name} (there are: roofline, ladder, inflight)")
    return roofline(records, as_text)


def roofline(records: Evidence, as_text: bool = False) -> str:
    """Draw attainable speed over intensity, and every benchmark that has both."""
    micro = records.microbenchmarks
    needed = [MEMORY, *ARITHMETIC]
    missing = [i for _, i in needed if i not in micro or not micro[i]["fresh"]]
    if missing:
        return f"{figures.AWAITING[0].upper()}{figures.AWAITING[1:]}: {', '.join(missing)}."
    bandwidth = micro[MEMORY[1]]["value"] / 1e3  # TB/s, which is TFLOP/s at intensity 1
    peaks = [(words, micro[i]["value"]) for words, i in ARITHMETIC]
    points = []
    for row_id, row in sorted(records.benchmarks.items()):
        if row["fresh"] and row.get("flops") and row.get("bytes"):
            intensity = row["flops"] / row["bytes"]
            ceiling = micro.get(NARROW.get(row["dtype"]), micro[ARITHMETIC[0][1]])
            peak = ceiling["value"]
            share = row["tflops"] / min(peak, intensity * bandwidth)
            points.append((row_id, row["title"], intensity, row["tflops"], share))
    sweep = [
        (row["intensity"], row["value"])
        for row_id, row in micro.items()
        if row_id.startswith(SWEEP) and row["fresh"]
    ]
    table = _table(points)
    if as_text:
        return table
    picture = _draw(bandwidth, peaks, points, sorted(sweep))
    return f'{picture}\n\n??? note "The figures of the plot"\n\n' + "\n".join(
        f"    {line}" for line in table.split("\n")
    )


def _table(points: list[tuple]) -> str:
    lines = ["| Kernel | Operations a byte | Speed | Share of the roof |", "|---|---:|---:|---:|"]
    for row_id, _, intensity, tflops, share in sorted(points, key=lambda point: point[2]):
        speed, part = figures.quantity(tflops, "TFLOP/s"), figures.quantity(share, "%")
        lines.append(f"| `{row_id}` | {figures.quantity(intensity)} | {speed} | {part} |")
    return "\n".join(lines)


def _x(intensity: float) -> float:
    share = math.log(intensity / LEAST_X) / math.log(MOST_X / LEAST_X)
    return round(LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0), 1), 1)


def _y(tflops: float) -> float:
    share = math.log(tflops / LEAST_Y) / math.log(MOST_Y / LEAST_Y)
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0), 1), 1)


def _line(points: list[tuple[float, float]], color: str, width: float, dash: str = "") -> str:
    path = " ".join(f"{_x(x)},{_y(y)}" for x, y in points)
    dashed = f"; stroke-dasharray: {dash}" if dash else ""
    style = f"fill: none; stroke: {color}; stroke-width: {width}{dashed}"
    return f'<polyline points="{path}" style="{style}"/>'


def _text(x: float, y: float, words: str, anchor: str = "start", color: str = "--ls-ink") -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="fill: var({color}); '
        f'font-size: 11px">{html.escape(words)}</text>'
    )


def _draw(bandwidth, peaks, points, sweep) -> str:
    inside = []
    for power in range(-4, 13, 2):
        x = 2.0**power
        words = f"1/{2**-power}" if power < 0 else str(2**power)
        inside.append(_line([(x, LEAST_Y), (x, MOST_Y)], "var(--ls-line)", 1))
        inside.append(_text(_x(x), HEIGHT - BOTTOM + 16, words, "middle", "--ls-soft"))
    for power in range(-2, 4):
        y = 10.0**power
        inside.append(_line([(LEAST_X, y), (MOST_X, y)], "var(--ls-line)", 1))
        inside.append(_text(LEFT - 6, _y(y) + 4, f"{y:g}", "end", "--ls-soft"))
    inside.append(
        _text(WIDTH / 2, HEIGHT - 8, "operations for each byte of device memory", "middle")
    )
    inside.append(_text(4, 11, "TFLOP/s"))
    for words, peak in reversed(peaks):
        ridge = peak / bandwidth
        dash = "" if peak == peaks[0][1] else "6 4"
        foot = LEAST_X if not dash else peaks[0][1] / bandwidth
        roof = [(foot, foot * bandwidth), (ridge, peak), (MOST_X, peak)]
        inside.append(_line(roof, "var(--ls-ink)", 2, dash))
        inside.append(_text(WIDTH - RIGHT - 2, _y(peak) - 5, words, "end"))
    inside.append(_text(_x(4) - 10, _y(4 * bandwidth), MEMORY[0], "end"))
    if sweep:
        inside.append(_line(sweep, "var(--ls-cpu)", 1.5, "2 3"))
    points = [point for point in points if point[3] >= LEAST_Y]  # the table has the others, too
    for _, title, intensity, tflops, share in points:
        words = f"{title}: {figures.quantity(tflops, 'TFLOP/s')}, {figures.quantity(share, '%')}"
        inside.append(
            f'<circle cx="{_x(intensity)}" cy="{_y(tflops)}" r="4" style="fill: var(--ls-accent); '
            f'fill-opacity: 0.75"><title>{html.escape(words)} of the roof</title></circle>'
        )
    inside += _labels(points)
    words = (
        f"A roofline. Memory's roof rises to {figures.quantity(peaks[0][1], 'TFLOP/s')} at "
        f"{figures.quantity(peaks[0][1] / bandwidth)} operations for each byte. {len(points)} "
        "benchmarks stand below it; the table under the picture has the figures of all."
    )
    label = html.escape(words, quote=True)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" style="width: 100%; height: auto"'
    picture = f'<svg class="chart" role="img" aria-label="{label}" {size}>{"".join(inside)}</svg>'
    return f'<div class="plot">{picture}</div>'


def _labels(points: list[tuple]) -> list[str]:
    """Name the points that come closest to the roof, as far as the names do not overlap."""
    dots = [(_x(intensity), _y(tflops)) for _, _, intensity, tflops, _ in points]
    taken = [(x - 5, x + 5, y) for x, y in dots]  # what a name may not cover
    shapes = []
    for row_id, _, intensity, tflops, _ in sorted(points, key=lambda point: -point[4]):
        x, y, width = _x(intensity), _y(tflops), 6.2 * len(row_id)
        right = x + 8 + width < WIDTH - RIGHT
        start = x + 8 if right else x - 8 - width
        free = all(
            abs(y - other) > 11 or start > end or start + width < begin
            for begin, end, other in taken
        )
        if free and start > LEFT and len(shapes) < LABELS:
            taken.append((start, start + width, y))
            shapes.append(_text(round(start, 1), y + 4, row_id))
    return shapes
