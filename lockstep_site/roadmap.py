"""The roadmap: which items there are, which page serves each, and how a page lists them.

``docs/roadmap/roadmap.yml`` holds phases, groups, items, questions, and ways in for readers who
know something already. A page claims the items that it serves in its front matter
(``roadmap: [f-simt]``), so a link is found and never typed, and names those that its reader should
have done (``needs: [f-simt]``). A marker on a line of its own, ``[[roadmap:all]]``, becomes
Markdown with links to ``.md`` files, which MkDocs then checks and rewrites as it does any other
link. What a reader has done is kept and shown by ``docs/assets/js/progress.js``.
"""

import functools
import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep import export
from lockstep.page import LOADER, Mistake, PageError
from lockstep.parts import Part
from lockstep.source import yaml_line

DATA = "docs/roadmap/roadmap.yml"
QUESTIONS = "questions"
GRAPH = "graph"
WAYS = "ways"
PROGRESS = "progress"
MARKER = re.compile(r"^\[\[roadmap:([a-z]+)\]\][ \t]*$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---[ \t]*$", re.DOTALL | re.MULTILINE)
ID = re.compile(r"[a-z]+(-[a-z0-9]+)+")


# docs/assets/js/progress.js brings it to life. Without JavaScript there is nothing to keep.
TOOLS = """\
<div class="progress" data-search-exclude>
<p><a class="md-button md-button--primary continue" href="#" hidden></a>
<span>Ticks and answers are kept in this browser, and nowhere else.</span></p>
<p class="progress__tools">
<button type="button" class="md-button" data-progress="save">Save as a file</button>
<button type="button" class="md-button" data-progress="load">Load a file</button>
<button type="button" class="md-button" data-progress="forget">Forget all</button>
<input type="file" accept=".json,application/json" aria-label="File with progress" hidden></p>
<p class="progress__said" aria-live="polite"></p>
</div>"""


def load(root: Path) -> dict:
    """Return the roadmap's data, as its file has it: lists ``phases``, ``questions``, ``ways``.

    Raises PageError when the file is not valid YAML, an entry lacks something, an id is malformed
    or used twice, or a way leads over an item that is not there.
    """
    return _load((Path(root) / DATA).read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=4)
def _load(text: str) -> dict:
    try:
        data = yaml.load(text, LOADER)
        pairs = [(item["id"], item["title"]) for *_, item in _walk(data)]
        ways = [
            (way["title"], way["text"], [*way["items"], *way.get("knows", [])])
            for way in data.setdefault(WAYS, [])
        ]
    except yaml.YAMLError as error:
        _refuse(DATA, yaml_line(error), "the file is not YAML", "mend this line")
    except (KeyError, TypeError) as error:
        shape = (
            "give a phase id, title, timeline, focus and groups, a group title and items, "
            "an item or question id and title, a way title, text and items"
        )
        _refuse(DATA, 1, f"{error} is missing", shape)
    seen = set()
    for ident, _ in pairs:
        line = _line_of(text, ident)
        if not ID.fullmatch(str(ident)):
            _refuse(DATA, line, f"odd id {ident!r}", "write lower-case words joined by hyphens")
        if ident in seen:
            _refuse(DATA, line, f"the id {ident!r} is used twice", "give the newer item its own")
        seen.add(ident)
    for title, _, over in ways:
        for ident in over:
            if ident not in seen:
                what = f"the way {title!r} leads over {ident!r}, which is no item"
                _refuse(DATA, _line_of(text, title), what, "use the id of an item or question")
    return data


