"""``python -m lockstep check``: every guarantee that can be had without running a page.

Four views of a page that do not trust each other must agree: what our reader expands, what the
site's snippet extension inserts, what the site renders, and what the runner collects. Nothing is
typed, nothing shown is missing from a page, few blocks go without a run, and what cannot run is
declared. Each mistake names file, line and how to mend it.
"""

import ast
import functools
import gc
import html
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import markdown
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound
from pymdownx.highlight import Highlight, HighlightExtension
from pymdownx.snippets import SnippetMissingError
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from lockstep import (
    accounts,
    bound,
    claims,
    coded,
    collect,
    configured,
    counted,
    crossed,
    data,
    evidence,
    fields,
    figures,
    finished,
    fitting,
    nearest,
    numbers,
    outcomes,
    project,
    qualified,
    records,
    reviewed,
    subjects,
    told,
    typed,
    worked,
)
from lockstep.block import RECORDED, Page
from lockstep.evidence import agreement, denials
from lockstep.given import Given
from lockstep.known import read, read_all
from lockstep.mistakes import Mistake, PageError, parse
from lockstep.mkdocs.plugin import complete
from lockstep.page import paths
from lockstep.source import MARKER, find_root, section, sections

OURS = "lockstep.markdown"
# What becomes a number with its proof, or text that a program makes of evidence and data.
KEYS = re.compile(
    rf"{figures.KEY.pattern.replace('?P<kind>', '').replace('?P<key>', '')}"
    r"|\[\[worked:[^\]]*\]\]|^\[\[\w+:[^\]]*\]\]\s*$|\[\[proof:\w+\]\]"
)
# What may be made up, such as the numbers of a question, is not said to be measured.
CLAIM = re.compile(
    r"(?i)\b(?:we|was|were) (?:measured|timed|clocked)\b|^\s*measured\b|\bon our \w|\bthis kernel\b"
    r"|\b(?-i:[ABH]\d{2,3}s?|G[BH]\d{3}s?|L40?S?|T4|MI\d{3}\w*|V100|RTX|GeForce|M[1-5])\b"
    r"|\b(?:card|GPU|machine) (?:that |which )?we (?:have|use|own)\b"
    r"|\bour (?:gpu|kernel)|\b(?:of|on) this (?:page|lesson)\b|\b(?:copy|kernel) above\b"
)
# Who says that anywhere in a question says it of all its numbers.
MEASURED = re.compile(
    r"(?i)\b(?:compiler|profiler|ptxas|nvcc|Nsight(?: Compute)?|ncu) (?:says|shows|reports|counts"
    r"|gives) (?:so|it|that)\b|\b(?:our (?:\w+ )?(?:copy|kernel|sum|scan|gather|product"
    r"|version|gpu|code|run)s?"
    r"|benchmarks? (?:says?|shows?|gave)"
    r"|(?:copy|kernel|sum|scan|code|block) above (?:reach|run|take|need|get|achiev|mov)\w*"
    r"|this (?:page|lesson)'s|we (?:measured|timed|clocked|ran)|(?:is|was) measured|ours)\b"
)
INCLUDED = re.compile(r"^[ \t]*;?-*8<-.*$", re.MULTILINE)
SHOWN = "run some of them, or include less that is only shown"


