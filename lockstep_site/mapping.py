"""The map: what stands for what in another language, row by row, each with its sources.

``docs/metal/mapping.yml`` holds columns, groups, rows, sources and claims, and says in its head
what a row needs. A marker on a line of its own, ``[[mapping:all]]``, becomes Markdown tables with
links to ``.md`` files, which MkDocs checks and rewrites as it does any other link. The first two
columns are always shown. The others are there, and style sheets hide them until they are switched
on, which needs no script; ``docs/assets/js/map.js`` adds the filter.
"""

import functools
import html
import posixpath
import re
from pathlib import Path

import yaml

from lockstep import figures
from lockstep.page import LOADER, Mistake, PageError
from lockstep.parts import Part
from lockstep_site.sources import OPENED, READ

DATA = "docs/metal/mapping.yml"
TERMS = "docs/glossary/{}.md"
PAIRS = "docs/metal/pairs/{}.md"
ROW = re.compile(r"\s*\[[^\[\]]*\]\([^()]*\)\{ \.map__id \}")
CHIP = re.compile(r'<span class="chip">(.*?)</span>')
MARKER = re.compile(r"^\[\[mapping:([a-z-]+)\]\][ \t]*$", re.MULTILINE)
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
VERDICTS = ("correct", "narrow", "out of date")
UNKNOWN = "–"  # no name was found, which is not "none"
ALWAYS = 2  # columns that are shown without being asked for
LINE = "__line__"


class _Loader(LOADER):
    """Notes the line of each mapping, for the mistakes."""

    def construct_mapping(self, node, deep=False):
        found = super().construct_mapping(node, deep=deep)
        return found | {LINE: node.start_mark.line + 1}


def load(root: Path) -> dict | None:
    """Return the file's data, checked, or None where a repository has no such file.

    Raises PageError with every mistake in it: a row without an opened source that is not marked
    unverified, an unknown group, equivalence, source, term or pair, an id used twice.
    """
    file = Path(root) / DATA
    if not file.is_file():
        return None
    state = file.stat().st_mtime_ns, file.stat().st_size
    data = _load(str(file), *state)
    mistakes = _mistakes(data, Path(root))
    if mistakes:
        raise PageError(mistakes)
    return data


@functools.lru_cache(maxsize=8)
def _load(file: str, modified: int, size: int) -> dict:
    try:
        data = yaml.load(Path(file).read_text(encoding="utf-8"), _Loader)
        wanted = ("columns", "equivalences", "groups", "planned", "claims", "sources", "rows")
        missing = [key for key in wanted if key not in data]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, what = mark.line + 1 if mark else 1, "the file is not YAML"
        raise PageError([Mistake(DATA, line, what, "mend this line")]) from None
    if missing:
        what = f"there is no {missing[0]}"
        raise PageError([Mistake(DATA, 1, what, f"give {', '.join(wanted)}")])
    return data


