"""What a page's HTML may hold: tags, attributes, classes, styles and addresses, by whitelist.

``check`` reads the finished HTML of a page, so nothing depends on how it came about: typed tags,
attribute lists, an extension's markup and a template all end there. It accepts a small part of
HTML, the part that the converters write: each tag is whole, its values stand in double quotes, and
what is opened is closed in order. A browser reads that part as it is read here; the rest of HTML,
in which the two could differ, is refused.

Three kinds of elements:

* those of prose, ``PROSE``, which Markdown makes. Who types one as HTML, or gives it attributes,
  has a short list of tags and classes, ``TYPED_TAGS`` and ``TYPED_CLASSES``: none that a style
  sheet hides or a script reads;
* those of the proof: stamps, proof lines, measured figures. The core makes them, and marks them
  with a secret of this process while the page is converted, so that a class name forges nothing;
* what a program of the site made, between two marks that nobody can type: drawings, tables.

Further classes and tags of a site are registered with ``allow``.
"""

import functools
import html
import re
import secrets
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

# The core's own elements carry this attribute until the page has been checked: MINE, or MADE where
# all that is in them was made by a program, too.
MARK = "data-lockstep"
MINE = secrets.token_hex(16)
MADE = f"{MINE}-made"
TYPED = f"{MINE}-typed"  # of what an author has typed as HTML: ``lockstep.typed``
# Around what a program made. Both are noncharacters: no file of a page may hold them.
BEGIN, END = "\ufdd0", "\ufdd1"

RESERVED = re.compile(r"(?:stamp|proof|measured|record|worked|given|lockstep)(?:$|__|--|-)")
# What the highlighter gives a block, and where.
CODE = {"highlight": {"div", "pre"}, "output": {"div"}, "filename": {"span"}}

TOKEN = re.compile(
    r"<(?:/(?P<end>[A-Za-z][\w-]*)\s*"
    r'|(?P<tag>[A-Za-z][\w-]*)(?P<attributes>(?:\s+[^\s"\'<>/=]+(?:="[^"]*")?)*)\s*(?P<alone>/?))>'
)
ATTRIBUTE = re.compile(r'([^\s"\'<>/=]+)(?:="([^"]*)")?')
# Inside a code block stands text, and spans that give it colors.
COLORED = re.compile(
    # A repeated group of a repeated sign would take years to refuse a long block.
    r"[^<]*(?:<(?:span(?: class=\"[A-Za-z0-9_ -]+\")?|/span|/?code)>[^<]*)*"
)
VOID = {"br", "hr", "img", "input", "wbr"}
PHRASING = {*"a abbr b br button code del em i img input ins kbd label mark q s select".split()}
PHRASING |= {*"small span strong sub sup svg option wbr progress".split()}
# Where a table's parts may stand; text or anything else there is moved out of it by a browser.
TABLE = {"table": {"thead", "tbody", "caption"}, "thead": {"tr"}, "tbody": {"tr"}}
TABLE |= {"tr": {"td", "th"}}
PARENTS = {"thead": {"table"}, "tbody": {"table"}, "tr": {"thead", "tbody"}}
PARENTS |= {"td": {"tr"}, "th": {"tr"}, "caption": {"table"}, "option": {"select"}}
NESTED = {"a", "button", "form", "label"}  # never one in another of its kind

