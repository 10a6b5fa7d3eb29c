"""What is in flight against what comes out, drawn from the evidence when the site is built.

``[[plot:inflight]]`` and ``[[plot:chains]]``, on lines of their own, become SVGs that take the
page's colors, light or dark. The points are microbenchmarks at several occupancies. The line is
Little's law, what is in flight over the latency of one; the ceiling was measured, too.
"""

from dataclasses import dataclass

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

MANY = "-x4"  # the ending of rows with four in flight a thread, not one
BYTES = "occupancy-bandwidth-"  # rows that say how much is in flight at an occupancy
WIDTH, HEIGHT = 680, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 24, 44


@dataclass
class Plot:
    points: str  # the ids of the rows begin so
    latency: str
    ceiling: str
    rate: str  # the unit of the points
    up: tuple[str, float]  # the unit at the axis, and how many of the rate it is
    across: tuple[str, float, str]  # what is in flight, how many make a unit, a step's name
    step: tuple[float, float]  # between the lines: across and up, in these units
    size: int  # bytes for one of what is in flight
    each: float  # what one gives, in the rate times ns
    names: tuple[str, str]  # of the ceiling, and of the law
    last: float  # points further right are left out: how many times as far as the law's end


PLOTS = {
    "inflight": Plot(
        points=BYTES,
        latency="latency-hbm",
        ceiling="device-copy",
        rate="GB/s",
        up=("TB/s", 1000),
        across=("MB in flight", 1e6, "MB"),
        step=(1, 1),
        size=1,
        each=1,
        names=("plain copy", "bytes / latency"),
        last=9,
    ),
    "chains": Plot(
        points="occupancy-fma-",
        latency="latency-fma32",
        ceiling="occupancy-fma-75-x4",
        rate="TFLOP/s",
        up=("TFLOP/s", 1),
        across=("thousand multiply-adds in flight", 1e3, "thousand multiply-adds"),
        step=(50, 20),
        size=4,
        each=2e-3,
        names=("fastest multiply-adds", "two operations / latency"),
        last=4.2,
    ),
}


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return a plot as Markdown. ``as_text``: a list of its figures."""
    plot = PLOTS[name]
    micro = {i: row for i, row in records.microbenchmarks.items() if row["fresh"]}
    points = []
    for i, row in micro.items():
        same = micro.get(i.replace(plot.points, BYTES))  # at the same occupancy
        if i.startswith(plot.points) and same:
            points.append((same["in_flight_bytes"] / plot.size, row["value"], i.endswith(MANY)))
    missing = [i for i in (plot.latency, plot.ceiling) if i not in micro]
    if missing or not points:
        return waiting.awaiting(", ".join(missing) or f"{plot.points}*")
    latency, ceiling = micro[plot.latency]["ns"], micro[plot.ceiling]["value"]
    full = ceiling * latency / plot.each  # so much in flight would be enough
    points = sorted(point for point in points if point[0] <= plot.last * full)
    _, unit, unit_name = plot.across
    words = [
        f"{size / unit:.2f} {unit_name} in flight, {'four' if many else 'one'} a thread: "
        + figures.quantity(rate, plot.rate)
        for size, rate, many in points
    ]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    return _draw(plot, points, full, ceiling, "; ".join(words))


def _draw(plot: Plot, points: list[tuple], full: float, ceiling: float, words: str) -> str:
    most_x, most_y = 1.05 * points[-1][0], 1.15 * ceiling
    (up, rate_unit), (across, unit, _), steps = plot.up, plot.across, plot.step

    def x(size: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * size / most_x, 1)

    def y(rate: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / most_y, 1)

    def line(a: tuple, b: tuple, color: str, width: float, dash: str = "none") -> str:
        style = f"stroke: var({color}); stroke-width: {width}; stroke-dasharray: {dash}"
        return (
            f'<line x1="{x(a[0])}" y1="{y(a[1])}" x2="{x(b[0])}" y2="{y(b[1])}" style="{style}"/>'
        )

    inside = [
        charts.text(4, 12, up),
        charts.text(WIDTH / 2, HEIGHT - 8, across, "middle"),
    ]
    for i in range(int(most_y / rate_unit / steps[1]) + 1):
        rate = i * steps[1] * rate_unit
        inside.append(line((0, rate), (most_x, rate), "--ls-line", 1))
        inside.append(charts.text(LEFT - 6, y(rate) + 4, f"{i * steps[1]:g}", "end"))
    for i in range(int(most_x / unit / steps[0]) + 1):
        place = x(i * steps[0] * unit)
        inside.append(charts.text(place, HEIGHT - BOTTOM + 16, f"{i * steps[0]:g}", "middle"))
    inside.append(line((0, 0), (full, ceiling), "--ls-ink", 1.5, "6 4"))
    inside.append(line((full, ceiling), (most_x, ceiling), "--ls-ink", 1.5, "6 4"))
    name, law = plot.names
    # Where the law's line ends there is room: the dots are below
    inside.append(charts.text(x(full), y(ceiling) - 8, name, "middle"))
    beside = x(0.6 * full)
    room = beside - LEFT > 120  # left of the line, for its name
    side, anchor = (-8, "end") if room else (8, "start")
    inside.append(charts.text(beside + side, y(0.6 * ceiling), law, anchor))
    for size, rate, many in points:
        style = "fill: var(--ls-accent)" if many else "fill: var(--ls-ground)"
        inside.append(
            f'<circle cx="{x(size)}" cy="{y(rate)}" r="4.5" '
            f'style="{style}; stroke: var(--ls-accent); stroke-width: 2"/>'
        )
    title = f"{plot.rate} by {across}."
    return charts.picture(WIDTH, HEIGHT, f"{title} {words}", inside)