def _mistakes(data: dict, root: Path) -> list[Mistake]:
    found: list[Mistake] = []
    columns = [column["id"] for column in data["columns"]]
    groups = [group["id"] for group in data["groups"]]
    kinds = [kind["id"] for kind in data["equivalences"]]
    keys = {"id", "group", "equivalence", "since", "caveat", "sources", "terms", "pair"}
    keys |= {"unverified", LINE, *columns}
    seen: set[str] = set()

    def wrong(entry: dict, what: str, mend: str) -> None:
        found.append(Mistake(DATA, entry[LINE], what, mend))

    for key, source in data["sources"].items():
        if key == LINE:
            continue
        if not str(source.get("url", "")).startswith("https://") or not source.get("title"):
            wrong(source, f"the source {key} has no title or no address", "give both")
        if source.get("read") not in READ:
            wrong(source, f"the source {key} does not say how it was read", _one_of(READ))
    for row in data["rows"]:
        name = f"the row {row.get('id')!r}"
        if not ID.fullmatch(str(row.get("id"))):
            wrong(row, f"odd id {row.get('id')!r}", "write lower-case words joined by hyphens")
        if row.get("id") in seen:
            wrong(row, f"the id {row['id']!r} is used twice", "give the newer row its own")
        seen.add(row.get("id"))
        for key in sorted(row.keys() - keys):
            wrong(row, f"{name} has an unknown key {key}", _one_of(keys - {LINE}))
        for column in columns[:ALWAYS]:
            if not row.get(column):
                wrong(row, f"{name} says nothing of {column}", "write a name, or none")
        if row.get("group") not in groups:
            wrong(row, f"{name} has the unknown group {row.get('group')!r}", _one_of(groups))
        if row.get("equivalence") not in kinds:
            what = f"{name} has the unknown equivalence {row.get('equivalence')!r}"
            wrong(row, what, _one_of(kinds))
        sources = [key for key in row.get("sources") or {} if key != LINE]
        for key in sources:
            if key not in data["sources"]:
                wrong(row, f"{name} names the unknown source {key!r}", "add it under sources")
        read = {data["sources"].get(key, {}).get("read") for key in sources}
        if not read & set(OPENED) and not row.get("unverified"):
            mend = "name one that you opened, or say what is not verified: unverified: [...]"
            wrong(row, f"{name} has no source that was opened", mend)
        for key, place, pages in (("terms", TERMS, "terms"), ("pair", PAIRS, "pairs")):
            named = row.get(key) or []
            for ident in [named] if isinstance(named, str) else named:
                there = (root / place.format(ident)).is_file()
                if not there and ident not in (data["planned"].get(pages) or []):
                    mend = f"write {place.format(ident)}, or list it under planned"
                    wrong(row, f"{name} links to {ident!r}, which is no page", mend)
    for claim in data["claims"]:
        if claim.get("verdict") not in VERDICTS:
            wrong(claim, f"unknown verdict {claim.get('verdict')!r}", _one_of(VERDICTS))
        if not claim.get("why"):
            wrong(claim, "a verdict without a reason", "say why")
        for ident in claim.get("rows") or [None]:
            if ident not in seen:
                wrong(claim, f"the claim stands on {ident!r}, which is no row", "name a row's id")
    return found


def _one_of(words) -> str:
    return f"use one of {', '.join(sorted(words))}"


def rows(root: Path) -> list[dict]:
    """Return every row as ``data/mapping.json`` has it, in the order of the file.

    A column that a row leaves empty is None. ``sources`` are dicts with title, url, where and read,
    ``pair`` is the address of a page below the site's root, or None while it is planned.
    """
    data = load(root)
    if data is None:
        return []
    columns = [column["id"] for column in data["columns"]]
    found = []
    for row in data["rows"]:
        sources = [
            {key: data["sources"][name][key] for key in ("title", "url", "read")} | {"where": where}
            for name, where in (row.get("sources") or {}).items()
            if name != LINE
        ]
        pair = row.get("pair")
        written = pair and (Path(root) / PAIRS.format(pair)).is_file()
        found.append(
            {"id": row["id"], "group": row["group"]}
            | {column: row.get(column) for column in columns}
            | {key: row.get(key) for key in ("equivalence", "caveat", "since")}
            | {"sources": sources, "unverified": row.get("unverified") or []}
            | {"pair": f"metal/pairs/{pair}/" if written else None}
            | {"terms": row.get("terms") or []}
        )
    return found


# ---------------------------------------------------------------- Markdown


