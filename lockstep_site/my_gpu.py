"""The page "My GPU": where it measures, and the table of the cards that readers sent.

``[[my-gpu:measure]]`` on a line of its own is where ``docs/assets/js/my-gpu.js`` puts its button;
``[[my-gpu:cards]]`` becomes a table of the records under ``evidence/webgpu/``, which the page saves
and a pull request brings. ``data/webgpu.json`` has the same records. ``[[my-gpu:rates]]`` becomes
what ``benchmarks/webgpu_kernels.py`` measured: every kernel with a benchmark, as WGSL and by Numba;
``[[my-gpu:browser]]`` sets one card's record by a browser beside its record through wgpu.
"""

import json
import re
from pathlib import Path

from lockstep import figures
from lockstep.page import Mistake, PageError
from lockstep.parts import Part
from lockstep_site import waiting

FOLDER = "evidence/webgpu"
MARKER = re.compile(r"^\[\[my-gpu:(measure|cards|rates|browser)\]\][ \t]*$")
# One card of ours, in a browser and without: what the checks of the two cost.
IN_BROWSER, WITHOUT_BROWSER = "nvidia-h200-chromium.json", "nvidia-h200.json"
SCHEMAS = Path(__file__).parent / "schemas"
TYPES = {"string": str, "boolean": bool, "array": list, "object": dict, "integer": int}


def columns() -> dict[str, type]:
    """What a record has, by its published schema: name -> type."""
    schema = json.loads((SCHEMAS / "webgpu.json").read_text(encoding="utf-8"))["items"]
    found = {}
    for name in schema["required"]:
        row = schema["properties"][name]
        one = row.get("const", row.get("enum", [None])[0])
        kind = "array" if "$ref" in row else row.get("type")
        found[name] = type(one) if one is not None else TYPES.get(kind, float)
    return found


MEND = 'save the record with the page "My GPU", and change nothing in it'


def rows(root: Path) -> list[dict]:
    """Return the records, by name of the file. Raises PageError for one that is none."""
    found, mistakes, known = [], [], columns()
    for file in sorted((root / FOLDER).glob("*.json")):
        path = file.relative_to(root).as_posix()
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            mistakes.append(
                Mistake(path, getattr(error, "lineno", 1), f"is no JSON: {error}", MEND)
            )
            continue
        if not isinstance(record, dict) or record.keys() != known.keys():
            differ = ", ".join(sorted(set(record) ^ known.keys())[:3])
            mistakes.append(Mistake(path, 1, f"lacks or has beside: {differ}", MEND))
            continue
        for key, kind in known.items():
            kinds = (int, float) if kind is float else kind
            if not isinstance(record[key], kinds) or isinstance(record[key], bool) != (
                kind is bool
            ):
                mistakes.append(Mistake(path, 1, f"{key} is {record[key]!r}", MEND))
        found.append(record)
    if mistakes:
        raise PageError(mistakes)
    return found


def cards(root: Path) -> str:
    """Return the table of the cards, fastest memory first, and below it that of the CPUs."""
    known = sorted(rows(root), key=lambda r: -r["copy_gbps"])
    hard, soft = ([r for r in known if r["software"] == kind] for kind in (False, True))
    made = [table(hard) if hard else "No card yet: be the first."]
    if soft:
        made += ["Software adapters, where a browser computes on the CPU and no card takes part:"]
        made += [table(soft)]
    return "\n\n".join(made)


def table(records: list[dict]) -> str:
    """Return a table of records."""
    found = []
    for r in records:
        best = max(r["kernels"], key=lambda k: k["share"], default=None)
        found.append(
            [
                re.sub(r"([\\`*_\[\]{}|<>])", r"\\\1", r["name"]),
                figures.quantity(r["copy_gbps"], "GB/s"),
                figures.quantity(r["tflops"], "TFLOP/s"),
                figures.quantity(r["launch_us"], "us"),
                f"{best['title']}: {figures.quantity(best['share'], '%')}" if best else "",
                r["date"],
            ]
        )
    heads = ["Card", "Copy", "Multiply-add", "A launch", "Closest to its roof", "Measured"]
    return figures.table(heads, found)