def items(root: Path) -> list[dict]:
    """Return every item and question in the order of the file.

    Each is a dict with ``id``, ``title``, ``phase`` (a phase's id or ``"questions"``), ``group``
    (a title or None), ``page`` (path below docs/, or None), ``url`` (below the site's root, or
    None), ``name`` (the title of that page), ``minutes`` (a number or None), ``needs`` (ids) and
    ``state`` (``"written"`` or ``"planned"``).

    Raises PageError when a page claims an unknown id, or one that is claimed already, or needs an
    unknown id, or one that needs the page itself.
    """
    root = Path(root)
    entries = list(_walk(load(root)))
    claims = _claims(root, {item["id"] for *_, item in entries})
    rows = []
    for phase, group, item in entries:
        page, meta = claims.get(item["id"], (None, {}))
        rows.append(
            {
                "id": item["id"],
                "title": item["title"],
                "phase": phase,
                "group": group,
                "page": page,
                "url": _url(page) if page else None,
                "name": meta.get("title") or item["title"],
                "minutes": meta.get("minutes"),
                "needs": meta.get("needs") or [],
                "state": "written" if page else "planned",
            }
        )
    _check_path(root, rows)
    return rows


def path(rows: list[dict], phase: str | None = None) -> list[dict]:
    """Return the items whose pages make the path, or a phase of it: each page once, in order."""
    seen, found = set(), []
    for row in rows:
        if row["page"] and row["phase"] != QUESTIONS and phase in {None, row["phase"]}:
            if row["page"] not in seen:
                seen.add(row["page"])
                found.append(row)
    return found


def way(root: Path, pages: dict[str, object]) -> list[str]:
    """Return every page of the phases in the one order of sidebar, footers and boxes.

    Each phase's index, its part of the path, and what else lies in its folder. ``pages``: those
    that there are, by their addresses.
    """
    rows, found = items(root), []
    for phase in load(root)["phases"]:
        folder, own = f"roadmap/{phase['id']}/", [row["page"] for row in path(rows, phase["id"])]
        first = [folder + "index.md"] if folder + "index.md" in pages else []
        rest = sorted(uri for uri in pages if uri.startswith(folder))
        found += first + own + [uri for uri in rest if uri not in {*first, *own}]
    return found


def _check_path(root: Path, rows: list[dict]) -> None:
    """Refuse an item, of the path or of a way in, that stands before one that its page needs."""
    of, place = {row["id"]: row for row in rows}, {row["id"]: n for n, row in enumerate(rows)}

    def wanted(row: dict) -> list[str]:
        return [n for n in row["needs"] if of[n]["page"] and of[n]["phase"] != QUESTIONS]

    for row in rows:
        for need in wanted(row) if row["phase"] != QUESTIONS else ():
            if place[need] > place[row["id"]]:
                text = (root / "docs" / row["page"]).read_text(encoding="utf-8")
                line = next(
                    (n for n, t in enumerate(text.split("\n"), 1) if t.startswith("needs:"))
                )
                what = f"{row['id']} needs {need}, which comes later on the path"
                mend = f"move {need} up in {DATA}, or drop the need"
                _refuse(f"docs/{row['page']}", line, what, mend)
    text = (root / DATA).read_text(encoding="utf-8")
    for way in load(root)[WAYS]:
        known, waiting = set(), list(way.get("knows", []))
        while waiting:
            ident = waiting.pop()
            known.add(ident)
            waiting += [n for n in of[ident]["needs"] if n not in known]
        for ident in way["items"]:
            for need in wanted(of[ident]):
                if need not in known:
                    what = (
                        f"the way {way['title']!r} leads to {ident} before {need}, which it needs"
                    )
                    mend = f"put {need} before it, or into `knows`"
                    _refuse(DATA, _line_of(text, way["title"]), what, mend)
            known.add(ident)


