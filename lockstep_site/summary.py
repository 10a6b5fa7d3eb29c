"""What ran, over the whole site: the tables of the evidence page, as Markdown."""

import html
import posixpath
import re
import textwrap
from collections import Counter

from lockstep import figures, running
from lockstep.evidence import Evidence
from lockstep.page import Page
from lockstep.parts import Part
from lockstep_site import charts, waiting
from lockstep_site.gpu.needs import uses_gpu
from lockstep_site.gpu.targets import COMPILERS, GPU_TARGETS

MARKER = re.compile(r"^\[\[evidence:summary\]\][ \t]*$", re.MULTILINE)
ONE_GPU = (
    "One GPU so far. [Add yours](../contribute/recipes.md#add-your-gpus-evidence): `make gpu` on "
    "any NVIDIA GPU of compute capability 7.5 or newer writes a folder, and with it the figures "
    "of both stand here side by side."
)
ANSWERS = "answers"
EXPERIMENTS = (
    "Each changes one thing of a kernel that a page measures, to decide what the page supposed."
)
BESIDE = (
    "The pages quote the first GPU's figures; where it has not run today's code, those of the "
    "site's next GPU, with its name. Those of the others come from their owners' runs of the same "
    "code."
)
ACRONYMS = {"gemm", "nccl"}


def render(pages: list[Page], records: Evidence, folder: str = "evidence") -> str:
    """Return the overview of all evidence. ``folder``, below docs/, is where it will stand."""
    with_blocks = [page for page in pages if page.blocks]

    def link(page: Page) -> str:
        return f"[{_text(page.title)}]({posixpath.relpath(page.uri, folder)})"

    parts = [
        "## Blocks by proof",
        _levels(with_blocks, records),
        "## Pages and their runs",
        _pages(with_blocks, records, link),
        "## The two compilers, page by page",
        _compilers(with_blocks, records, link),
        "## Blocks that are only shown",
        _shown(with_blocks, link),
        "## compute-sanitizer",
        _sanitizer(records),
        "## Benchmarks",
        _benchmarks(records),
        "## Microbenchmarks",
        _microbenchmarks(records, None),
        "## Experiments",
        EXPERIMENTS,
        _microbenchmarks(records, "-change-"),
        "## Answers of exercises and puzzles",
        _microbenchmarks(records, ANSWERS),
        "## GPUs beside each other",
        _beside(pages, records),
        "## Measured twice",
        _twice(records),
    ]
    return "\n\n".join(parts)


def as_text(text: str) -> str:
    """Return what ``render`` gave without its charts and the marks for style sheets."""
    return re.sub(r"<svg.*?</svg>|</?span[^>]*>", "", text)


def _table(head: list[str], rows: list[list[str]], nothing: str) -> str:
    return figures.table(head, rows) if rows else nothing


def _folded(
    head: list[str],
    groups: dict[str, list[list[str]]],
    nothing: str,
    again: dict[str, str] | None = None,
) -> str:
    """Return a table for each group of rows, folded under the group's name.

    ``again``: of each group, the command that makes its rows again.
    """
    said = {name: f"Again: `{command}`\n\n" for name, command in (again or {}).items()}
    return (
        "\n\n".join(
            f'<details class="note" markdown="1"><summary>{_text(name)}: {len(rows)}</summary>\n\n'
            f"{said.get(name, '')}{_table(head, rows, nothing)}\n\n</details>"
            for name, rows in groups.items()
        )
        or nothing
    )


def _script(row: dict) -> str:
    """Return what a row's script is called."""
    name = _module(row).replace("_", " ")
    return name.upper() if name in ACRONYMS else name.capitalize()


def _module(row: dict) -> str:
    return posixpath.basename(row["script"]).removesuffix(".py")


def _section(page: Page) -> str:
    """Return the folder of a page, in words."""
    folder = posixpath.dirname(page.name).replace("-", " ").replace("/", ", ")
    return folder.capitalize() or "The first pages"


def _text(text: object) -> str:
    """Return a text as Markdown for a table's cell that renders as the text itself."""
    return re.sub(r"([\\`*_\[\]{}|])", r"\\\1", html.escape(str(text), quote=False))


def _how(method: str) -> str:
    """Return how a figure was measured, for a cell: the beginning. The record has the rest."""
    return _text(textwrap.shorten(method, 60, placeholder=" …"))


def _levels(pages: list[Page], records: Evidence) -> str:
    counts = Counter(proof.level for page in pages for proof in records.proofs(page))
    total = sum(counts.values())
    rows = [
        [
            f'<span class="proof__level proof--{level}">{level}</span>',
            str(counts[level]),
            figures.quantity(counts[level] / total, "%"),
        ]
        for level in records.project.levels
        if counts[level]
    ]
    nothing = "No page has a block yet."
    return _table(["Level", "Blocks", "Share"], rows, nothing) + (
        f"\n\n{total} blocks on {len(pages)} pages." if rows else ""
    )


