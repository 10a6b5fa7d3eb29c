"""What the records prove, each bound by hash to what ran."""

import copy
import functools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lockstep import imports, project, running
from lockstep.block import RECORDED, Block, Page
from lockstep.evidence.records import load
from lockstep.mistakes import Mistake, PageError
from lockstep.source import file_digest, source_file


def _impossible(row: dict, sources: dict[str, str]) -> str | None:
    """Return why no run can have written a row: its figures do not follow from each other."""
    if row["sha256"] != sources.get(row["kernel"]):
        return f"{row['id']}: its kernel {row['kernel']} is not among the sources of the record"
    for key in {"ours", "reference", "value", "ratio", "gbps", "bytes", "us"} & row.keys():
        if isinstance(row[key], bool) or not isinstance(row[key], int | float):
            return f"{row['id']}: its {key} is no number"
        if not math.isfinite(row[key]):
            return f"{row['id']}: its {key} is {row[key]}"
    if any(row.get(key, 1) == 0 for key in ("ours", "reference", "us")):
        return f"{row['id']}: a figure of nothing"
    if "ratio" in row:
        if not {"ours", "reference"} <= row.keys():
            return f"{row['id']}: a ratio without its two figures"
        speed = row["reference"] / row["ours"]
        speed = speed if row["unit"] in {"ns", "us", "ms", "s"} else 1 / speed
        if not math.isclose(speed, row["ratio"], rel_tol=0.01):
            return f"{row['id']}: its ratio does not follow from its two figures"
    if {"gbps", "bytes", "us"} <= row.keys():
        if not math.isclose(row["gbps"], row["bytes"] / row["us"] / 1e3, rel_tol=0.01):
            return f"{row['id']}: its GB/s do not follow from its bytes and its time"
    return None


def _of_another(machine: str, record: dict) -> str | None:
    """Return the device of a record that is not the one of its folder, or None."""
    wanted = set(re.split(r"\W+|_", machine.lower()))
    for device in [run["device"] for run in record.get("runs", ())] or [record.get("device")]:
        if isinstance(device, dict) and device.get("count"):
            if not wanted <= set(re.split(r"\W+|_", str(device.get("name")).lower())):
                return str(device.get("name"))
    return None


RANGES = "range", "ever", "reference_ever"  # fields of two numbers
SECOND = "second"  # the field of what the second run of the same code measured


def measured_range(row: dict, name: str = "range") -> tuple[float, float]:
    """Return the least and the most of a row's figure, over its first run and those again.

    ``ever`` takes in what records that were replaced had measured of the same code: for what
    depends much on the host. ``reference_ever`` does so for the reference. A run of another kernel,
    of this one's text before a change, or of one that nobody noted, says nothing about it and does
    not count. (A change in what the kernel imports, or in the benchmark around it, is not seen
    here.)
    """
    key = "reference" if name == "reference_ever" else "ours" if "ours" in row else "value"
    runs = [row, *row.get("again", ())]
    if name != "range":
        runs += [run for run in row.get("history", ()) if _of_same_code(run, row)]
    values = [run[key] for run in runs if key in run]
    return min(values), max(values)


def second_run(row: dict) -> dict:
    """Return a row with the figure, the date and the spread of the second run of the same code.

    Raises ``KeyError`` if there was none.
    """
    key = "ours" if "ours" in row else "value"
    run = next((run for run in row.get("again", ()) if key in run), None)
    if run is None:
        raise KeyError(f"row {row['id']} has no second run of the same code")
    kept = {name: run[name] for name in ("date", "spread") if name in run}
    return row | kept | {SECOND: run[key]}


def _of_same_code(run: dict, row: dict) -> bool:
    return "sha256" in run and all(run.get(key) == row[key] for key in ("kernel", "sha256"))


@dataclass
class Proof:
    """What the records say of one block."""

    level: str  # one of the project's levels
    reason: str | None = None  # why it is only shown
    runs: list[dict] = field(default_factory=list)  # the runs that give it this level


@dataclass
class Problem:
    """Something that must run, or run again, before the site may be published."""

    kind: str  # "stale" or "missing"
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}. To mend: {self.mend}."


