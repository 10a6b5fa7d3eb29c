"""What Russian texts call the terms of the glossary: names for the search, and a table of them.

``docs/glossary/russian.yml`` has the names and where each was seen. ``[[russian:terms]]`` on a line
of its own becomes the table, ``[[russian:latin]]`` the terms that have no Russian name, and
``[[russian:sources]]`` the list of sources.
"""

import functools
import html
import posixpath
import re
from pathlib import Path

import yaml

from lockstep.page import LOADER, Mistake, Page, PageError
from lockstep.parts import Part

DATA = "docs/glossary/russian.yml"
OURS = "ours"
LISTS = ("terms", "latin", "sources")
MARKER = re.compile(r"^\[\[russian:(?P<which>[a-z]+)\]\][ \t]*$")
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
MEND = "write ID: {names: [варп], seen: ID of a source, or ours}"


def read(root: Path) -> dict:
    """Return the file's terms, sources and latin. Raises ``PageError`` with all that is wrong."""
    file = root / DATA
    if not file.is_file():
        return {"terms": {}, "sources": {}, "latin": []}
    return _read(file, file.stat().st_mtime_ns)


@functools.lru_cache(maxsize=2)
def _read(file: Path, _changed: int) -> dict:
    text = file.read_text(encoding="utf-8")

    def wrong(word: str, what: str, mend: str = MEND) -> Mistake:
        found = (n for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith(word))
        return Mistake(DATA, next(found, 1), what, mend)

    try:
        data = yaml.load(text, LOADER)
        terms, sources, latin = data["terms"], data["sources"], data["latin"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise PageError([wrong("terms", f"it cannot be read: {error}")]) from None
    mistakes: list[Mistake] = []
    claimed: dict[str, str] = {}
    for ident, row in terms.items():
        if not isinstance(row, dict) or row.keys() != {"names", "seen"} or not row["names"]:
            mistakes.append(wrong(f"{ident}:", f"{ident} lacks names or seen"))
            continue
        if row["seen"] != OURS and row["seen"] not in sources:
            what = f"{ident} was seen in {row['seen']!r}, which is no source"
            mistakes.append(wrong(f"{ident}:", what))
        for name in row["names"]:
            if not CYRILLIC.search(str(name)):
                mistakes.append(wrong(f"{ident}:", f"{name!r} is not Russian"))
            elif other := claimed.get(name.casefold()):
                what, mend = f"{name!r} is a name of {other} already", "leave it to one of the two"
                mistakes.append(wrong(f"{ident}:", what, mend))
            claimed.setdefault(str(name).casefold(), ident)
    for ident in latin:
        if ident in terms:
            mistakes.append(wrong(f"{ident}:", f"{ident} stands in latin too", "drop one"))
    seen = {row["seen"] for row in terms.values() if isinstance(row, dict) and "seen" in row}
    for ident in sources.keys() - seen:
        mistakes.append(wrong(f"{ident}:", f"nothing was seen in {ident}", "drop the source"))
    if mistakes:
        raise PageError(mistakes)
    return data


def render(which: str, root: Path, pages: list[Page], folder: str) -> str:
    """Return the Markdown for one marker."""
    data = read(root)
    sources = data["sources"]
    terms = {page.meta["id"]: page for page in pages if page.meta.get("kind") == "term"}
    if unknown := sorted({*data["terms"], *data["latin"]} - terms.keys()):
        what, mend = f"there is no term {unknown[0]!r}", "correct the id, or drop the line"
        raise PageError([Mistake(DATA, 1, what, mend)])
    found = sorted(terms.values(), key=lambda page: page.title.casefold())

    def link(page: Page) -> str:
        to = posixpath.relpath(page.path.removeprefix("docs/"), folder or ".")
        return f"[{_text(page.title)}]({to})"

    if which == "terms":
        numbers = {ident: n for n, ident in enumerate(sources, start=1)}
        lines = ["| Term | Russian | Also | Seen in |", "|---|---|---|---|"]
        for page in found:
            if row := data["terms"].get(page.meta["id"]):
                first, *more = map(_text, row["names"])
                seen = row["seen"]
                where = OURS if seen == OURS else f"[{numbers[seen]}]({sources[seen]['url']})"
                lines.append(f"| {link(page)} | {first} | {', '.join(more)} | {where} |")
        open_, close = '<div data-list="" data-search-exclude="" markdown="1">', "</div>"
        return "\n".join([open_, "", *lines, "", close])
    if which == "latin":
        return ", ".join(link(page) for page in found if page.meta["id"] in data["latin"]) + "."
    if which == "sources":
        rows = [f"1. [{_text(row['title'])}]({row['url']})" for row in sources.values()]
        return "\n".join(rows)
    what, mend = f"[[russian:{which}]] names no list", f"write one of {', '.join(LISTS)}"
    raise PageError([Mistake(DATA, 1, what, mend)])


def _text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]{}|])", r"\\\1", html.escape(text, quote=False))


def missing(root: Path, ids: list[str]) -> list[str]:
    """Return the terms that have no line in the file: neither a Russian name, nor ``latin``."""
    data = read(root)
    return sorted(set(ids) - data["terms"].keys() - set(data["latin"]))


class RussianPart(Part):
    """Russian names of terms."""

    name = "russian"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        text = render(marker["which"], site.root, site.pages, folder)
        return re.sub(r"</?div[^>]*>", "", text).strip("\n") if plain else text

    def names(self, page: Page) -> list[str]:
        """Return a term's Russian names, by which the search finds it."""
        if page.meta.get("kind") != "term":
            return []
        return list(read(page.root)["terms"].get(page.meta["id"], {}).get("names", ()))

    def shared(self) -> tuple[str, ...]:
        return (DATA,)
