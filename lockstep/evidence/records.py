"""Records as files: written whole or not at all, in lines that a reviewer can read.

A page's record has one line for each of its runs and one for each of its blocks; what a run had
under it, device, packages and Python, stands once for all, by its hash::

    evidence/environments/<hash>.json   {"device": ..., "packages": ..., "python": ...}

In memory a record is one object with everything in it, ``runs`` with their ``blocks``: ``load``
and ``write`` turn the one into the other. The points of time of a measurement are lines of a file
beside its record, ``<script>.history.jsonl``, which only grows. A point names the kernel that it
measured and the hash of that. Those of the first days do not; where git has the record that a
point came from, a later line says the point again, with its code.
"""

import datetime
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep import imports
from lockstep.evidence import schema
from lockstep.evidence.schema import Malformed, hold, line_of, parse
from lockstep.mistakes import Mistake, PageError
from lockstep.source import digest, file_digest

SCHEMA = 1
PAGES = 2  # of the records of pages: 1 repeated the environment in each run
HISTORY = 20  # points of a row that are shown
ENVIRONMENT = ("device", "packages", "python")
ENVIRONMENTS = "environments"
FIGURES = ("ours", "reference", "value")
CODE = ("kernel", "sha256")
SEAL = "seal"  # the key of a record's own hash
BLOCK = ("source", "section", "language", "sha256")


def write(path: Path, data: dict, history: bool = True) -> None:
    """Write a record as JSON, whole or not at all: a run that dies leaves the old one.

    The figures of the rows that it replaces become lines of their history; not so without
    ``history``, where the record is the one before with something added.
    """
    path = Path(path)
    if "page" in data:
        _replace(path, _page_text(sealed(_packed(data, _home(path)))))
        return
    if "sources" in data:
        data = data | {"sources": _whole(path, data)}
    if "rows" in data:
        _keep(path, data, history)
        rows = [{k: v for k, v in row.items() if k != "history"} for row in data["rows"]]
        data = data | {"rows": rows}
    _replace(path, json.dumps(sealed(data), indent=1, ensure_ascii=False) + "\n")


def sealed(record: dict) -> dict:
    """Return a record with the hash of all the rest of it, so that no part is edited alone."""
    rest = {key: value for key, value in record.items() if key != SEAL}
    said = json.loads(json.dumps(rest))
    return rest | {SEAL: digest(json.dumps(said, ensure_ascii=False, sort_keys=True))[:16]}


def _whole(path: Path, record: dict) -> dict[str, str]:
    """Return the sources of a record with what they bring with them, such as packages around them.

    Whoever writes the record need not know of it.
    """
    home = next((folder for folder in path.absolute().parents if folder.name == "evidence"), None)
    if home is None:
        return record["sources"]
    more = imports.depends(home.parent, record) - record["sources"].keys()
    return record["sources"] | {name: file_digest(home.parent / name) for name in sorted(more)}


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _home(path: Path) -> Path:
    """Return the folder evidence/ of a page's record, evidence/<machine>/pages/<page>.json."""
    return next(f for f in path.parents if path.relative_to(f).parts[1:2] == ("pages",))


# ---------------------------------------------------------------- pages