GLOBAL = {"class", "id", "data-search-exclude", "aria-hidden", "role", "aria-live"}
PROSE: dict[str, set[str]] = {}
PROSE |= {tag: set() for tag in (*"abbr b blockquote br caption code dd del div dl dt em".split(),)}
PROSE |= {tag: set() for tag in (*"figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd".split(),)}
PROSE |= {tag: set() for tag in (*"li mark ol p pre q s small span strong sub sup".split(),)}
PROSE |= {tag: set() for tag in (*"table tbody thead tr ul summary details section".split(),)}
PROSE |= {
    "a": {"href", "title", "rel"},
    "abbr": {"title"},
    "code": {"title"},
    "span": {"title", "tabindex"},
    "div": {"data-tabs"},
    "img": {"src", "alt", "width", "height", "loading"},
    "input": {"type", "name", "id", "checked", "disabled", "value"},
    "label": {"for"},
    "td": {"style", "colspan", "rowspan"},
    "th": {"style", "colspan", "rowspan", "scope"},
    "details": {"open"},
}
STYLES = {"text-align: left;", "text-align: right;", "text-align: center;"}
STYLE = re.compile(r"(?:[\w-]+:\s*[\w#.,% /()-]+;?\s*)+")  # of what a program made; no url()
DRAWN = {
    "svg": {"viewBox", "width", "height", "aria-label", "xmlns", "preserveAspectRatio"},
    "g": {"transform"},
    "path": {"d", "transform"},
    "rect": {"x", "y", "width", "height", "rx", "ry"},
    "circle": {"cx", "cy", "r"},
    "line": {"x1", "y1", "x2", "y2"},
    "polyline": {"points"},
    "text": {"x", "y", "text-anchor", "transform"},
    "tspan": {"x", "y", "dy"},
    "title": set(),
}
CLASSES = {
    *"admonition admonition-title note tip success warning danger info question quote".split(),
    *"abstract bug example failure tabbed-set tabbed-alternate tabbed-content tabbed-block".split(),
    *"tabbed-labels footnote footnote-ref footnote-backref arithmatex headerlink keys".split(),
    *"task-list task-list-item task-list-control task-list-indicator twemoji inline end".split(),
    *"language-text".split(),
}
BOXES = {
    *"note tip success warning danger info question quote abstract bug example failure".split(),
    *"inline end".split(),
}
# What an author may type: attributes with what they may hold, and classes with the tags for them.
Typed = dict[str, dict[str, str]]
TYPED_TAGS: Typed = {
    tag: dict.fromkeys(names, ".*")
    for tag, names in PROSE.items()
    if tag not in {"input", "label", "section", "div"}
}
TYPED_TAGS["div"] = {}
TYPED_CLASSES: dict[str, set[str]] = {name: {"div", "details"} for name in BOXES}
TYPED_CLASSES |= {
    "md-button": {"a"},
    "md-button--primary": {"a"},
    "grid": {"div"},
    "cards": {"div"},
}
CLASS = re.compile(r"language-[\w+-]+|key-[\w-]+")
IDENT = re.compile(r"(?!__(?!tabbed_))[A-Za-z0-9_\u00a1-\uffff][\w.:+-]*")
SCHEMES = {"http", "https", "mailto"}
ADDRESS = re.compile(r"[^\x00-\x20\x7f<>\"]*")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


@dataclass
class Whitelist:
    """What may stand in a page beside ``PROSE``. A site adds to it: ``allow``."""

    tags: dict[str, set[str]] = field(default_factory=lambda: {k: set(v) for k, v in PROSE.items()})
    classes: set[str] = field(default_factory=lambda: set(CLASSES))
    boxes: set[str] = field(default_factory=lambda: set(BOXES))
    typed: Typed = field(default_factory=lambda: {k: dict(v) for k, v in TYPED_TAGS.items()})
    typed_classes: dict[str, set[str]] = field(default_factory=lambda: dict(TYPED_CLASSES))
    taken: set[str] = field(default_factory=set)  # ids that a style sheet of the site knows

    def allow(
        self,
        tags: dict[str, set[str]] | None = None,
        classes: Set[str] = frozenset(),
        *,
        boxes: Set[str] = frozenset(),
        typed: Typed | None = None,
        typed_classes: dict[str, set[str]] | None = None,
        taken: Set[str] = frozenset(),
    ):
        """Add tags with their attributes, and classes. Stamps, proofs and figures stay reserved.

        ``boxes``: classes of admonitions; ``typed``, ``typed_classes``: what authors may type.
        """
        for tag, attributes in (tags or {}).items():
            self.tags.setdefault(tag, set()).update(attributes)
        self.classes.update(classes)
        self.boxes.update(boxes)
        for tag, values in (typed or {}).items():
            self.typed.setdefault(tag, {}).update(values)
        self.typed_classes.update(typed_classes or {})
        self.taken.update(taken)
        _what.cache_clear()


KNOWN = Whitelist()
allow = KNOWN.allow


