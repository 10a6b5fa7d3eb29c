"""Read a page the way its reader does: with every include resolved.

A fenced block may hold one thing only, an include line::

    --8<-- "kernels/vector_add.py:kernel"

``read`` replaces it with the named section and remembers, for each line of the
result, which file and line it came from, so that a failure points at the line
of kernels/ or snippets/ to repair.
"""

import doctest
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from textwrap import dedent

import yaml

from lockstep import quiz

SOURCES = ("kernels", "snippets")
# libyaml reads ten times as fast, where PyYAML came with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NO_ALTERNATIVE = re.compile(r"!\[\s*\][(\[]")
OUTPUT = "snippets/output/"  # recorded output lives here, written by runs only

# What a language needs in its fence header, beside the include line.
RUNS = {"python", "pycon"}
FILES = {"cuda"}  # always a file of the page's, which a later block loads
ALONE = {"metal", "hip"}  # a file, too, which the run proves without a later block
RECORDED = {"output"}
SHOWN = {
    "bash",
    "console",
    "toml",
    "yaml",
    "json",
    "text",
    "make",
    "markdown",
    "ini",
    "cpp",
    "c",
    "swift",
    "objective-c",
}
LANGUAGES = RUNS | FILES | ALONE | RECORDED | SHOWN
OPTIONS = {"title", "file", "shown", "run", "arch"}

# What a cuda block may be compiled for: sm_90, unless it asks for Hopper's own instructions.
ARCHITECTURES = ("sm_90", "sm_90a")

# The compilers that front matter's not_on may excuse, one at most: something must prove a page.
COMPILERS = ("numba-cuda", "numba-cuda-mlir")
# HTML that prose may hold. Whatever can show code that is in no source file is not here.
TAGS = {"a", "br", "code", "div", "figcaption", "figure", "input", "label", "span", "sub", "sup"}
TAGS |= {"button", "progress", "section"}
KINDS = {"lesson", "pattern", "term", "map", "lab", "puzzle", "other"}
META = {
    "title": str,
    "description": str,
    "kind": str,
    "roadmap": list,
    "needs": list,
    "minutes": int,
    "gpus": int,
    "gpu_only": int,
    "compute_capability": str,
    "not_on": dict,
    "aliases": list,  # other names that a reader may search for: the search shows them
    "terms": list,  # those of the glossary that the page is about, by id
    # Of a term: lockstep/glossary.py
    "id": str,
    "group": str,
    "priority": int,
    "tooltip": list,
    "names": dict,
    "related": list,
    "sources": list,
    "unverified": list,
}
# Keys that the site's engine reads, not we.
ENGINE_META = {
    "hide",
    "template",
    "search",
    "icon",
    "status",
    "tags",
    "social",
    "boost",
}

FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<header>[^\n]*?)[ \t]*$")
HEADER = re.compile(r'(?P<language>[\w+-]+)(?P<options>(?:[ \t]+[\w-]+="[^"]*")*)')
OPTION = re.compile(r'(?P<key>[\w-]+)="(?P<value>[^"]*)"')
INCLUDE = re.compile(r'(?P<indent>[ \t]*)--8<-- "(?P<path>[^":]+)(?::(?P<section>[a-z][\w-]*))?"')
MARKER = re.compile(r"--8<-- \[(?P<kind>start|end):(?P<name>[\w-]+)\]")
MARKS = ("--8<--", "-8<-")  # an include, and what is left of a mistyped one


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong, where, and how to mend it."""

    path: str
    line: int
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}. To mend: {self.mend}."


class PageError(Exception):
    """A page breaks the promise. ``mistakes`` says where and how to mend it."""

    def __init__(self, mistakes: list[Mistake]):
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def digest(text: str) -> str:
    """Return the SHA-256 of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def find_root(start: Path | None = None) -> Path:
    """Return the nearest folder at or above ``start`` that holds mkdocs.yml."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file():
            return folder
    raise FileNotFoundError(f"no mkdocs.yml at or above {start}: run this inside the repository")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page, expanded."""

    index: int  # its place on the page, from 0
    language: str
    options: dict = field(hash=False)
    path: str  # the source file, from the root, with forward slashes
    section: str | None
    raw: str  # the section as the site's snippet extension inserts it
    numbers: tuple[int, ...]  # the line of the source file of each line of the text
    page: str
    page_line: int  # the line of the opening fence, in the page

    @cached_property
    def text(self) -> str:
        """What the reader sees, without empty lines at either end."""
        return self.raw.strip("\n")

    @property
    def source(self) -> str:
        return f"{self.path}:{self.section}" if self.section else self.path

    @property
    def where(self) -> str:
        return f"{self.path}:{self.numbers[0] if self.numbers else 1}"

    @cached_property
    def sha256(self) -> str:
        return digest(self.text)

    @property
    def runs(self) -> bool:
        """Whether a run executes, compiles or writes it (all but shown and recorded blocks)."""
        return "shown" not in self.options and self.language not in RECORDED

    @cached_property
    def copied(self) -> str:
        """What the copy button puts on the clipboard: of a doctest, its statements only."""
        if self.language != "pycon":
            return self.text
        examples = doctest.DocTestParser().get_examples(self.text)
        return "".join(example.source for example in examples).rstrip("\n")