class Evidence:
    """All records under evidence/, read once; or those of one page alone.

    Raises ``PageError`` with what is wrong with any of them; with ``wrong`` it goes there instead,
    and the others count.
    """

    def __init__(self, root: Path, page: Page | None = None, wrong: list[Mistake] | None = None):
        self.root = root
        self._wrong: list[Mistake] = [] if wrong is None else wrong
        self.project = project.of(root)
        self.pages: dict[str, list[dict]] = {}  # page path -> records, one for each machine
        self.by_hash: dict[str, list[dict]] = {}  # page hash -> runs that still count
        self.benchmarks: dict[str, dict] = {}  # row id -> row, with device, date and fresh
        self.microbenchmarks: dict[str, dict] = {}
        # Rows of other machines than the one whose figure the pages show: row id -> rows
        self.elsewhere: dict[str, list[dict]] = {}
        self._rows: dict[str, dict[str, list[dict]]] = {"benchmarks": {}, "microbenchmarks": {}}
        # Of the kinds that the project registers: kind -> machine/name -> record
        self.others: dict[str, dict[str, dict]] = {kind: {} for kind in self.project.records}
        folder = root / "evidence"
        files = f"*/pages/{page.name}.json" if page else "*/*/**/*.json"
        for file in sorted(folder.glob(files)):
            machine, kind = file.relative_to(folder).parts[:2]
            try:
                record = load(file, file.relative_to(root).as_posix())
            except PageError as error:
                self._wrong += error.mistakes
                continue
            if other := _of_another(machine, record):
                mend = "run it on that machine: a record stays in the folder of its own"
                what = f"a run on {other}, in the folder of {machine}"
                name = file.relative_to(root).as_posix()
                self._wrong.append(Mistake(name, 1, what, mend))
                continue
            if kind == "pages":
                self._add_page(machine, record)
            elif kind in {"benchmarks", "microbenchmarks"}:
                self._add_rows(machine, kind, file, record)
            elif kind in self.others:
                stale = self.changed(record)
                place = file.relative_to(folder / machine / kind).with_suffix("")
                name = f"{machine}/{place.as_posix()}"
                self.others[kind][name] = record | {"fresh": not stale, "stale": stale}
        if self._wrong and wrong is None:
            raise PageError(self._wrong)
        self._choose()

    def _add_page(self, machine: str, record: dict) -> None:
        self.pages.setdefault(record["page"], []).append(record | {"machine": machine})
        runs = [run | {"machine": machine} for run in record["runs"]]
        self.by_hash.setdefault(record["sha256"], []).extend(runs)

    def _add_rows(self, machine: str, kind: str, file: Path, record: dict) -> None:
        name = file.relative_to(self.root).as_posix()
        fresh = not self.changed(record) and record["script"] in record["sources"]
        for row in record["rows"]:
            there = self._rows[kind].setdefault(row["id"], [])
            what = _impossible(row, record["sources"])
            if taken := next((r["file"] for r in there if r["machine"] == machine), None):
                what = f"the id {row['id']} is taken by {taken}"
            if what:
                mend = "mend the script and measure again"
                self._wrong.append(Mistake(name, 1, what, mend))
            if taken:
                continue
            extra = {key: record[key] for key in ("device", "packages", "python", "date")}
            extra |= {"machine": machine, "fresh": fresh, "file": file.name}
            extra |= {"gpu": record.get("gpu")}  # tells two of one kind apart
            there.append(row | extra | {"script": record["script"]})

    def _choose(self, machine: str = "") -> None:
        """Give each row the figure that the pages show; with ``machine``, that machine's alone.

        It is of the first machine that measured today's code; where none did, of the first.
        """
        rank = self.project.rank
        wanted = (machine,) if machine else self.project.machines
        for kind, ids in self._rows.items():
            for row_id, rows in ids.items():
                there = [row for row in rows if row["machine"] in wanted or not wanted]
                shown = min(there, key=lambda r: (not r["fresh"], rank(r["machine"])), default=None)
                if shown:
                    getattr(self, kind)[row_id] = shown
                rest = [row for row in rows if row is not shown]
                if rest:
                    rest.sort(key=lambda r: rank(r["machine"]))
                    self.elsewhere.setdefault(row_id, []).extend(rest)

    def every(self, kind: str) -> Iterator[dict]:
        """Yield the rows of all machines, those that the pages show and the others."""
        for rows in self._rows[kind].values():
            yield from rows

    def of(self, machine: str) -> "Evidence":
        """Return the same evidence with the measurements of one machine alone."""
        found = copy.copy(self)
        found.benchmarks, found.microbenchmarks, found.elsewhere = {}, {}, {}
        found._choose(machine)
        return found

    def changed(self, record: dict) -> list[str]:
        """Return the sources of a record that are no longer what they were when it ran.

        And what it depends on today without holding its hash: a package around them that has come
        to do something, an import that nobody recorded.
        """
        sources = record["sources"]
        found = [
            path
            for path, sha256 in sources.items()
            if not (file := source_file(self.root, path)).is_file() or file_digest(file) != sha256
        ]
        return found + sorted(imports.depends(self.root, record) - sources.keys())

    # ------------------------------------------------------------ pages

    def runs(self, page: Page) -> list[dict]:
        """Return the runs that prove this page as it is now.

        Of the same target, that of the machine whose figures and outputs the page shows is first.
        """
        found = [run for run in self.by_hash.get(page.sha256, []) if self._counts(run, page)]
        best: dict[str, int] = {}
        for run in found:
            place = self.project.rank(run["machine"])
            best[run["target"]] = min(place, best.get(run["target"], place))

        def behind(run: dict) -> int:
            place = self.project.rank(run["machine"])
            return 0 if place == best[run["target"]] else place + 1

        return sorted(found, key=behind)

    def _counts(self, run: dict, page: Page) -> bool:
        """Whether a run passed, was of these very blocks, and had what they need."""
        recorded = [b["sha256"] for b in run["blocks"] if b["language"] not in RECORDED]
        there = [b.sha256 for b in page.blocks if b.language not in RECORDED]
        if run["outcome"] != "passed" or recorded != there:
            return False
        target = self.project.targets.get(run["target"])
        return target is not None and not target.outdated(run) and target.counts(run, page)

    def proofs(self, page: Page) -> list[Proof]:
        """Return the proof of each block of a page, in order."""
        runs = self.runs(page)
        return [self._proof(block, runs) for block in page.blocks]

    def _proof(self, block: Block, runs: list[dict]) -> Proof:
        if "shown" in block.options:
            return Proof("shown", block.options["shown"])
        best = Proof("awaiting")
        for run in runs:
            level = self._level(block, run)
            if self.project.levels.index(level) < self.project.levels.index(best.level):
                best = Proof(level, runs=[run])
            elif level == best.level != "awaiting":
                best.runs.append(run)
        return best

    def _level(self, block: Block, run: dict) -> str:
        target = self.project.targets[run["target"]]
        if block.language in RECORDED:
            # The text on the page must be the text that this run printed.
            recorded = run.get("outputs", {}).get(block.path) == block.sha256
            return target.level if recorded and target.keeps_output else "awaiting"
        outcome = run["blocks"][block.index]["outcome"]
        return self.project.languages[block.language].level(outcome, target)

    # ------------------------------------------------------------ figures

    def figure(self, kind: str, key: str) -> tuple[dict, str]:
        """Return the row and the field of a measured number.

        ``kind`` is "bench" or "micro"; ``key`` is ID.FIELD, or ID for a row's value. The field
        ``range`` is (least, most) of the row's figure over the runs of its record, and ``ever``
        over those of replaced records as well, as far as they ran the same code
        (``reference_ever``: of the reference); ``second`` is that of the second run of the same
        code.
        Raises ``KeyError`` with what is there instead. A row that a benchmark has by its id, and
        that no run has recorded yet, has no numbers and is not fresh.
        """
        table = {"bench": self.benchmarks, "micro": self.microbenchmarks}[kind]
        row_id, _, name = key.partition(".")
        if row_id not in table and row_id in self.planned:
            return {"fresh": False, "planned": True}, name
        if row_id not in table:
            near = ", ".join(i for i in sorted(table) if i.split("-")[0] == row_id.split("-")[0])
            raise KeyError(f"no {kind} row {row_id} (near it: {near or 'none'})")
        row, name = table[row_id], name or "value"
        if name in RANGES:
            return row | {name: measured_range(row, name)}, name
        if name == SECOND:
            return second_run(row), name
        if not isinstance(row.get(name), int | float) or isinstance(row.get(name), bool):
            there = ", ".join(k for k, v in row.items() if isinstance(v, int | float))
            raise KeyError(f"{kind} row {row_id} has no number {name} (it has: {there})")
        return row, name

    @functools.cached_property
    def printed(self) -> dict[str, set[str]]:
        """The hashes of all that runs have printed for each file of recorded output."""
        found: dict[str, set[str]] = {}
        for runs in self.by_hash.values():
            for run in runs:
                for path, sha256 in run.get("outputs", {}).items():
                    found.setdefault(path, set()).add(sha256)
        return found

    @functools.cached_property
    def planned(self) -> frozenset[str]:
        """The words in the benchmarks' sources that look like ids of rows: those with hyphens, the
        first of each ``Case``, and what another id of the same file begins with."""
        found: set[str] = set()
        for file in sorted((self.root / "benchmarks").glob("**/*.py")):
            text = file.read_text(encoding="utf-8")
            pairs = re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"|\bCase\(\s*"([a-z0-9]+)"', text)
            ids = {hyphened or first for hyphened, first in pairs}
            words = re.findall(r'"([a-z0-9]+)"', text)
            found |= ids | {w for w in words if any(i.startswith(f"{w}-") for i in ids)}
        return frozenset(found)

    # ------------------------------------------------------------ what must run again

    def of_page(self, page: Page) -> list[Problem]:
        """Return what of a page's proofs is stale or missing."""
        if all(not block.runs for block in page.blocks):
            return []
        found = []
        done = {run["target"] for run in self.runs(page)}
        for name in running.wanted(page):
            if name not in done:
                records = self.pages.get(page.path, [])
                old = any(run["target"] == name for record in records for run in record["runs"])
                mend = self.project.targets[name].mend(page)
                what = f"{page.path} on {name}"
                found.append(Problem("stale" if old else "missing", what, mend))
        for run in self.by_hash.get(page.sha256, []):
            target = self.project.targets.get(run["target"])
            if (
                target
                and run["target"] not in running.wanted(page)
                and (why := target.outdated(run))
            ):
                mend = f"{running.VARIABLE}={target.name} python -m lockstep run {page.path}"
                found.append(Problem("stale", f"{page.path} on {target.name}: {why}", mend))
        named = bool(found)
        for block, proof in zip(page.blocks, self.proofs(page), strict=True):
            if proof.level != "awaiting":
                continue
            where = f"{page.path}:{page.line_of(block)}"
            mend = self.project.languages[block.language].wanted(page) or self._mend(page)
            if block.language in RECORDED:
                found.append(Problem("stale", f"{where}: the output {block.path}", mend))
            elif not named:
                found.append(Problem("missing", f"{where}: no run proves this block", mend))
        return found

    def problems(self, pages: list[Page]) -> list[Problem]:
        """Return what is stale or missing, in the order of the pages."""
        found = [problem for page in pages for problem in self.of_page(page)]
        paths = {page.path for page in pages}
        for path in sorted(self.pages.keys() - paths):
            name = path.removeprefix(f"{self.project.docs}/").removesuffix(".md")
            mend = f"delete evidence/*/pages/{name}.json"
            found.append(Problem("stale", f"evidence of {path}, a page that is not there", mend))
        for kind in ("benchmarks", "microbenchmarks"):
            stale = {r["script"] for r in getattr(self, kind).values() if not r["fresh"]}
            for script in sorted(stale):
                name = Path(script).stem
                mend = self.project.benchmark.format(script=script, name=name)
                found.append(Problem("stale", f"{kind} of {script}", mend))
        for kind, records in self.others.items():
            for name, record in records.items():
                # Nobody here can make a reader's record again: it is shown as old, and no more.
                machine, _, rest = name.partition("/")
                theirs = self.project.machines and machine not in self.project.machines
                if not record["fresh"] and not theirs and not self._replaced(records, rest):
                    mend = self.project.records[kind]
                    found.append(Problem("stale", f"{kind} {name}", mend))
        for part in self.project.parts:
            found += part.problems(self, pages)
        return found

    def _replaced(self, records: dict[str, dict], name: str) -> bool:
        """Whether another of our machines has such a record of today's code."""
        there = (records.get(f"{machine}/{name}") for machine in self.project.machines)
        return any(record and record["fresh"] for record in there)

    def older(self, pages: list[Page]) -> list[str]:
        """Return the records of our machines that another one's run of today's code replaces.

        They prove nothing, and the site does not wait for them: who has such a machine may run
        them again.
        """
        found, ours = set(), self.project.machines
        for kind, ids in self._rows.items():
            for row_id, rows in ids.items():
                old = [row for row in rows if row["machine"] in ours and not row["fresh"]]
                if old and getattr(self, kind)[row_id]["fresh"]:
                    found |= {f"{row['machine']}/{kind}/{row['file']}" for row in old}
        for kind, records in self.others.items():
            for name, record in records.items():
                machine, _, rest = name.partition("/")
                if machine in ours and not record["fresh"] and self._replaced(records, rest):
                    found.add(f"{machine}/{kind}/{rest}.json")
        for page in pages:
            done = {run["target"] for run in self.runs(page)}
            for record in self.pages.get(page.path, ()):
                ran = {run["target"] for run in record["runs"]}
                if record["machine"] in ours and record["sha256"] != page.sha256 and ran <= done:
                    found.add(f"{record['machine']}/pages/{page.name}.json")
        return sorted(f"evidence/{name}" for name in found)

    def _mend(self, page: Page) -> str:
        """Say how to have a page run where it is to be proved."""
        return next((self.project.targets[name].mend(page) for name in running.wanted(page)), "")