def render(which: str, root: Path, base: str | None = None) -> str:
    """Return the Markdown for one marker.

    ``which`` is ``all`` (every phase), a phase's id, ``questions``, ``ways`` (the ways in),
    ``graph`` (what needs what, in words; the lesson extension draws it beside them) or ``progress``
    (the reader's own, to continue, save and load). ``base`` is the folder below docs/ of the page
    that holds the marker; left out, it is the roadmap's own folder, or the phase's. The result
    needs the Markdown extensions attr_list and md_in_html.
    """
    rows = items(root)
    phases = {phase["id"]: phase for phase in load(root)["phases"]}
    known = ["all", *phases, QUESTIONS, WAYS, GRAPH, PROGRESS]
    if which not in known:
        _refuse(
            DATA, 1, f"[[roadmap:{which}]] names no part of it", f"write one of {', '.join(known)}"
        )
    if base is None:
        base = f"roadmap/{which}" if which in phases else "roadmap"

    def of(name: str) -> list[dict]:
        return [row for row in rows if row["phase"] == name]

    if which == QUESTIONS:
        return _list(of(QUESTIONS), base)
    if which == WAYS:
        return _ways(load(root)[WAYS], rows, base)
    if which == PROGRESS:
        return TOOLS
    if which == GRAPH:
        return _graph(rows, base)
    if which in phases:
        return "\n\n".join([_summary(phases[which], of(which)), _groups(of(which), base, level=2)])
    parts = []
    for name, phase in phases.items():
        to_phase = posixpath.relpath(f"roadmap/{name}/index.md", base)
        parts += [
            f"## [{_text(phase['title'])}]({to_phase}) {{ #{name} }}",
            _summary(phase, of(name)),
            _groups(of(name), base, level=3),
        ]
    return "\n\n".join(parts)


def as_text(which: str, root: Path, base: str) -> str:
    """Return a marker's part of the roadmap as lists, without what only a browser can show."""
    if which == PROGRESS:
        return ""
    if which in (WAYS, GRAPH):
        return re.sub(r"</?div[^>]*>", "", render(which, root, base))
    lines, last = [], None
    for row in items(root):
        if row["phase"] != which and (which != "all" or row["phase"] == QUESTIONS):
            continue
        if row["group"] != last:
            last = row["group"]
            lines += ["", f"**{last}**", ""]
        title = row["title"]
        if row["page"]:
            title = f"[{title}]({posixpath.relpath(row['page'], base)})"
        lines.append(f"- {title} ({row['state']})")
    return "\n".join(lines)


def _refuse(path: str, line: int, what: str, mend: str) -> None:
    raise PageError([Mistake(path, line, what, mend)])


def _walk(data: dict) -> Iterator[tuple[str, str | None, dict]]:
    """Yield (phase id, group title, item) for every item, then for the questions."""
    for phase in data["phases"]:
        for key in ("title", "timeline", "focus"):
            phase[key]  # a phase without it is found here, before anything is rendered
        for group in phase["groups"]:
            for item in group["items"]:
                yield phase["id"], group["title"], item
    for question in data[QUESTIONS]:
        yield QUESTIONS, None, question


def _claims(root: Path, known: set[str]) -> dict[str, tuple[str, dict]]:
    """Return {item id: (page below docs/, its front matter)} from all pages."""
    docs = root / "docs"
    claims = {}
    needs: dict[str, tuple[set[str], int]] = {}  # page -> (what it needs, line)
    for file in sorted(docs.rglob("*.md")):
        page = file.relative_to(docs).as_posix()
        path = f"docs/{page}"
        text = _front_matter(str(file), file.stat().st_mtime_ns, file.stat().st_size)
        meta = _parse(text, path)
        for key in ("roadmap", "needs"):
            value = meta.get(key) or []
            line = _key_line(text, key)
            if not isinstance(value, list):
                _refuse(path, line, f"{key} is not a list", f"write {key}: [{value}]")
            for ident in value:
                if ident not in known:
                    mend = f"use an id of {DATA}, or add the item there"
                    _refuse(path, line, f"the roadmap has no item {ident!r}", mend)
        claimed = meta.get("roadmap") or []
        needs[page] = set(meta.get("needs") or []), _key_line(text, "needs")
        for ident in claimed:
            line = _key_line(text, "roadmap")
            if ident in claims:
                what = f"docs/{claims[ident][0]} claims the roadmap item {ident!r} already"
                mend = "keep it on the page to open first, and link the other from there"
                _refuse(path, line, what, mend)
            claims[ident] = (page, meta)
    of = {ident: page for ident, (page, _) in claims.items()}
    for page, (_, line) in needs.items():
        seen, waiting = set(), [page]
        while waiting:
            for ident in needs[waiting.pop()][0]:
                if (before := of.get(ident)) == page:
                    what = f"this page needs itself, by way of {ident!r}"
                    _refuse(f"docs/{page}", line, what, "drop one of the needs on the way round")
                if before and before not in seen:
                    seen.add(before)
                    waiting.append(before)
    return claims