def in_a_browser(root: Path) -> str:
    """Return a table of the two records of one card: Chromium's WebGPU, and wgpu's."""
    one, other = (
        json.loads((root / FOLDER / name).read_text(encoding="utf-8"))
        for name in (IN_BROWSER, WITHOUT_BROWSER)
    )

    def row(title, value, unit, more=True):
        a, b = value(one), value(other)
        ratio = a / b if more else b / a
        return [title, *(figures.quantity(x, unit) for x in (a, b)), f"{ratio:.2f}"]

    def at(name, key, place, what):
        return lambda card: next(r[what] for r in card[name] if r[key] == place)

    kernels = [
        row(k["title"], at("kernels", "id", k["id"], "gflops"), "GFLOP/s") for k in one["kernels"]
    ]
    found = [
        row("Copy", lambda card: card["copy_gbps"], "GB/s"),
        *kernels,
        *(
            row(f"Shared memory, a stride of {n}, 10⁹ reads a second",
                at("banks", "stride", n, "gops"), None)
            for n in (1, 2, 4, 32)
        ),
        *(
            row(f"{n} branch{'es' * (n > 1)}", at("branches", "ways", n, "us"), "us", more=False)
            for n in (1, 16)
        ),
    ]  # fmt: skip
    heads = [one["name"].split(" (")[0], "Chromium", "wgpu", "Chromium against wgpu"]
    return figures.table(heads, found)


def rates(records) -> str:
    """Return the kernels' times as WGSL beside Numba's, by how well WGSL does; and who has none.

    Times, because a rate counts whole arrays, and some kernels read only parts of theirs.
    """
    # With the stepper and NumPy.
    from simulator.hardware.webgpu_rates import LATER, NOT_YET, RATES, WITHOUT

    found = [records.benchmarks.get(f"wgsl-{id}") for id in RATES]
    if not all(row and row["fresh"] for row in found):
        return waiting.awaiting()
    later = {id: records.benchmarks.get(f"wgsl-{id}") for id in LATER}
    later = {id: row for id, row in later.items() if row and row["fresh"]}
    found += later.values()
    missing = {f"{rate.file}:{rate.kernel}": NOT_YET for id, rate in LATER.items()
               if id not in later}  # fmt: skip
    found.sort(key=lambda row: -row["reference_share"])
    table = [
        [
            "`{}`<br>{}".format(*row["title"].removesuffix(" in WGSL").split(" of ")),
            *(figures.quantity(row[key], "us") for key in ("us", "reference_us")),
            figures.quantity(row["reference_share"], "%"),
        ]
        for row in found
    ]
    least, most = found[-1]["reference_share"], found[0]["reference_share"]
    even = sum(row["reference_share"] >= 0.9 for row in found)
    said = (
        f"On {found[0]['device']['name']}, {found[0]['date']}: {len(found)} launches. {even} of "
        "them reach nine tenths of Numba's rate or more; the least reaches "
        f"{figures.quantity(least, '%')}, the most {figures.quantity(most, '%')}."
    )
    rows = figures.table(["Kernel", "WGSL", "Numba", "Numba's time over WGSL's"], table)
    without = figures.table(
        ["Kernel", "Why it has no rate"],
        [[f"`{name.removeprefix('kernels/')}`", why] for name, why in (WITHOUT | missing).items()],
    )
    return "\n\n".join([said, folded("All of them", rows), folded("Those without", without)])


def folded(title: str, text: str) -> str:
    return f'<details class="note" markdown="1"><summary>{title}</summary>\n\n{text}\n\n</details>'


class MyGpuPart(Part):
    """The reader's own card, and those of others."""

    name = "my-gpu"
    marker = MARKER
    schemas = SCHEMAS

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        if marker[1] == "cards":
            return cards(site.root)
        if marker[1] == "browser":
            return in_a_browser(site.root)
        if marker[1] == "rates":
            return rates(site.records)
        if plain:
            return "(On the site, a button here measures the GPU of your computer.)"
        return (
            '<div class="my-gpu"><p>With scripts switched on, a button here measures '
            "your GPU.</p></div>"
        )

    def data(self, source) -> dict[str, list[dict]]:
        return {"webgpu": rows(source.root)}
