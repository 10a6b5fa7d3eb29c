"""Larger pictures of measured figures, drawn from the evidence when the site is built.

``[[plot:roofline]]``, on a line of its own, becomes an SVG that takes the page's colors, light or
dark, and a table with the same figures.
"""

import html
import math
import re
import textwrap

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep.page import Page
from lockstep.parts import Part
from lockstep.site import site
from lockstep_site import charts, flows, in_flight, ladder, scaling, timelines, under_load, waiting

MARKER = re.compile(r"^\[\[plot:([a-z]+)\]\][ \t]*$")
TRACED = "[[plot:photos]]"  # whose timelines a reader can take away

# The ceilings, each a name and the id of a microbenchmark: memory's, and those of arithmetic.
MEMORY = ("reads of memory", "occupancy-bandwidth-100-x4")
ARITHMETIC = (
    ("float32 multiply-adds", "occupancy-fma-75-x4"),
    ("TF32 by cuBLAS", "matmul-tf32"),  # a kernel, no limit: other runs did a little more
    ("bfloat16 by wgmma", "wgmma-ceiling"),  # from operands that are there already
)
SWEEP = "roofline-dial-"  # microbenchmarks with an intensity: a line
# The ceiling of each type of number; both formats of 16 bits have one rate
CEILINGS = {
    "float32": "occupancy-fma-75-x4",
    "int8": "occupancy-fma-75-x4",  # weights that become float32 before they are multiplied
    "tf32": "matmul-tf32",
    "bfloat16": "wgmma-ceiling",
    "float16": "wgmma-ceiling",
    "int4": "wgmma-ceiling",  # weights that become bfloat16 before they are multiplied
}
NO_ROOF = {"float8_e4m3"}  # numbers whose ceiling nobody measured: no dot
# Kernels that take and give float32, as their records say, and multiply in TF32 on tensor cores
TF32 = {
    "kernels/gpt/matmul.py",
    "kernels/tensor_cores/mma_tf32.py",
    "snippets/tensor_cores/wgmma_tf32.cu",
}
# Kernels that count the zeros that they skip: under no roof that is drawn here
SPARSE = {"kernels/ampere/torch_sparse.py"}

WIDTH, HEIGHT = 680, 440
LEFT, RIGHT, TOP, BOTTOM = 56, 18, 24, 44
LEAST_X, MOST_X = 2.0**-4, 2.0**12  # operations for each byte
LEAST_Y, MOST_Y = 0.01, 1000.0  # TFLOP/s
LABELS = 12
PHONE = 390  # how far a phone of 390 px shows the chart, before anybody scrolls
LETTER = 6.2  # about the width of one


