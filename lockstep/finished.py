"""The last look at a page's HTML, before its proofs are put in: nothing forged, nothing typed."""

import html
import re

from lockstep import numbers, rendered
from lockstep.block import Page
from lockstep.mistakes import Mistake


def check(page: Page, text: str) -> list[Mistake]:
    """Return what is wrong with the HTML of a page: elements off the whitelist, typed numbers."""
    found: dict[Mistake, None] = {}

    def wrong(at: int, what: str, mend: str) -> None:
        found[Mistake(page.path, line(page, text, at, what), what, mend)] = None

    reader, looks = numbers.Reader(wrong), Lookalikes(wrong)
    for piece, start, _, stack in rendered.walk(text, wrong):
        reader.read(piece, start, stack, text)
        if piece and stack:
            looks.read(piece, start, stack)
    reader.flush()
    looks.end()
    if page.meta:
        rendered.check_heading(text, wrong)
    for key in ("title", "description"):
        for number in numbers.typed(str(page.meta.get(key, ""))):
            what = f"{number!r} is typed in the {key}, which search results show"
            found[Mistake(page.path, 1, what, "say it without the number")] = None
    return list(found)


STATEMENT = re.compile(
    r"\s*(?:import \w|from [\w.]+ import |(?:def|class) \w+|for .+ in .+|while .+:|if .+:"
    r"|return |print\(|assert |@\w+|del |raise |with .+:)"
    r"|\s*[A-Za-z_][\w.\[\]]*(?:, *\w+)*\s*(?:[-+*/@|&]|//)?=\s*[^=\s]|.*;\s*\w"
)
AT_MOST = 2  # rows of statements that are still words about code and no program
GROUPS = {"table", "ul", "ol", "dl", "blockquote"}
CELLS = {"td", "li", "dd", "p"}
VERBATIM = re.compile(r"\\(?:texttt|mathtt|verb\b|tt\b|lstinline|begin\{(?:verbatim|lstlisting))")
INCLUDE = "include it from a file of kernels/ or snippets/, where it runs"


class Lookalikes:
    """Finds what looks like a code block and is none: rows of code in a table, a list, a paragraph.

    A piece of code in a sentence is a word. A cell, an item or a line that is a statement and
    nothing else is a line of a program that nobody ran.
    """

    def __init__(self, wrong):
        self.wrong = wrong
        self.cells: dict[int, dict] = {}

    def read(self, piece: str, start: int, stack: list) -> None:
        inner = stack[-1]
        if "arithmatex" in inner.attributes.get("class", "") and VERBATIM.search(piece):
            self.wrong(start, "code in a formula", INCLUDE)
        if inner.made:
            return
        cell = next((e for e in reversed(stack) if e.tag in CELLS), None)
        if cell is None:
            return
        # A list's or a table's rows belong together; a paragraph's lines do.
        group = next((e for e in reversed(stack) if e.tag in GROUPS), cell)
        row = self.cells.setdefault(
            id(cell), {"kept": (cell, group), "start": start, "code": 0, "words": False}
        )
        if inner.tag != "code":
            row["words"] = row["words"] or bool(piece.strip(" \n\t.,;:"))
            return
        code = html.unescape(piece)
        if code.lstrip().startswith(">>>"):
            self.wrong(start, "a session in a sentence, which nobody ran", INCLUDE)
        row["code"] += bool(STATEMENT.match(code))

    def end(self) -> None:
        groups: dict[int, int] = {}
        for row in self.cells.values():
            if row["words"]:
                continue
            key = id(row["kept"][1])
            before = groups.get(key, 0)
            groups[key] = before + row["code"]
            if before <= AT_MOST < groups[key]:
                self.wrong(row["start"], "statements in rows, which look like a program", INCLUDE)


def line(page: Page, text: str, at: int, what: str) -> int:
    """Return the line of the page's file that the HTML at ``at`` most likely came from.

    HTML has no lines of its source: the words in quotes of the message are looked for, then those
    that follow the place.
    """
    lines = [numbers.plain(row) for row in page.body.split("\n")]
    after = re.sub(r"<[^>]*>", "\n", text[at : at + 400])
    quoted = re.findall(r"'([^']+)'|\"([^\"]+)\"|<(\w+)", what)
    wanted = [word for words in quoted for word in words if word]
    wanted = [w if w.isalnum() is False or len(w) > 3 else f"<{w}" for w in wanted]
    wanted += [numbers.plain(piece).strip()[:40] for piece in after.split("\n") if len(piece) > 3]
    for words in wanted:
        for number, row in enumerate(lines, start=page.body_line):
            if words and words in row:
                return number
    return page.body_line
