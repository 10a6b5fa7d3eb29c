"""What ran, where and when: records that runs write, bound by hash to what they prove.

::

    evidence/<machine>/pages/<page>.json             one for each page
    evidence/<machine>/benchmarks/<script>.json      rows with ours, reference, ratio
    evidence/<machine>/microbenchmarks/<script>.json rows with value, unit, method
    evidence/<machine>/sanitizer/<tool>.json         compute-sanitizer over the kernel tests

``<machine>`` is the GPU's name, such as nvidia-h200, or cpu.
"""

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from lockstep import languages
from lockstep.page import Page, digest

__all__ = ["SCHEMA", "Evidence", "digest", "file_digest", "write"]

SCHEMA = 1
# Best first. A block shows the best level that a fresh record gives it.
LEVELS = ("gpu", "simulator", "cpu", "compiled", "shown", "awaiting")


def write(path: Path, data: dict) -> None:
    """Write a record as JSON, whole or not at all: a run that dies leaves the old one."""
    path = Path(path)
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

    def _load(self, file: Path) -> dict:
        name = file.relative_to(self.root)
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            what = f"{name}: not JSON ({error}). To mend: restore it, or run again."
            raise SystemExit(what) from None
        if record.get("schema") != SCHEMA:
            raise SystemExit(f"{name}: schema {record.get('schema')}, not {SCHEMA}: run again.")
        return record

    def _add_page(self, machine: str, record: dict) -> None:
        self.pages.setdefault(record["page"], []).append(record | {"machine": machine})
        runs = [run | {"machine": machine} for run in record["runs"]]
        self.by_hash.setdefault(record["sha256"], []).extend(runs)

    def _add_rows(self, machine: str, kind: str, file: Path, record: dict) -> None:
        table = getattr(self, kind)
        fresh = not self.changed(record)
        for row in record["rows"]:
            if row["id"] in table and table[row["id"]]["machine"] == machine:
                other = table[row["id"]]["file"]
                raise SystemExit(f"{file.name}: the id {row['id']} is taken by {other}: rename it.")
            extra = {key: record[key] for key in ("device", "packages", "python", "date")}
            table[row["id"]] = row | extra | {"machine": machine, "fresh": fresh, "file": file.name}
            table[row["id"]]["script"] = record["script"]

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
        return [run for run in self.by_hash.get(page.sha256, []) if run["outcome"] == "passed"]

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
        if outcome == "passed":
            return "gpu" if on_gpu else run["target"]
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
            for block, proof in zip(page.blocks, self.proofs(page), strict=True):
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
        return found