@functools.cache
def _front_matter(file: str, modified: int, size: int) -> str:
    """Return a page's front matter, or "". A file that changes is another key of the cache."""
    match = FRONT_MATTER.match(Path(file).read_text(encoding="utf-8"))
    return match[1] if match else ""


@functools.cache
def _parse(front_matter: str, path: str) -> dict:
    try:
        meta = yaml.load(front_matter, LOADER) or {}
    except yaml.YAMLError as error:
        _refuse(path, yaml_line(error) + 1, "the front matter is not YAML", "mend this line")
    if not isinstance(meta, dict):
        _refuse(path, 2, "the front matter is no mapping", "write lines 'key: value'")
    return meta


def _key_line(front_matter: str, key: str) -> int:
    """Return the line of the page that holds a key of its front matter."""
    found = re.search(rf"^{key}:", front_matter, re.MULTILINE)
    return front_matter.count("\n", 0, found.start()) + 2 if found else 1


def _line_of(text: str, word: object) -> int:
    """Return the last line that holds a word: of an id used twice, the newer place."""
    found = [n for n, line in enumerate(text.splitlines(), 1) if str(word) in line]
    return found[-1] if found else 1


def _url(page: str) -> str:
    """Return a page's address below the site's root, with directory URLs."""
    folder, name = posixpath.split(page.removesuffix(".md"))
    address = folder if name == "index" else posixpath.join(folder, name)
    return f"{address}/" if address else "."


