"""The rungs of a ladder of kernels as bars, drawn from the evidence when the site is built.

``[[plot:ladder]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark. The rungs are the benchmarks whose rows have a ``rung``, in that order; what stands behind
the last comma of a title is a bar's name. Where a row has ``cuda_tflops``, the speed of the same
kernel in CUDA C++, a thin bar stands below its own; a kernel that exists in CUDA C++ alone has only
that. Two lines cross the bars: the reference, and the fastest float32 multiply-adds that a loop in
registers reached. It is drawn twice, for a page and for a phone, and each screen shows one.
"""

import statistics

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

CEILING = "occupancy-fma-75-x4"  # a microbenchmark
PAGE, PHONE = (680, 170, 86), (358, 124, 6)  # width, room for the names, room right of the bars
STEP, BAR, THIN, TOP, BOTTOM = 28, 13, 6, 34, 26
LETTER = 5.9  # about the width of one
LANGUAGES = (("Numba", "--ls-accent"), ("CUDA C++", "--ls-soft"))


def render(records: Evidence, as_text: bool = False) -> str:
    """Return the ladder as Markdown. ``as_text``: a list of its figures."""
    rows = [row for row in records.benchmarks.values() if row["fresh"] and "rung" in row]
    if not rows:
        return waiting.awaiting("the rungs of the ladder")
    rows.sort(key=lambda row: row["rung"])
    bars = []
    for row in rows:
        only = row["kernel"].endswith(".cu")
        numba, cuda = (None, row["ours"]) if only else (row["ours"], row.get("cuda_tflops"))
        bars.append((row["title"].split(", ")[-1], numba, cuda, row["reference"]))
    reference = statistics.median(row["reference"] for row in rows)
    ceiling = records.microbenchmarks.get(CEILING)
    lines = [("cuBLAS", reference)]
    if ceiling and ceiling["fresh"]:
        lines.append(("multiply-adds", ceiling["value"]))
    unit = rows[0]["unit"]
    words = []
    for name, *both, _ in bars:
        said = [
            f"{figures.quantity(value, unit)} in {language}"
            for value, (language, _) in zip(both, LANGUAGES, strict=True)
            if value
        ]
        words.append(f"{name} {' and '.join(said)}")
    words += [f"{name} {figures.quantity(value, unit)}" for name, value in lines]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    wide, narrow = (_draw(bars, lines, unit, ", ".join(words), *room) for room in (PAGE, PHONE))
    return f'<div class="by-width">{wide}{narrow}</div>'


def _draw(
    bars: list[tuple], lines: list[tuple], unit: str, words: str, width: int, left: int, right: int
) -> str:
    speeds = [speed for _, *both, _ in bars for speed in both if speed]
    most = max(speeds + [value for _, value in lines])
    height = TOP + STEP * len(bars) + BOTTOM

    def x(value: float) -> float:
        return round(left + (width - left - right) * value / most, 1)

    def box(at: float, y: int, wide: float, high: int, color: str) -> str:
        return (
            f'<rect x="{at}" y="{y}" width="{wide}" height="{high}" rx="1" '
            f'style="fill: var({color})"/>'
        )

    inside = []
    for i, (name, value) in enumerate(lines):
        inside.append(
            f'<path d="M{x(value)} {TOP - 6}V{height - BOTTOM}" style="fill: none; '
            f'stroke: var(--ls-{"soft" if i else "ink"}); stroke-dasharray: 4 3"/>'
        )
        words_of = f"{name} {figures.quantity(value)}"
        end, high = (width, TOP - 12) if i else (x(value) + 4, TOP - 12)
        if right < LETTER * 8:  # no room for both in one line
            high -= 0 if i else 12
        inside.append(charts.text(end, high, words_of, "end"))
    for i, (name, numba, cuda, reference) in enumerate(bars):
        y = TOP + i * STEP
        inside.append(charts.text(left - 8, y + BAR / 2 + 4, name, "end"))
        for speed, at, high, (_, color) in zip(
            (numba, cuda), (y, y + BAR + 1), (BAR, THIN), LANGUAGES, strict=True
        ):
            if speed:
                wide = max(1, round(x(speed) - left, 1))
                inside.append(box(left, at, wide, high, color))
        speed = numba or cuda
        share = f"{figures.quantity(speed)} ({figures.quantity(speed / reference, '%')})"
        end, long = x(speed), LETTER * len(share)
        if end + 6 + long > width:  # on its bar, or above a thin one
            color = "--ls-ground" if numba else "--ls-ink"
            inside.append(charts.text(end - 5, y + BAR / 2 + 4, share, "end", color))
            continue
        if any(end < x(value) < end + 6 + long for _, value in lines):  # a line ends at words
            inside.append(box(end + 3, y - 2, long + 4, BAR + 3, "--ls-ground"))
        inside.append(charts.text(end + 6, y + BAR / 2 + 4, share, "start"))
    inside.append(charts.text(left, TOP - 12, unit, "start", "--ls-soft"))
    if any(cuda for _, _, cuda, _ in bars):
        for at, (language, color) in zip((left, left + 90), LANGUAGES, strict=True):
            inside.append(box(at, height - 16, 12, 9, color))
            inside.append(charts.text(at + 18, height - 8, language, "start"))
    return charts.picture(width, height, words, inside)