class Checker:
    """Checks pages of one project. The site's Markdown converter is made once."""

    def __init__(self, root: Path | None = None):
        self.root = root or find_root()
        self.ours = project.of(self.root)
        try:
            config = load_config(str(self.root / "mkdocs.yml"))
        except (MkDocsException, SystemExit) as error:  # which has said what, and not where
            what, mend = f"MkDocs cannot read this: {error}", "mend what is said above"
            raise PageError([Mistake("mkdocs.yml", 1, what, mend)]) from None
        complete(config)
        names = [name for name in config.markdown_extensions if name != OURS]
        options = {name: config.mdx_configs[name] for name in names if name in config.mdx_configs}
        # The site's own converter, less what stamps its pages.
        self.converter = markdown.Markdown(extensions=names, extension_configs=options)
        self.converter.treeprocessors.register(Given(self.converter), "lockstep-given", 9)
        typed.watch(self.converter)
        for extension in self.converter.registeredExtensions:
            if isinstance(extension, HighlightExtension):
                extension.get_pymdownx_highlighter = lambda: _Once
        self.converted: tuple[str, str] = ("", "")

    def html(self, text: str) -> str:
        """Return what the site makes of a page's text. Two checks often ask for the same."""
        if self.converted[0] != text:
            self.converted = text, self.converter.reset().convert(text)
        return self.converted[1]

    # ------------------------------------------------------------ one page

    def page(self, file: Path) -> list[Mistake]:
        """Return what is wrong with a page."""
        _Once.known.clear()
        try:
            page = read(file, self.root)
        except PageError as error:
            return [*error.mistakes, *self.prose(error.page)]
        checks = [self.expansion, self.rendered, self.collected, self.declared, self.typed]
        checks += [self.made_up, self.covered, self.head, self.keys, self.fits]
        return [mistake for check in checks for mistake in check(page)]

    def prose(self, page: Page | None) -> list[Mistake]:
        """Return what else is wrong with a page that was refused: one mistake hides no other.

        Its words are looked at, and what they become. A fence that nobody closed hides the rest.
        """
        if page is None or page.body.count("\n```") % 2:
            return []
        page = replace(page, body=INCLUDED.sub("", page.body))  # of what may not be there
        found: dict[Mistake, None] = {}
        for check in (self.typed, self.made_up, self.head, self.keys, self.fits):
            with suppress(PageError):
                found.update(dict.fromkeys(check(page)))
        return list(found)

    def expansion(self, page: Page) -> Iterator[Mistake]:
        """Our expansion is the one that the site makes."""
        try:
            theirs = self.converter.reset().preprocessors["snippet"].run(page.body.splitlines())
        except SnippetMissingError as error:
            line = next(
                (n for n, t in enumerate(page.body.splitlines(), page.body_line) if "8<-" in t), 1
            )
            yield Mistake(
                page.path, line, str(error), "take it out, or include a section in a fence"
            )
            return
        if page.expanded == theirs:
            return
        pairs = enumerate(zip(page.expanded, theirs, strict=False))
        at = next((n for n, (a, b) in pairs if a != b), min(len(page.expanded), len(theirs)))
        here = page.expanded[at] if at < len(page.expanded) else "the end"
        there = theirs[at] if at < len(theirs) else "the end"
        what = f"line {at + 1} of the expanded page is {here!r} for us and {there!r} for the site"
        line = next((b.page_line for b in page.blocks if here in b.raw.split("\n")), page.body_line)
        yield Mistake(page.path, line, what, "include it by one section with plain lines")

    def rendered(self, page: Page) -> Iterator[Mistake]:
        """Every ``<pre>`` that a browser gets is a block of the page, in order."""
        reader = _Blocks()
        reader.feed(self.html(_plain(page)))
        rendered = [block.strip("\n") for block in reader.blocks]
        shown = [b.text.expandtabs(self.converter.tab_length) for b in page.blocks]
        known = set(shown)
        typed = [text for text in rendered if text not in known]
        mend = f"move it to {self.ours.folders()} and include it (indented text is code, too)"
        for text in typed:
            what = f"this page shows code that is in no source file: {text.splitlines()[:1]}"
            yield Mistake(page.path, _first_line(page, text), what, mend)
        if not typed and rendered != shown:
            what = f"{len(rendered)} code blocks are shown, {len(page.blocks)} are included"
            mend = "put each fence where it is rendered once"
            yield Mistake(page.path, page.body_line, what, mend)

    def collected(self, page: Page) -> Iterator[Mistake]:
        """The runner collects every block that runs, and another lexer counts the same fences."""
        document = collect.sybil(self.root).parse(self.root / page.path)
        assert isinstance(document, collect.PageDocument)
        runs = [block.index for block in page.blocks if block.runs]
        if document.target:
            found = [example.region.lexemes["block"].index for example in document.examples()]
            if found != runs:
                what = f"{len(found)} blocks are collected, {len(runs)} are on the page"
                yield Mistake(page.path, page.body_line, what, "write plain fences")
        lexer = RawFencedCodeBlockLexer(info_pattern=re.compile(r"[^\n]*\n"))
        fences = len(list(lexer(Document(page.body, page.path))))
        if fences != len(page.blocks):
            what = f"another reader of Markdown sees {fences} fences, we see {len(page.blocks)}"
            yield Mistake(page.path, page.body_line, what, "open and close each fence with ```")

    def declared(self, page: Page) -> Iterator[Mistake]:
        """A page declares how many of its blocks cannot run on some machines."""
        said = set()
        for target in self.ours.targets.values():
            skips, says = target.skips(page), target.declared(page)
            if len(skips) != says and (mend := target.declare(len(skips))) not in said:
                said.add(mend)
                why = "; ".join(f"{page.blocks[i].where}: {why}" for i, why in skips.items())
                what = f"{len(skips)} blocks: {target.lacks}, the front matter says {says} ({why})"
                yield Mistake(page.path, 1, what, f"{mend} if that is meant")

    def keys(self, page: Page) -> Iterator[Mistake]:
        """Every measured number has a row: one that was recorded, or that a benchmark will."""
        mend = f"correct the key, or {self.ours.measure}"
        lines = page.body.splitlines()
        for line, what in figures.unknown(self.records, lines, page.body_line):
            yield Mistake(page.path, line, what, mend)

    def typed(self, page: Page) -> Iterator[Mistake]:
        """The HTML holds what is on the whitelist alone, and no measured number is typed."""
        skipped, lines = self._invented(page), _plain(page).splitlines()
        for at in range(len(lines)):
            lines[at] = (
                KEYS.sub(numbers.KEY, lines[at]) if at + page.body_line not in skipped else ""
            )
        yield from finished.check(page, self.html("\n".join(lines) + "\n"))

    def made_up(self, page: Page) -> Iterator[Mistake]:
        """What may make numbers up claims none to be measured, nor explains by one of its own."""
        skipped = self._invented(page)
        explained = {line for part in self.ours.parts for line in part.explained(page)}
        claimed: set[int] = set()  # lines of a box that says so in another of its lines
        rows = _plain(page).splitlines() if skipped else []
        for at, line in enumerate(rows):
            if at + page.body_line not in skipped or line.startswith(" ") or not line.strip():
                continue
            ends = (n for n in range(at + 1, len(rows)) if n + page.body_line not in skipped
                    or rows[n].strip() and not rows[n].startswith(" "))  # fmt: skip
            box = range(at, next(ends, len(rows)))
            if MEASURED.search("\n".join(rows[n] for n in box)):
                claimed |= {n + page.body_line for n in box}
        for at, line in enumerate(rows):
            if at + page.body_line not in skipped:
                continue
            said = data.LINK.sub("", numbers.WORKED.sub("", figures.KEY.sub("", line)))
            for ran in told.runs(said):
                what = f"{ran!r} tells of runs, and is typed"
                yield Mistake(page.path, page.at(at + page.body_line), what, numbers.MEND)
            claim = CLAIM.search(said) or at + page.body_line in claimed
            if (claim or at + page.body_line in explained) and (found := _numbers(said)):
                why = "is said to be measured" if claim else "explains an answer"
                what = f"{found[0]!r} {why}, and is typed"
                yield Mistake(page.path, page.at(at + page.body_line), what, numbers.MEND)

    @functools.cached_property
    def records(self) -> evidence.Evidence:
        self.broken: list[Mistake] = []  # of records that are none; the others count
        return evidence.Evidence(self.root, wrong=self.broken)

    def covered(self, page: Page) -> Iterator[Mistake]:
        """What of a block did not run says why, on the block."""
        for block, proof in zip(page.blocks, self.records.proofs(page), strict=True):
            if what := records.idle(page, block, proof):
                mend = 'run it on the page; or say why not on the fence: unrun="reason"'
                yield Mistake(page.path, page.line_of(block), what, mend)

    def fits(self, page: Page) -> Iterator[Mistake]:
        """A key fits its sentence: unit, size, device, kernel. A worked number takes keys."""
        yield from fitting.check(page, self.records)
        yield from crossed.check(page, self.records)
        yield from nearest.check(page, self.records)
        yield from fields.check(page, self.records)
        yield from qualified.check(page, self.records)
        yield from subjects.check(page, self.records)
        yield from bound.check(page, self.records)
        yield from outcomes.check(page, self._invented(page))
        yield from accounts.check(page, self._invented(page), self.records)
        yield from counted.check(page, self._invented(page))
        yield from coded.check(page)

    def head(self, page: Page) -> Iterator[Mistake]:
        """No number and no stamp is typed in the front matter: its words come onto other pages."""
        lines = (self.root / page.path).read_text(encoding="utf-8").split("\n")
        text = "\n".join(lines[1 : page.body_line - 2])
        for line, what in data.typed(text):
            yield Mistake(page.path, line + 1, what, data.mend(what))

    def data(self, pages: list[Page]) -> Iterator[Mistake]:
        """No measured number is typed in the data files beside the pages."""
        for file in sorted((self.root / self.ours.docs).rglob("*.y*ml")):
            yield from data.check(self.root, file)
        # Captions and titles beside the sources come onto pages, too.
        for folder in self.ours.sources:
            for file in sorted((self.root / folder).rglob("*.y*ml")):
                yield from data.check(self.root, file, code=True)
        # Its names of pages stand on each of them; a hook would change pages after the last look.
        settings = self.root / "mkdocs.yml"
        yield from data.check(self.root, settings)
        yield from configured.check(self.root)

    def _invented(self, page: Page) -> set[int]:
        """Return the lines whose numbers are no measurements and say so, such as a quiz's."""
        return {line for part in self.ours.parts for line in part.invented(page)}

    # ------------------------------------------------------------ all of them

    def sources(self, pages: list[Page]) -> Iterator[Mistake]:
        """Every section can be read and is on some page, and every doctest runs on some page.

        A section of imports alone may be on none: its page imports them in another block.
        """
        shown = {(block.path, block.section) for page in pages for block in page.blocks}
        told: dict[str, set[int]] = {}  # lines of sessions, which run
        for block in (b for page in pages for b in page.blocks if b.language == "pycon"):
            told.setdefault(block.path, set()).update(block.numbers)
        for path, names in sections(self.root, self.ours.sources).items():
            for name in names:
                try:
                    lines = section(self.root, path, name)
                except PageError as error:
                    yield from error.mistakes
                    continue
                if (path, name) not in shown and not _imports(path, lines):
                    at = max(1, min((number for number, _ in lines), default=1) - 1)
                    mend = "include it, or take its markers away"
                    yield Mistake(path, at, f"section {name!r} is on no page", mend)
            if path.endswith(".py"):
                yield from self._stray(path, told.get(path, set()))

    def _stray(self, path: str, told: set[int]) -> Iterator[Mistake]:
        """An example that runs nowhere would look tested. ``told``: the lines of sessions."""
        inside: set[str] = set()
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), start=1):
            if marker := MARKER.search(line):
                if marker["kind"] == "start":
                    inside.add(marker["name"])
                elif marker["name"] in inside:
                    inside.remove(marker["name"])
                else:
                    what = f"section {marker['name']!r} ends here and starts nowhere above"
                    yield Mistake(
                        path, number, what, f"add [start:{marker['name']}], or take it out"
                    )
            elif EXAMPLE.match(line) and not inside:
                mend = "mark a section around it and include that"
                yield Mistake(path, number, "a doctest outside a section runs nowhere", mend)
            elif EXAMPLE.match(line) and number not in told:
                mend = "include its section as pycon on some page"
                yield Mistake(path, number, "an example that no page runs", mend)

    def shown(self, pages: list[Page]) -> Iterator[Mistake]:
        """Few blocks are only shown."""
        blocks = [block for page in pages for block in page.blocks]
        shown = [block for block in blocks if "shown" in block.options]
        if len(shown) > self.ours.shown * len(blocks):
            what = f"{len(shown)} of {len(blocks)} blocks are only shown"
            what += f", and {self.ours.shown:.0%} may be: this is the last one"
            yield Mistake(shown[-1].page, shown[-1].page_line, what, SHOWN)

    def parts(self, pages: list[Page]) -> Iterator[Mistake]:
        """What the project's parts find wrong over all pages."""
        for part in self.ours.parts:
            yield from getattr(part.state(self.root, pages), "mistakes", [])

    def agreed(self, pages: list[Page]) -> Iterator[Mistake]:
        """The records agree with each other, with the code and with those of the last commit."""
        yield from agreement.check(self.root, pages, records=self.records)
        yield from denials.check(self.root, pages)

    def printed(self, files: Iterable[Path]) -> Iterator[Mistake]:
        """The same of the records of some pages alone, and of those whose figures they print."""
        pages, names = [], set()
        for file in files:
            with suppress(PageError):  # which was said
                pages.append(read(file, self.root))
        for page in pages:
            own = self.root.glob(f"evidence/*/pages/{page.name}.json")
            names |= {record.relative_to(self.root).as_posix() for record in own}
            for kind, row in self._rows(page):
                name = f"evidence/{row['machine']}/{figures.KINDS[kind]}/{row['file']}"
                names |= {name, name.replace(".json", ".history.jsonl")}
        yield from agreement.check(self.root, pages, records=self.records, only=names)
        yield from denials.check(self.root, pages, {page.path for page in pages})

    def _rows(self, page: Page) -> Iterator[tuple[str, dict]]:
        """Yield the rows whose figures a page prints, those of other machines too."""
        for key in (*figures.KEY.finditer(page.body), *worked.INPUT.finditer(page.body)):
            with suppress(KeyError):  # whoever reads the page says so
                row, _ = self.records.figure(key["kind"], key["key"])
                for one in (row, *self.records.elsewhere.get(row.get("id", ""), ())):
                    if "file" in one:  # none has what is planned
                        yield key["kind"], one

    def everything(self, files: Iterable[Path] = ()) -> list[Mistake]:
        """Return what is wrong with some pages; or without any, with the whole project."""
        chosen = list(files)
        found = [mistake for file in chosen or paths(self.root) for mistake in self.page(file)]
        found = [*(self.broken if self.records else ()), *found]
        if chosen:
            return [*found, *self.printed(chosen)]
        try:
            pages = read_all(self.root)
        except PageError as error:
            return list(dict.fromkeys([*error.mistakes, *found]))
        for check in (self.sources, self.shown, self.data, self.parts, self.agreed):
            try:
                found += check(pages)
            except PageError as error:  # one of them must not hide what the others find
                found += [mistake for mistake in error.mistakes if mistake not in found]
        if not (self.root / reviewed.LIST).is_file() and agreement.committed(
            self.root, reviewed.LIST, agreement.base(self.root)
        ):
            what = "the list of reviewed files is gone, so nothing was reviewed"
            mend = f"restore it: git checkout {reviewed.LIST}"
            found.append(Mistake(reviewed.LIST, 1, what, mend))
        else:  # without a list no file was reviewed
            found += reviewed.check(self.root)
        return found


