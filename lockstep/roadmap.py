"""The roadmap: which items there are, which page serves each, and how a page lists them.

``docs/roadmap/roadmap.yml`` holds phases, groups, items and questions. A page claims the items that
it serves in its front matter (``roadmap: [f-simt]``), so a link is found and never typed. A marker
on a line of its own, ``[[roadmap:all]]``, becomes Markdown with links to ``.md`` files, which
MkDocs then checks and rewrites as it does any other link.
"""

import functools
import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep.page import Mistake, PageError

DATA = "docs/roadmap/roadmap.yml"
QUESTIONS = "questions"
MARKER = re.compile(r"^\[\[roadmap:([a-z]+)(?: base=(\S+))?\]\][ \t]*$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---[ \t]*$", re.DOTALL | re.MULTILINE)
ID = re.compile(r"[a-z]+(-[a-z0-9]+)+")


def load(root: Path) -> dict:
    """Return the roadmap's data, ``{"phases": [...], "questions": [...]}``, as its file has it.

    Raises PageError when the file is not valid YAML, an entry lacks something, or an id is
    malformed or used twice.
    """
    text = (Path(root) / DATA).read_text(encoding="utf-8")
    try:
        data = yaml.safe_load(text)
        pairs = [(item["id"], item["title"]) for *_, item in _walk(data)]
    except yaml.YAMLError as error:
        _refuse(DATA, _yaml_line(error), "the file is not YAML", "mend this line")
    except (KeyError, TypeError) as error:
        shape = (
            "give a phase id, title, timeline, focus and groups, a group title and items, "
            "an item or question id and title"
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
    return data


def items(root: Path) -> list[dict]:
    """Return every item and question in the order of the file.

    Each is a dict with ``id``, ``title``, ``phase`` (a phase's id or ``"questions"``), ``group``
    (a title or None), ``page`` (path below docs/, or None), ``url`` (below the site's root, or
    None), ``minutes`` (a number or None) and ``state`` (``"written"`` or ``"planned"``).

    Raises PageError when a page claims an unknown id, or one that is claimed already.
    """
    root = Path(root)
    entries = list(_walk(load(root)))
    claims = _claims(root, {item["id"] for *_, item in entries})
    rows = []
    for phase, group, item in entries:
        page, minutes = claims.get(item["id"], (None, None))
        rows.append(
            {
                "id": item["id"],
                "title": item["title"],
                "phase": phase,
                "group": group,
                "page": page,
                "url": _url(page) if page else None,
                "minutes": minutes,
                "state": "written" if page else "planned",
            }
        )
    return rows


def render(which: str, root: Path, base: str | None = None) -> str:
    """Return the Markdown for one marker.

    ``which`` is ``all`` (every phase), a phase's id, or ``questions``. ``base`` is the folder below
    docs/ of the page that holds the marker; left out, it is the roadmap's own folder, or the
    phase's. The result needs the Markdown extensions attr_list and md_in_html.
    """
    rows = items(root)
    phases = {phase["id"]: phase for phase in load(root)["phases"]}
    known = ["all", *phases, QUESTIONS]
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


def _claims(root: Path, known: set[str]) -> dict[str, tuple[str, int | None]]:
    """Return {item id: (page below docs/, minutes)} from the front matter of all pages."""
    docs = root / "docs"
    claims = {}
    for file in sorted(docs.rglob("*.md")):
        page = file.relative_to(docs).as_posix()
        path = f"docs/{page}"
        text = _front_matter(str(file), file.stat().st_mtime_ns, file.stat().st_size)
        meta = _parse(text, path)
        claimed = meta.get("roadmap") or []
        if not isinstance(claimed, list):
            line = _line_of(text, "roadmap:") + 1
            _refuse(path, line, "roadmap is not a list", f"write roadmap: [{claimed}]")
        for ident in claimed:
            line = _line_of(text, ident) + 1
            if ident not in known:
                mend = f"use an id of {DATA}, or add the item there"
                _refuse(path, line, f"the roadmap has no item {ident!r}", mend)
            if ident in claims:
                what = f"docs/{claims[ident][0]} claims the roadmap item {ident!r} already"
                mend = "keep it on the page to open first, and link the other from there"
                _refuse(path, line, what, mend)
            claims[ident] = (page, meta.get("minutes"))
    return claims


@functools.cache
def _front_matter(file: str, modified: int, size: int) -> str:
    """Return a page's front matter, or "". A file that changes is another key of the cache."""
    match = FRONT_MATTER.match(Path(file).read_text(encoding="utf-8"))
    return match[1] if match else ""


@functools.cache
def _parse(front_matter: str, path: str) -> dict:
    try:
        meta = yaml.safe_load(front_matter) or {}
    except yaml.YAMLError as error:
        _refuse(path, _yaml_line(error) + 1, "the front matter is not YAML", "mend this line")
    if not isinstance(meta, dict):
        _refuse(path, 2, "the front matter is no mapping", "write lines 'key: value'")
    return meta


def _yaml_line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark else 1


def _line_of(text: str, word: object) -> int:
    """Return the last line that holds a word: of an id used twice, the newer place."""
    found = [n for n, line in enumerate(text.splitlines(), 1) if str(word) in line]
    return found[-1] if found else 1


def _url(page: str) -> str:
    """Return a page's address below the site's root, with directory URLs."""
    folder, name = posixpath.split(page.removesuffix(".md"))
    address = folder if name == "index" else posixpath.join(folder, name)
    return f"{address}/" if address else "."


def _summary(phase: dict, rows: list[dict]) -> str:
    written = sum(row["state"] == "written" for row in rows)
    bars = "".join(f'<i class="{row["state"]}"></i>' for row in rows)
    return (
        f'<p class="phase">{html.escape(phase["timeline"])} · {html.escape(phase["focus"])} · '
        f"{written} of {len(rows)} written "
        f'<span class="phase__bars" aria-hidden="true">{bars}</span></p>'
    )


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
    return (
        f'<li id="{row["id"]}" class="item item--{row["state"]}" markdown="span">'
        f'<span class="item__title">{title}</span> '
        f'<span class="item__meta">{minutes} <span class="item__state">{row["state"]}</span> '
        f"[{row['id']}](#{row['id']}){{ .item__id }}</span></li>"
    )


def _text(text: str) -> str:
    """Return a text as Markdown that renders as the text itself."""
    return re.sub(r"([\\`*_\[\]{}])", r"\\\1", html.escape(text, quote=False))
