"""Read a page the way its reader does: with every include resolved.

A fenced block may hold one thing only, an include line::

    --8<-- "kernels/vector_add.py:kernel"

``read`` replaces it with the named section and remembers, for each line of the
result, which file and line it came from, so that a failure points at the line
to repair.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import yaml

from lockstep import project, shown
from lockstep.block import RECORDED, Block, Page
from lockstep.languages.base import Header, mentions
from lockstep.mistakes import Mistake, PageError
from lockstep.project import LOADER, Project
from lockstep.rules import check_files, check_front_matter, check_prose, check_shown
from lockstep.source import MARKER, digest, find_root, section, text_of, yaml_line

__all__ = [
    "FENCE", "HEADER", "INCLUDE", "LOADER", "MARKER", "OPTION", "RECORDED", "Block", "Mistake",
    "Page", "PageError", "digest", "find_root", "mentions", "paths", "read", "read_all",
    "read_blocks", "section",
]  # fmt: skip

FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<header>[^\n]*?)[ \t]*$")
HEADER = re.compile(r'(?P<language>[\w+-]+)(?P<options>(?:[ \t]+[\w-]+="[^"]*")*)')
OPTION = re.compile(r'(?P<key>[\w-]+)="(?P<value>[^"]*)"')
INCLUDE = re.compile(r'(?P<indent>[ \t]*)--8<-- "(?P<path>[^":]+)(?::(?P<section>[a-z][\w-]*))?"')
NAME = re.compile(r"\w[\w.+-]{0,99}")  # of a block's file
# What any fence's header may say, beside the options of its language.
SUFFIXES = {"javascript": "mjs", "typescript": "ts", "perl": "pl", "ruby": "rb", "rust": "rs"}
OPTIONS = {"title", "file", "shown", "unrun"}
REGISTRY = "register in [tool.lockstep] of pyproject.toml"


def paths(root: Path) -> list[Path]:
    """Return every page, sorted."""
    docs = root / project.of(root).docs
    found = (p for p in docs.rglob("*.md") if p.is_symlink() or p.is_file())
    return sorted(p for p in found if docs / "assets" not in p.parents)


def read(file: Path, root: Path, judge: bool = True) -> Page:
    """Read one page. Raises ``PageError`` with every mistake found on it.

    ``judge``: look for what is wrong with the code of its blocks, too. That takes most of the time;
    left out for pages that stand around the one that is checked.
    """
    path = (file.absolute().parent.resolve() / file.name).relative_to(root.resolve()).as_posix()
    mistakes: list[Mistake] = []
    ours = project.of(root)
    text = text_of(file, path)
    meta, body, body_line = _front_matter(path, text, ours, mistakes)
    written = body
    body, typed = _inserted(path, body, body_line, ours, mistakes)
    before = len(mistakes)
    blocks, expanded = read_blocks(path, body, body_line, root, mistakes, judge)
    for part in ours.parts:
        part.check(body, body_line, blocks, lambda *what: mistakes.append(Mistake(path, *what)))
    for n, mistake in enumerate(mistakes[before:], start=before):
        if mistake.path == path and 0 <= mistake.line - body_line < len(typed):
            mistakes[n] = replace(mistake, line=typed[mistake.line - body_line])
    page = Page(root, path, meta, blocks, body, body_line, expanded, ours.docs, written, typed)
    if mistakes:
        raise PageError(mistakes, page)
    return page


def _inserted(
    path: str, body: str, body_line: int, ours: Project, mistakes: list[Mistake]
) -> tuple[str, list[int]]:
    """Return a page's body with what its parts insert, and for each line the one that was typed."""
    lines: list[str] = []
    typed: list[int] = []
    for number, line in enumerate(body.splitlines(), start=body_line):
        made = None
        if line.startswith("[["):
            try:
                found = (part.insert(line, ours.root, (path, number)) for part in ours.parts)
                made = next((text for text in found if text is not None), None)
            except PageError as error:
                mistakes += error.mistakes
        lines += [line] if made is None else made
        typed += [number] * (1 if made is None else len(made))
    one_each = typed == list(range(body_line, body_line + len(typed)))
    return (body if one_each else "\n".join(lines) + "\n"), typed


def nothing(root: Path) -> PageError:
    """The error of a project without a page, which would be green otherwise."""
    what = f"there is no page in {project.of(root).docs}/"
    mend = "write one, or name the folder of your pages as docs_dir"
    return PageError([Mistake("mkdocs.yml", 1, what, mend)])