def render(which: str, root: Path, base: str) -> str:
    """Return the Markdown for one marker.

    ``which`` is ``all`` (the filter and every group), ``claims``, ``sources``, an equivalence (the
    rows that have it) or the id of a group. ``base`` is the folder below docs/ of the page with
    the marker. The result needs the Markdown extensions attr_list, md_in_html and tables.
    """
    data = load(root)
    if data is None:
        raise PageError([Mistake(DATA, 1, f"[[mapping:{which}]] has no data", "write the file")])
    groups = {group["id"]: group["title"] for group in data["groups"]}
    kinds = [kind["id"] for kind in data["equivalences"]]
    if which == "claims":
        return _claims(data, base)
    if which == "sources":
        return _sources(data)
    if which == "all":
        parts = [_filter(data), '<div class="map map--all" markdown="1">']
        for ident, title in groups.items():
            chosen = [row for row in data["rows"] if row["group"] == ident]
            parts += [f"## {title} {{ #{ident} }}", _table(chosen, data, Path(root), base, True)]
        return "\n\n".join([*parts, "</div>"])
    key = "group" if which in groups else "equivalence" if which in kinds else None
    if key is None:
        mend = _one_of(["all", "claims", "sources", *groups, *kinds])
        raise PageError([Mistake(DATA, 1, f"[[mapping:{which}]] names no part of it", mend)])
    chosen = [row for row in data["rows"] if row[key] == which]
    table = _table(chosen, data, Path(root), base, False)
    return f'<div class="map" markdown="1">\n\n{table}\n\n</div>'


def as_text(which: str, root: Path, base: str) -> str:
    """Return the Markdown for one marker without the filter and the marks for style sheets."""
    text = re.sub(r"<form.*?</form>", "", render(which, root, base), flags=re.DOTALL)
    text = re.sub(r" \{ #[^{}]*\}", "", re.sub(r"</?(?:div|span)[^>]*>", "", text))
    return text.strip("\n")


def _table(chosen: list[dict], data: dict, root: Path, base: str, whole: bool) -> str:
    """Return one table. ``whole``: its rows are the places that links to a row lead to."""
    columns = data["columns"] if whole else data["columns"][:ALWAYS]
    kinds = {kind["id"]: kind["title"] for kind in data["equivalences"]}
    verdicts: dict[str, list[str]] = {}
    for claim in data["claims"]:
        for ident in claim["rows"]:
            verdict, why = claim["verdict"].capitalize(), _inline(claim["why"])
            text = f"Claim: {_inline(claim['claim'])}. **{verdict}.** {why}"
            text = f'<span class="map__claim">{text}</span>'
            verdicts.setdefault(ident, []).append(text)
    titles = [column["title"] for column in columns]
    lines = []
    to_map = posixpath.relpath("metal/map.md", base)
    for row in chosen:
        names = [_inline(row.get(column["id"]) or UNKNOWN) for column in columns]
        kind = row["equivalence"]
        mark = f"#{row['id']} data-eq={kind}"
        mark += " data-claim=1" if row["id"] in verdicts else ""
        mark += " data-unverified=1" if row.get("unverified") else ""
        mark = f"{{ {mark} }}" if whole else ""
        anchor = f"#{row['id']}" if whole else f"{to_map}#{row['id']}"
        match = f'<span class="map__eq map__eq--{kind}">{kinds[kind]}</span>'
        match += f" [{row['id']}]({anchor}){{ .map__id }}"
        notes = _notes(row, data, root, base, verdicts.get(row["id"], []) if whole else [])
        cells = [f"{names[0]} {mark}", *names[1:]]
        lines.append([*cells[:ALWAYS], match, *cells[ALWAYS:], notes])
    # The match stands beside the names that it is about, whatever else is switched on.
    return figures.table([*titles[:ALWAYS], "Match", *titles[ALWAYS:], "Notes"], lines)


