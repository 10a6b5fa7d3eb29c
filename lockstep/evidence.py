"""What ran, where and when: records that runs write, bound by hash to what they prove.

::

    evidence/<machine>/pages/<page>.json             one for each page
    evidence/<machine>/benchmarks/<script>.json      rows with ours, reference, ratio
    evidence/<machine>/microbenchmarks/<script>.json rows with value, unit, method
    evidence/<machine>/sanitizer/<tool>.json         compute-sanitizer over the kernel tests
    evidence/<machine>/counters/stepper.json         a GPU's counters beside the stepper's counts

``<machine>`` is the GPU's name, such as nvidia-h200, or cpu.
"""

import datetime
import json
import math
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from lockstep import languages
from lockstep.page import ALONE, RECORDED, Mistake, Page, PageError, digest

__all__ = ["SCHEMA", "Evidence", "digest", "file_digest", "write"]

SCHEMA = 1
HISTORY = 20  # points that a row keeps
# Best first. A block shows the best level that a fresh record gives it.
LEVELS = ("gpu", "simulator", "cpu", "compiled", "shown", "awaiting")


def write(path: Path, data: dict, history: bool = True) -> None:
    """Write a record as JSON, whole or not at all: a run that dies leaves the old one.

    A row of a measurement takes over what the record before said of it, as ``history``; not so
    where the record is the one before with something added.
    """
    path = Path(path)
    data = _with_history(path, data) if history else data
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def readable(file: Path) -> dict | None:
    """Return a record, or None where the file is not one."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["schema"] != SCHEMA:
            return None
        if "page" in record:
            needs = {"target", "outcome", "blocks", "device", "date"}
            newest = max(run["date"] for run in record["runs"])
            whole = all(needs <= run.keys() for run in record["runs"]) and record["sha256"]
            return record | {"date": newest} if whole else None
        needs = {"sources", "device", "packages", "python", "date"}
        rows = all(
            {"id", "kernel", "sha256", "unit"} <= row.keys() for row in record.get("rows", ())
        )
        return record if needs <= record.keys() and rows else None
    except (ValueError, OSError, LookupError, TypeError, AttributeError):
        return None


def _impossible(row: dict, sources: dict[str, str]) -> str | None:
    """Return why no run can have written a row: its figures do not follow from each other."""
    if row["sha256"] != sources.get(row["kernel"]):
        return f"{row['id']}: its kernel {row['kernel']} is not among the sources of the record"
    if "ratio" in row:
        speed = row["reference"] / row["ours"]
        speed = speed if row["unit"] in {"ns", "us", "ms", "s"} else 1 / speed
        if not math.isclose(speed, row["ratio"], rel_tol=0.01):
            return f"{row['id']}: its ratio does not follow from its two figures"
    if {"gbps", "bytes", "us"} <= row.keys():
        if not math.isclose(row["gbps"], row["bytes"] / row["us"] / 1e3, rel_tol=0.01):
            return f"{row['id']}: its GB/s do not follow from its bytes and its time"
    return None


def _with_history(path: Path, data: dict) -> dict:
    """Return a record of measurements with the rows of the record before it as points of time.

    A point is the date and the figures of a row, oldest first. Another GPU starts anew.
    """
    if "rows" not in data:
        return data
    old = {}
    if path.is_file():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = {}  # a broken record is mended by the run that replaces it
        if before.get("device", {}).get("name") == data.get("device", {}).get("name"):
            old = {row["id"]: (row, before["date"]) for row in before.get("rows", [])}
    rows = []
    for row in data["rows"]:
        points = []
        if row["id"] in old:
            last, date = old[row["id"]]
            points = [*last.get("history", []), point(last, date)]
            if last["unit"] != row["unit"]:
                points = []  # figures that cannot be compared
        rows.append(row | {"history": points[-HISTORY:]})
    return data | {"rows": rows}


def point(row: dict, date: str) -> dict:
    """Return the figures of a row, and their date, as a point of its history."""
    return {"date": date} | {key: row[key] for key in ("ours", "reference", "value") if key in row}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a text file of the repository."""
    return digest(Path(path).read_text(encoding="utf-8"))


