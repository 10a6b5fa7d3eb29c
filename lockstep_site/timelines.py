"""What ran when, in each stream, drawn from the evidence when the site is built.

``[[plot:streams]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark. Its rows are microbenchmarks whose ``spans`` hold [image, what, start, end] in ms.
"""

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep_site import charts, waiting

ROWS = (("streams-timeline-1", "one stream"), ("streams-timeline-3", "three streams"))
COLORS = {"copy in": "--ls-accent", "kernel": "--ls-compiled", "copy out": "--ls-soft"}
WIDTH, LEFT, RIGHT, TOP = 680, 78, 10, 44
BAR, STEP, GAP = 18, 24, 40  # px: a bar, one lane, between two timelines


def render(records: Evidence, as_text: bool = False) -> str:
    """Return the timelines as Markdown. ``as_text``: a list of their figures."""
    rows = [(records.microbenchmarks.get(ident), name) for ident, name in ROWS]
    if not all(row and row["fresh"] for row, _ in rows):
        return waiting.awaiting(", ".join(ident for ident, _ in ROWS))
    words = [
        f"six images in {name}: {figures.quantity(max(s[3] for s in row['spans']), 'ms')}"
        for row, name in rows
    ]
    if as_text:
        return "\n".join(f"- {line}" for line in words)
    return _draw(rows, "; ".join(words))


def _draw(rows: list[tuple[dict, str]], words: str) -> str:
    most = max(span[3] for row, _ in rows for span in row["spans"])
    shapes, y = [], TOP

    def x(ms: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * ms / most, 1)

    for k, (name, color) in enumerate(COLORS.items()):
        at = LEFT + 110 * k
        shapes.append(f'<rect x="{at}" y="6" width="12" height="12" style="fill: var({color})"/>')
        shapes.append(charts.text(at + 18, 16, name))
    for row, name in rows:
        shapes.append(charts.text(LEFT, y - 6, name))
        for lane, what in enumerate(COLORS):
            top = y + lane * STEP
            shapes.append(charts.text(LEFT - 8, top + 13, what, "end", "--ls-soft"))
            for image, done, start, end in row["spans"]:
                if done != what:
                    continue
                width = max(x(end) - x(start) - 1, 1)
                shapes.append(
                    f'<rect x="{x(start)}" y="{top}" width="{round(width, 1)}" height="{BAR}" '
                    f'rx="2" style="fill: var({COLORS[what]})"/>'
                )
                middle = (x(start) + x(end)) / 2
                shapes.append(charts.text(middle, top + 13, str(image), "middle", "--ls-ground"))
        y += len(COLORS) * STEP + GAP
    axis = y - GAP + 12
    for tick in range(int(most) + 1):
        if tick % max(1, int(most) // 8) == 0:
            shapes.append(charts.text(x(tick), axis + 4, f"{tick} ms", "middle", "--ls-soft"))
    return charts.picture(WIDTH, axis + 12, words, shapes)
