"""The library: books, courses, papers, code and talks, each with a sentence on what it gives.

``docs/library/library.yml`` holds ``kinds``, ``levels`` and ``languages`` (id: words) and
``sections`` of rows; its head says what a row needs. ``[[library:all]]`` on a line of its own
becomes the list with its filter, which ``docs/assets/js/library.js`` drives; without that script
the whole list is there. ``data/library.json`` has the same rows.

``docs/library/lessons.yml`` names the three rows that fit a lesson, by its item in the roadmap.
"""

import html
import re
from collections import Counter
from pathlib import Path

from lockstep.page import Mistake, PageError
from lockstep.parts import Part
from lockstep_site import datafile

DATA = "docs/library/library.yml"
LESSONS = "docs/library/lessons.yml"
TERMS = "docs/library/terms.yml"
MARKER = re.compile(r"^\[\[library:(?P<which>[a-z-]+)\]\][ \t]*$")
COLUMNS = ("title", "url", "note", "lang", "kind", "topics", "phase", "level")
PHASES = {
    "foundation": "Phase 1",
    "optimization": "Phase 2",
    "distributed": "Phase 3",
    "specialization": "Phase 4",
}
MEND = "give kinds, levels, languages and sections, each section with id, title and rows"


def load(root: Path) -> dict | None:
    """Return the file's data, or None where there is none. Raises PageError with its mistakes."""
    return datafile.load(root, DATA, _mistakes, MEND)


def _mistakes(data: dict, lines: list[str]) -> list[Mistake]:
    found: list[Mistake] = []
    seen: set[str] = set()
    places = {"kind": data["kinds"], "level": data["levels"], "lang": data["languages"]}
    places["phase"] = PHASES
    for section in data["sections"]:
        for row in section["rows"]:
            # A row begins at its title, as it stands in the file.
            title = str(row.get("title"))
            at = next(
                (n for n, line in enumerate(lines, 1) if "title:" in line and title in line), 1
            )

            def wrong(what: str, mend: str, at=at, title=title) -> None:
                found.append(Mistake(DATA, at, f"{title!r} {what}", mend))

            if missing := [key for key in COLUMNS if not row.get(key)]:
                wrong(f"has no {missing[0]}", f"give {', '.join(COLUMNS)}")
            for key in sorted(row.keys() - set(COLUMNS)):
                wrong(f"has the unknown key {key}", f"use {', '.join(COLUMNS)}")
            for key, words in places.items():
                if row.get(key) and row[key] not in words:
                    wrong(f"has the unknown {key} {row[key]!r}", f"use one of {', '.join(words)}")
            address = str(row.get("url"))
            if not re.match(r"https?://[^\s<>\"]+$", address):
                wrong(f"has the odd address {address!r}", "write it whole, from https:// on")
            same = re.sub(r"^https?://(www\.|m\.)?|/+$", "", address)
            if same in seen:
                wrong("has an address that an earlier row has", "keep one of the two")
            seen.add(same)
            if row.get("note") and not str(row["note"]).endswith("."):
                wrong("has a note that is no sentence", "write one sentence, with its full stop")
    return found


def rows(root: Path) -> list[dict]:
    """Return every row, as ``data/library.json`` has it, in the order of the file."""
    data = load(root)
    return [
        {"section": section["id"]} | {key: row[key] for key in COLUMNS}
        for section in (data["sections"] if data else ())
        for row in section["rows"]
    ]


def fitting(root: Path) -> dict[str, list[dict]]:
    """Return the three rows that fit a lesson, by its item in the roadmap. Raises PageError."""
    return _chosen(root, LESSONS, "items of roadmap.yml", 3)


def beyond(root: Path) -> dict[str, list[dict]]:
    """Return the two rows that go further than a term's page, by its id. Raises PageError."""
    return _chosen(root, TERMS, "terms of the glossary", 2)