def _inline(text: str) -> str:
    """Return a cell's Markdown: only code may be marked up. In code a bar divides no cells."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        prose = re.sub(r"([\\*_\[\]|{}])", r"\\\1", parts[i])
        parts[i] = prose.replace("<", "&lt;").replace(">", "&gt;")
    return "".join(parts)


def _notes(row: dict, data: dict, root: Path, base: str, verdicts: list[str]) -> str:
    parts = [_inline(row["caveat"])] if row.get("caveat") else []
    if row.get("since"):
        parts.append(f"**Since** {_inline(row['since'])}.")
    if row.get("unverified"):
        parts.append(f"**Unverified:** {_inline(', '.join(row['unverified']))}.")
    parts += verdicts
    names = [name for name in row.get("sources") or {} if name != LINE]
    links = []
    for name in names:
        source, where = data["sources"][name], row["sources"][name]
        link = f"[{name}]({source['url']})"
        links.append(f"{link}: {_inline(str(where))}" if where else link)
    small = [f"Sources: {'; '.join(links)}."] if links else []
    terms = [
        f"[{term.replace('-', ' ')}]({posixpath.relpath(f'glossary/{term}.md', base)})"
        for term in row.get("terms") or []
        if (root / TERMS.format(term)).is_file()
    ]
    if terms:
        small.append(f"Terms: {', '.join(terms)}.")
    pair = row.get("pair")
    if pair and (root / PAIRS.format(pair)).is_file():
        to = posixpath.relpath(f"metal/pairs/{pair}.md", base)
        parts.append(f"[Both kernels: {pair.replace('-', ' ')}]({to})")
    if small:
        parts.append(f'<span class="map__small">{" ".join(small)}</span>')
    return " ".join(parts)


def _claims(data: dict, base: str) -> str:
    to_map = posixpath.relpath("metal/map.md", base)
    lines = []
    for claim in data["claims"]:
        links = ", ".join(f"[{ident}]({to_map}#{ident})" for ident in claim["rows"])
        lines.append([_inline(claim["claim"]), claim["verdict"], _inline(claim["why"]), links])
    return figures.table(["Claim", "Verdict", "Why", "Rows"], lines)


def _sources(data: dict) -> str:
    lines = []
    for name, source in sorted((n, s) for n, s in data["sources"].items() if n != LINE):
        lines.append(f"- **{name}**: [{_inline(source['title'])}]({source['url']})")
        lines[-1] += f" ({READ[source['read']]})"
    return "\n".join(lines)


def _filter(data: dict) -> str:
    """Return the form. Its switches for columns work by style sheets; the rest waits for map.js."""
    options = "".join(
        f'<option value="{group["id"]}">{html.escape(group["title"])}</option>'
        for group in data["groups"]
    )
    kinds = "".join(
        f'<label title="{html.escape(kind["meaning"])}"><input type="checkbox" name="eq" '
        f'value="{kind["id"]}"> {html.escape(kind["title"])}</label>'
        for kind in data["equivalences"]
    )
    columns = "".join(
        f'<label><input type="checkbox" name="with" value="{column["id"]}" '
        f'id="with-{number}"> {html.escape(column["title"])}</label>'
        for number, column in enumerate(data["columns"][ALWAYS:], start=1)
    )
    return (
        '<form class="filter map-filter" data-search-exclude>\n'
        '<div class="filter__scripted" hidden>\n'
        '<label><span>Find</span> <input type="search" name="q" autocomplete="off" '
        'spellcheck="false" placeholder="shuffle, atomics, cudaMalloc ..."></label>\n'
        '<label><span>Group</span> <select name="group"><option value="">all</option>'
        f"{options}</select></label>\n<fieldset><legend>Match</legend>{kinds}</fieldset>\n"
        '<fieldset><legend>Rows</legend><label><input type="checkbox" name="only" value="claims"> '
        'with a starting claim</label><label><input type="checkbox" name="only" value="pairs"> '
        'with a kernel pair</label><label><input type="checkbox" name="only" value="unverified"> '
        "unverified</label></fieldset>\n</div>\n"
        f"<fieldset><legend>Also show</legend>{columns}</fieldset>\n"
        '<p class="filter__said" hidden><span role="status"></span> '
        '<button type="reset" class="md-button">Show all</button></p>\n</form>'
    )


class MappingPart(Part):
    """The map of CUDA to Metal."""

    name = "mapping"
    marker = MARKER
    schemas = Path(__file__).parent / "schemas"

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return (as_text if plain else render)(marker[1], site.root, folder)

    def data(self, source) -> dict[str, list[dict]]:
        return {"mapping": rows(source.root)}

    def bare(self, text: str) -> str:
        return CHIP.sub(r"(\1)", ROW.sub("", text))
