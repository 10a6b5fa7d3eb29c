"""What ran when, in each stream or lane, drawn from the evidence when the site is built.

``[[plot:streams]]``, or another name of ``PLOTS``, on a line of its own, becomes an SVG that takes
the page's colors, light or dark. Its rows are microbenchmarks whose ``spans`` hold
[name, lane, start, end] in ms.
"""

from dataclasses import dataclass

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting


@dataclass(frozen=True)
class Plot:
    """``rows``: id and name of each timeline. ``lanes``: their colors. ``what`` runs in it.

    ``alone``: each timeline has a scale of its own, for those that differ too much.
    """

    rows: tuple[tuple[str, str], ...]
    lanes: dict[str, str]
    what: str
    alone: bool = False


LANES = {"copy in": "--ls-accent", "kernel": "--ls-compiled", "copy out": "--ls-soft"}
PHOTOS = {"host": "--ls-soft", "copies": "--ls-accent", "kernels": "--ls-compiled"}
FIRST = "photos-first", "decoded on the CPU"
SECOND = "photos-second", "decoded on the GPU"
PLOTS = {
    "streams": Plot(
        (("streams-timeline-1", "one stream"), ("streams-timeline-3", "three streams")),
        LANES,
        "six images in {}",
    ),
    "pageable": Plot(
        (("streams-pinned", "pinned memory"), ("streams-pageable", "ordinary memory")),
        LANES,
        "six images in three streams, from {}",
    ),
    "photos": Plot((FIRST, SECOND), PHOTOS, "six photos, {}", alone=True),
    "firstphotos": Plot((FIRST,), PHOTOS, "six photos, {}"),
}
WIDTH, LEFT, RIGHT, TOP = 680, 78, 10, 44
BAR, STEP, GAP = 18, 24, 40  # px: a bar, one lane, between two timelines
LETTER = 6.2  # about the width of one


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return the timelines as Markdown. ``as_text``: a list of their figures."""
    plot = PLOTS[name]
    rows = [(records.microbenchmarks.get(ident), title) for ident, title in plot.rows]
    if not all(row and row["fresh"] for row, _ in rows):
        return waiting.awaiting(", ".join(ident for ident, _ in plot.rows))
    words = [
        f"{plot.what.format(title)}: {figures.quantity(max(s[3] for s in row['spans']), 'ms')}"
        for row, title in rows
    ]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    return _draw(plot, rows, "; ".join(words))


def traces(name: str, records: Evidence) -> dict[str, dict]:
    """Return the timelines of a plot as traces that Perfetto opens, by the names of their files."""
    found = {}
    for ident, title in PLOTS[name].rows:
        row = records.microbenchmarks.get(ident)
        if row and row["fresh"]:
            found[f"{ident}.trace.json"] = {
                "traceEvents": _events(PLOTS[name].lanes, title, row["spans"]),
                "displayTimeUnit": "ms",
                "otherData": {"title": row["title"], "device": row["device"]["name"]},
            }
    return found


def _events(lanes, title: str, spans: list) -> list[dict]:
    """Return the events of a timeline in Chrome's format, which counts in microseconds."""
    head = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": title}}]
    for tid, lane in enumerate(lanes):
        about = {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name"}
        head.append(about | {"args": {"name": lane}})
    return head + [
        {"ph": "X", "pid": 1, "tid": list(lanes).index(lane), "name": str(what), "cat": lane}
        | {"ts": round(1e3 * start, 3), "dur": round(1e3 * (end - start), 3)}
        for what, lane, start, end in spans
    ]


def _draw(plot: Plot, rows: list[tuple[dict, str]], words: str) -> str:
    longest = max(span[3] for row, _ in rows for span in row["spans"])
    shapes, y = [], TOP
    for k, (lane, color) in enumerate(plot.lanes.items()):
        at = LEFT + 110 * k
        shapes.append(f'<rect x="{at}" y="6" width="12" height="12" style="fill: var({color})"/>')
        shapes.append(charts.text(at + 18, 16, lane))
    for row, title in rows:
        most = max(span[3] for span in row["spans"]) if plot.alone else longest
        shapes.append(charts.text(LEFT, y - 6, title))
        shapes += _lanes(plot, row["spans"], y, most)
        y += len(plot.lanes) * STEP + GAP
        if plot.alone or row is rows[-1][0]:
            shapes += _axis(y - GAP + 16, most)
    return charts.picture(WIDTH, y - GAP + 24, words, shapes)


def _place(ms: float, most: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * ms / most, 1)


def _lanes(plot: Plot, spans: list, y: float, most: float) -> list[str]:
    shapes = []
    for at, lane in enumerate(plot.lanes):
        top = y + at * STEP
        shapes.append(charts.text(LEFT - 8, top + 13, lane, "end", "--ls-soft"))
        for name, where, start, end in spans:
            if where != lane:
                continue
            left, right = _place(start, most), _place(end, most)
            width = max(right - left - 1, 1)
            shapes.append(
                f'<rect x="{left}" y="{top}" width="{round(width, 1)}" height="{BAR}" '
                f'rx="{min(2, width / 2):g}" style="fill: var({plot.lanes[lane]})"/>'
            )
            if LETTER * len(str(name)) < width:
                middle = round((left + right) / 2, 2)
                shapes.append(charts.text(middle, top + 13, str(name), "middle", "--ls-ground"))
    return shapes


def _axis(y: float, most: float) -> list[str]:
    step = max(1, int(most) // 8)
    shapes = []
    for t in range(0, int(most) + 1, step):
        at = _place(t, most)
        # The last one would stand half off the picture.
        last = at > WIDTH - 24
        shapes.append(
            charts.text(
                WIDTH if last else at, y, f"{t} ms", "end" if last else "middle", "--ls-soft"
            )
        )
    return shapes
