"""The glossary: terms, the links between them, and the words that lead to them from other pages.

A term is a page of kind ``term`` in ``docs/glossary/``, named by its id. ``glossary.yml`` there
gives the groups, in order, and the platforms in whose words the glossary can be read. The rest is
found: names, related terms (in both directions), where a term is used, and its sources are put
below a term's text, and on each page the words of a term become links that carry its definition,
which ``docs/assets/js/glossary.js`` shows on hover, focus and tap.

A marker on a line of its own, ``[[glossary:groups]]``, ``[[glossary:letters]]``,
``[[glossary:platforms]]`` or the id of a platform, becomes such a list.
"""

import ast
import functools
import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import yaml
from markdown.extensions.toc import slugify
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from lockstep import export, figures
from lockstep.evidence import Evidence
from lockstep.mistakes import parse
from lockstep.page import FENCE, LOADER, Mistake, Page, PageError, paths, read
from lockstep.parts import Part
from lockstep_site import library, mapping, quiz
from lockstep_site.gpu.needs import gpu_only
from lockstep_site.sources import OPENED, READ

FOLDER = "docs/glossary/"
DATA = f"{FOLDER}glossary.yml"
MAP = "metal/map.md"  # the page with every row of lockstep_site/mapping.py
MARKER = re.compile(r"^\[\[glossary:(?P<which>[a-z]+)\]\][ \t]*$")
LISTS = ("groups", "letters", "platforms")
# A longer list of the pages that use a term is folded by their kind.
FEW = 12
USES = {"lesson": "lesson", "lab": "lab", "map": "page of CUDA to Metal"}

REQUIRED = ("id", "group", "priority", "tooltip", "related", "sources")
DEFINITION = (40, 200)  # characters of a description, which is the tooltip
LEAD = 12  # words of a first paragraph, at least
LINKS = 2  # pages that link a term, at least

# What is not running prose, in the text of a page.
NOT_PROSE = re.compile(
    r"""`+[^`\n]*`+                            # code
      | !?\[[^\[\]]*\]\([^()\s]*[^()]*\)       # links and pictures
      | \[\[[^\[\]]*\]\]                       # figures by key
      | \\\(.*?\\\) | \$[^$\n]+\$              # formulas
      | <[^>\n]*> | \{:?\s*[.\#][^{}\n]*\}     # HTML and attributes
    """,
    re.VERBOSE,
)
LINK = re.compile(r"(?<!!)\[[^\[\]]*\]\((?P<target>[^()\s]+)")
HEADING = re.compile(r"#{1,6}[ \t]")
BOX = re.compile(r"\s*(?:\?{3}\+?|!{3}|===[!+]?)[ \t]")
TABLE_HEAD = re.compile(r"\s*\|?[ \t]*:?-{3,}")
WORD = re.compile(r"[^\W_]+(?:['’.,/+-]?[^\W_]+)*")
# Elements whose text is not running prose, and classes of our own that hold none.
APART = {"h1", "h2", "h3", "h4", "h5", "h6", "a", "code", "pre", "form", "button", "label", "th"}
APART |= {"summary", "script", "style", "svg", "sup", "kbd"}
CLASSES = {"admonition-title", "arithmatex", "measured", "highlight", "footnote"}


@dataclass(frozen=True, eq=False)
class Term:
    """One term of the glossary: its page, and what its front matter says."""

    page: Page

    @property
    def id(self) -> str:
        return self.page.meta["id"]

    @property
    def title(self) -> str:
        return self.page.title

    @property
    def definition(self) -> str:
        return self.page.meta["description"]

    @property
    def claims(self) -> list[str]:
        """Its title and its other names, which no other term may have."""
        return [self.title, *self.page.meta.get("aliases", [])]

    @property
    def forms(self) -> list[str]:
        """The words that are marked on other pages."""
        return self.page.meta["tooltip"]

    @property
    def names(self) -> dict[str, str]:
        return self.page.meta.get("names", {})

    @functools.cached_property
    def words(self) -> int:
        """How many words of prose it has, code and title apart."""
        lines = (line for _, line in prose_lines(self.page) if not HEADING.match(line))
        return len(WORD.findall(re.sub(r"\]\([^()]*\)", "]", "\n".join(lines))))

    @functools.cached_property
    def measured(self) -> list[str]:
        """The ids of the measurements whose figures its text pulls, in order."""
        found = []
        for _, line in prose_lines(self.page):
            for piece, is_prose in figures.outside_code(line):
                for key in figures.KEY.finditer(piece) if is_prose else ():
                    found.append(key["key"].partition(".")[0])
        return list(dict.fromkeys(found))