def read_all(root: Path, one: Callable[[Path, Path], Page] = read) -> list[Page]:
    """Read every page. Raises one ``PageError`` with the mistakes of them all."""
    pages, mistakes = [], []
    docs = root / project.of(root).docs
    for file in sorted(docs.rglob("*")):
        if file.is_symlink() and file.is_dir():
            path, what = file.relative_to(root).as_posix(), "a link to a folder, which nobody reads"
            mistakes.append(Mistake(path, 1, what, "put the pages themselves there"))
        # The site's engine would publish these, and nobody would have read them here.
        if file.suffix == ".md" and docs / "assets" in file.parents:
            path = file.relative_to(root).as_posix()
            mistakes.append(
                Mistake(
                    path,
                    1,
                    "a page among the assets, which nobody reads",
                    "move it to where pages stand",
                )
            )
        elif file.suffix.lower() in {".markdown", ".mdown", ".mkdn", ".mkd", ".html", ".htm"}:
            if docs / "assets" not in file.parents:
                path = file.relative_to(root).as_posix()
                mistakes.append(
                    Mistake(
                        path,
                        1,
                        f"a page that ends in {file.suffix}",
                        "name it with .md, as pages are",
                    )
                )
    files = paths(root)
    if not files and not mistakes:
        raise nothing(root)
    for file in files:
        try:
            pages.append(one(file, root))
        except PageError as error:
            mistakes += error.mistakes
    if mistakes:
        raise PageError(mistakes)
    return pages


def _front_matter(
    path: str, text: str, ours: Project, mistakes: list[Mistake]
) -> tuple[dict, str, int]:
    start = re.match(r"---\n(.*?\n)---[ \t]*\n", text, re.DOTALL)
    if not start:
        mend = "start it with --- / title: ... / description: ... / kind: lesson / ---"
        mistakes.append(Mistake(path, 1, "the page has no front matter", mend))
        return {}, text, 1
    body, body_line = text[start.end() :], text.count("\n", 0, start.end()) + 1
    if end := re.search(r"^\.\.\.[ \t]*$", start[1], re.MULTILINE):
        # MkDocs ends the front matter there, and would publish what stands below as the page.
        what = "... ends the front matter for some readers and not for others"
        mend = "take it out, or write it in quotes"
        mistakes.append(Mistake(path, start[1].count("\n", 0, end.start()) + 2, what, mend))
    try:
        meta = yaml.load(start[1], LOADER) or {}
    except yaml.YAMLError as error:
        problem = str(getattr(error, "problem", error))
        line = yaml_line(error) + 1
        mistakes.append(Mistake(path, line, "the front matter is not YAML", problem))
        return {}, body, body_line

    if not isinstance(meta, dict):
        mend = "write key: value, such as title: A page"
        mistakes.append(Mistake(path, 2, "the front matter has no keys", mend))
        return {}, body, body_line
    for key in [key for key in meta if not isinstance(key, str)]:
        del meta[key]
        mend = "write a word, such as title"
        mistakes.append(Mistake(path, 1, f"the key {key!r} of the front matter is no word", mend))

    def line_of(key: str) -> int:
        found = re.search(rf"^{re.escape(key)}\s*:", start[1], re.MULTILINE)
        return start[1].count("\n", 0, found.start()) + 2 if found else 1

    def wrong(key: str | None, what: str, mend: str) -> None:
        mistakes.append(Mistake(path, line_of(key) if key else 1, what, mend))

    check_front_matter(meta, ours, wrong)
    return meta, body, body_line


def read_blocks(
    path: str,
    body: str,
    body_line: int,
    root: Path,
    mistakes: list[Mistake],
    judge: bool = True,
) -> tuple[list[Block], list[str]]:
    """Return the blocks of a page's body, and its lines with every include resolved.

    ``body_line`` is the line of the file at which the body starts. What is wrong with the page is
    added to ``mistakes``; with what its code shows, if ``judge``.
    """
    blocks: list[Block] = []
    expanded: list[str] = []
    opening: re.Match | None = None
    opening_line = 0
    content: list[tuple[int, str]] = []
    ours = project.of(root)

    def wrong(line: int, what: str, mend: str) -> None:
        mistakes.append(Mistake(path, line, what, mend))

    for number, text in enumerate(body.splitlines(), start=body_line):
        fence = FENCE.match(text)
        if opening is None:
            expanded.append(text)
            if fence:
                opening, opening_line, content = fence, number, []
            else:
                check_prose(text, ours, lambda *what, at=number: wrong(at, *what))
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
        block = _block(path, len(blocks), opening, opening_line, content, ours, mistakes)
        if block:
            blocks.append(block)
            include = INCLUDE.fullmatch(content[0][1])
            indent = include["indent"] if include else ""
            expanded += [indent + line for line in block.raw.split("\n")]
        else:
            expanded += [line for _, line in content]
        expanded.append(text)
        opening = None
    if opening is not None:
        wrong(opening_line, "this fence is never closed", "close it with the same marks")
    check_files(blocks, ours, wrong)
    check_shown(blocks, wrong)
    if judge:
        mistakes += judged(blocks, root, mistakes)
    return blocks, expanded


def judged(blocks: list[Block], root: Path, known: Iterable[Mistake] = ()) -> list[Mistake]:
    """Return what is wrong with what a page's code shows, apart from what is ``known``."""
    return shown.of_blocks(
        blocks,
        root,
        {(m.path, m.line, m.what) for m in known},
        {name for name, one in project.of(root).languages.items() if one.like_c},
    )