def _packed(record: dict, home: Path) -> dict:
    """Return a page's record as its file has it, and write the environments that it names."""
    runs, lines = {}, []
    for run in record["runs"]:
        environment = {key: run[key] for key in ENVIRONMENT}
        text = json.dumps(environment, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        name = digest(text)[:12]
        file = home / ENVIRONMENTS / f"{name}.json"
        if not file.is_file():
            _replace(file, text)
        rest = {k: v for k, v in run.items() if k not in {*ENVIRONMENT, "target", "blocks"}}
        runs[run["target"]] = rest | {"environment": name}
    for blocks in zip(*(run["blocks"] for run in record["runs"]), strict=True):
        line: dict[str, Any] = {key: blocks[0][key] for key in BLOCK if key in blocks[0]}
        line["runs"] = {
            run["target"]: {k: v for k, v in block.items() if k not in line or line[k] != v}
            for run, block in zip(record["runs"], blocks, strict=True)
        }
        lines.append(line)
    head = {k: v for k, v in record.items() if k != "runs"} | {"schema": PAGES}
    return head | {"runs": runs, "blocks": lines}


def _page_text(record: dict) -> str:
    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    head = [f"{line(k)}: {line(v)}" for k, v in record.items() if k not in {"runs", "blocks"}]
    runs = ",\n".join(f"  {line(name)}: {line(run)}" for name, run in record["runs"].items())
    blocks = ",\n".join(f"  {line(block)}" for block in record["blocks"])
    parts = [*head, f'"runs": {{\n{runs}\n }}', f'"blocks": [\n{blocks}\n ]']
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def _unpacked(record: dict, home: Path) -> dict:
    """Return a page's record with its runs whole. Raises ``Malformed`` for a missing part."""
    runs = []
    for index, line in enumerate(record["blocks"]):
        if line["runs"].keys() != record["runs"].keys():
            odd = ", ".join(sorted(line["runs"].keys() ^ record["runs"].keys()))
            raise Malformed(f"its block {index + 1} ran elsewhere: {odd}", ("blocks", index))
    for target, run in record["runs"].items():
        blocks = [
            {key: line[key] for key in BLOCK if key in line} | line["runs"][target]
            for line in record["blocks"]
        ]
        rest = {k: v for k, v in run.items() if k != "environment"}
        environment = _environment(home, run["environment"])
        runs.append({"target": target} | rest | environment | {"blocks": blocks})
    head = {k: v for k, v in record.items() if k not in {"runs", "blocks"}}
    return head | {"runs": runs}


_environments: dict[Path, tuple[int, dict]] = {}


def _environment(home: Path, name: str) -> dict:
    """Return what a run had under it. Raises ``Malformed``."""
    file = home / ENVIRONMENTS / f"{name}.json"
    try:
        state = file.stat().st_mtime_ns
        known = _environments.get(file)
        if known is None or known[0] != state:
            text = file.read_text(encoding="utf-8")
            if digest(text)[:12] != name:
                raise Malformed(f"its environment {file.name} is not what that name says")
            found = parse(text)
            hold(found, schema.UNDER)
            known = _environments[file] = state, found
    except (OSError, UnicodeDecodeError):
        raise Malformed(f"there is no {ENVIRONMENTS}/{file.name}, which it names") from None
    except Malformed as error:
        raise Malformed(f"{file.name}: {error.what}") from None
    return known[1]


def unchanged(before: dict, after: dict) -> bool:
    """Whether two runs of a page differ in their dates and times alone."""
    return _timeless(before) == _timeless(after)


def _timeless(run: dict) -> dict:
    blocks = [{k: v for k, v in block.items() if k != "seconds"} for block in run["blocks"]]
    return {k: v for k, v in run.items() if k not in {"date", "machine"}} | {"blocks": blocks}


# ---------------------------------------------------------------- reading


def load(file: Path, name: str) -> dict:
    """Return a record, whole. Raises ``PageError`` where the file is not one."""
    mend = f"run again what it records, or restore it: git checkout {name}"
    try:
        record = _read(file)
    except Malformed as error:
        line = error.line or line_of(file.read_text(encoding="utf-8"), error.place)
        what = f"this is not a record of a run: {error.what}"
        raise PageError([Mistake(name, line, what, mend)]) from None
    except (UnicodeDecodeError, OSError) as error:
        what = f"this is not a record of a run: {error}"
        raise PageError([Mistake(name, 1, what, mend)]) from None
    if record["date"] > datetime.date.today().isoformat():
        raise PageError(
            [Mistake(name, 1, f"a run on {record['date']}", "run again, with the clock set right")]
        )
    return record


def readable(file: Path) -> dict | None:
    """Return a record, or None where the file is not one. Old formats are read, too."""
    try:
        return _read(file)
    except (ValueError, OSError):
        return None


def _read(file: Path) -> dict:
    """Return a record, whole and of its shape. Raises ``Malformed`` or ``OSError``."""
    record = parse(file.read_text(encoding="utf-8"))
    known: Any = record.get("schema") if isinstance(record, dict) else None
    if isinstance(record, dict) and "page" in record:
        shape = {PAGES: schema.PAGE, SCHEMA: schema.OLD_PAGE}.get(known)
        hold(record, shape or _unknown)
        if known == PAGES:
            record = _unpacked(record, _home(file))
        if not record["runs"]:
            raise Malformed("it has no run", ("runs",))
        return record | {"date": max(run["date"] for run in record["runs"])}
    shape = schema.MEASURED if isinstance(record, dict) and "rows" in record else schema.RECORD
    hold(record, shape if known == SCHEMA or not isinstance(record, dict) else _unknown)
    return _with_history(file, record) if "rows" in record else record


def _unknown(record: dict) -> Iterator[tuple[schema.Place, str]]:
    what = f"it has the format {record.get('schema')}, and this version knows {SCHEMA} and {PAGES}"
    yield ("schema",), what


# ---------------------------------------------------------------- history of measurements


def _history(path: Path) -> Path:
    return path.with_suffix(".history.jsonl")


def point(row: dict, date: str) -> dict:
    """Return the figures of a row, their date and their code, as a point of its history."""
    return {"date": date} | {key: row[key] for key in (*FIGURES, *CODE) if key in row}


def _keep(path: Path, data: dict, history: bool) -> None:
    """Append the figures that a record is about to lose. Another device's are not comparable."""
    try:
        before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        return  # a broken record is mended by the run that replaces it
    if before.get("device", {}).get("name") != data.get("device", {}).get("name"):
        return
    lines = []
    for row in before.get("rows", []):  # also of those that are measured no more
        points = row.get("history", [])  # where records had it once
        points = [*points, point(row, before["date"])] if history else points
        lines += [{"id": row["id"], "unit": row["unit"]} | at for at in points]
    if lines:
        file = _history(path)
        old = file.read_text(encoding="utf-8") if file.is_file() else ""
        _replace(file, old + "".join(f"{json.dumps(line)}\n" for line in lines))


def _with_history(path: Path, record: dict) -> dict:
    """Return a record whose rows have their points of time, oldest first."""
    points: dict[str, list[dict]] = {}
    file = _history(path)
    if file.is_file():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                row = parse(line)
                hold(row, schema.POINT)
            except Malformed as error:
                raise Malformed(f"line {number} of {file.name}: {error.what}") from None
            known = points.setdefault(row.pop("id"), [])
            same = (at for at in known if "sha256" not in at and at.items() <= row.items())
            if bare := next(same, None):
                bare |= row  # the same run, now with its code
            else:
                known.append(row)
    rows = []
    for row in record["rows"]:
        known = []
        for at in points.get(row["id"], []):
            # After a change of the unit, what was before cannot be compared.
            known = [*known, at] if at["unit"] == row["unit"] else []
        own = [{k: v for k, v in at.items() if k != "unit"} for at in known]
        rows.append(row | {"history": [*row.get("history", []), *own][-HISTORY:]})
    return record | {"rows": rows}