def _chosen(root: Path, path: str, what_for: str, count: int) -> dict[str, list[dict]]:
    known = {row["url"]: row for row in rows(root)}
    words = {2: "two", 3: "three"}[count]
    mend = f"write {what_for}, each with a list of {words} addresses of library.yml"

    def mistakes(data: dict, lines: list[str]) -> list[Mistake]:
        found = []
        for item, chosen in data.items():
            line = next(n for n, text in enumerate(lines, 1) if text.startswith(f"{item}:"))
            if len(set(chosen)) != count:
                what = f"{item} has {len(set(chosen))} different entries of the library"
                found.append(Mistake(path, line, f"{what}, not {count}", mend))
            for n, url in enumerate(chosen, line + 1):
                if url not in known:
                    found.append(Mistake(path, n, f"{url} is not in {DATA}", "correct it"))
        return found

    data = datafile.load(root, path, mistakes, mend) or {}
    return {item: [known[url] for url in chosen] for item, chosen in data.items()}


def render(which: str, root: Path) -> str:
    """Return the Markdown for ``[[library:all]]``: the filter, then a list a section."""
    data = load(root)
    if data is None or which != "all":
        what = f"[[library:{which}]] names no part of it" if data else f"{DATA} is not there"
        raise PageError([Mistake(DATA, 1, what, "write [[library:all]], and rows")])
    parts = [_filter(data), '<div class="library" markdown="1">']
    for section in data["sections"]:
        items = "\n".join(_item(row, data) for row in section["rows"])
        parts += [f"## {section['title']} {{ #{section['id']} }}", items]
    return "\n\n".join([*parts, "</div>"])


def as_text(which: str, root: Path) -> str:
    """Return the Markdown for one marker without the filter and the marks for style sheets."""
    text = re.sub(r"<form.*?</form>", "", render(which, root), flags=re.DOTALL)
    text = re.sub(r"\s*\{ (?:#|data-)[^{}]*\}", "", re.sub(r"</?(?:div|span)[^>]*>", "", text))
    return text.strip("\n")


def _item(row: dict, data: dict) -> str:
    words = [data["kinds"][row["kind"]], data["levels"][row["level"]], PHASES[row["phase"]]]
    if row["lang"] != "en":
        words.insert(1, data["languages"][row["lang"]])
    small = f'<span class="library__about">{", ".join([*words, *row["topics"]])}</span>'
    topics = " ".join(_slug(topic) for topic in row["topics"])
    marks = " ".join(f'data-{key}="{row[key]}"' for key in ("kind", "lang", "level", "phase"))
    link = f"[{_text(row['title'])}]({row['url'].replace('(', '%28').replace(')', '%29')})"
    # Marks of a whole entry stand on a line of their own.
    return f'- {link}: {_text(row["note"])} {small}\n    {{ {marks} data-topics="{topics}" }}'


def _filter(data: dict) -> str:
    """Return the form. It is hidden until library.js drives it."""
    topics = Counter(t for s in data["sections"] for row in s["rows"] for t in row["topics"])
    total = sum(len(section["rows"]) for section in data["sections"])
    choices = {
        "topics": ("Topic", {_slug(topic): topic for topic in sorted(topics)}),
        "kind": ("Kind", data["kinds"]),
        "level": ("Level", data["levels"]),
        "phase": ("Phase", PHASES),
        "lang": ("Language", data["languages"]),
    }
    selects = "".join(
        f'<label><span>{title}</span> <select name="{name}"><option value="">all</option>'
        + "".join(f'<option value="{key}">{html.escape(word)}</option>' for key, word in of.items())
        + "</select></label>\n"
        for name, (title, of) in choices.items()
    )
    return (
        '<form class="filter library-filter" data-search-exclude hidden>\n'
        '<div class="filter__scripted">\n'
        '<label><span>Find</span> <input type="search" name="q" autocomplete="off" '
        'spellcheck="false" placeholder="attention, profiler, Numba ..."></label>\n'
        f"{selects}</div>\n"
        f'<p class="filter__said"><span role="status">{total} entries.</span> '
        '<button type="reset" class="md-button" hidden>Show all</button></p>\n</form>'
    )


def _slug(topic: str) -> str:
    return topic.replace(" ", "-")


def _text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]{}|<>])", r"\\\1", text)


class LibraryPart(Part):
    """What others wrote, filmed and coded."""

    name = "library"
    marker = MARKER
    schemas = Path(__file__).parent / "schemas"

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return (as_text if plain else render)(marker["which"], site.root)

    def data(self, source) -> dict[str, list[dict]]:
        return {"library": rows(source.root)}