def _pages(pages: list[Page], records: Evidence, link) -> str:
    groups: dict[str, list] = {}
    for page in pages:
        rows = groups.setdefault(_section(page), [])
        if not any(block.runs for block in page.blocks):
            rows.append([link(page), f"{len(page.blocks)} shown", "nothing to run", "none"])
            continue
        runs = records.runs(page)
        on_gpu = [run for run in runs if run["target"] in GPU_TARGETS]
        needs_gpu = uses_gpu(page)
        where = sorted({run["device"]["name"] for run in on_gpu})
        if not where:
            where = [waiting.AWAITING if needs_gpu else "a CPU" if runs else "awaiting a run"]
        levels = Counter(proof.level for proof in records.proofs(page))
        counts = ", ".join(
            f"{levels[level]} {level}" for level in records.project.levels if levels[level]
        )
        told = on_gpu or runs
        dates = sorted({run["date"] for run in told})
        again = f"`.venv/bin/python -m lockstep run {page.path}`"
        title = f"{link(page)}<br>{again}"
        rows.append([title, counts, _text(", ".join(where)), ", ".join(dates) or "none"])
    return _folded(
        ["Page, and how to run it", "Blocks", "Device", "Date"], groups, "No page has a block yet."
    )


def _compilers(pages: list[Page], records: Evidence, link) -> str:
    groups: dict[str, list] = {}
    for page in pages:
        refused = page.meta.get("not_on", {})
        wanted = set(running.wanted(page)) | set(refused)
        if not wanted & set(COMPILERS):
            continue
        runs = {run["target"]: run for run in records.runs(page)}
        cells = []
        for target in COMPILERS:
            if target in refused:
                cells.append(f"no: {_text(refused[target])}")
            elif target in runs:
                cells.append(f"passed with {runs[target]['packages'].get(target, '?')}")
            else:
                cells.append(waiting.AWAITING)
        groups.setdefault(_section(page), []).append([link(page), *cells])
    return _folded(["Page", *COMPILERS], groups, "No page has a Numba kernel yet.")


def _shown(pages: list[Page], link) -> str:
    rows = [
        [link(page), f"`{block.source}`", _text(block.options["shown"])]
        for page in pages
        for block in page.blocks
        if "shown" in block.options
    ]
    return _table(["Page", "Block", "Why it is not run"], rows, "None.")


def _sanitizer(records: Evidence) -> str:
    """Return a row for each tool and device: its records are one for each file of tests."""
    groups: dict[tuple, list[dict]] = {}
    for name, record in sorted(records.others["sanitizer"].items()):
        key = name.split("/")[1], record["device"]["name"], not record["fresh"]
        groups.setdefault(key, []).append(record)
    rows = []
    for (tool, device, stale), found in sorted(groups.items()):
        date = max(record["date"] for record in found)
        if stale:
            last = f"last run {date}, for older code"
            rows.append([tool, "", waiting.AWAITING, _text(device), last])
        else:
            passed = sum(record["tests_passed"] for record in found)
            said = sorted({finding for record in found for finding in record["findings"]})
            rows.append([tool, str(passed), _text("; ".join(said)), _text(device), date])
    head = ["Tool", "Kernel tests", "Findings", "Device", "Date"]
    return _table(head, rows, "No run under compute-sanitizer is recorded yet.")


def _benchmarks(records: Evidence) -> str:
    groups: dict[str, list] = {}
    for row_id, row in sorted(records.benchmarks.items()):
        ours = figures.quantity(row["ours"], row["unit"])
        reference = figures.quantity(row["reference"], row["unit"])
        name = f" ({_text(row['reference_name'])})" if row.get("reference_name") else ""
        ratio = figures.quantity(row["ratio"])
        cells = [ours, reference + name, ratio]
        if not row["fresh"]:
            cells = [waiting.AWAITING, "", ""]
        title = f"{_text(row['title'])}<br>`{row_id}`"
        groups.setdefault(_script(row), []).append([title, *cells, _where(row)])
    head = ["Benchmark", "Ours", "Reference", "Speed ratio", "Device, date, runs"]
    again = _again(records.benchmarks)
    return _folded(head, dict(sorted(groups.items())), "No benchmark is recorded yet.", again)


def _where(row: dict) -> str:
    """Return where and when a row was measured, and its figure over its runs."""
    return f"{_text(row['device']['name'])}, {row['date']}<br>{charts.spark(row)}"


def _again(rows: dict[str, dict]) -> dict[str, str]:
    """Return the command that measures a script's rows again, by the script's name."""
    return {_script(row): f"make bench NAME={_module(row)}" for row in rows.values()}


