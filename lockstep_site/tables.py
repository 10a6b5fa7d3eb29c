"""Tables of facts that others state, each row with its sources, and cells that nobody could check.

``docs/glossary/hardware.yml`` holds ``sources`` (title, url, read: how far each was read) and
``tables`` (id, title, columns, rows). A row has a value for each column or leaves it out, its
``sources`` by key, and may have a ``note`` and ``unverified``, the columns whose value no opened
source bears out. A marker on a line of its own, ``[[table:ID]]``, becomes the table and its sources
in Markdown.
"""

import re
from pathlib import Path

from lockstep import figures
from lockstep.page import Mistake, PageError
from lockstep.parts import Part
from lockstep_site import datafile
from lockstep_site.sources import OPENED, READ

DATA = "docs/glossary/hardware.yml"
MARKER = re.compile(r"^\[\[table:(?P<which>[a-z0-9-]+)\]\][ \t]*$")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
OTHER_KEYS = {"id", "note", "unverified", "sources"}
MARK = "(?)"
NOTE = "†"
MEND = "give sources and tables, each table with id, title, columns and rows"


def load(root: Path) -> dict | None:
    """Return the file's data, or None where there is none. Raises PageError with its mistakes."""
    return datafile.load(root, DATA, _mistakes, MEND)


def _mistakes(data: dict, lines: list[str]) -> list[Mistake]:
    found: list[Mistake] = []

    def wrong(word: str, what: str, mend: str) -> None:
        at = next((n for n, line in enumerate(lines, 1) if word in line), 1)
        found.append(Mistake(DATA, at, what, mend))

    sources, seen, tables = data["sources"], set(), set()
    for key, source in sources.items():
        if source.keys() != {"title", "url", "read"} or source["read"] not in READ:
            wrong(f"{key}:", f"the source {key!r} is not whole", "give title, url and read")
        elif not str(source["url"]).startswith(("https://", "http://")):
            wrong(f"{key}:", f"the source {key!r} has no address", "begin its url with https://")
    for table in data["tables"]:
        if table["id"] in tables:
            wrong(f"id: {table['id']}", f"the table {table['id']!r} is there twice", "rename one")
        tables.add(table["id"])
        columns = [column["id"] for column in table["columns"]]
        for row in table["rows"]:
            name, ident = f"the row {row['id']!r}", f"id: {row['id']},"
            if row["id"] in seen or not ID.fullmatch(row["id"]):
                wrong(ident, f"{name} is there twice, or its id is odd", "give it an id of its own")
            seen.add(row["id"])
            if not row.get(columns[0]):
                wrong(ident, f"{name} has no {columns[0]}", "say what the row is about")
            for key in row.keys() - OTHER_KEYS - set(columns):
                wrong(ident, f"{name} has the unknown column {key!r}", f"use {', '.join(columns)}")
            doubts = set(row.get("unverified", ()))
            if doubts - row.keys() or doubts - set(columns):
                mend = "name columns of the row that have a value"
                wrong(ident, f"{name} doubts what it does not say", mend)
            if unknown := set(row["sources"]) - sources.keys():
                wrong(ident, f"{name} names the source {min(unknown)!r}", "add it under sources")
            elif not any(sources[key]["read"] in OPENED for key in row["sources"]):
                if set(columns[1:]) & row.keys() - doubts:
                    mend = "name a source that you opened, or list the columns as unverified"
                    wrong(ident, f"{name} has no source that was opened", mend)
    return found


def render(which: str, root: Path) -> str:
    """Return one table, what its marks mean and its sources, as Markdown."""
    data = load(root)
    known = [table["id"] for table in data["tables"]] if data else []
    if which not in known:
        mend = f"write one of {', '.join(known)}" if known else "write the file"
        raise PageError([Mistake(DATA, 1, f"[[table:{which}]] names no table", mend)])
    table = data["tables"][known.index(which)]
    columns = [c for c in table["columns"] if any(c["id"] in row for row in table["rows"])]
    head = [c["title"] for c in columns] + ["Sources"]
    numbers = [
        all(isinstance(r.get(c["id"], 0), int | float) for r in table["rows"]) for c in columns
    ]
    numbers += [False]
    lines, notes = [], []  # a note in a cell would push the columns out of the page
    used: dict[str, int] = {}
    for row in table["rows"]:
        cells = []
        for column in columns:
            cell = _value(row.get(column["id"]))
            doubt = column["id"] in row.get("unverified", ())
            cells.append(f"{cell} {MARK}" if doubt else cell)
        links = []
        for key in row["sources"]:
            number = used.setdefault(key, len(used) + 1)
            links.append(f"[{number}]({data['sources'][key]['url']}){{ .source }}")
        if "note" in row:
            notes.append(f"- **{cells[0]}**: {_text(str(row['note']))}")
            cells[0] += f" {NOTE}"
        lines.append([*cells, " ".join(links)])
    said = [
        f"{number}. [{_text(source['title'])}]({source['url']}) ({READ[source['read']]})"
        for key, number in used.items()
        for source in [data["sources"][key]]
    ]
    parts = [figures.table(head, lines, numbers)]
    if any(row.get("unverified") for row in table["rows"]):
        parts.append(f"A value with {MARK} is one that no source bears out that we opened.")
    if notes:
        parts += [f"Rows with {NOTE}:", "\n".join(notes)]
    return "\n\n".join([*parts, f"Sources of “{table['title']}”:", "\n".join(said)])


def _value(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _text(str(value))
    return f"{value:,}" if value >= 10_000 else f"{value:g}"


def _text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]{}|<>])", r"\\\1", text)


def rows(root: Path) -> list[dict]:
    """Return every row of every table, as ``data/hardware.json`` has it."""
    data = load(root)
    return [
        {
            "id": row["id"],
            "table": table["id"],
            "values": {c["id"]: row.get(c["id"]) for c in table["columns"]},
            "unverified": row.get("unverified", []),
            "note": row.get("note"),
            "sources": [data["sources"][key] for key in row["sources"]],
        }
        for table in (data["tables"] if data else ())
        for row in table["rows"]
    ]


class TablesPart(Part):
    """Tables of what vendors state."""

    name = "tables"
    marker = MARKER
    schemas = Path(__file__).parent / "schemas"

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return render(marker["which"], site.root)

    def data(self, source) -> dict[str, list[dict]]:
        return {"hardware": rows(source.root)}