class Glossary:
    """Every term of docs/glossary/, with what is wrong with any of them in ``mistakes``."""

    def __init__(self, root: Path, pages: list[Page]):
        self.root, self.pages = Path(root), pages
        self.mistakes: list[Mistake] = []
        self.groups: dict[str, str] = {}
        self.platforms: dict[str, str] = {}
        self.least: dict[int, int] = {}
        self.planned: set[str] = set()
        self.terms: dict[str, Term] = {}
        self._lines: dict[str, list[str]] = {}
        found = [page for page in pages if page.meta.get("kind") == "term"]
        if not (self.root / DATA).is_file():
            for page in found:
                self._wrong(
                    page, "kind", f"a term, and no {DATA}", f"write {DATA}, or another kind"
                )
            return
        self._settings()
        for page in sorted(found, key=lambda page: page.title.casefold()):
            if self._whole(page):
                self.terms[page.meta["id"]] = Term(page)
        self._unique()
        for page in pages:
            for ident in page.meta.get("terms", []):
                if ident not in self.terms and ident not in self.planned:
                    mend = "correct the id, or drop it"
                    self._wrong(page, "terms", f"there is no term {ident!r}", mend, str(ident))
        for term in self.terms.values():
            self._check(term)
        self._pattern = _pattern([form for term in self.terms.values() for form in term.forms])
        self._of = {form: term for term in self.terms.values() for form in term.forms}
        if not self.planned - self.terms.keys():
            self._orphans()

    # ------------------------------------------------------------ reading and refusing

    def _settings(self) -> None:
        text = (self.root / DATA).read_text(encoding="utf-8")
        try:
            data = yaml.load(text, LOADER)
            self.groups = {row["id"]: row["title"] for row in data["groups"]}
            self.platforms = {row["id"]: row["title"] for row in data["platforms"]}
            self.least = dict(data["words"])
            self.planned = set(data.get("planned") or ())
        except (yaml.YAMLError, KeyError, TypeError) as error:
            mend = "give groups and platforms, each with id and title, and words"
            raise PageError([Mistake(DATA, 1, f"it cannot be read: {error}", mend)]) from None

    def _wrong(self, page: Page, key: str, what: str, mend: str, value: str = "") -> None:
        self.mistakes.append(Mistake(page.path, self.line(page, key, value), what, mend))

    def line(self, page: Page, key: str, value: str = "") -> int:
        """Return the line of a key of a page's front matter, or of a value below it."""
        if page.path not in self._lines:
            text = (self.root / page.path).read_text(encoding="utf-8")
            self._lines[page.path] = text.split("\n")[: page.body_line - 1]
        start = None
        for number, line in enumerate(self._lines[page.path], start=1):
            if line.startswith(f"{key}:"):
                start = number
            elif start and line and not line.startswith((" ", "-")):
                break
            if start and value and value in line:
                return number
        return start or 1

    def _whole(self, page: Page) -> bool:
        """Whether a term has what the others need to read it. Says what it lacks."""
        before = len(self.mistakes)
        meta = page.meta
        for key in REQUIRED:
            if key not in meta:
                self._wrong(page, key, f"the term has no {key}", f"add {key}: to its front matter")
        if page.path != f"{FOLDER}{meta.get('id')}.md":
            what = f"its id is {meta.get('id')!r}, and that is not the name of the file"
            self._wrong(
                page, "id", what, f"call the file {FOLDER}{meta.get('id')}.md, or mend the id"
            )
        for key in ("aliases", "tooltip", "related", "unverified"):
            for value in meta.get(key, []):
                if not isinstance(value, str) or not value.strip():
                    self._wrong(
                        page, key, f"{value!r} in {key} is not a text", 'put it in "quotes"'
                    )
        for key, value in meta.get("names", {}).items():
            if key not in self.platforms:
                known = ", ".join(self.platforms)
                self._wrong(page, "names", f"unknown platform {key!r}", f"use {known}", str(key))
            elif not isinstance(value, str) or not value.strip():
                mend = 'give the name in "quotes", or leave the platform out'
                self._wrong(page, "names", f"its name in {key} is not a text", mend, key)
        return len(self.mistakes) == before

    def _unique(self) -> None:
        for what, of in (("name", "claims"), ("tooltip form", "forms")):
            seen: dict[str, Term] = {}
            for term in self.terms.values():
                for name in dict.fromkeys(name.casefold() for name in getattr(term, of)):
                    if other := seen.get(name):
                        key = "title" if name == term.title.casefold() else "aliases"
                        key = "tooltip" if of == "forms" else key
                        said = f"the {what} {name!r} is claimed by {other.page.path} already"
                        self._wrong(term.page, key, said, "leave it to one of the two")
                    seen.setdefault(name, term)

    def _check(self, term: Term) -> None:
        meta, page = term.page.meta, term.page

        def wrong(key: str, what: str, mend: str, value: str = "") -> None:
            self._wrong(page, key, what, mend, value)

        if meta["group"] not in self.groups:
            wrong(
                "group", f"unknown group {meta['group']!r}", f"use one of {', '.join(self.groups)}"
            )
        low, high = DEFINITION
        if not low <= len(term.definition) <= high or not term.definition.endswith("."):
            what = f"its description has {len(term.definition)} characters"
            wrong("description", what, f"write one sentence of {low} to {high}, with its period")
        for ident in meta["related"]:
            if ident == term.id:
                wrong("related", "it is related to itself", "name other terms", ident)
            elif ident not in self.terms and ident not in self.planned:
                wrong("related", f"there is no term {ident!r}", "correct the id, or drop it", ident)
        self._check_sources(term)
        self._check_body(term)

    def _check_sources(self, term: Term) -> None:
        sources = term.page.meta["sources"]
        if not sources:
            mend = "add {title, url, read} of what you read"
            self._wrong(term.page, "sources", "the term has no sources", mend)
            return
        for source in sources:
            if not isinstance(source, dict) or not {"title", "url", "read"} == source.keys():
                self._wrong(
                    term.page, "sources", "a source lacks something", "give title, url, read"
                )
                return
            where = str(source["url"])
            if source["read"] not in READ:
                mend = f"use one of {', '.join(READ)}"
                self._wrong(
                    term.page, "sources", f"read: {source['read']!r} is unknown", mend, where
                )
            if not re.match(r"https?://", where):
                self._wrong(
                    term.page, "sources", f"{where!r} is no address", "give https://", where
                )
        if not any(source["read"] in OPENED for source in sources):
            what = "none of its sources was opened"
            mend = f"open one and say how far you read it: {', '.join(OPENED)}"
            self._wrong(term.page, "sources", what, mend)

    def _check_body(self, term: Term) -> None:
        page = term.page
        lines = list(prose_lines(page))
        used = [(number, line) for number, line in lines if line.strip()]
        if not used or used[0][1].strip() != f"# {term.title}":
            at = used[0][0] if used else page.body_line
            mend = f"begin the text with '# {term.title}'"
            self.mistakes.append(Mistake(page.path, at, "the heading is not the title", mend))
            return
        for number, line in used[1:]:
            if HEADING.match(line):
                mend = "a term has one heading: use a bold first word"
                self.mistakes.append(Mistake(page.path, number, "a second heading", mend))
        first = lead(page)
        if len(WORD.findall(first)) < LEAD:
            at = used[1][0] if len(used) > 1 else used[0][0]
            mend = "say in a paragraph right below the heading what it is"
            self.mistakes.append(Mistake(page.path, at, "the definition is missing", mend))
        priority = page.meta["priority"]
        if priority not in self.least:
            mend = f"use one of {', '.join(map(str, self.least))}"
            self._wrong(page, "priority", f"unknown priority {priority}", mend)
        elif term.words < self.least[priority]:
            what = f"the term has {term.words} words"
            mend = f"a term of priority {priority} has {self.least[priority]} or more"
            self.mistakes.append(Mistake(page.path, used[0][0], what, mend))

    def _orphans(self) -> None:
        for term in self.terms.values():
            if (count := len(self.linked_from(term))) < LINKS:
                what = f"{count} pages link this term, and {LINKS} should"
                self._wrong(term.page, "related", what, "name it in related: of another term")

    # ------------------------------------------------------------ the web of terms

    def of(self, page: Page | None) -> Term | None:
        """Return the term of a page, or None."""
        found = self.terms.get(page.meta.get("id", "")) if page else None
        return found if found and found.page.path == page.path else None

    def named(self, page: Page) -> list[Term]:
        """Return the terms that a page's front matter names."""
        return [self.terms[ident] for ident in page.meta.get("terms", []) if ident in self.terms]

    def by_group(self) -> dict[str, list[Term]]:
        """Return the terms of each group that has any, both in order."""
        found = {group: [] for group in self.groups}
        for term in self.terms.values():
            found.setdefault(term.page.meta["group"], []).append(term)
        return {group: terms for group, terms in found.items() if terms}

    def related(self, term: Term) -> list[Term]:
        """Return the terms that it names, in its order, then those that name it."""
        ids = [ident for ident in term.page.meta["related"] if ident in self.terms]
        ids += [other.id for other in self.terms.values() if term.id in other.page.meta["related"]]
        return [self.terms[ident] for ident in dict.fromkeys(ids) if ident != term.id]

    def spot(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Yield (start, end, term) for each word of a term in a text."""
        for match in self._pattern.finditer(text) if self.terms else ():
            yield match.start(), match.end(), self._term_of(match[0])

    def _term_of(self, text: str) -> Term:
        text = re.sub(r"\s", " ", text)
        for form in (text, text.removesuffix("s")):
            for cased in (form, form[:1].lower() + form[1:]):
                if cased in self._of:
                    return self._of[cased]
        raise KeyError(text)

    def target(self, href: str, folder: str) -> Term | str | None:
        """Return the term that a link of a page leads to, its id if it is planned, or None."""
        path = posixpath.normpath(posixpath.join(folder, href.partition("#")[0]))
        if ":" in href or not path.endswith(".md"):
            return None
        path = f"docs/{path}"
        ident = path.removeprefix(FOLDER).removesuffix(".md")
        if path != f"{FOLDER}{ident}.md":
            return None
        return self.terms.get(ident) or (ident if ident in self.planned else None)

    @functools.cached_property
    def _mentions(self) -> dict[str, dict[str, Page]]:
        """For each term, the pages whose text or front matter leads to it, by path."""
        found: dict[str, dict[str, Page]] = {ident: {} for ident in self.terms}
        for page in self.pages:
            folder = posixpath.dirname(page.path.removeprefix("docs/"))
            text = "\n".join(line for _, line in prose_lines(page, quizzes=False))
            links = (self.target(link["target"], folder) for link in LINK.finditer(text))
            terms = [term for term in links if isinstance(term, Term)]
            terms += self.named(page)
            if self.terms and marked(page):
                terms += [self._term_of(word) for word in _words(self._pattern, running(page))]
            for term in terms:
                if term.page is not page:
                    found[term.id][page.path] = page
        return found

    @functools.cached_property
    def _kernels(self) -> dict[str, list[tuple[str, Page]]]:
        """For each term, the shown sources of Python whose docstring names it, and their page."""
        found: dict[str, list[tuple[str, Page]]] = {ident: [] for ident in self.terms}
        shown: dict[str, Page] = {}
        for page in sorted(self.pages, key=lambda page: page.meta.get("kind") == "term"):
            for block in page.blocks:
                if block.path.endswith(".py"):
                    shown.setdefault(block.path, page)
        for path, page in sorted(shown.items()):
            text = _docstring(self.root / path)
            for term in dict.fromkeys(term for _, _, term in self.spot(text)):
                found[term.id].append((path, page))
        return found

    @functools.cached_property
    def _map(self) -> list[dict]:
        """The rows of the map, if it has a page."""
        try:
            shown = any(page.path == f"docs/{MAP}" for page in self.pages)
            return mapping.rows(self.root) if shown else []
        except PageError:
            return []  # whoever shows the map says what is wrong with it

    def map_rows(self, term: Term) -> list[tuple[str, str]]:
        """Return the rows of the map that name a term: (their first two names, their id)."""
        return [
            (f"{row['cuda']} → {row['metal']}", row["id"])
            for row in self._map
            if term.id in row["terms"]
        ]

    def used_in(self, term: Term) -> list[Page]:
        """Return the pages, other terms apart, that lead to a term, in order of their path."""
        pages = self._mentions[term.id]
        return [pages[path] for path in sorted(pages) if pages[path].meta.get("kind") != "term"]

    def kernels(self, term: Term) -> list[tuple[str, Page]]:
        """Return the sources that name a term in their docstring, each with the page showing it."""
        return [row for row in self._kernels[term.id] if row[1] is not term.page]

    def linked_from(self, term: Term) -> set[str]:
        """Return the paths of the pages with a link to a term."""
        return {*self._mentions[term.id], *(other.page.path for other in self.related(term))}


def marked(page: Page) -> bool:
    """Whether the words of terms become links on a page: not on pages about the site itself."""
    return page.meta.get("kind") not in (None, "other")


def _pattern(forms: list[str]) -> re.Pattern:
    """Return one expression for all forms, the longest first, each with its plural."""

    def one(form: str) -> str:
        words = re.escape(form).replace(r"\ ", r"[ \n\u00a0]")
        if form == form.lower() and form[:1].isalpha():
            return f"[{form[0]}{form[0].upper()}]{words[1:]}"
        return words

    parts = "|".join(one(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    return re.compile(rf"(?<![\w\x02.@/-])(?:{parts})s?(?![\w\x03/-]|\.\w)")


# ---------------------------------------------------------------- the text of a page


def prose_lines(page: Page, quizzes: bool = True) -> Iterator[tuple[int, str]]:
    """Yield (line of the file, text) for each line of a page outside its fences."""
    closing, skip = None, False
    for number, line in enumerate(page.body.splitlines(), start=page.body_line):
        fence = FENCE.match(line)
        if closing:
            if fence and not fence["header"] and fence["fence"].startswith(closing):
                closing = None
            continue
        if fence:
            closing = fence["fence"]
            continue
        if line and not line[0].isspace():
            skip = (
                not quizzes and bool(found := quiz.BOX.fullmatch(line)) and found["kind"] == "quiz"
            )
        if not skip:
            yield number, line


def lead(page: Page) -> str:
    """Return the first paragraph below the heading; nothing where something else stands there."""
    text = re.sub(r"\A\s*# [^\n]*\n", "", page.body, count=1).strip("\n")
    first = text.split("\n\n", 1)[0]
    return "" if re.match(r"\s*(?:[`~]{3}|#|[-*+>|]\s|\d+\.\s|!|\?{3}|\[\[|<)", first) else first


def running(page: Page) -> str:
    """Return what of a page's text is running prose, with a mark where anything was taken out."""
    lines = [line for _, line in prose_lines(page, quizzes=False)]
    heads = {n - 1 for n, line in enumerate(lines) if n and "|" in line and TABLE_HEAD.match(line)}
    kept = [
        "\x02" if n in heads or HEADING.match(line) or BOX.match(line) else line or "\x02"
        for n, line in enumerate(lines)
    ]
    return NOT_PROSE.sub("\x02 \x03", "\n".join(kept))


def _docstring(file: Path) -> str:
    try:
        return ast.get_docstring(parse(file.read_text(encoding="utf-8"))) or ""
    except (OSError, SyntaxError):
        return ""


# ---------------------------------------------------------------- in the tree of a page


class Parts(Treeprocessor):
    """Puts names, related terms, uses and sources into the page of a term."""

    def __init__(self, md, state):
        super().__init__(md)
        self.state = state

    def run(self, root: Element) -> None:
        page, glossary = self.state.page, self.state.site.parts["glossary"]
        term = glossary.of(page)
        if page and (named := glossary.named(page)):
            ends = [n for n, child in enumerate(root) if child.get("class") == "tick"]
            folder = posixpath.dirname(page.path.removeprefix("docs/"))
            root.insert(ends[0] if ends else len(root), about(named, folder))
        if term is None:
            return
        tags = [child.tag for child in root]
        at = tags.index("p") + 1 if "p" in tags else len(tags)
        if term.names:
            root.insert(at, names(term, glossary))
        folder = posixpath.dirname(page.path.removeprefix("docs/"))
        for part in below(term, glossary, folder):
            root.append(part)


def names(term: Term, glossary: Glossary) -> Element:
    """Return what each platform calls a term. A script puts the chosen platform first."""
    box = Element("dl", {"class": "names", "data-search-exclude": ""})
    for key, title in glossary.platforms.items():
        if key in term.names:
            row = SubElement(box, "div", {"data-platform": key})
            SubElement(row, "dt").text = AtomicString(title)
            _with_code(SubElement(row, "dd"), term.names[key])
    return box


def _with_code(element: Element, text: str) -> None:
    """Write a text into an element, what stands in backticks as code."""
    last = None
    for n, piece in enumerate(text.split("`")):
        if n % 2:
            last = SubElement(element, "code")
            last.text = AtomicString(piece)
        elif last is None:
            element.text = AtomicString(piece)
        else:
            last.tail = AtomicString(piece)


def about(terms: list[Term], folder: str) -> Element:
    """Return the line with the terms that a page is about."""
    line = Element("p", {"class": "about", "data-search-exclude": ""})
    SubElement(line, "strong").text = "Terms"
    line[0].tail = " "
    for n, term in enumerate(terms):
        if n:
            line[-1].tail = ", "
        line.append(_link(term.title, _to(term.page, folder)))
    return line


def below(term: Term, glossary: Glossary, folder: str) -> Iterator[Element]:
    """Yield what stands below the text of a term."""
    if related := glossary.related(term):
        yield _heading("See also")
        row = Element("ul", {"class": "terms", "data-search-exclude": ""})
        for other in related:
            row.append(_item(_link(other.title, _to(other.page, folder))))
        yield row
    pages, kernels = glossary.used_in(term), glossary.kernels(term)
    mapped = glossary.map_rows(term)
    if pages or kernels or mapped:
        yield _heading("Used in")
        uses: dict[str, list[Element]] = {kind: [] for kind in USES.values()}
        for page in pages:
            kind = USES.get(page.meta["kind"], "page of the site")
            uses.setdefault(kind, []).append(_item(_link(page.title, _to(page, folder))))
        for title, ident in mapped:
            link = Element("a", {"href": f"{posixpath.relpath(MAP, folder or '.')}#{ident}"})
            _with_code(link, title)
            uses.setdefault("row of the map", []).append(_item(link))
        if len(pages) + len(mapped) <= FEW:
            row = Element("ul", {"class": "uses", "data-search-exclude": ""})
            row.extend(item for items in uses.values() for item in items)
            for item in uses.get("row of the map", ()):
                item[0].tail = " (map)"
            yield row
        else:
            for kind, items in uses.items():
                if items:
                    yield _folded(_count(len(items), kind), items)
    if kernels:
        items = []
        for path, page in kernels:
            link = Element("a", {"href": _to(page, folder)})
            SubElement(link, "code").text = AtomicString(path)
            items.append(_item(link))
        yield _folded(f"Named in {_count(len(items), 'file')} of code", items)
    yield _heading("Sources")
    row = Element("ul", {"class": "sources", "data-search-exclude": ""})
    for source in term.page.meta["sources"]:
        item = _item(_link(source["title"], source["url"]))
        if source["read"] != "page":
            item[0].tail = AtomicString(f" ({READ[source['read']]})")
        row.append(item)
    yield row
    if further := library.beyond(term.page.root).get(term.id):
        yield _heading("Further reading")
        row = Element("ul", {"class": "sources", "data-search-exclude": ""})
        for entry in further:
            item = _item(_link(entry["title"], entry["url"]))
            item[0].tail = AtomicString(f": {entry['note']}")
            row.append(item)
        yield row
    if unverified := term.page.meta.get("unverified"):
        note = Element("p", {"class": "unverified"})
        SubElement(note, "strong").text = "Not verified."
        note[0].tail = AtomicString(" " + " ".join(unverified))
        yield note


def _folded(summary: str, items: list[Element]) -> Element:
    """Return a list that opens on a press on its summary."""
    box = Element("details", {"class": "folded", "data-search-exclude": ""})
    SubElement(box, "summary").text = summary
    SubElement(box, "ul", {"class": "uses"}).extend(items)
    return box


def _count(n: int, things: str) -> str:
    """Return "1 row of the map", "3 rows of the map": the first word is what is counted."""
    thing, space, rest = things.partition(" ")
    return f"{n} {thing}{'s' * (n != 1)}{space}{rest}"


def _heading(text: str) -> Element:
    heading = Element("h2")
    heading.text = text
    return heading


def _link(text: str, href: str) -> Element:
    link = Element("a", {"href": href})
    link.text = AtomicString(text)
    return link


def _item(*parts: Element) -> Element:
    item = Element("li")
    item.extend(parts)
    return item


def _to(page: Page, folder: str) -> str:
    return posixpath.relpath(page.path.removeprefix("docs/"), folder or ".")


class Marks(Treeprocessor):
    """Makes links of the words of terms, once in a section. Links to terms get their definition."""

    def __init__(self, md, state):
        super().__init__(md)
        self.state = state

    def run(self, root: Element) -> None:
        page = self.state.page
        if page is None or not page.path.startswith("docs/"):
            return
        self.glossary, self.page = self.state.site.parts["glossary"], page
        self.folder = posixpath.dirname(page.path.removeprefix("docs/"))
        own = self.glossary.of(page)
        self.own = {own.id} if own else set()
        self.seen: set[str] = set()
        if self.glossary.terms or self.glossary.planned:
            self._walk(root, marked(page))

    def _walk(self, element: Element, prose: bool) -> None:
        if element.tag == "h2":
            self.seen = set()
        classes = set(element.get("class", "").split())
        if "data-list" in element.attrib:  # a list of the glossary, which has the definitions
            return
        if element.tag == "a":
            self._linked(element)
        prose = prose and element.tag not in APART and not classes & CLASSES
        prose = prose and "data-search-exclude" not in element.attrib
        at = 0
        if prose and element.text and not isinstance(element.text, AtomicString):
            element.text, made = self._marked(element.text)
            for n, link in enumerate(made):
                element.insert(n, link)
            at = len(made)
        while at < len(element):
            child = element[at]
            at += 1
            if not isinstance(child.tag, str):  # a comment
                continue
            self._walk(child, prose)
            if prose and child.tail and not isinstance(child.tail, AtomicString):
                child.tail, made = self._marked(child.tail)
                for link in made:
                    element.insert(at, link)
                    at += 1

    def _marked(self, text: str) -> tuple[str, list[Element]]:
        """Return the text before the first new link, and the links, each with its tail."""
        before, made, end = text, [], 0
        for start, stop, term in self.glossary.spot(text):
            if term.id in self.seen | self.own:
                continue
            self.seen.add(term.id)
            link = Element("a", {"href": _to(term.page, self.folder)})
            link.text = AtomicString(text[start:stop])
            _tip(link, term)
            if made:
                made[-1].tail = text[end:start]
            else:
                before = text[:start]
            made.append(link)
            end = stop
        if made:
            made[-1].tail = text[end:]
        return before, made

    def _linked(self, link: Element) -> None:
        term = self.glossary.target(link.get("href", ""), self.folder)
        if isinstance(term, str):  # to come: no link yet
            link.tag = "span"
            del link.attrib["href"]
        elif term and term.id not in self.own:
            self.seen.add(term.id)
            _tip(link, term)


def _tip(link: Element, term: Term) -> None:
    link.set("class", f"{link.get('class', '')} term".strip())
    link.set("data-term", term.definition)


# ---------------------------------------------------------------- lists


def render(which: str, glossary: Glossary, folder: str) -> str:
    """Return the Markdown for one marker: ``groups``, ``letters``, ``platforms`` or a platform."""
    if which == "groups":
        parts = []
        for group, terms in glossary.by_group().items():
            entries = "\n".join(_entry(term, glossary, folder) for term in terms)
            parts += [f"## {_text(glossary.groups[group])}", _list("entries", entries)]
        return "\n\n".join(parts)
    if which == "letters":
        rows = [
            f'<li markdown="span">{_markdown_link(term, folder)}</li>'
            for term in glossary.terms.values()
        ]
        return _list("letters", "\n".join(rows))
    if which == "platforms":
        rows = []
        for key, title in glossary.platforms.items():
            if any(f"{FOLDER}platforms/{key}.md" == page.path for page in glossary.pages):
                to = posixpath.relpath(f"glossary/platforms/{key}.md", folder)
                rows.append(f'[{_text(title)}]({to}){{ data-platform="{key}" }}')
        return ", ".join(rows)
    if which in glossary.platforms:
        found = [term for term in glossary.terms.values() if which in term.names]
        found.sort(key=lambda term: term.names[which].replace("`", "").casefold())
        lines = [f"| {glossary.platforms[which]} | Term | Definition |", "|---|---|---|"]
        for term in found:
            row = (_name(term.names[which]), _markdown_link(term, folder), _text(term.definition))
            lines.append(f"| {' | '.join(row)} |")
        return "\n".join(
            ['<div data-list="" data-search-exclude="" markdown="1">', "", *lines, "", "</div>"]
        )
    known = ", ".join([*LISTS, *glossary.platforms])
    what = f"[[glossary:{which}]] names no list"
    raise PageError([Mistake(DATA, 1, what, f"write one of {known}")])


def _list(name: str, items: str) -> str:
    return f'<ul class="{name}" data-list="" data-search-exclude="" markdown="1">\n{items}\n</ul>'


def _markdown_link(term: Term, folder: str) -> str:
    return f"[{_text(term.title)}]({_to(term.page, folder)})"


def _entry(term: Term, glossary: Glossary, folder: str) -> str:
    """Return a term of the index: a link, its definition and its names."""
    rows = [
        f'<span data-platform="{key}"><b>{html.escape(title)}</b> '
        f"<i>{_name(term.names[key])}</i></span>"
        for key, title in glossary.platforms.items()
        if key in term.names
    ]
    aliases = ", ".join(term.page.meta.get("aliases", []))
    more = f' data-aliases="{html.escape(aliases)}"' if aliases else ""
    return (
        f'<li{more} markdown="span">{_markdown_link(term, folder)} '
        f'<span class="entry__text">{_text(term.definition)}</span> '
        f'<span class="entry__names">{" ".join(rows)}</span></li>'
    )


def _name(text: str) -> str:
    """Return a name as Markdown: what stands in backticks is code, the rest is as it stands."""
    pieces = [_text(piece) for piece in text.split("`")]
    pieces[1::2] = [f"<code>{piece}</code>" for piece in pieces[1::2]]
    return "".join(pieces)


def _text(text: str) -> str:
    """Return a text as Markdown that renders as the text itself."""
    return re.sub(r"([\\`*_\[\]{}|])", r"\\\1", html.escape(text, quote=False))


# ---------------------------------------------------------------- for machines


def markdown(term: Term, glossary: Glossary) -> list[str]:
    """Return what the site adds to a term, as plain Markdown."""
    folder = posixpath.dirname(term.page.path.removeprefix("docs/"))
    lines = [""]
    for key, name in term.names.items():
        lines.append(f"- {glossary.platforms[key]}: {name}")
    if related := glossary.related(term):
        links = (f"[{other.title}]({_to(other.page, folder)})" for other in related)
        lines += ["", f"See also: {', '.join(links)}"]
    lines += ["", "Sources:", ""]
    for source in term.page.meta["sources"]:
        lines.append(f"- [{source['title']}]({source['url']}) ({READ[source['read']]})")
    if unverified := term.page.meta.get("unverified"):
        lines += ["", "Not verified: " + " ".join(unverified)]
    return lines


@functools.lru_cache(maxsize=2048)
def _words(pattern: re.Pattern, text: str) -> list[str]:
    """Return what a pattern finds. A preview asks again for every page that has not changed."""
    return pattern.findall(text)


def plain_text(text: str) -> str:
    """Return a list of ``render`` without its HTML."""
    text = re.sub(r"</?code>", "`", re.sub(r"<li[^>]*>", "- ", text))
    text = re.sub(r"</span> (?=<span data-platform)", "; ", text)
    return html.unescape(re.sub(r"</?(?:ul|li|div|span|b|i)\b[^>]*>|\{ data-[^}]*\}", "", text))


# Worst first: a page is proved as far as the least proved of its blocks that run.
WORST = ("awaiting", "read", "compiled", "simulator", "cpu", "gpu")


def snippet(term: Term, records) -> str | None:
    """Return how far the code of a term is proved, or None where it has none that runs."""
    proofs = zip(term.page.blocks, records.proofs(term.page), strict=True)
    levels = [proof.level for block, proof in proofs if block.runs]
    return min(levels, key=WORST.index) if levels else None


def rows(glossary: Glossary, records, address) -> list[dict]:
    """Return the rows of data/glossary.json. ``address`` gives a page's address on the site."""

    def use(kind: str, title: str, page: Page) -> dict:
        return {"kind": kind, "title": title, "url": address(page)}

    return [
        {
            "id": term.id,
            "term": term.title,
            "aliases": term.page.meta.get("aliases", []),
            "group": term.page.meta["group"],
            "names": {key: name.replace("`", "") for key, name in term.names.items()},
            "definition": term.definition,
            "url": address(term.page),
            "related": [other.id for other in glossary.related(term)],
            "used_in": [
                *(use(page.meta["kind"], page.title, page) for page in glossary.used_in(term)),
                *(
                    {"kind": "map", "title": title.replace("`", ""), "url": f"metal/map/#{ident}"}
                    for title, ident in glossary.map_rows(term)
                ),
                *(use("kernel", path, page) for path, page in glossary.kernels(term)),
            ],
            "sources": term.page.meta["sources"],
            "unverified": term.page.meta.get("unverified", []),
            "snippet": snippet(term, records),
            "measured": term.measured,
        }
        for term in sorted(glossary.terms.values(), key=lambda term: term.id)
    ]


# ---------------------------------------------------------------- its place in the site


class GlossaryPart(Part):
    """Terms, their pages, and the links that their words become everywhere."""

    name = "glossary"
    marker = MARKER
    schemas = Path(__file__).parent / "schemas"

    def state(self, root: Path, pages: list[Page]) -> Glossary:
        return Glossary(root, pages)

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        text = render(marker["which"], site.parts["glossary"], folder)
        return plain_text(text) if plain else text

    def extend(self, md, state, stopping) -> None:
        md.treeprocessors.register(Parts(md, state), "lockstep-term", 29)
        # After inline text (20) and attributes (8), whose text is no prose; before anchors (5) and
        # the rewriting of links (0).
        md.treeprocessors.register(Marks(md, state), "lockstep-marks", 7)

    def names(self, page: Page) -> list[str]:
        """Return what the platforms' code calls a term, for the search."""
        names = page.meta.get("names", {}).values() if page.meta.get("kind") == "term" else ()
        return list(dict.fromkeys(code for name in names for code in name.split("`")[1::2]))

    def after(self, page: Page, source) -> list[str]:
        known = source.parts["glossary"]
        term = known.of(page)
        return markdown(term, known) if term else []

    def data(self, source) -> dict[str, list[dict]]:
        return {"glossary": rows(source.parts["glossary"], source.records, export.address)}

    def cited(self, source) -> Iterator[tuple[str, str]]:
        for term in sorted(source.parts["glossary"].terms.values(), key=lambda term: term.id):
            yield from ((row_id, term.id) for row_id in term.measured)

    def navigation(self, nav: list, site) -> None:
        """Add the terms below the glossary, one section for each group."""
        known = site.parts["glossary"]
        terms = [
            {known.groups.get(group, group): [term.page.uri for term in found]}
            for group, found in known.by_group().items()
        ]
        for item in nav:
            for children in item.values() if isinstance(item, dict) else ():
                if "glossary/index.md" in children:
                    # A preview may hand in the same configuration again.
                    kept = [c for c in children if not (isinstance(c, dict) and "Terms" in c)]
                    children[:] = [kept[0], {"Terms": terms}, *kept[1:]]

    def indexes(self, site) -> dict[str, str]:
        """Lead a group's name to its list in the index."""
        groups = site.parts["glossary"].groups.values()
        index = "glossary/index.md"
        found = {title: f"{index}#{slugify(title, '-')}" for title in groups}
        return found | dict.fromkeys(("Terms", "Tables and platforms", "By platform"), index)

    def commands(self, add) -> None:
        words = "check the glossary's terms, or those that you name"
        command = add("terms", words, check_terms)
        command.add_argument("ids", nargs="*", metavar="ID", help="such as warp")


def check_terms(root: Path, ids: list[str]) -> int:
    """Print each term of the glossary, or those asked for, and what is wrong with them."""
    pages, mistakes = [], []
    for file in paths(root):
        try:
            pages.append(read(file, root, judge=not ids or file.stem in ids))
        except PageError as error:
            mistakes += error.mistakes
    records, found = Evidence(root), Glossary(root, pages)
    mistakes += found.mistakes
    for ident in ids or found.terms:
        if term := found.terms.get(ident):
            links = len(found.linked_from(term))
            proof = snippet(term, records) or "no code"
            line = f"{ident}: {term.words} words, {proof}, {len(term.names)} names"
            print(f"{line}, {len(term.measured)} measured, linked from {links} pages")
            needs, says = len(gpu_only(term.page)), term.page.meta.get("gpu_only", 0)
            if needs != says:
                what = f"{needs} blocks need a GPU, the front matter says {says}"
                at = found.line(term.page, "gpu_only")
                mistakes.append(Mistake(term.page.path, at, what, f"write gpu_only: {needs}"))
        elif not (root / (path := f"{FOLDER}{ident}.md")).is_file():
            mistakes.append(Mistake(path, 1, "there is no such term", "correct the id"))
        else:
            print(f"{ident}: it cannot be read")
    wanted = {f"{FOLDER}{ident}.md" for ident in ids}
    said = [mistake for mistake in mistakes if not ids or mistake.path in wanted]
    print("\n".join(map(str, said)) or "Nothing is wrong with them.")
    return 1 if said else 0
