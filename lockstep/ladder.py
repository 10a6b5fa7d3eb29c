"""The rungs of a ladder of kernels as bars, drawn from the evidence when the site is built.

``[[plot:ladder]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark. The rungs are the benchmarks whose rows have a ``rung``, in that order; what stands behind
the last comma of a title is a bar's name. Two lines cross the bars: the reference, and the
float32 multiply-adds that the GPU can start, as a microbenchmark counted them in a cycle.
"""

import statistics

from lockstep import charts, figures
from lockstep.evidence import Evidence

CEILING = "throughput-fma32"  # a microbenchmark
WIDTH, LEFT, RIGHT = 680, 170, 86
STEP, BAR, TOP, BOTTOM = 26, 16, 34, 8


def render(records: Evidence, as_text: bool = False) -> str:
    """Return the ladder as Markdown. ``as_text``: a list of its figures."""
    rows = [row for row in records.benchmarks.values() if row["fresh"] and "rung" in row]
    if not rows:
        return figures.awaiting("the rungs of the ladder")
    rows.sort(key=lambda row: row["rung"])
    bars = [(row["title"].split(", ")[-1], row["ours"], row["ratio"]) for row in rows]
    reference = statistics.median(row["reference"] for row in rows)
    ceiling = records.microbenchmarks.get(CEILING)
    lines = [("cuBLAS", reference)]
    if ceiling and ceiling["fresh"]:
        lines.append(("multiply-adds", ceiling["value"]))
    unit = rows[0]["unit"]
    words = [f"{name} {figures.quantity(value, unit)}" for name, value, _ in bars]
    words += [f"{name} {figures.quantity(value, unit)}" for name, value in lines]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    return _draw(bars, lines, unit, ", ".join(words))


def _draw(bars: list[tuple], lines: list[tuple], unit: str, words: str) -> str:
    most = max([value for _, value, _ in bars] + [value for _, value in lines])
    height = TOP + STEP * len(bars) + BOTTOM

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * value / most, 1)

    inside = []
    for i, (name, value) in enumerate(lines):
        inside.append(
            f'<path d="M{x(value)} {TOP - 6}V{height - BOTTOM}" style="fill: none; '
            f'stroke: var(--ls-{"soft" if i else "ink"}); stroke-dasharray: 4 3"/>'
        )
        words_of = f"{name} {figures.quantity(value)}"
        inside.append(charts.text(WIDTH if i else x(value) + 4, TOP - 12, words_of, "end"))
    for i, (name, value, ratio) in enumerate(bars):
        y = TOP + i * STEP
        middle = y + BAR / 2 + 4
        inside.append(charts.text(LEFT - 8, middle, name, "end"))
        inside.append(
            f'<rect x="{LEFT}" y="{y}" width="{max(1, round(x(value) - LEFT, 1))}" height="{BAR}" '
            'rx="1" style="fill: var(--ls-accent)"/>'
        )
        share = f"{figures.quantity(value)} ({figures.quantity(ratio, '%')})"
        inside.append(charts.text(x(value) + 6, middle, share, "start"))
    inside.append(charts.text(LEFT, TOP - 12, unit, "start", "--ls-soft"))
    return charts.picture(WIDTH, height, words, inside)