def duration(minutes: int) -> str:
    """Return a time as a reader plans it: "40 min", "5 h", "5 h 20 min". It stays on one line."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{n}\N{NO-BREAK SPACE}{unit}" for n, unit in ((hours, "h"), (rest, "min")) if n]
    return "\N{NO-BREAK SPACE}".join(parts)


def _minutes(rows: list[dict]) -> int:
    """Return the time that the pages of some items take. A page of two items is read once."""
    return sum({row["page"]: row["minutes"] for row in rows if row["minutes"]}.values())


def _summary(phase: dict, rows: list[dict]) -> str:
    written = [row for row in rows if row["state"] == "written"]
    bars = "".join(f'<i class="{row["state"]}" data-item="{row["id"]}"></i>' for row in rows)
    time = duration(_minutes(rows))
    return (
        f'<p class="phase">{html.escape(phase["timeline"])} · {html.escape(phase["focus"])} · '
        f"{len(written)} of {len(rows)} written{f', {time}' if time else ''} "
        f'<span class="phase__bars" aria-hidden="true">{bars}</span> '
        f'<span class="phase__done" data-of="{len(written)}"></span></p>'
    )


def _link(row: dict, base: str, title: str) -> str:
    """Return a link to the page of an item, or its title and "planned"."""
    if row["page"]:
        return f"[{_text(title)}]({posixpath.relpath(row['page'], base)})"
    return f"{_text(title)} (planned)"


def _ways(ways: list[dict], rows: list[dict], base: str) -> str:
    of = {row["id"]: row for row in rows}
    parts = ['<div class="grid cards ways" markdown="1">']
    for way in ways:
        over = [of[ident] for ident in way["items"]]
        time = duration(_minutes(over))
        parts.append(f"-   **{_text(way['title'])}**{f' · {time}' if time else ''}")
        parts.append(f"    {_text(way['text'])}")
        lines = [f"    {n}. {_link(row, base, row['name'])}" for n, row in enumerate(over, 1)]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, "</div>"])


def linked(rows: list[dict]) -> list[dict]:
    """Return the items that need others or are needed: what a graph shows. In order."""
    named = {ident for row in rows for ident in row["needs"]}
    return [row for row in rows if row["needs"] or row["id"] in named]


def _graph(rows: list[dict], base: str) -> str:
    of = {row["id"]: row for row in rows}
    lines = []
    for row in linked(rows):
        needs = [_link(of[ident], base, of[ident]["name"]) for ident in row["needs"]]
        after = f"after {' and '.join(needs)}" if needs else "a start"
        lines.append(f"    - {_link(row, base, row['name'])}: {after}")
    opening = ['<div class="needs" markdown="1">', '??? note "The same in words"']
    return "\n\n".join([*opening, "\n".join(lines), "</div>"])


def _groups(rows: list[dict], base: str, level: int) -> str:
    parts = []
    for group in dict.fromkeys(row["group"] for row in rows):
        parts.append(f"{'#' * level} {_text(group)}")
        parts.append(_list([row for row in rows if row["group"] == group], base))
    return "\n\n".join(parts)


def _list(rows: list[dict], base: str) -> str:
    lines = [_item(row, base) for row in rows]
    return "\n".join(['<ul class="items" markdown="1">', *lines, "</ul>"])


def _item(row: dict, base: str) -> str:
    title = _text(row["title"])
    if row["page"]:
        title = f"[{title}]({posixpath.relpath(row['page'], base)})"
    minutes = f'<span class="item__time">{row["minutes"]} min</span>' if row["minutes"] else ""
    tick = ""
    if row["page"]:
        label = html.escape(row["title"])
        tick = f'<input type="checkbox" data-done="{row["id"]}" aria-label="Done: {label}"> '
    planned = row["state"] == "planned"  # what is there needs no word for it
    state = '<span class="item__state">planned</span> ' if planned else ""
    return (
        f'<li id="{row["id"]}" class="item item--{row["state"]}" markdown="span">'
        f'{tick}<span class="item__title">{title}</span> '
        f'<span class="item__meta">{minutes} {state}'
        f"[{row['id']}](#{row['id']}){{ .item__id }}</span></li>"
    )


def _text(text: str) -> str:
    """Return a text as Markdown that renders as the text itself."""
    return re.sub(r"([\\`*_\[\]{}])", r"\\\1", html.escape(text, quote=False))


def _lists(nav: list) -> Iterator[list]:
    """Yield every list of a navigation."""
    yield nav
    for item in nav:
        for children in item.values() if isinstance(item, dict) else ():
            if isinstance(children, list):
                yield from _lists(children)


class RoadmapPart(Part):
    """Phases, items and ways in."""

    name = "roadmap"
    marker = MARKER
    schemas = Path(__file__).parent / "schemas"

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return (as_text if plain else render)(marker[1], site.root, folder)

    def data(self, source) -> dict[str, list[dict]]:
        return {"roadmap": _rows(source)}

    def navigation(self, nav: list, site) -> None:
        """Put each phase's pages below its index, in the order of the path."""
        if not (site.root / DATA).is_file():
            return
        rows = items(site.root)
        placed = {row["page"] for row in path(rows)}
        lessons = [page for page in site.pages if page.meta.get("kind") == "lesson"]
        for page in lessons:
            if page.uri not in placed and page.uri.startswith("roadmap/"):
                what = "this lesson has no place on the path"
                mend = f"add an item to {DATA}, and claim it: roadmap: [its id]"
                _refuse(page.path, 1, what, mend)
        order = way(site.root, {page.uri: page for page in site.pages})
        for children in _lists(nav):
            for phase in load(site.root)["phases"]:
                index = f"roadmap/{phase['id']}/index.md"
                if index in children:
                    own = [row["page"] for row in path(rows, phase["id"])]
                    known = [uri for uri in order if uri in {index, *own} or uri in children]
                    children[:] = [*known, *(c for c in children if c not in known)]

    def path(self, site) -> list[str]:
        if not (site.root / DATA).is_file():
            return []
        return way(site.root, {page.uri: page for page in site.pages})

    def shared(self) -> tuple[str, ...]:
        return (DATA,)


def _rows(source) -> list[dict]:
    if not (source.root / DATA).is_file():
        return []
    pages = {page.path: page for page in source.pages}
    rows = []
    for item in items(source.root):
        page = pages.get(f"docs/{item['page']}")
        row = {key: item[key] for key in ("id", "title", "phase")}
        rows.append(row | {"url": export.address(page) if page else None, "state": item["state"]})
    return rows