@dataclass
class Proof:
    """What the records say of one block."""

    level: str  # one of LEVELS
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
    """All records under evidence/, read once."""

    def __init__(self, root: Path):
        self.root = root
        self.pages: dict[str, list[dict]] = {}  # page path -> records, one for each machine
        self.by_hash: dict[str, list[dict]] = {}  # page hash -> runs that still count
        self.benchmarks: dict[str, dict] = {}  # row id -> row, with device, date and fresh
        self.microbenchmarks: dict[str, dict] = {}
        self.sanitizer: dict[str, dict] = {}
        self.counters: dict[str, dict] = {}
        folder = root / "evidence"
        for file in sorted(folder.glob("*/*/**/*.json")):
            machine, kind = file.relative_to(folder).parts[:2]
            record = self._load(file)
            if kind == "pages":
                self._add_page(machine, record)
            elif kind in {"benchmarks", "microbenchmarks"}:
                self._add_rows(machine, kind, file, record)
            elif kind == "sanitizer":
                name = f"{machine}/{file.stem}"
                self.sanitizer[name] = record | {"fresh": not self.changed(record)}
            elif kind == "counters":
                self.counters[f"{machine}/{file.stem}"] = record

    def _load(self, file: Path) -> dict:
        record, name = readable(file), file.relative_to(self.root).as_posix()
        if record is None:
            mend = "run again what it records, or restore it"
            raise PageError([Mistake(name, 1, "this is not a record of a run", mend)])
        if record["date"] > datetime.date.today().isoformat():
            raise PageError([Mistake(name, 1, f"a run on {record['date']}", "run again")])
        return record

    def _add_page(self, machine: str, record: dict) -> None:
        self.pages.setdefault(record["page"], []).append(record | {"machine": machine})
        runs = [run | {"machine": machine} for run in record["runs"]]
        self.by_hash.setdefault(record["sha256"], []).extend(runs)

    def _add_rows(self, machine: str, kind: str, file: Path, record: dict) -> None:
        table, name = getattr(self, kind), file.relative_to(self.root).as_posix()
        fresh = not self.changed(record) and record["script"] in record["sources"]
        for row in record["rows"]:
            what = _impossible(row, record["sources"])
            if row["id"] in table and table[row["id"]]["machine"] == machine:
                what = f"the id {row['id']} is taken by {table[row['id']]['file']}"
            if what:
                raise PageError([Mistake(name, 1, what, "mend the script and measure again")])
            extra = {key: record[key] for key in ("device", "packages", "python", "date")}
            extra |= {"machine": machine, "fresh": fresh, "file": file.name}
            extra |= {"gpu": record.get("gpu")}  # tells two of one kind apart
            table[row["id"]] = row | extra | {"script": record["script"]}

    def changed(self, record: dict) -> list[str]:
        """Return the sources of a record that are no longer what they were when it ran."""
        return [
            path
            for path, sha256 in record["sources"].items()
            if not (self.root / path).is_file() or file_digest(self.root / path) != sha256
        ]

    # ------------------------------------------------------------ pages

    def runs(self, page: Page) -> list[dict]:
        """Return the runs that prove this page as it is now."""
        return [run for run in self.by_hash.get(page.sha256, []) if self._counts(run, page)]

    def _counts(self, run: dict, page: Page) -> bool:
        """Whether a run passed, was of these very blocks, and had the GPUs that they need."""
        recorded = [b["sha256"] for b in run["blocks"] if b["language"] not in RECORDED]
        there = [b.sha256 for b in page.blocks if b.language not in RECORDED]
        if run["outcome"] != "passed" or recorded != there:
            return False
        if run["target"] not in languages.GPU_TARGETS:
            return True
        device, least = run["device"], float(page.meta.get("compute_capability", "0"))
        enough = device["count"] >= page.meta.get("gpus", 1)
        return enough and float(device["compute_capability"]) >= least

    def proofs(self, page: Page) -> list[Proof]:
        """Return the proof of each block of a page, in order."""
        runs = self.runs(page)
        return [self._proof(block, runs) for block in page.blocks]

    def _proof(self, block, runs: list[dict]) -> Proof:
        if "shown" in block.options:
            return Proof("shown", block.options["shown"])
        best = Proof("awaiting")
        for run in runs:
            level = self._level(block, run)
            if LEVELS.index(level) < LEVELS.index(best.level):
                best = Proof(level, runs=[run])
            elif level == best.level != "awaiting":
                best.runs.append(run)
        return best

    def _level(self, block, run: dict) -> str:
        on_gpu = run["target"] in languages.GPU_TARGETS
        if block.language == "output":
            # The text on the page must be the text that this run printed.
            recorded = run.get("outputs", {}).get(block.path) == block.sha256
            return ("gpu" if on_gpu else "awaiting") if recorded else "awaiting"
        outcome = run["blocks"][block.index]["outcome"]
        if run["target"] == languages.APPLE:
            return "gpu" if outcome == "passed" else "awaiting"
        if outcome == "stand-in":
            return "cpu"
        if outcome == "passed":
            return "gpu" if on_gpu else "cpu" if run["target"] == "cpu" else "simulator"
        return "compiled" if outcome == "compiled" else "awaiting"

    # ------------------------------------------------------------ figures

    def figure(self, kind: str, key: str) -> tuple[dict, str]:
        """Return the row and the field of a measured number.

        ``kind`` is "bench" or "micro"; ``key`` is ID.FIELD, or ID for a row's value.
        Raises ``KeyError`` with what is there instead.
        """
        table = {"bench": self.benchmarks, "micro": self.microbenchmarks}[kind]
        row_id, _, name = key.partition(".")
        if row_id not in table:
            near = ", ".join(i for i in sorted(table) if i.split("-")[0] == row_id.split("-")[0])
            raise KeyError(f"no {kind} row {row_id} (near it: {near or 'none'})")
        row, name = table[row_id], name or "value"
        if not isinstance(row.get(name), int | float) or isinstance(row.get(name), bool):
            there = ", ".join(k for k, v in row.items() if isinstance(v, int | float))
            raise KeyError(f"{kind} row {row_id} has no number {name} (it has: {there})")
        return row, name

    # ------------------------------------------------------------ what must run again

    def problems(self, pages: list[Page]) -> list[Problem]:
        """Return what is stale or missing, in the order of the pages."""
        found = []
        for page in pages:
            if not page.blocks or all(not block.runs for block in page.blocks):
                continue
            done = {run["target"] for run in self.runs(page)}
            for target in languages.targets(page):
                if target not in done:
                    old = any(
                        run["target"] == target
                        for record in self.pages.get(page.path, [])
                        for run in record["runs"]
                    )
                    kind = "stale" if old else "missing"
                    command = f"python -m lockstep run {page.path}"
                    mend = "make gpu" if target in languages.GPU_TARGETS else command
                    found.append(Problem(kind, f"{page.path} on {target}", mend))
            named = any(problem.what.startswith(f"{page.path} on ") for problem in found)
            for block, proof in zip(page.blocks, self.proofs(page), strict=True):
                if proof.level == "awaiting" and block.language not in RECORDED and not named:
                    what = f"{page.path}:{block.page_line}: no run proves this block"
                    run = f"python -m lockstep run {page.path}, with g++ for Metal, hipcc for HIP"
                    mend = run if block.language in ALONE else "make gpu"
                    found.append(Problem("missing", what, mend))
                if block.language == "output" and proof.level == "awaiting":
                    what = f"{page.path}:{block.page_line}: the output {block.path}"
                    found.append(Problem("stale", what, "make gpu"))
        paths = {page.path for page in pages}
        for path in sorted(self.pages.keys() - paths):
            mend = f"delete evidence/*/pages/{path[5:-3]}.json"
            found.append(Problem("stale", f"evidence of {path}, a page that is not there", mend))
        for kind in ("benchmarks", "microbenchmarks"):
            stale = {r["script"] for r in getattr(self, kind).values() if not r["fresh"]}
            for script in sorted(stale):
                name = Path(script).stem
                found.append(Problem("stale", f"{kind} of {script}", f"make bench NAME={name}"))
        for name, record in self.sanitizer.items():
            if not record["fresh"]:
                found.append(Problem("stale", f"sanitizer {name}", "make gpu"))
        for record in self.counters.values():
            for path in self.changed(record):
                found.append(Problem("stale", f"counters of {path}", "make gpu"))
        return found
