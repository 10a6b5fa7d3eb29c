"""Python-Markdown extension: the stamp of a page, the proof of each block, measured numbers.

It is handed a page's text and nothing else, so it finds the page among those of docs/ by that
text, and asks evidence/ for runs of exactly these blocks. It runs nothing.

* Before the site's own extensions see a fence, our options are taken off its header.
* A marker, ``[[name:...]]`` on a line of its own, becomes the Markdown that a part makes of it.
* ``[[bench:ID.FIELD]]`` and ``[[micro:ID]]`` become figures, with device and date.
* The project's parts add what stands around a page.
* In the finished HTML each code block must be a block of the page, in order. It gets a mark that
  says how far it is proved and unfolds, and the page gets a stamp below its title: a seal.
"""

import html
import posixpath
import re
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from lockstep import (
    bound,
    evidence,
    figures,
    finished,
    markers,
    numbers,
    project,
    records,
    rendered,
    typed,
    worked,
)
from lockstep.block import RECORDED, Block, Page
from lockstep.given import Given
from lockstep.mistakes import Mistake, PageError
from lockstep.page import FENCE, read_blocks
from lockstep.site import BadPage, draft, site, stopping
from lockstep.source import find_root
from lockstep.stamps import beside, proof_words, seal, stamp

# What pymdownx.highlight makes of a fence.
CODE = re.compile(
    r'<div class="(?P<classes>[^"]*\bhighlight\b[^"]*)">'
    r'(?P<inner>(?:<span class="filename">.*?</span>)?<pre\b[^>]*>(?P<code>.*?)</pre>)</div>',
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")
HOME = "data-home"  # of a figure, until it is a link
NO_LINK = {"a", "button", "label", "summary", "h1", "h2", "h3", "h4", "h5", "h6"}
# Characters of a line that fit into the column; longer ones are set smaller, and smaller still.
WIDE, WIDEST = 100, 114


# ---------------------------------------------------------------- the extension


class Pass:
    """One page on its way through the converter."""

    def __init__(self, root: Path):
        self.root = root
        self.page: Page | None = None
        self.first = 1  # the line of the file of the first line of the text
        self.whole = False  # whether the next text to finish is the page and not a heading

    def begin(self, lines: list[str]) -> list[str]:
        """Find the page of these lines, and return them with what its parts insert.

        Text that is no page is read as it is.

        Raises ``PageError`` when it breaks the rules of a page.
        """
        text = "\n".join(lines)
        self.whole = False
        self.site = site(self.root)
        self.page = self.site.find(text)
        if self.page:
            body = self.page.body  # the engine may have taken empty lines off the top
            taken = len(body) - len(body.lstrip("\n")) - (len(text) - len(text.lstrip("\n")))
            self.first = self.page.body_line + taken
            if self.page.written in (None, body):
                return lines
            self.first = self.page.body_line
            return body.splitlines()
        mistakes: list[Mistake] = []
        blocks, expanded = read_blocks("this text", text, 1, self.root, mistakes)
        self.first = 1
        docs = project.of(self.root).docs
        self.page = Page(self.root, "this text", {}, blocks, text, 1, expanded, docs)
        if mistakes:
            raise PageError(mistakes)
        return lines

    @property
    def folder(self) -> str | None:
        """The folder of the page below that of all pages: links in generated text start there."""
        page = self.known
        return (posixpath.dirname(page.uri) or ".") if page.is_page else None

    @property
    def known(self) -> Page:
        """The page, once ``begin`` has found it."""
        assert self.page, "a draft that cannot be shown has no page"
        return self.page

    @property
    def usual(self) -> tuple[str | None, str]:
        """The machine of the page's figures that name none, and the line that says so."""
        if self.page is None:
            return None, ""
        return figures.usual(self.site.records, self.page.body)

    def check_figures(self, lines: list[str]) -> None:
        """Look up every measured number of the page, so that all mistakes are named at once."""
        mend = f"correct the key, or {project.of(self.root).measure}"
        mistakes = [
            Mistake(self.known.path, number, what, mend)
            for number, what in figures.unknown(self.site.records, lines, self.first)
        ]
        mistakes += bound.check(self.known, self.site.records)
        if mistakes and not draft():
            raise PageError(list(dict.fromkeys(mistakes)))


class Before(Preprocessor):
    """Runs before the site's snippet and fence extensions."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, lines: list[str]) -> list[str]:
        with stopping():
            try:
                lines = self.state.begin(lines)
                self.state.check_figures(lines)
                return self._rewritten(list(lines))
            except PageError as error:
                if not draft():
                    raise
                self.state.page = None
                text = [f"    - {html.escape(str(mistake))}" for mistake in error.mistakes]
                return ['!!! failure "This page cannot be shown"', "", *text]

    def _rewritten(self, lines: list[str]) -> list[str]:
        state = self.state
        languages = project.of(state.root).languages
        for block in state.known.blocks:
            at = block.page_line - state.first
            fence = FENCE.match(lines[at])
            assert fence, "a block begins with one"
            language = languages[block.language].lexer or block.language
            title = block.options.get("title") or block.options.get("file")
            title = f' title="{title}"' if title else ""
            lines[at] = f"{fence['indent']}{fence['fence']}{language}{title}"
        text: list[str] = []
        said = state.usual[1]
        for number, line in enumerate(lines, start=state.first):
            part = self._part(line, number)
            if part is None:
                text.append(line)
                if said and line.startswith("# "):
                    text += ["", said, ""]
                    said = ""
            else:  # what is between the marks, a program made
                text += ["", rendered.BEGIN, "", *part.split("\n"), "", rendered.END, ""]
        return text

    def _part(self, line: str, number: int) -> str | None:
        """Return what a marker stands for. One that names nothing is a mistake of its page."""
        state, page = self.state, self.state.known
        where = page.at(number)
        try:
            return markers.render(line, state.site, state.folder or ".")
        except PageError as error:  # of the data, or of what the marker names
            raise PageError(
                [
                    replace(m, path=page.path, line=where) if m.what.startswith("[[") else m
                    for m in error.mistakes
                ]
            ) from None
        except LookupError as error:
            said = error.args[0] if error.args else type(error).__name__
            wrong = Mistake(
                page.path,
                where,
                f"{line.strip()}: {said}",
                "correct the name: nothing is called so",
            )
            raise PageError([wrong]) from None


class Measured(InlineProcessor):
    """A figure from the evidence, with what it was measured on."""

    def __init__(self, md, state: Pass):
        super().__init__(figures.KEY.pattern, md)
        self.state = state

    def handleMatch(self, m, data):  # type: ignore[override]
        element = Element("span", {"class": "measured", rendered.MARK: rendered.MINE})
        try:
            row, name = self.state.site.records.figure(m["kind"], m["key"])
        except KeyError as error:
            if not draft():  # text that another extension made: it was not looked up before
                path, first = self.state.known.path, self.state.first
                raise BadPage([Mistake(path, first, error.args[0], "mend the key")]) from None
            element.set("class", "measured measured--missing")
            element.text = f"⟨{m['key']}⟩ not measured"
            return element, m.start(0), m.end(0)
        if row["fresh"]:
            records = self.state.site.records
            element.text = AtomicString(figures.said(records, row, name, self.state.usual[0]))
            element.set("title", figures.measures(row) + figures.others(records, row, name))
        else:
            element.set("class", "measured measured--stale")
            element.text = figures.awaited(self.state.site.records)
            changed = "The code was changed after it was measured"
            element.set("title", "Not measured yet" if "planned" in row else changed)
        element.set("tabindex", "0")  # the title is for the keyboard, too
        page, folder = self.state.known, self.state.folder
        if folder and (home := self.state.site.home(row, page)):
            element.set(HOME, posixpath.relpath(home, folder))
        return element, m.start(0), m.end(0)


class Homes(Treeprocessor):
    """Makes a figure of code that another page shows a link to that page.

    Not where a link or a button is around it already, nor in a heading, which lists repeat.
    """

    def run(self, root):
        self._walk(root, False)

    def _walk(self, element: Element, inside: bool) -> None:
        for child in element:
            self._walk(child, inside or child.tag in NO_LINK)
            if home := child.attrib.pop(HOME, None):
                if not inside:
                    child.tag = "a"
                    child.set("href", home)
                    del child.attrib["tabindex"]


class Corners(Treeprocessor):
    """Makes a table's empty head a cell: a head without a name says nothing of its column."""

    def run(self, root):
        for head in root.iter("th"):
            if not len(head) and not (head.text or "").strip():
                head.tag = "td"


class Worked(InlineProcessor):
    """A number that follows from what stands there, or is made up: it says how, and shows it."""

    def __init__(self, md, state: Pass):
        super().__init__(numbers.WORKED.pattern, md)
        self.state = state

    def handleMatch(self, m, data):  # type: ignore[override]
        element = Element("span", {"class": "worked", rendered.MARK: rendered.MINE})
        keyed = worked.INPUT.search(m["how"])
        usual = self.state.usual[0] if keyed else None
        try:
            number, how, fresh = bound.said(self.state.site.records, m["number"], m["how"], usual)
        except (KeyError, bound.Uncomputed) as error:
            if not draft():
                what = f"{error.args[0]}, in {m[0]}"
                found = Mistake(self.state.known.path, self.state.first, what, "mend its keys")
                raise BadPage([found]) from None
            number, how, fresh = f"⟨{m['number']}⟩ not measured", m["how"], True
            element.set("class", "measured measured--missing")
        element.text = number
        element.set("title", f"{'Worked out' if keyed else 'Not measured'}: {how}")
        if not fresh:
            element.set("class", "measured measured--stale")
            element.set("title", "The code of one of its numbers was changed after it was measured")
        element.set("tabindex", "0")
        return element, m.start(0), m.end(0)


class Level(InlineProcessor):
    """``[[proof:cpu]]``: the name of a level of proof, as it stands below a block."""

    def __init__(self, md, levels):
        super().__init__(rf"\[\[proof:({'|'.join(levels)})\]\]", md)

    def handleMatch(self, m, data):  # type: ignore[override]
        name = f"proof__level proof--{m[1]}"
        element = Element("span", {"class": name, rendered.MARK: rendered.MINE})
        element.text = m[1]
        return element, m.start(0), m.end(0)


class Between(Treeprocessor):
    """Notes that the tree is done: until then, only headings go through the postprocessors."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, root):
        self.state.whole = True


class After(Postprocessor):
    """Puts the proofs and the stamp into the finished HTML."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, text: str) -> str:
        page = self.state.page
        if not self.state.whole or page is None:  # a heading; a draft that cannot be shown
            return text
        found = list(CODE.finditer(text))
        with stopping():
            self._check(page, text, found)
            judge = self.state.site.judge
            if not (judge and judge.takes(page, text)) and (wrong := finished.check(page, text)):
                raise PageError(wrong)
        text = self._proved(page, rendered.clean(text))
        self.state.site.approve(page, text)
        return text

    def _proved(self, page: Page, text: str) -> str:
        """Return checked HTML with the proof of each block and the stamp."""
        if not page.blocks:
            return text
        found = list(CODE.finditer(text))
        records = self.state.site.records
        proofs = records.proofs(page)
        attributes: dict[int, str] = {}
        for part in project.of(page.root).parts:
            attributes |= part.attributes(page)
        also = beside(page, records)
        parts, end = [], 0
        for match, block, proof in zip(found, page.blocks, proofs, strict=True):
            between, inner = text[end : match.start()], match["inner"]
            before = page.blocks[block.index - 1] if block.index else None
            kinds = "proof__block"
            longest = max(map(len, block.text.split("\n")))
            if longest > WIDE:
                kinds += f" proof__block--{'wide' if longest <= WIDEST else 'widest'}"
            joined = before and not between.strip() and (block.path == before.path or _says(block))
            if again := _again(block, page.blocks[block.index + 1 : block.index + 2]):
                inner = _folded(match, *again)
            copy = ""
            if again or block.copied != _shown(match):
                # Material's copy button prefers this to the text that it finds.
                copy = f' data-copy="{_attribute(block.copied)}"'
            kind = " output" if _says(block) else ""
            parts += [
                f'{between}<div class="{kinds}{" proof__block--joined" if joined else ""}">',
                f'<div class="{match["classes"]}{kind}"{copy}>{inner}</div>',
                _proof_html(page, block, proof, attributes.get(block.index, ""), also),
                "</div>",
            ]
            end = match.end()
        text = "".join([*parts, text[end:]])
        mark = _stamp_html(page, *stamp(page, proofs, records), seal(page, proofs, records))
        title = text.find("</h1>")
        at = title + len("</h1>") if title >= 0 else 0
        return f"{text[:at]}\n{mark}{text[at:]}"

    @staticmethod
    def _check(page: Page, text: str, found: list[re.Match]) -> None:
        """Refuse a page whose rendered code is not its blocks, in their order."""
        shown = [_shown(match) for match in found]
        blocks = [block.text.expandtabs(4) for block in page.blocks]
        if shown == blocks and text.count("<pre") == len(blocks):
            return
        for block, there in zip(page.blocks, shown, strict=False):
            if there != block.text.expandtabs(4):
                what = f"{block.source} is not what is shown here"
                mend = "indented text and HTML render as code, too: include it from a file"
                raise PageError([Mistake(page.path, page.line_of(block), what, mend)])
        what = (
            f"{max(len(shown), text.count('<pre'))} code blocks are shown, {len(blocks)} are proved"
        )
        mend = "indented text and HTML render as code, too; a fence must not stand in a footnote"
        raise PageError([Mistake(page.path, page.body_line, what, mend)])


def _shown(match: re.Match) -> str:
    """Return the text of a code block of HTML."""
    return html.unescape(TAG.sub("", match["code"])).strip("\n")


def _attribute(text: str) -> str:
    return html.escape(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _says(block: Block) -> bool:
    return block.language in RECORDED


def _again(block: Block, following: list[Block]) -> tuple[int, int] | None:
    """Return which lines of a block, an example of a docstring, the next block shows once more."""
    if not following or following[0].language != "pycon" or following[0].path != block.path:
        return None
    there, lines, own = block.numbers, block.text.split("\n"), following[0].numbers
    if not own or not set(own) <= set(there):
        return None
    first, last = there.index(own[0]), there.index(own[-1])
    if last - first != len(own) - 1:
        return None
    while first and not lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and not lines[last + 1].strip():
        last += 1
    return (first, last) if last + 1 < len(lines) else None


def _folded(match: re.Match, first: int, last: int) -> str:
    """Return the HTML of a block with these lines folded: they are there, and drawn as one mark.

    What is copied and what is compared with the record is the whole text.
    """
    code, inner = match["code"], match["inner"]
    lead = re.match(r"(?:<span></span>)?<code[^>]*>", code)
    lines = code[lead.end() if lead else 0 :].split("\n")
    if not lead or any(_open(line) for line in lines):
        return inner
    lines[first] = f'<span class="proof__again">{lines[first]}'
    lines[last + 1] = f"</span>{lines[last + 1]}"
    return inner.replace(code, lead[0] + "\n".join(lines), 1)


def _open(line: str) -> bool:
    """Whether a line of colored code leaves an element open, other than the block's own end."""
    return line.count("<span") != line.count("</span>")


def _proof_html(page: Page, block: Block, proof: evidence.Proof, more: str, also: dict) -> str:
    """Return the mark at a block's corner, and what it unfolds.

    ``more``: attributes that the project's parts set, of the place for what a reader can do.
    ``also``: further proofs of the page's blocks.
    """
    source = f"<code>{html.escape(block.path)}</code>"
    if block.section:
        source += f" · {html.escape(block.section)}"
    told, part = records.told(page, block, proof)
    words = html.escape("; ".join([proof_words(proof, block, page)] + [told] * bool(told)))
    level = f'<span class="proof__level">{proof.level}</span>'
    part = f'<span class="proof__part">{part}</span>' if part else ""
    further = ""
    for mark, said in also.get(block.index, ()):
        name = f'<span class="proof__level proof--{mark}">{mark}</span>'
        part += f" {name}"
        further += f'<p class="proof proof--{mark}">{name} '
        further += f'<span class="proof__words">{html.escape(said)}</span></p>'
    return (
        (f'\n<div class="proof__acts" {more}></div>' if more else "")
        + f'\n<details class="record proof--{proof.level}" data-search-exclude>'
        + f'<summary title="{words}">{level}{part}</summary>'
        + f'<p class="proof proof--{proof.level}">{level} '
        + f'<span class="proof__words">{words}</span> '
        + f'<span class="proof__source">{source}</span></p>{further}'
        + f"{records.details(page, block, proof)}</details>"
    )


# A seal is 32 lanes: those are on where the hash of the page's blocks, in bits, begins with a one.
LANE = "M{x} 0h2.6l-1.2 8h-2.6z"


def _lanes(bits: str, on: bool) -> str:
    return "".join(
        LANE.format(x=round(2 + 4.4 * n, 1)) for n, bit in enumerate(bits) if (bit == "1") == on
    )


def _stamp_html(page: Page, level: str, lead: str, rest: str, short: str) -> str:
    bits = f"{int(page.sha256[:8], 16):032b}"
    return (
        f'<div class="stamp stamp--{level}" data-search-exclude><details><summary>'
        '<svg viewBox="0 0 142 8" width="142" height="8" aria-hidden="true">'
        f'<path class="stamp__on" d="{_lanes(bits, True)}"/>'
        f'<path class="stamp__off" d="{_lanes(bits, False)}"/></svg>'
        f"{html.escape(short)}</summary>"
        f"<p><strong>{html.escape(lead)}</strong> {html.escape(rest)}</p></details></div>"
    )


class LockstepExtension(Extension):
    def __init__(self, **options):
        self.config = {"root": ["", "the folder of mkdocs.yml; empty: found from where you are"]}
        super().__init__(**options)

    def extendMarkdown(self, md):
        root = self.getConfig("root")
        state = Pass(Path(root).resolve() if root else find_root())
        # pymdownx.snippets has 32 and pymdownx.superfences 25: both read the fence after us.
        md.preprocessors.register(Before(md, state), "lockstep", 40)
        # Before links (170) and after code spans (190).
        md.inlinePatterns.register(Measured(md, state), "lockstep-measured", 175)
        md.inlinePatterns.register(Worked(md, state), "lockstep-worked", 174)
        marks = project.of(state.root).marks
        md.inlinePatterns.register(Level(md, marks), "lockstep-level", 173)
        for part in project.of(state.root).parts:
            part.extend(md, state, stopping)
        # After the inline patterns (20), before the engine makes addresses of links (0).
        md.treeprocessors.register(Homes(md), "lockstep-homes", 10)
        md.treeprocessors.register(Given(md), "lockstep-given", 9)
        md.treeprocessors.register(Corners(md), "lockstep-corners", 8)
        md.treeprocessors.register(Between(md, state), "lockstep", -100)
        # After everything has been put back into the text.
        md.postprocessors.register(After(md, state), "lockstep", 0)
        self.md = md
        md.registerExtension(self)

    def reset(self):
        """All extensions have been set up, and after each page they are told so again."""
        typed.watch(self.md)


def makeExtension(**options):
    return LockstepExtension(**options)