def _numbers(said: str) -> list[str]:
    plain = numbers.plain(said)
    found = [*numbers.typed(said), *claims.errors(plain)]
    return found or [match[1] or match[2] for match in ANSWER.finditer(plain)]


# An answer that is a number, or has one of those that a compiler or a profiler counts.
ANSWER = re.compile(
    r"^\s*- \[.\]\s+(\d[\d.,]*)\s*$|\b(\d[\d.,]*) (?:registers|sectors|conflicts|wavefronts"
    r"|spills)\b"
)
EXAMPLE = re.compile(r"\s*(?:[#*\"']+\s*)?>>> ")  # in a docstring, a text, a comment
COLORS = re.compile(r'<span class="[a-z0-9 -]+">|</span>')


class _Once(Highlight):
    """The site's highlighter, which colors a block once for all checks, and without its colors.

    It escapes what the block holds, so a span in what it returns is its own: the text that a
    browser shows stays the same.
    """

    known: ClassVar[dict[str, str]] = {}  # of the page that is checked

    def get_lexer(self, src, language, inline, stripnl):
        """Return one that finds nothing to color, and the name of the one that would."""
        name = language if language and _colored(language) else self.default_lang or "text"
        return TextLexer(stripnl=stripnl), name

    def highlight(self, src, language, *how, code_block_count=0, inline=False, **more):
        if inline or more.get("title"):
            return super().highlight(src, language, *how, inline=inline, **more)
        settings = sorted((name, repr(value)) for name, value in vars(self).items() if name != "md")
        key = repr((src, language, how, sorted(more.items()), settings))
        if key not in self.known:
            more["code_block_count"] = code_block_count  # names lines, where they have names
            self.known[key] = COLORS.sub("", super().highlight(src, language, *how, **more))
        return self.known[key]


