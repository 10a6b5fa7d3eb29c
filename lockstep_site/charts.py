"""Charts of measured figures, as SVG inside the page: they take its colors, light or dark.

Each has its figures as text, so that it is read aloud as well as seen.
"""

import html

from lockstep import evidence, figures

SPARK_WIDTH, SPARK_HEIGHT, EDGE = 96, 24, 3
OURS, OTHER = "var(--ls-accent)", "var(--ls-soft)"


def _svg(width: int, height: int, words: str, inside: str) -> str:
    label = html.escape(words, quote=True).replace("|", "&#124;")  # it stands in a table
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    # Its column of a table may be narrow: the table scrolls, the chart does not shrink.
    style = 'style="max-width: none; margin-top: 0.4em"'
    return f'<svg class="chart" role="img" aria-label="{label}" {size} {style}>{inside}</svg>'


def text(x: float, y: float, words: str, anchor: str = "start", color: str = "--ls-ink") -> str:
    """Return words of a picture. ``color`` is a variable of the style sheet."""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="fill: var({color}); '
        f'font-size: 11px">{html.escape(words)}</text>'
    )


def picture(width: int, height: int, words: str, shapes: list[str]) -> str:
    """Return a picture as wide as its page. ``words`` say what it shows."""
    label = html.escape(words, quote=True)
    size = f'viewBox="0 0 {width} {height}" style="width: 100%; height: auto"'
    inside = "".join(shapes)
    return (
        f'<div class="plot"><svg class="chart" role="img" aria-label="{label}" {size}>'
        f"{inside}</svg></div>"
    )


def curve(points: list[tuple[float, float]], color: str, dash: str = "none") -> str:
    """Return a line through points of a picture, with a dot on each."""
    path = " ".join(f"{x},{y}" for x, y in points)
    style = f"fill: none; stroke: var({color}); stroke-width: 2; stroke-dasharray: {dash}"
    dots = (f'<circle cx="{x}" cy="{y}" r="3.5" style="fill: var({color})"/>' for x, y in points)
    return f'<polyline points="{path}" style="{style}"/>{"".join(dots)}'


def spark(row: dict) -> str:
    """Draw a row's figure over its recorded runs, the newest last, from zero up."""
    points = [*row.get("history", []), evidence.point(row, row["date"])]
    key = "ours" if "ours" in row else "value"
    values = [point[key] for point in points]
    words = "; ".join(f"{p['date']} {figures.quantity(p[key], row['unit'])}" for p in points)
    if len(points) == 1:
        return "one run"
    most = max(values) or 1
    step = (SPARK_WIDTH - 2 * EDGE) / (len(values) - 1)
    room = SPARK_HEIGHT - 2 * EDGE
    dots = [
        (round(EDGE + i * step, 1), round(SPARK_HEIGHT - EDGE - room * value / most, 1))
        for i, value in enumerate(values)
    ]
    line = " ".join(f"{x},{y}" for x, y in dots)
    inside = f'<polyline points="{line}" style="fill: none; stroke: {OTHER}; stroke-width: 1.5"/>'
    x, y = dots[-1]
    inside += f'<circle cx="{x}" cy="{y}" r="2.5" style="fill: {OURS}"/>'
    return _svg(SPARK_WIDTH, SPARK_HEIGHT, f"{len(points)} runs: {words}", inside)
