"""Bytes in flight against bandwidth, drawn from the evidence when the site is built.

``[[plot:inflight]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark. The points are the microbenchmarks ``occupancy-bandwidth-*``; the line is Little's law, the
bytes in flight over the latency of one load; the ceiling is the rate of a plain copy.
"""

from lockstep import charts, figures
from lockstep.evidence import Evidence

POINTS, MANY = "occupancy-bandwidth-", "-x4"  # the second ending: four loads a thread
LATENCY, CEILING = "latency-hbm", "device-copy"
WIDTH, HEIGHT = 680, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 24, 44


def render(records: Evidence, as_text: bool = False) -> str:
    """Return the plot as Markdown. ``as_text``: a list of its figures."""
    micro = {i: row for i, row in records.microbenchmarks.items() if row["fresh"]}
    points = [
        (row["in_flight_bytes"], row["value"], i.endswith(MANY))
        for i, row in micro.items()
        if i.startswith(POINTS)
    ]
    missing = [i for i in (LATENCY, CEILING) if i not in micro]
    if missing or not points:
        what = ", ".join(missing) or f"{POINTS}*"
        return figures.awaiting(what)
    points.sort()
    words = [
        f"{size / 1e6:.2f} MB in flight, {'four loads' if many else 'one load'} a thread: "
        + figures.quantity(rate, "GB/s")
        for size, rate, many in points
    ]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    return _draw(points, micro[LATENCY]["ns"], micro[CEILING]["value"], "; ".join(words))


def _draw(points: list[tuple], latency: float, ceiling: float, words: str) -> str:
    most_x, most_y = 1.05 * points[-1][0], 1.15 * ceiling

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
        charts.text(4, 12, "TB/s"),
        charts.text(WIDTH / 2, HEIGHT - 8, "MB in flight", "middle"),
    ]
    for step in range(int(most_y // 1000) + 1):
        inside.append(line((0, 1000 * step), (most_x, 1000 * step), "--ls-line", 1))
        inside.append(charts.text(LEFT - 6, y(1000 * step) + 4, str(step), "end"))
    for step in range(int(most_x // 1e6) + 1):
        inside.append(charts.text(x(1e6 * step), HEIGHT - BOTTOM + 16, str(step), "middle"))
    full = ceiling * latency  # GB/s times ns: bytes
    inside.append(line((0, 0), (full, ceiling), "--ls-ink", 1.5, "6 4"))
    inside.append(line((full, ceiling), (most_x, ceiling), "--ls-ink", 1.5, "6 4"))
    # Where the law's line ends there is room: the dots are below
    inside.append(charts.text(x(full), y(ceiling) - 8, "plain copy", "middle"))
    inside.append(charts.text(x(0.6 * full) - 8, y(0.6 * ceiling), "bytes / latency", "end"))
    for size, rate, many in points:
        style = "fill: var(--ls-accent)" if many else "fill: var(--ls-ground)"
        inside.append(
            f'<circle cx="{x(size)}" cy="{y(rate)}" r="4.5" '
            f'style="{style}; stroke: var(--ls-accent); stroke-width: 2"/>'
        )
    return charts.picture(WIDTH, HEIGHT, f"Bytes in flight and bandwidth. {words}", inside)