@functools.cache
def _colored(language: str) -> bool:
    try:
        return bool(get_lexer_by_name(language))
    except ClassNotFound:
        return False


class _Blocks(HTMLParser):
    """Collects the text of each ``<pre>`` of a rendered page."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag == "pre":
            self.depth += 1
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "pre"

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.blocks[-1] += data


def _imports(path: str, lines: list[tuple[int, str]]) -> bool:
    """Whether a section of a file holds imports and nothing else."""
    if not path.endswith(".py"):
        return False
    try:
        body = parse("\n".join(text for _, text in lines)).body
    except SyntaxError:
        return False
    return bool(body) and all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in body)


def _plain(page: Page) -> str:
    """Return the body with our own fence options taken off, which only our extension knows."""
    lines = page.body.splitlines()
    for block in page.blocks:
        at = block.page_line - page.body_line
        fence = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + "```"
        lines[at] = f"{fence}{'text' if block.language in RECORDED else block.language}"
    return "\n".join(lines) + "\n"


def _first_line(page: Page, text: str) -> int:
    """Return the line of the page that holds the start of a text."""
    wanted = next((line.strip() for line in text.splitlines() if line.strip()), "")
    for number, line in enumerate(page.body.splitlines(), start=page.body_line):
        if wanted and (wanted in line or html.escape(wanted) in line):
            return number
    return page.body_line


def run(root: Path, files: list[str]) -> int:
    """Print what is wrong. Returns 1 if anything is."""
    known = {path.resolve() for path in paths(root)}
    for name in files:
        if Path(name).resolve() not in known:
            place = f"{project.of(root).docs}/"
            raise PageError([Mistake(name, 1, "there is no such page", f"name one of {place}")])
    gc.disable()  # the trees of all sources stay until the end: to look for others takes an eighth
    try:
        found = Checker(root).everything(Path(name).resolve() for name in files)
    finally:
        gc.enable()
    for mistake in found:
        print(mistake)
    print(f"{len(files) or len(known)} pages checked: {len(found) or 'no'} mistakes")
    return 1 if found else 0
