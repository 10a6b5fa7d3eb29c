"""Outcomes of runs in words alone: "noticeably slower", "scales perfectly", "no difference".

No number gives them away, and each says what a measurement would. So the paragraph, or the item of
a list, has a figure: a key, or a number that is worked out. Or the sentence leads to the
measurement, by a link that is none to a term; or the section shows it, in a table of keys or as
what a run printed. What the sentence supposes, asks or expects is no outcome.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown.extensions.toc import slugify

from lockstep import figures, numbers, verdicts
from lockstep.block import RECORDED, Page
from lockstep.english import SENTENCE
from lockstep.fitting import HEADING
from lockstep.mistakes import Mistake

MEND = (
    "say the figure by key in this paragraph, link the page that measured it, or write it as what"
    " you expect"
)
# A figure, and a link that is none to the meaning of a word.
_FIGURE = re.compile(r"\[\[(?:bench|micro|worked):")
_LINK = re.compile(r"\]\((?!#|\S*glossary/)")
_HERE = re.compile(r"\]\(#([^)\s]+)\)")  # and to another section of the page
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")
_TITLE = re.compile(r"^\s*(?:\?\?\?\+?|!!!|===!?)\s*\w*\s*\"[^\"]*\"")
_ROW = re.compile(r"\s*\|")
# The head of a column that names who won, and a cell that says it.
_WINNER = re.compile(
    r"(?i)(?:the )?(?:winner|fastest|faster|slowest|slower|wins?|who (?:wins|won)|won by"
    r"|which (?:\w+ )?(?:wins|won|is (?:faster|fastest))|best(?: (?:version|kernel|one|variant))?"
    r"|better|verdict|ranking|rank)"
)
_VERDICT = re.compile(
    r"(?i)(?:(?:much|far|a little|slightly|no|not) )?(?:faster|slower|quicker|fastest|slowest)"
    r"|wins|loses|won|lost|tie|a draw|no difference|winner"
)


class _Unit(NamedTuple):
    line: int
    text: str
    section: int


def check(page: Page, invented: set[int]) -> Iterator[Mistake]:
    """Yield the outcomes that a page tells in words, and shows no figure of."""
    units, shown, led = _read(page)
    heads: list[str] = []
    for unit in units:
        cells = _cells(unit.text)
        whole, heads = not heads, cells and (heads or cells)
        if unit.line in invented or unit.section in shown or _FIGURE.search(unit.text):
            continue
        if not led.isdisjoint(_HERE.findall(unit.text)):
            continue
        for what in (*_said(unit.text), *(() if whole else _won(heads, cells))):
            yield Mistake(page.path, page.at(unit.line), what, MEND)


def _cells(text: str) -> list[str]:
    return [c.strip(" *_`") for c in text.strip().strip("|").split("|")] if _ROW.match(text) else []


def _won(heads: list[str], cells: list[str]) -> Iterator[str]:
    """Yield what a row of a table says of who won, where its head asks for that."""
    if _LINK.search(" ".join(cells)):
        return
    for head, cell in zip(heads, cells, strict=False):
        if _WINNER.fullmatch(head) and re.search(r"\w", cell):
            yield f"{cell!r} under {head!r} tells how a run came out, and its row has no figure"
    if verdict := next(filter(_VERDICT.fullmatch, cells), None):
        yield f"{verdict!r} in a row tells how a run came out, and its row has no figure"


def _said(text: str) -> Iterator[str]:
    if not verdicts.ASKING.rules(text.lower()):
        return
    row = text.lstrip().startswith("|")
    for sentence in SENTENCE.split(_TITLE.sub("", text)):
        if not _LINK.search(text if row else sentence):
            yield from (f"{found!r} tells how a run came out, and no figure is near"
                        for found in verdicts.told(sentence))  # fmt: skip


def _read(page: Page) -> tuple[list[_Unit], set[int], set[str]]:
    """Return the paragraphs and items of a page, and the sections that show a measurement.

    These by their number, and by what a link to one of them says.
    """
    titles: list[str] = [""]
    measured: set[int] = set()
    units: list[_Unit] = []
    shown: set[int] = set()
    rows: list[str] = []
    start, section, fenced = page.body_line, 0, False
    printed = {block.page_line for block in page.blocks if block.language in RECORDED}
    compared = {block.page_line for block in page.blocks if block.language == "pycon"}

    def end() -> None:
        if rows:
            units.append(_Unit(start, " ".join(rows), section))
            rows.clear()

    for number, row in enumerate([*page.body.split("\n"), ""], start=page.body_line):
        fence = row.lstrip().startswith("```")
        if fence or fenced or not row.strip() or HEADING.match(row):
            end()
            fenced ^= fence
            if not fenced and not fence and (title := HEADING.match(row)):
                section += 1
                titles.append(slugify(title[2], "-"))
            if number in printed:
                shown.add(section)
            if number in compared:
                measured.add(section)
            continue
        table = row.lstrip().startswith("|")
        if table and figures.KEY.search(numbers.WORKED.sub("", row)):
            shown.add(section)
        if rows and (table or _ITEM.match(row)):
            end()
        if row.lstrip().startswith("!["):  # what a drawing says for who can't see it
            continue
        if figures.KEY.search(row):
            measured.add(section)
        start = start if rows else number
        rows.append(row)
    return units, shown, {titles[n] for n in shown | measured}
