"""The text of a page as the search reads it: its sections, the rows of its tables, its code.

A heading with an id begins a section. A row of a table is told with the heads of its columns, so
that "H100 L2 cache" finds the row of the H100. What is marked ``data-search-exclude`` is left out.
"""

import functools
import re
from dataclasses import dataclass, field
from html import unescape

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
LEFT_OUT = {"script", "style", "svg", "math", "template", "select", "button"}
BLOCKS = HEADINGS | {"p", "pre", "li", "ol", "ul", "dl", "dt", "dd", "br", "div", "table", "tr"}
BLOCKS |= {"td", "th", "figure", "figcaption", "blockquote", "details", "summary", "section", "hr"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
VOID |= {"track", "wbr"}
LINK_OUT = re.compile(r"(?:headerlink|source|map__id|map__small)\b")  # no words of the text

# What the build itself wrote, and no HTML of strangers: html.parser takes five times as long.
TAG = re.compile(
    r"<!--.*?-->|<[!?][^>]*>"
    r"|<(/?)([a-zA-Z][^\s/>]*)((?:[^\"'>]|\"[^\"]*\"|'[^']*')*)>",
    re.DOTALL,
)
GIVEN = re.compile(r"""([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
RAW = {"script", "style"}  # up to their end tag, nothing in them is a tag


@dataclass
class Row:
    """A row of a table: where it is, and its cells, each with the head of its column."""

    anchor: str
    cells: list[tuple[str, str]]
    points: bool = False  # it leads to another page, which is a result itself
    figures: list[str] = field(default_factory=list)  # the measured ones in its text

    @property
    def title(self) -> str:
        return next((text for _, text in self.cells if text), "")

    @property
    def text(self) -> str:
        return " · ".join(f"{head}: {text}" if head else text for head, text in self.cells if text)


@dataclass
class Section:
    """What stands below one heading, up to the next. ``anchor`` is empty at the page's head."""

    anchor: str
    title: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)  # measured, in the prose


def sections(html: str) -> list[Section]:
    """Return the sections of the HTML of a page's text. The first one is the page's head."""
    reader, at = _Reader(), 0
    while tag := TAG.search(html, at):
        start, end = tag.span()
        if start > at:
            reader.data(unescape(html[at:start]))
        at = end
        if name := tag[2]:
            if tag[1]:
                reader.end_tag(name.lower())
            else:
                name = name.lower()
                reader.start_tag(name, _given(tag[3]))
                if name in RAW:
                    closing = re.compile(f"</{name}", re.IGNORECASE).search(html, at)
                    at = closing.start() if closing else len(html)
    if at < len(html):
        reader.data(unescape(html[at:]))
    reader.flush()
    return reader.found


@functools.lru_cache(maxsize=4096)
def _given(text: str) -> dict[str, str]:
    """Return the attributes of a tag."""
    return {
        name.lower(): unescape(one or other or bare)
        for name, one, other, bare in GIVEN.findall(text)
    }


def line(text: str) -> str:
    """Return a text on one line, less the marks of formulas."""
    return " ".join(re.sub(r"\\[()\[\]]", " ", text).replace("¶", " ").split())


class _Reader:
    def __init__(self):
        self.found = [Section("")]
        self.open: list[tuple[str, bool]] = []  # each open element, and whether it is left out
        self.out = 0  # how many of them are
        self.text: list[str] = []
        self.heading: list[str] | None = None
        self.pre = 0
        self.item: tuple[str, int] | None = None
        self.tables: list[_Table] = []
        self.figure = 0  # how many elements were open when a measured figure began

    # ------------------------------------------------------------ elements

    def start_tag(self, tag: str, given: dict[str, str]) -> None:
        if tag in VOID:
            self._piece("\n" if tag in BLOCKS else " ")
            return
        out = tag in LEFT_OUT or "data-search-exclude" in given
        out = out or bool(LINK_OUT.match(given.get("class", "")))
        self.open.append((tag, out))
        self.out += out
        if self.out:
            return
        if (given.get("class", "")).split()[:1] == ["measured"]:
            self.figure = len(self.open)
        if tag in HEADINGS:
            self.flush()
            ident = given.get("id", "")
            if tag != "h1" and ident:
                self.found.append(Section(ident))
            self.heading = []
        elif tag == "table":
            self.flush()
            self.tables.append(_Table())
        elif self.tables and tag in ("thead", "tr", "td", "th"):
            self.tables[-1].start(tag, given.get("id", ""))
        elif tag == "pre":
            self.flush()
            self.pre += 1
        elif tag == "li" and given.get("id"):  # a place of its own, such as a question
            self.flush()
            self.item = (given["id"], len(self.open))
        elif tag == "a" and self.tables:
            self.tables[-1].link(given.get("href", ""), given.get("class", ""))
        elif tag in BLOCKS:
            self._piece("\n")

    def end_tag(self, tag: str) -> None:
        last = bool(self.open) and self.open[-1][0] == tag
        if not last and tag not in (name for name, _ in self.open):
            return
        while self.open:
            if self.item and self.item[1] == len(self.open):
                self._item()
            name, out = self.open.pop()
            if len(self.open) < self.figure:
                self.figure = 0
            if not self.out:
                self._end(name)
            self.out -= out
            if name == tag:
                break

    def _end(self, tag):
        if tag in HEADINGS and self.heading is not None:
            self.found[-1].title = line("".join(self.heading)) or self.found[-1].title
            self.heading = None
        elif tag == "pre":
            self.flush()
            self.pre = max(0, self.pre - 1)
        elif self.tables and tag in ("td", "th", "tr", "thead"):
            self.tables[-1].end(tag)
        elif tag == "table" and self.tables:
            rows = self.tables.pop().rows
            self.found[-1].rows += rows
        elif tag in BLOCKS:
            self._piece("\n")

    def _item(self) -> None:
        text, self.text = line("".join(self.text)), []
        if text and self.item:
            self.found[-1].rows.append(Row(self.item[0], [("", text)]))
        self.item = None

    def data(self, data: str) -> None:
        if not self.out:
            self._piece(data)
            if self.figure:
                (self.tables[-1] if self.tables else self.found[-1]).figures.append(data)

    # ------------------------------------------------------------ text

    def _piece(self, text: str) -> None:
        if self.out:
            return
        if self.heading is not None:
            self.heading.append(text)
        elif self.tables and self.tables[-1].cell is not None:
            self.tables[-1].cell.append(text)
        else:
            self.text.append(text)

    def flush(self) -> None:
        text, self.text = "".join(self.text), []
        if self.pre:
            if text.strip():
                self.found[-1].code.append(text)
        else:
            self.found[-1].prose += [said for part in text.split("\n\n") if (said := line(part))]


class _Table:
    def __init__(self):
        self.heads: list[str] = []
        self.rows: list[Row] = []
        self.cell: list[str] | None = None
        self.cells: list[str] = []
        self.figures: list[str] = []
        self.anchor = ""
        self.head = self.points = False

    def link(self, href: str, kind: str) -> None:
        first = self.cell is not None and not self.cells and not "".join(self.cell).strip()
        if first and "term" not in kind.split() and not re.match(r"#|[a-z]+:", href):
            self.points = True

    def start(self, tag: str, ident: str) -> None:
        if tag == "thead":
            self.head = True
        elif tag == "tr":
            self.cells, self.figures, self.anchor, self.points = [], [], ident, False
        else:
            self.anchor = self.anchor or (ident if not self.cells else "")
            self.cell = []

    def end(self, tag: str) -> None:
        if tag == "thead":
            self.head = False
        elif tag == "tr":
            if self.head:
                self.heads = self.cells
            elif any(self.cells):
                heads = [*self.heads, *[""] * len(self.cells)]
                cells = list(zip(heads, self.cells, strict=False))
                self.rows.append(Row(self.anchor, cells, self.points, self.figures))
        elif self.cell is not None:
            self.cells.append(line("".join(self.cell)))
            self.cell = None