@functools.lru_cache(maxsize=200_000)
def _what(tag: str, attributes: str, made: bool) -> tuple[str | None, dict[str, str]]:
    """Return what is wrong with a tag, or None, and its attributes."""
    known = KNOWN.tags.get(tag)
    if known is None and made:
        known = DRAWN.get(tag)
    found = {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
    if known is None:
        return f"the tag <{tag}>", found
    if len(found) != len(ATTRIBUTE.findall(attributes)):
        return f"an attribute of <{tag}> twice", found
    mine = found.get(MARK)
    if mine not in {None, MINE, MADE, TYPED}:
        return f"the attribute {MARK}, which is the core's", found
    if mine == TYPED:
        mine = None
        if not made and (wrong := _typed(tag, found)):
            return wrong, found
    made = made or mine == MADE
    for name, value in found.items():
        if name == "style":
            fits = STYLE.fullmatch(value) if made else value in STYLES and name in known
            if not fits or "url" in value or "expression" in value:
                return f'style="{value}"', found
        elif name not in known and name not in GLOBAL and name != MARK:
            # Hidden words would let a rule read another sentence than a reader does.
            if not (made and re.fullmatch(r"data-[\w-]+|aria-label|hidden", name)):
                return f"the attribute {name} of <{tag}>", found
        if name in {"href", "src"}:
            if wrong := _address(tag, name, value):
                return wrong, found
        if name == "id" and not IDENT.fullmatch(value):
            return f'id="{value}"', found
        if name == "class" and (wrong := _classes(tag, value.split(), made or mine is not None)):
            return wrong, found
    return None, found


def _typed(tag: str, attributes: dict[str, str]) -> str | None:
    """Return what is wrong with an element that an author has typed."""
    known = KNOWN.typed.get(tag)
    if known is None:
        return f"a typed <{tag}>"
    for name, value in attributes.items():
        if name == "class":
            for one in value.split():
                if tag not in KNOWN.typed_classes.get(one, ()) and not RESERVED.match(one):
                    return f"the class {one} of a typed <{tag}>"
        elif name == "id":
            if value in KNOWN.taken:
                return f'id="{value}", which a style sheet of the site knows'
        elif name == f"typed-{MARK}":
            return f"the attribute {MARK}, which is the core's"
        elif name != MARK and not re.fullmatch(known.get(name, r"(?!)"), value, re.DOTALL):
            return f"the attribute {name.removeprefix('typed-')} of a typed <{tag}>"
    return None


def _box(element: "Element") -> str | None:
    """Return the class that a box may not have: whoever opens one names it in a word."""
    names = element.attributes.get("class", "").split()
    if element.proved or not (element.tag == "details" or "admonition" in names):
        return None
    wrong = next((n for n in names if n not in KNOWN.boxes and n != "admonition"), None)
    return wrong and f"a box of the kind {wrong}"


# Around a block of code stands one element, which its highlighter makes, and nothing is in between.
HIGHLIGHTED = re.compile(r'<div[^>]*>(?:<span class="filename">[^<]*</span>)?<pre\b')
_ENDS = re.compile(r"\s*</div>")


def _around(classes: list[str], element: "Element", text: str, start: int) -> str | None:
    """Return what looks like the frame of a block, and has none in it."""
    for name in classes:
        if name in {"highlight", "output"}:
            whole = element.tag == "pre" or HIGHLIGHTED.match(text, start)
            pre = text.find("</pre>", start)
            if not whole or (element.tag == "div" and not _ENDS.match(text, pre + len("</pre>"))):
                return f"the class {name} around more than a block of code"
    return None


def _address(tag: str, name: str, value: str) -> str | None:
    scheme = SCHEME.match(value)
    allowed = SCHEMES if name == "href" else ()
    plain = ADDRESS.fullmatch(value) and "\\" not in value and not value.startswith("//")
    if not plain or (scheme and scheme[1].lower() not in allowed):
        return f'{name}="{value[:60]}" of <{tag}>'
    return None


def _classes(tag: str, names: list[str], mine: bool) -> str | None:
    for name in names:
        if RESERVED.match(name):
            if not mine:
                return f"the class {name}, which is the core's"
        elif name in CODE:
            if tag not in CODE[name]:
                return f"the class {name} of <{tag}>, which looks like a block"
        elif name not in KNOWN.classes and not CLASS.fullmatch(name):
            return f"the class {name}"
    return None


@dataclass(slots=True)
class Element:
    tag: str
    attributes: dict[str, str]
    made: bool = False  # by a program, not by an author; what is in it is, too
    proved: bool = False  # made, or the core's own, or in such a one
    within: frozenset[str] = frozenset()  # its tag, and those around it


@functools.lru_cache(maxsize=4096)
def _within(around: frozenset[str], tag: str) -> frozenset[str]:
    return around | {tag}


def _names(element: Element) -> list[str]:
    return element.attributes.get("class", "").split()


NOTHING = Element("", {})  # around what stands in no element
Wrong = Callable[[int, str, str], None]  # where in the text, what, how to mend it


def walk(text: str, wrong: Wrong) -> Iterator[tuple[str, int, int, list[Element]]]:
    """Yield (piece, start, end, stack of open elements) for all text outside of code blocks.

    At a tag the piece is empty, and the stack is that after it. ``wrong`` is told of what is not
    on the whitelist; after a tag that cannot be read at all the walk ends.
    """
    stack: list[Element] = []
    made = 0  # marks that are open
    position = 0
    while True:
        start = text.find("<", position)
        piece = text[position : start if start >= 0 else len(text)]
        if piece:
            made += piece.count(BEGIN) - piece.count(END)
            if stack and stack[-1].tag in TABLE and piece.strip(f" \n\t{BEGIN}{END}"):
                wrong(position, f"text inside <{stack[-1].tag}>", "put it into a cell")
            yield piece, position, position + len(piece), stack
        if start < 0:
            break
        token = TOKEN.match(text, start)
        if not token:
            near = " ".join(text[start : start + 60].split())
            wrong(start, f"HTML that is not whole: {near}", "write &lt; for a plain <; close tags")
            return
        position = token.end()
        if end := token["end"]:
            if not stack or stack[-1].tag != end:
                there = f"inside <{stack[-1].tag}>" if stack else "that nothing opened"
                wrong(start, f"</{end}> {there}", "close what you open, in order")
                return
            stack.pop()
            yield "", start, position, stack
            continue
        tag = token["tag"]
        inside = made > 0 or bool(stack and stack[-1].made)
        what, attributes = _what(tag, token["attributes"] or "", inside)
        if what:
            wrong(start, what, _mend(what))
        what = _place(tag, stack)
        if what:
            wrong(start, what, "close the outer one first; leave an empty line around blocks")
        outer = stack[-1] if stack else NOTHING
        inside = inside or attributes.get(MARK) == MADE
        proved = inside or outer.proved or attributes.get(MARK) == MINE
        element = Element(tag, attributes, inside, proved, _within(outer.within, tag))
        if not inside and "class" in attributes:
            names = attributes["class"].split()
            what = _box(element) or _around(names, element, text, start)
            if "filename" in names and not (stack and "highlight" in _names(stack[-1])):
                what = "the class filename without a block of code"
            if what:
                wrong(start, what, _mend(what))
        if tag == "pre":
            close = text.find("</pre>", position)
            if close < 0 or not COLORED.fullmatch(text, position, close):
                wrong(start, "a code block with more than text in it", "include it from a file")
                return
            for outer in stack:
                if "hidden" in outer.attributes or "style" in outer.attributes:
                    wrong(start, "a hidden code block", "show it: take hidden and style= out")
            position = close + len("</pre>")
            yield "", start, position, stack
            continue
        alone = tag in VOID or (token["alone"] and tag in DRAWN)
        if not alone:
            stack.append(element)
        yield "", start, position, [*stack, element] if alone else stack
    if stack:
        wrong(len(text), f"<{stack[-1].tag}> is never closed", f"close it with </{stack[-1].tag}>")
    if made:
        wrong(len(text), "a mark of generated text without its end", "mend the program")


def _mend(what: str) -> str:
    if what.startswith(("href", "src")):
        return "link to a page of the site, or to https://...; pictures are files of docs/"
    if "the core's" in what:
        return "take it out: stamps, proofs and figures come from the evidence alone"
    if what in {"the tag <svg>", "a typed <svg>"}:
        return (
            "write the sign or the word itself: an icon such as :material-...: is a drawing, and "
            "drawings come from scripts"
        )
    if what == "the class toc":
        return "take [TOC] out: the site makes each page a table of contents"
    if "typed" in what or what.startswith("a box"):
        return "write it in Markdown: classes and attributes hide what was checked, so few are left"
    return "write it in Markdown; code goes to kernels/ or snippets/ and is included"


def _place(tag: str, stack: list[Element]) -> str | None:
    """Return what is wrong with the place of a tag: a browser would move it somewhere else."""
    outer, within = (stack[-1].tag, stack[-1].within) if stack else (None, NOTHING.within)
    if tag in PARENTS and outer not in PARENTS[tag]:
        return f"<{tag}> in {f'<{outer}>' if outer else 'no element'}"
    if outer in TABLE and tag not in TABLE[outer]:
        return f"<{tag}> in <{outer}>"
    if tag in NESTED and tag in within:
        return f"<{tag}> in <{tag}>"
    if "p" in within and tag not in PHRASING and "svg" not in within:
        return f"<{tag}> in <p>"
    return None


def check_heading(text: str, wrong: Wrong) -> None:
    """A page has one title, and it is visible: its stamp stands right below it."""
    titles = [match.start() for match in re.finditer(r"<h1\b", text)]
    if len(titles) > 1:
        wrong(titles[1], f"{len(titles)} titles", "give the page one heading with a single #")
    if not titles:  # the theme makes one of the front matter
        return
    for _, start, _, stack in walk(text, lambda *what: None):
        if start == titles[0]:
            if any("hidden" in e.attributes or "aria-hidden" in e.attributes for e in stack):
                wrong(start, "a hidden title", "show it: take hidden out")
            return


def clean(text: str) -> str:
    """Return checked HTML as its reader gets it: without the core's secret and the marks."""
    text = re.sub(rf"<p>\s*[{BEGIN}{END}]\s*</p>\n?", "", text)
    text = re.sub(rf' {MARK}="{MINE}(?:-made|-typed)?"', "", text)
    return text.replace(BEGIN, "").replace(END, "")