def render(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return a plot as Markdown. ``as_text``: its table alone."""
    if name == "ladder":
        return ladder.render(records, as_text)
    if name in in_flight.PLOTS:
        return in_flight.render(name, records, as_text)
    if name in timelines.PLOTS:
        return timelines.render(name, records, as_text)
    if name in flows.PLOTS:
        return flows.render(name, records, as_text)
    if name == under_load.NAME:
        return under_load.render(records, as_text)
    if name in scaling.PLOTS:
        return scaling.render(name, records, as_text)
    if name != "roofline":
        drawn = (under_load.NAME, *timelines.PLOTS, *flows.PLOTS, *in_flight.PLOTS, *scaling.PLOTS)
        known = ", ".join(("roofline", "ladder", *drawn))
        raise KeyError(f"no plot {name} (there are: {known})")
    return roofline(records, as_text)


def of_each(name: str, records: Evidence, as_text: bool = False) -> str:
    """Return a plot of each machine's own figures: none mixes two. The first stands open.

    A machine that has not measured what the plot needs is left out.
    """
    drawn: dict[str, str] = {}
    for machine in records.project.machines:
        alone = records.of(machine)
        rows = [*alone.microbenchmarks.values(), *alone.benchmarks.values()]
        if any(row["fresh"] for row in rows):
            text = render(name, alone, as_text)
            if not text.startswith(waiting.awaiting()[:-1]):
                drawn[rows[0]["device"]["name"]] = text
    if not drawn:
        first = [records.of(machine) for machine in records.project.machines[:1]]
        return render(name, *(first or [records]), as_text=as_text)
    (first, text), *others = drawn.items()
    usual = records.of(records.project.machines[0]).microbenchmarks.values()
    if first not in {row["device"]["name"] for row in usual}:
        text = f"Measured on {first}.\n\n{text}"
    for device, other in others:
        if as_text:
            text += f"\n\nThe same, measured on {device}:\n\n{other}"
        else:
            head = f"<summary>The same, measured on {html.escape(device)}</summary>"
            text += f'\n\n<details class="note" markdown="1">{head}\n\n{other}\n\n</details>'
    return text


def multiplied(row: dict) -> str | None:
    """Return the type of the numbers that a benchmark's kernel multiplies; None: under no roof."""
    numbers = "tf32" if row.get("kernel") in TF32 else row.get("dtype")
    return None if row.get("kernel") in SPARSE or numbers not in CEILINGS else numbers


def roofline(records: Evidence, as_text: bool = False) -> str:
    """Draw attainable speed over intensity, and every benchmark that has both."""
    micro = records.microbenchmarks
    needed = [MEMORY, *ARITHMETIC]
    missing = [i for _, i in needed if i not in micro or not micro[i]["fresh"]]
    if missing:
        return waiting.awaiting(", ".join(missing))
    bandwidth = micro[MEMORY[1]]["value"] / 1e3  # TB/s, which is TFLOP/s at intensity 1
    peaks = [(words, micro[i]["value"]) for words, i in ARITHMETIC]
    points, by_limit = [], {"memory": [], "the float32 units": [], "tensor cores": []}
    for row_id, row in sorted(records.benchmarks.items()):
        numbers = multiplied(row)
        if numbers is None:
            continue
        if row["fresh"] and row.get("flops") and row.get("bytes"):
            intensity = row["flops"] / row["bytes"]
            peak = micro[CEILINGS[numbers]]["value"]
            share = row["tflops"] / min(peak, intensity * bandwidth)
            points.append((row_id, row["title"], intensity, row["tflops"], share))
            flat = "the float32 units" if peak == peaks[0][1] else "tensor cores"
            by_limit["memory" if intensity * bandwidth < peak else flat].append(points[-1])
    sweep = [
        (row["intensity"], row["value"])
        for row_id, row in micro.items()
        if row_id.startswith(SWEEP) and row["fresh"]
    ]
    tables = {
        f"The kernels that {limit} can limit: {len(under)}": _table(under)
        for limit, under in by_limit.items()
        if under
    }
    if as_text:
        return "\n\n".join(f"{head}\n\n{table}" for head, table in tables.items())
    picture = _draw(bandwidth, peaks, points, sorted(sweep))
    # The search finds the ids on the page of the measurements.
    notes = "\n\n".join(
        f'??? note "{head}"\n\n{textwrap.indent(table, "    ")}' for head, table in tables.items()
    )
    return f'{picture}\n\n<div data-search-exclude markdown="1">\n\n{notes}\n\n</div>'


def _table(points: list[tuple]) -> str:
    rows = []
    for row_id, _, intensity, tflops, share in sorted(points, key=lambda point: point[2]):
        speed, part = figures.quantity(tflops, "TFLOP/s"), figures.quantity(share, "%")
        rows.append([f"`{row_id}`", figures.quantity(intensity), speed, part])
    head = ["Kernel", "Operations a byte", "Speed", "Share of the roof"]
    return figures.table(head, rows, [False, True, True, True])


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


def _draw(bandwidth, peaks, points, sweep) -> str:
    inside, names = [], []  # names stand in front of everything
    for power in range(-4, 13, 2):
        x = 2.0**power
        words = f"1/{2**-power}" if power < 0 else str(2**power)
        inside.append(_line([(x, LEAST_Y), (x, MOST_Y)], "var(--ls-line)", 1))
        names.append(charts.text(_x(x), HEIGHT - BOTTOM + 16, words, "middle", "--ls-soft"))
    for power in range(-2, 4):
        y = 10.0**power
        inside.append(_line([(LEAST_X, y), (MOST_X, y)], "var(--ls-line)", 1))
        names.append(charts.text(LEFT - 6, _y(y) + 4, f"{y:g}", "end", "--ls-soft"))
    names.append(
        charts.text(WIDTH / 2, HEIGHT - 8, "operations for each byte of device memory", "middle")
    )
    names.append(charts.text(4, 11, "TFLOP/s"))
    taken = []
    for words, peak in reversed(peaks):
        ridge = peak / bandwidth
        dash = "" if peak == peaks[0][1] else "6 4"
        foot = LEAST_X if not dash else peaks[0][1] / bandwidth
        roof = [(foot, foot * bandwidth), (ridge, peak), (MOST_X, peak)]
        inside.append(_line(roof, "var(--ls-ink)", 2, dash))
        # Left of the slope, where no kernel can be, and in what a phone shows of the chart
        end, height = min(_x(ridge) - 8, PHONE), _y(peak)
        if end < _x(ridge) - 20:
            style = "stroke: var(--ls-soft); stroke-width: 1; stroke-dasharray: 1 3"
            inside.append(
                f'<path d="M{end + 4:g} {height}H{_x(ridge) - 3:g}" style="fill: none; {style}"/>'
            )
        names.append(charts.text(round(end, 1), round(height + 4, 1), words, "end"))
        taken.append((end - LETTER * len(words), end, height, 11))
        taken.append((_x(ridge), WIDTH - RIGHT, height, 7))
    names.append(charts.text(_x(4) - 10, _y(4 * bandwidth), MEMORY[0], "end"))
    if sweep:
        inside.append(_line(sweep, "var(--ls-cpu)", 1.5, "2 3"))
    counted = len(points)
    points = [point for point in points if point[3] >= LEAST_Y]  # the table has the others, too
    for _, title, intensity, tflops, share in points:
        words = f"{title}: {figures.quantity(tflops, 'TFLOP/s')}, {figures.quantity(share, '%')}"
        inside.append(
            f'<circle cx="{_x(intensity)}" cy="{_y(tflops)}" r="4" style="fill: var(--ls-accent); '
            f'fill-opacity: 0.75"><title>{html.escape(words)} of the roof</title></circle>'
        )
    names += _labels(points, taken)
    roofs = ", ".join(f"{name} {figures.quantity(peak, 'TFLOP/s')}" for name, peak in peaks)
    dots = f"{len(points)} of {counted}" if len(points) < counted else str(counted)
    words = (
        f"A roofline. Memory's slope, reads at {figures.quantity(bandwidth, 'TB/s')}, meets the "
        f"roof of {peaks[0][0]} at {figures.quantity(peaks[0][1] / bandwidth)} operations for each "
        f"byte. The flat roofs: {roofs}. {dots} benchmarks are dots, each compared with the "
        "roof of its own numbers in the tables under the picture."
    )
    return charts.picture(WIDTH, HEIGHT, words, inside + names)


def _labels(points: list[tuple], taken: list[tuple] | None = None) -> list[str]:
    """Name the points that come closest to the roof, as far as the names do not overlap.

    ``taken``: what a name may not cover, as left and right end, middle, and the distance to keep.
    """
    dots = [(_x(intensity), _y(tflops)) for _, _, intensity, tflops, _ in points]
    taken = [*(taken or []), *((x - 5, x + 5, y, 10) for x, y in dots)]
    shapes = []
    said: set[str] = set()
    for _, title, intensity, tflops, _ in sorted(points, key=lambda point: -point[4]):
        name = _name(title)
        x, y, width = _x(intensity), _y(tflops), LETTER * len(name)
        if name in said or name[0].isdigit():  # it begins with a size, which names nothing
            continue
        right = x + 8 + width < WIDTH - RIGHT
        start = x + 8 if right else x - 8 - width
        for middle in (y, y + 6):  # beside its dot, or a little lower
            free = all(
                abs(middle - other) > distance or start > end or start + width < begin
                for begin, end, other, distance in taken
            )
            if free and start > LEFT and len(shapes) < LABELS:
                taken.append((start, start + width, middle, 11))
                at = x + (8 if right else -8)
                shapes.append(
                    charts.text(round(at, 1), middle + 4, name, "start" if right else "end")
                )
                said.add(name)
                break
    return shapes


def _name(title: str) -> str:
    """Return what of a benchmark's title stands beside its dot: up to the first comma or colon."""
    short = re.split(r"[,:]| through | of (?:a |32 )", title)[0]
    return re.sub(r"\b(\d+) x \1( x \1)?\b", r"\1", short)


class PlotsPart(Part):
    """Pictures that are drawn of measurements."""

    name = "plots"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return of_each(marker[1], site.records, as_text=plain)

    def files(self, page: Page) -> dict[str, dict]:
        if TRACED not in page.body:
            return {}
        return timelines.traces("photos", site(page.root).records)

    def downloads(self, page: Page) -> dict[str, str]:
        return {
            name: f"Trace: {trace['otherData']['title']}"
            for name, trace in self.files(page).items()
        }