def _kind(row_id: str) -> str | None:
    """Return the section of a microbenchmark: one search index refuses a section over 256 KiB."""
    answer = row_id.startswith(("exercise-", "puzzle-"))
    return ANSWERS if answer else "-change-" if "-change-" in row_id else None


def _microbenchmarks(records: Evidence, kind: str | None) -> str:
    groups: dict[str, list] = {}
    for row_id, row in sorted(records.microbenchmarks.items()):
        if _kind(row_id) != kind:
            continue
        value = figures.quantity(row["value"], row["unit"]) if row["fresh"] else waiting.AWAITING
        title = f"{_text(row['title'])}<br>`{row_id}`"
        groups.setdefault(_script(row), []).append([title, value, _how(row["method"]), _where(row)])
    head = ["What", "Value", "How", "Device, date, runs"]
    again = _again(records.microbenchmarks)
    return _folded(head, dict(sorted(groups.items())), "No microbenchmark is recorded yet.", again)


def _beside(pages: list[Page], records: Evidence) -> str:
    """Say which GPUs have run what, and show the figures of each in a column of its own."""
    proved: dict[str, set[str]] = {}
    for page in pages:
        for run in records.runs(page):
            if run["target"] in GPU_TARGETS:
                proved.setdefault(run["device"]["name"], set()).add(page.path)
    rows = [*records.every("benchmarks"), *records.every("microbenchmarks")]
    rows.sort(key=lambda row: (records.project.rank(row["machine"]), row["device"]["name"]))
    names = list(dict.fromkeys(row["device"]["name"] for row in rows))
    names += sorted(proved.keys() - set(names))
    ran = [[_text(name), str(len(proved.get(name, ())))] for name in names]
    text = _table(["GPU", "Pages that ran on it"], ran, "No GPU has run a page yet.")
    if len(names) < 2:
        return f"{text}\n\n{ONE_GPU}"
    groups: dict[str, list] = {}
    for row_id, rows in sorted(records.elsewhere.items()):
        home = records.benchmarks.get(row_id) or records.microbenchmarks.get(row_id)
        if home is None:
            continue
        first = min((home, *rows), key=lambda row: records.project.rank(row["machine"]))
        cells = [f"{_text(home['title'])}<br>`{row_id}`"]
        for name in names:
            found = [r for r in (home, *rows) if r["device"]["name"] == name]
            cells.append(_figure(found[0], first) if found else "not run")
        groups.setdefault(_script(home), []).append(cells)
    folded = _folded(["What", *map(_text, names)], dict(sorted(groups.items())), "")
    return f"{text}\n\n{BESIDE}\n\n{folded}"


def _figure(row: dict, first: dict) -> str:
    """Return a row's figure, and what share of the first GPU's it is."""
    if not row["fresh"]:
        return waiting.AWAITING
    key = "ours" if "ours" in row else "value"
    said = figures.quantity(row[key], row["unit"])
    if row is first or row["unit"] != first["unit"] or not first["fresh"] or not first[key]:
        return said
    return f"{said}<br>{figures.quantity(row[key] / first[key])} × the first"


def _twice(records: Evidence) -> str:
    """Say how many rows have a second measurement, and list those where it differs."""
    tables = (records.benchmarks, records.microbenchmarks)
    every = [(i, row) for table in tables for i, row in sorted(table.items()) if row["fresh"]]
    pairs = [(i, row, point) for i, row in every for point in row.get("again", [])]
    if not pairs:
        return "No row has a second measurement yet."
    again = len({i for i, _, _ in pairs})
    elsewhere = len({i for i, row, point in pairs if point["gpu"] != row.get("gpu")})
    rows = []
    for row_id, row, point in pairs:
        if point["differs"]:
            key = "ours" if "ours" in row else "value"
            spreads = (figures.quantity(of["spread"], "%") for of in (row, point))
            rows.append(
                [
                    f"{_text(row['title'])}<br>`{row_id}`",
                    figures.quantity(row[key], row["unit"]),
                    figures.quantity(point[key], row["unit"]),
                    figures.quantity(point["difference"], "%"),
                    " and ".join(spreads),
                ]
            )
    head = ["What", "First", "Second", "Apart", "Spreads"]
    text = (
        f"{again} of {len(every)} figures were measured a second time, {elsewhere} of them on "
        "another GPU of the same kind. "
    )
    if not rows:
        return text + "No pair is further apart than the larger of its two spreads."
    return text + (
        f"{len(rows)} pairs are further apart than the larger of their two spreads:\n\n"
        + _folded(head, {"Pairs that are": rows}, "")
    )


class SummaryPart(Part):
    """The tables of the evidence page."""

    name = "summary"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        text = render(site.pages, site.records, folder)
        return as_text(text) if plain else text

    def lists(self, page: Page) -> bool:
        return bool(MARKER.search(page.body))