@dataclass
class Page:
    """A page of docs/: its front matter, its blocks, its text with every include resolved."""

    root: Path
    path: str  # from the root, such as docs/index.md
    meta: dict
    blocks: list[Block]
    body: str  # after the front matter, with the includes as written
    body_line: int  # the line of the file at which the body starts
    expanded: list[str]  # the lines of the body with every include resolved

    @property
    def name(self) -> str:
        """Its path under docs/ without the suffix, which names its evidence."""
        return self.path.removeprefix("docs/").removesuffix(".md")

    @property
    def title(self) -> str:
        return self.meta["title"]

    @cached_property
    def sha256(self) -> str:
        """The hash that evidence is bound to: every block that runs or is shown, in order.

        Of recorded output, its place counts and not its text: each run prints its own.
        """
        rows = [
            [b.language, b.options.get("file"), b.options.get("run"), "shown" in b.options]
            + [b.path if b.language in RECORDED else b.text]
            + [b.options.get("arch")] * ("arch" in b.options)
            for b in self.blocks
        ]
        return digest(json.dumps(rows, ensure_ascii=False))


def _text(file: Path, path: str) -> str:
    """Return the text of a file. Raises ``PageError`` where it is not plain UTF-8."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise PageError([Mistake(path, line, "this is not UTF-8", "save it as UTF-8")]) from None
    if text.startswith("\ufeff"):
        what = "the file begins with a byte order mark"
        raise PageError([Mistake(path, 1, what, "save it as UTF-8 without one")])
    return text


def section(root: Path, path: str, name: str | None) -> list[tuple[int, str]]:
    """Return the numbered lines of one section, or of the whole file, without markers.

    Raises ``Mistake`` inside ``PageError`` for a file or section that is not there,
    or whose markers are not one start and one end.
    """
    file = root / path
    if not file.is_file():
        raise PageError(
            [Mistake(path, 1, "there is no such file", "create it or correct the path")]
        )
    lines = list(enumerate(_text(file, path).split("\n"), start=1))
    if name is not None:
        edges = {"start": [], "end": []}
        for number, text in lines:
            if (marker := MARKER.search(text)) and marker["name"] == name:
                edges[marker["kind"]].append(number)
        starts, ends = edges["start"], edges["end"]
        if not starts:
            known = sorted({m["name"] for _, text in lines if (m := MARKER.search(text))})
            what = f"there is no section {name!r} (there are: {', '.join(known) or 'none'})"
            raise PageError(
                [Mistake(path, 1, what, f"add # --8<-- [start:{name}] and [end:{name}]")]
            )
        if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
            what = f"section {name!r} starts at lines {starts} and ends at lines {ends}"
            mend = f"give it one [start:{name}] and, after it, one [end:{name}]"
            raise PageError([Mistake(path, starts[0], what, mend)])
        lines = lines[starts[0] : ends[0] - 1]
    lines = [(number, text) for number, text in lines if not MARKER.search(text)]
    flat = dedent("\n".join(text for _, text in lines)).split("\n")
    return [(number, text) for (number, _), text in zip(lines, flat, strict=True)]


def sections(root: Path) -> dict[str, list[str]]:
    """Return the names of the sections of each source file, by its path from the root."""
    found = {}
    for folder in SOURCES:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and file.suffix not in {".pyc", ".png", ".svg"}:
                text = file.read_text(encoding="utf-8")
                names = [m["name"] for m in MARKER.finditer(text) if m["kind"] == "start"]
                found[file.relative_to(root).as_posix()] = names
    return found


def paths(root: Path) -> list[Path]:
    """Return every page of docs/, sorted."""
    assets = root / "docs/assets"
    return sorted(p for p in (root / "docs").rglob("*.md") if assets not in p.parents)


def read(file: Path, root: Path) -> Page:
    """Read one page. Raises ``PageError`` with every mistake found on it."""
    path = file.resolve().relative_to(root.resolve()).as_posix()
    mistakes: list[Mistake] = []
    text = _text(file, path)
    meta, body, body_line = _front_matter(path, text, mistakes)
    blocks, expanded = read_blocks(path, body, body_line, root, mistakes)
    quiz.read(body, body_line, blocks, lambda *what: mistakes.append(Mistake(path, *what)))
    if mistakes:
        raise PageError(mistakes)
    return Page(root, path, meta, blocks, body, body_line, expanded)


def read_all(root: Path) -> list[Page]:
    """Read every page of docs/. Raises one ``PageError`` with the mistakes of them all."""
    pages, mistakes = [], []
    for file in sorted((root / "docs").rglob("*")):
        # The site's engine would publish these, and nobody would have read them here.
        if file.suffix.lower() in {".markdown", ".mdown", ".mkdn", ".mkd", ".html", ".htm"}:
            if root / "docs/assets" not in file.parents:
                path = file.relative_to(root).as_posix()
                mistakes.append(Mistake(path, 1, f"a page that ends in {file.suffix}", "use .md"))
    for file in paths(root):
        try:
            pages.append(read(file, root))
        except PageError as error:
            mistakes += error.mistakes
    if mistakes:
        raise PageError(mistakes)
    return pages


def _front_matter(path: str, text: str, mistakes: list[Mistake]) -> tuple[dict, str, int]:
    start = re.match(r"---\n(.*?\n)---[ \t]*\n", text, re.DOTALL)
    if not start:
        mend = "start it with --- / title: ... / description: ... / kind: lesson / ---"
        mistakes.append(Mistake(path, 1, "the page has no front matter", mend))
        return {}, text, 1
    body, body_line = text[start.end() :], text.count("\n", 0, start.end()) + 1
    try:
        meta = yaml.load(start[1], LOADER) or {}
    except yaml.YAMLError as error:
        line = error.problem_mark.line + 2 if getattr(error, "problem_mark", None) else 1
        mistakes.append(Mistake(path, line, "the front matter is not YAML", str(error.problem)))
        return {}, body, body_line

    def line_of(key: str) -> int:
        found = re.search(rf"^{re.escape(key)}\s*:", start[1], re.MULTILINE)
        return start[1].count("\n", 0, found.start()) + 2 if found else 1

    for key in ("title", "description", "kind"):
        if not meta.get(key):
            mistakes.append(Mistake(path, 1, f"the front matter has no {key}", f"add {key}: ..."))
    for key, value in meta.items():
        if key in ENGINE_META:
            continue
        if key not in META:
            known = ", ".join(META)
            mistakes.append(
                Mistake(path, line_of(key), f"unknown key {key}", f"use one of {known}")
            )
        elif not isinstance(value, META[key]) or isinstance(value, bool):
            kind = META[key].__name__
            mistakes.append(Mistake(path, line_of(key), f"{key} is not a {kind}", f"give a {kind}"))
    refused = meta.get("not_on") or {}
    if isinstance(refused, dict) and (
        len(refused) > 1
        or not refused.keys() <= set(COMPILERS)
        or not all(isinstance(why, str) and why.strip() for why in refused.values())
    ):
        mend = f"name one of {', '.join(COMPILERS)} and say why"
        mistakes.append(Mistake(path, line_of("not_on"), "not_on cannot be read", mend))
    if meta.get("kind") and meta["kind"] not in KINDS:
        what, mend = (
            f"unknown kind {meta['kind']!r}",
            f"use one of {', '.join(sorted(KINDS))}",
        )
        mistakes.append(Mistake(path, line_of("kind"), what, mend))
    return meta, body, body_line


def read_blocks(
    path: str, body: str, body_line: int, root: Path, mistakes: list[Mistake]
) -> tuple[list[Block], list[str]]:
    """Return the blocks of a page's body, and its lines with every include resolved.

    ``body_line`` is the line of the file at which the body starts. What is wrong with the page is
    added to ``mistakes``.
    """
    blocks: list[Block] = []
    expanded: list[str] = []
    opening: re.Match | None = None
    opening_line = 0
    content: list[tuple[int, str]] = []

    def wrong(line: int, what: str, mend: str) -> None:
        mistakes.append(Mistake(path, line, what, mend))

    for number, text in enumerate(body.splitlines(), start=body_line):
        fence = FENCE.match(text)
        if opening is None:
            expanded.append(text)
            if fence:
                opening, opening_line, content = fence, number, []
            elif MARKER.search(text):
                mend = "write it as <code>&#45;-8&lt;-- [start:name]</code>"
                wrong(number, "a section marker in prose disappears from the page", mend)
            elif NO_ALTERNATIVE.search(re.sub(r"`[^`]*`", "", text)):
                mend = "say in the brackets what the picture shows"
                wrong(number, "an image without a text alternative", mend)
            elif any(mark in text for mark in MARKS) and "`" not in text:
                wrong(number, "an include outside a fence", "put it inside a fenced block")
            elif what := _typed_html(text):
                wrong(number, what, "move code to kernels/ or snippets/ and include it")
            continue
        closes = (
            fence
            and not fence["header"]
            and fence["fence"][0] == opening["fence"][0]
            and len(fence["fence"]) >= len(opening["fence"])
        )
        if not closes:
            content.append((number, text))
            continue
        block = _block(path, len(blocks), opening, opening_line, content, root, mistakes)
        if block:
            blocks.append(block)
            indent = INCLUDE.fullmatch(content[0][1])["indent"]
            expanded += [indent + line for line in block.raw.split("\n")]
        else:
            expanded += [line for _, line in content]
        expanded.append(text)
        opening = None
    if opening is not None:
        wrong(opening_line, "this fence is never closed", "close it with the same marks")
    _check_files(path, blocks, mistakes)
    return blocks, expanded


def _block(
    path: str,
    index: int,
    opening: re.Match,
    line: int,
    content: list[tuple[int, str]],
    root: Path,
    mistakes: list[Mistake],
) -> Block | None:
    """Return the block of one fence, or None after noting what is wrong with it."""

    def wrong(what: str, mend: str, at: int = line) -> None:
        mistakes.append(Mistake(path, at, what, mend))

    if len(content) != 1 or not (include := INCLUDE.fullmatch(content[0][1])):
        at = next((n for n, text in content if text.strip()), line)
        if any(re.search(r"--8<-- \"[^\"]*:\d", text) for _, text in content):
            mend = "name a section: mark it with # --8<-- [start:name] and [end:name]"
            wrong("an include by line numbers, which rot", mend, at)
        else:
            mend = 'put the code into kernels/ or snippets/ and include it: --8<-- "path:section"'
            wrong("a fence holds one include line and nothing else", mend, at)
        return None
    header = HEADER.fullmatch(opening["header"])
    if not header:
        mend = f'write the language and options: ```python title="..." (got {opening["header"]!r})'
        wrong("the fence's header cannot be read", mend)
        return None
    language = header["language"]
    options = {m["key"]: m["value"] for m in OPTION.finditer(header["options"])}
    if language not in LANGUAGES:
        wrong(
            f"unknown language {language!r}",
            f"use one of {', '.join(sorted(LANGUAGES))}",
        )
        return None
    for key in options.keys() - OPTIONS:
        wrong(f"unknown option {key!r}", f"use {', '.join(sorted(OPTIONS))}")
    if include["path"].split("/")[0] not in SOURCES or ".." in include["path"]:
        wrong(
            f"{include['path']} is not under kernels/ or snippets/",
            "move it there",
            content[0][0],
        )
        return None
    named = "file" in options or (language in ALONE and "shown" in options)
    if language in FILES | ALONE and not named:
        suffix = {"cuda": "cu"}.get(language, language)
        wrong(f"a {language} block needs a name", f'write ```{language} file="name.{suffix}"')
    if language in SHOWN and not options.keys() & {"shown", "run", "file"}:
        mend = f'say why it is not run: ```{language} shown="reason"; or run="gpu", run="cpu"'
        wrong(f"nothing proves this {language} block", mend)
    if language == "pycon" and "doctest:" in include_text(root, include):
        wrong("a doctest directive, which can skip what it shows", "take # doctest: ... out")
    if "shown" in options and not options["shown"].strip():
        wrong("shown without a reason", 'write the reason: shown="installs packages"')
    if "run" in options and (language != "bash" or options["run"] not in {"gpu", "cpu"}):
        wrong("run= is for bash blocks", 'write ```bash run="gpu" or run="cpu"')
    if "arch" in options and (language != "cuda" or options["arch"] not in ARCHITECTURES):
        mend = 'write ```cuda file="x.cu" arch="sm_90a", or leave it out for sm_90'
        wrong("arch= names what CUDA C++ is compiled for", mend)
    if "/" in options.get("file", ""):
        wrong("file= holds a folder", "give a bare file name")
    if language in RECORDED and not include["path"].startswith(OUTPUT):
        wrong(
            f"recorded output lives under {OUTPUT}",
            f'include "{OUTPUT}{path[5:-3]}/name.txt"',
        )
    try:
        lines = section(root, include["path"], include["section"])
    except PageError as error:
        for mistake in error.mistakes:
            what = f"{mistake.what} (included by {path}:{content[0][0]})"
            mistakes.append(Mistake(mistake.path, mistake.line, what, mistake.mend))
        return None
    return Block(
        index=index,
        language=language,
        options=options,
        path=include["path"],
        section=include["section"],
        raw="\n".join(text for _, text in lines),
        numbers=_numbers(lines),
        page=path,
        page_line=line,
    )


def _numbers(lines: list[tuple[int, str]]) -> tuple[int, ...]:
    """Return the line numbers of the text less its empty first and last lines."""
    numbers = [n for n, _ in lines]
    texts = [t for _, t in lines]
    while texts and not texts[0]:
        texts.pop(0), numbers.pop(0)
    while texts and not texts[-1]:
        texts.pop(), numbers.pop()
    return tuple(numbers)


def include_text(root: Path, include: re.Match) -> str:
    """Return the text of an include, or nothing where it cannot be read: that is said elsewhere."""
    try:
        return "\n".join(text for _, text in section(root, include["path"], include["section"]))
    except PageError:
        return ""


def mentions(block: Block, name: str) -> bool:
    """Whether a block names a file, as a word of its own."""
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", block.text) is not None


def _typed_html(text: str) -> str | None:
    """Return what is wrong with the HTML in a line of prose, if it could show typed code."""
    prose = re.sub(r"`[^`]*`", "``", text)
    for tag in re.findall(r"<([a-zA-Z][\w-]*)", prose):
        if tag.lower() not in TAGS:
            return f"HTML that could show typed code: <{tag}>"
    if "<" in prose and re.search(r"\bstyle=|\son\w+=|srcdoc|javascript:", prose, re.IGNORECASE):
        return "HTML with a style or a script"
    if "<br" in prose and ("``" in prose or "<code" in prose):
        return "inline code with line breaks"
    if len(re.findall(r"<code\b", prose)) != len(re.findall(r"</code>", prose)):
        return "a <code> that goes over several lines"
    return None


def _check_files(path: str, blocks: list[Block], mistakes: list[Mistake]) -> None:
    """A block that is a file must be used by a later one; output must follow what printed it."""
    for i, block in enumerate(blocks):
        name = None if block.language in ALONE else block.options.get("file")
        if name and not any(mentions(later, name) for later in blocks[i + 1 :] if later.runs):
            what = f"no later block uses the file {name}"
            mend = f'load it in a block after this one, for example open("{name}")'
            mistakes.append(Mistake(path, block.page_line, what, mend))
        if block.language in RECORDED:
            before = blocks[i - 1] if i else None
            if before is None or not before.runs or "file" in before.options:
                what = "no block before this one prints its output"
                mend = "put it right after the block that prints it"
                mistakes.append(Mistake(path, block.page_line, what, mend))