def _block(
    path: str,
    index: int,
    opening: re.Match,
    line: int,
    content: list[tuple[int, str]],
    ours: Project,
    mistakes: list[Mistake],
) -> Block | None:
    """Return the block of one fence, or None after noting what is wrong with it."""

    def wrong(what: str, mend: str, at: int = line) -> None:
        mistakes.append(Mistake(path, at, what, mend))

    include = _include(content, line, ours, wrong)
    if include is None:
        return None
    try:
        lines, unread = section(ours.root, include["path"], include["section"]), None
    except PageError as error:
        lines, unread = [], error
    text = "\n".join(text for _, text in lines)
    header = _header(opening["header"], include, text, ours, wrong)
    if header is None:
        return None
    if include["path"].split("/")[0] not in ours.sources or ".." in include["path"]:
        what = f"{include['path']} is not under {ours.folders()}"
        wrong(what, "move it there, and include it from there", content[0][0])
        return None
    for what, mend in ours.languages[header.language].check_header(header):
        wrong(what, mend)
    if not header.options.get("unrun", "reason").strip():
        wrong("unrun without a reason", 'write the reason: unrun="a branch for another GPU"')
    if "shown" in header.options and not header.options["shown"].strip():
        wrong("shown without a reason", 'write the reason: shown="installs packages"')
    name = header.options.get("file")
    if name is not None and "/" in name:
        wrong("file= holds a folder", "give a bare file name")
    elif name is not None and not NAME.fullmatch(name):
        wrong(f"file={name[:40]!r} is no name of a file", "write letters, digits, dots and hyphens")
    if header.language in RECORDED and not include["path"].startswith(f"{ours.output}/"):
        name = path.removeprefix(f"{ours.docs}/").removesuffix(".md")
        mend = f'include "{ours.output}/{name}/name.txt"'
        wrong(f"recorded output lives under {ours.output}/", mend)
    if unread:
        for mistake in unread.mistakes:
            what = f"{mistake.what} (included by {path}:{content[0][0]})"
            mistakes.append(Mistake(mistake.path, mistake.line, what, mistake.mend))
        return None
    return Block(
        index=index,
        language=header.language,
        options=header.options,
        path=include["path"],
        section=include["section"],
        raw=text,
        numbers=_numbers(lines),
        page=path,
        page_line=line,
    )


Say = Callable[..., None]  # takes what is wrong, how to mend it, and the line


def _include(
    content: list[tuple[int, str]], line: int, ours: Project, wrong: Say
) -> re.Match | None:
    """Return the one include line that a fence holds."""
    if len(content) == 1 and (include := INCLUDE.fullmatch(content[0][1])):
        return include
    at = next((n for n, text in content if text.strip()), line)
    if any(re.search(r"--8<-- \"[^\"]*:\d", text) for _, text in content):
        mend = "name a section: mark it with # --8<-- [start:name] and [end:name]"
        wrong("an include by line numbers, which rot", mend, at)
    else:
        mend = f'put the code into {ours.folders()} and include it: --8<-- "path:section"'
        wrong("a fence holds one include line and nothing else", mend, at)
    return None


def _header(text: str, include: re.Match, shown: str, ours: Project, wrong: Say) -> Header | None:
    """Return the header of a fence, whose language and options are known.

    ``shown``: the text that it includes.
    """
    header = HEADER.fullmatch(text)
    if not header:
        mend = f'write the language and options: ```python title="..." (got {text!r})'
        wrong("the fence's header cannot be read", mend)
        return None
    name = header["language"]
    options = {m["key"]: m["value"] for m in OPTION.finditer(header["options"])}
    if name not in ours.languages:
        known = ", ".join(sorted(ours.languages))
        mend = f"use one of {known}; or add a Language where the project registers ({REGISTRY})"
        mend += (
            f'; or write ```text file="x.{SUFFIXES.get(name, name)}" and run that file with bash'
        )
        wrong(f"unknown language {name!r}", mend)
        return None
    known_options = OPTIONS | ours.languages[name].options
    for key in sorted(options.keys() - known_options):
        owners = [other.name for other in ours.languages.values() if key in other.options]
        if owners:
            wrong(f"{key}= is for {' and '.join(owners)} blocks", f"take {key}= out")
        else:
            wrong(f"unknown option {key!r}", f"use {', '.join(sorted(known_options))}")
    return Header(name, options, include["path"], shown)


def _numbers(lines: list[tuple[int, str]]) -> tuple[int, ...]:
    """Return the line numbers of the text less its empty first and last lines."""
    numbers = [n for n, _ in lines]
    texts = [t for _, t in lines]
    while texts and not texts[0]:
        texts.pop(0), numbers.pop(0)
    while texts and not texts[-1]:
        texts.pop(), numbers.pop()
    return tuple(numbers)
