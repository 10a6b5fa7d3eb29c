"""Counts of a compiler, a profiler or a run in the prose of a page, paragraph by paragraph.

A formula of the same paragraph that takes a number as its input shows it, so the prose may say it.
"""

import re
from collections.abc import Iterator

from lockstep import figures, numbers, told
from lockstep.block import Page
from lockstep.mistakes import Mistake

MEND = (
    "pull it by key, [[bench:ID.FIELD]] or [[micro:ID]]; or make it the text of a link to the"
    " source that gives it; or write [[worked:NUMBER; how it follows]]"
)
_GIVEN = re.compile(r"\[[^\[\]]*\]\(https?://[^)\s]*[^)]*\)")


def check(page: Page, invented: set[int]) -> Iterator[Mistake]:
    """Yield the counts of a page's prose, its titles, tables and captions."""
    rows: list[str] = []
    start, fenced = page.body_line, False

    def end() -> Iterator[Mistake]:
        text = " ".join(rows)
        rows.clear()
        if not told.ASKING.rules(text.lower()):
            return
        inputs = frozenset(
            number.replace(",", "")
            for worked in numbers.WORKED.finditer(text)
            for number in told.FIGURE.findall(worked["how"])
        )
        said = figures.KEY.sub(numbers.KEY, numbers.WORKED.sub(numbers.KEY, text))
        said = re.sub(r"[*_`]", "", _GIVEN.sub(numbers.KEY, said))
        for found in dict.fromkeys(told.find(said, inputs)):
            what = f"{found!r} is typed, and a run or a compiler counts it"
            yield Mistake(page.path, page.at(start), what, MEND)

    for number, row in enumerate([*page.body.split("\n"), ""], start=page.body_line):
        fence = row.lstrip().startswith("```")
        whole = fence or fenced or not row.strip() or number in invented
        fenced ^= fence
        if whole or _NEW.match(row):
            yield from end()
        if not whole:
            start = start if rows else number
            rows.append(row.strip())


_NEW = re.compile(r"\s*(?:[-*+]\s|\d+\.\s|\||#|:\s|!!!|\?\?\?|===|!\[)")
