"""What looks like a program on a page and is no block of it: rows of code in prose.

A piece of code in a sentence is a word. A line that is a statement and nothing else, be it a
paragraph, a cell, an item, a heading or what stands between two line breaks, is a line of a program
that nobody ran. Few of them are still words about code; more of them in a row are a program.
"""

import ast
import functools
import html
import re
from collections.abc import Callable

from lockstep import forged, formulas, rendered
from lockstep.mistakes import parse

INCLUDE = "include it from a file of kernels/ or snippets/, where it runs"
LIKE = "reads like a stamp, which a run alone can give"
TAKE = "take it out: the page's own stamp says what ran, and where"
TOLD = frozenset({"title", "alt", "aria-label"})  # what a reader sees or hears of an element
AT_MOST = 2  # lines of a program that are still words about code
CALLS = 3  # calls that fill a list, and are still names of functions
BREAKS = {"br", "hr"}
CODE = {"code", "kbd"}
INLINE = (rendered.PHRASING | CODE) - {"label", "button", "option"}
GROUPS = {"table", "ul", "ol", "dl", "blockquote"}  # whose rows belong together
LISTS = {"ul", "ol"}
CELLS = {"td", "th", "li", "dt", "dd"}  # what stands in one explains it
TABS = {"tabbed-labels"}
WORDS = re.compile(r"[^\W\d_]{2}")
SESSION = re.compile(r"\s*(?:>>>|In \[\d+\]:)(?:\s|$)")
# A line of Python; whether it is one, the parser says where it can.
STATEMENT = re.compile(
    r"\s*(?:import \w|from [\w.]+ import |(?:def|class) \w+|for .+ in .+|while .+:|if .+:"
    r"|return |print\(|assert |@\w+|del |raise |with .+:)"
    r"|\s*[A-Za-z_][\w.\[\]]*(?:, *\w+)*\s*(?:[-+*/@|&]|//)?=\s*[^=\s]|.*;\s*\w"
)
# A row of C++ or of a terminal.
OTHER = re.compile(r"\s*(?:(?:#include|#define|using) .*|.*[\w)\]]\s*[;{]\s*|[{}]\s*|\$ .*)$")
# What prose that is a line of a program begins with, or has.
LIKE_CODE = re.compile(
    r"\s*(?:(?:import|from|return|def|class|for|while|if|with|assert|del|raise|print)\b"
    r"|[A-Za-z_][\w.\[\], ]*(?:[-+*/@|&]|//)?=\s*\S|[A-Za-z_][\w.]*(?:\[[^\]]*\])?\()"
)
LIKE_C = re.compile(r"\s*(?:#include\b|[^.!?]*[=(][^.!?]*[\w)\]]\s*[;{]\s*$|nvcc |\$ \w)")
KINDS: tuple[type, ...] = (
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AugAssign,
    ast.FunctionDef,
    ast.ClassDef,
)
KINDS += (ast.For, ast.While, ast.With, ast.If, ast.Return, ast.Assert, ast.Raise, ast.Delete)

# Programs in formulas.
_WORDS_OF = r"\\(?:text\w*|math(?:rm|sf|it|bf|normal)|operatorname\*?)\s*\{"
VERBATIM = re.compile(
    # A session, a name with a dot, a line that a colon ends, and a call with what it gives.
    r"\\gg\s*\\gg|\\ggg(?![A-Za-z])|(?:>\s*|&gt;\s*){3}"
    rf"|{_WORDS_OF}[^{{}}]*\b(?!(?:e\.g|i\.e|vs\.)\b)[A-Za-z_]\w*\.[A-Za-z_]\w*"
    rf"|{_WORDS_OF}\s*(?:if|elif|else|for|while|with|def|try)\b[^\\]*(?:\\(?!\\)[^\\]*)*?:\s*\}}?\s*"
    r"(?:\\\\|\\end|\\\]|$)"
    rf"|{_WORDS_OF}[A-Za-z_]\w*\}}\s*(?:\\left)?\((?=[^()=]*[\d\[])[^()=]*\)"
    r"\s*(?:&?\s*(?:=|\\(?:to|rightarrow|Rightarrow|mapsto)\b)|\\\\)\s*&?\s*(?:-?\d*\.\d|\[|\\left\[)"
    r"|\\(?:texttt|mathtt|verb\b|tt\b|lstinline|begin\{(?:verbatim|lstlisting)"
    r"|(?:text|math)\w*\{\s*(?:import|from|def|return|print|class)\b)"
)


@functools.lru_cache(maxsize=8192)
def kind(text: str, code: bool) -> str | None:
    """Return "statement" or "call" for a line of a program, else None.

    ``code``: it is set as code, and so need not be the whole of a statement.
    """
    if not code and not (LIKE_CODE.match(text) or LIKE_C.match(text)):
        return None
    try:
        body = parse(text.strip() + (" pass" if text.rstrip().endswith(":") else "")).body
    except (SyntaxError, ValueError, RecursionError):
        if not code:
            return "statement" if LIKE_C.match(text) else None
        return "statement" if STATEMENT.match(f"{text} ") or OTHER.match(text) else None
    if any(isinstance(node, KINDS) for node in body):
        return "statement"
    values = [node.value for node in body if isinstance(node, ast.Expr)]
    if any(isinstance(value, ast.Call) for value in values):
        printed = any(getattr(getattr(v, "func", None), "id", "") == "print" for v in values)
        return "statement" if printed or len(body) > 1 else "call"
    return None


def _classes(element: rendered.Element) -> list[str]:
    return element.attributes.get("class", "").split()


class Line:
    """What stands between two breaks in one block of text."""

    def __init__(self, start: int, tag: str, cell: object, group: object):
        self.start, self.tag, self.cell, self.group = start, tag, cell, group
        self.code: list[str] = []
        self.prose: list[str] = []


ASSERTS = re.compile(r"[;\n]\s*assert\b|\bassert\b[^;]*[;]")


class Lookalikes:
    """Finds them in the pieces of a page's HTML, as ``rendered.walk`` yields those."""

    def __init__(self, wrong: Callable[[int, str, str], None]):
        self.wrong = wrong
        self.at: object = None  # the block of text that is read
        self.line: Line | None = None
        self.cells: dict[int, list] = {}  # of groups: first line, statements, calls, words or not
        self.row: list[tuple[int, str]] = []  # the cells of the row of a table that is read
        self.of: object = None  # that row
        self.tag: object = None  # the element whose attributes were read last
        self.streaks: dict[str, int] = {}  # tag -> lines of a program without words between

    def read(self, piece: str, start: int, stack: list) -> None:
        """Take the next piece; an empty one is a tag."""
        if not piece:
            self._told(start, stack)
            if stack and stack[-1].tag in BREAKS:
                self._end()
            return
        inner = stack[-1] if stack else rendered.NOTHING
        if "arithmatex" in inner.attributes.get("class", ""):
            if code := VERBATIM.search(html.unescape(piece)):
                row = code[0].strip().split("\n")[0]
                self.wrong(start, f"code in a formula: '{row}'", INCLUDE)
            for what, mend in formulas.wrong(html.unescape(piece)):
                self.wrong(start, what, mend)
        if inner.made or piece.isspace():
            return
        block = next((e for e in reversed(stack) if e.tag not in INLINE), None)
        if block and block.tag == "label" and not any(TABS <= {*_classes(e)} for e in stack):
            return  # of a control: an answer to choose, an option to set
        if block is not self.at or self.line is None:
            self._end()
            self.at = block
            group = next((e for e in reversed(stack) if e.tag in GROUPS), None)
            cell = next((e for e in reversed(stack) if e.tag in CELLS), block)
            self.line = Line(start, block.tag if block else "", cell, group)
        text = html.unescape(piece)
        if not CODE.isdisjoint(inner.within):
            if SESSION.match(text):
                self.wrong(start, "a session in a sentence, which nobody ran", INCLUDE)
            self.line.code.append(text)
        else:
            like = ">>>" in text or "In [" in text  # SESSION has one of them
            if like and any(map(SESSION.match, text.split("\n"))):
                self.wrong(start, "a session in the text, which nobody ran", INCLUDE)
            self.line.prose.append(text)

    def _told(self, start: int, stack: list) -> None:
        """Look at what an element says without a text: its title, the words for a picture."""
        element = stack[-1] if stack else None
        if element is self.tag:
            return
        self.tag = element
        if element is not None and element.tag == "tr" and element is not self.of:
            self._end()
            self._row()
            self.of = element
        if element is None or element.proved or TOLD.isdisjoint(element.attributes):
            return
        for name in TOLD & element.attributes.keys():
            if stamp := forged.stamp(html.unescape(element.attributes[name])):
                self.wrong(start, f"{stamp!r}, in a {name}, {LIKE}", TAKE)

    def _row(self) -> None:
        """A row of a table has ended, or none has begun."""
        cells, self.row = self.row, []
        if len(cells) > 1 and (said := forged.row([text for _, text in cells])):
            self.wrong(cells[0][0], f"{said!r} {LIKE}", TAKE)

    def _end(self) -> None:
        """A line has ended: what it is, and what stands before it."""
        line, self.line = self.line, None
        if line is None:
            return
        found: list[str | None]
        prose = "".join(line.prose).replace("\u00b6", "")  # a heading's link to itself
        if stamp := forged.stamp(prose):
            self.wrong(line.start, f"{stamp!r} {LIKE}", TAKE)
        if line.tag in {"td", "th"}:
            self.row.append((line.start, prose))
        if any(map(ASSERTS.search, line.code)):
            mend = "include it in a block, which a run checks"
            self.wrong(
                line.start, "a program with an assertion in a sentence, which nobody ran", mend
            )
        if line.code and not WORDS.search(prose):
            found = []
            for code in line.code:
                own = [kind(part, True) for part in code.split(";")]
                if "statement" not in own and OTHER.match(code):
                    own = ["statement"]
                found += own
        elif line.code:
            found = [kind(code, True) for code in line.code]
            short = len(WORDS.sub("", prose)) + len(prose) < sum(map(len, line.code))
            if not short or found.count("statement") <= AT_MOST + 1:
                found = []
            else:
                self._refuse(line)
                return
        else:
            found = [kind(part, False) for part in prose.strip().split("\n")]
            found = found if all(found) else []
        self._count(line, found.count("statement"), found.count("call"))

    def _count(self, line: Line, statements: int, calls: int) -> None:
        if line.group is not None:
            cell = self.cells.setdefault(id(line.cell), [line, 0, 0, False])
            cell[1] += statements
            cell[2] += calls
            cell[3] = cell[3] or not statements + calls
            return
        before = self.streaks.get(line.tag, 0)
        self.streaks[line.tag] = before + statements + calls if statements + calls else 0
        if before <= AT_MOST < self.streaks[line.tag]:
            self._refuse(line)

    def _refuse(self, line: Line) -> None:
        self.wrong(line.start, "statements in rows, which look like a program", INCLUDE)

    def end(self) -> None:
        self._end()
        self._row()
        groups: dict[int, list] = {}
        for cell in self.cells.values():
            groups.setdefault(id(cell[0].group), []).append(cell)
        for cells in groups.values():
            total = 0
            for line, statements, _, words in cells:  # what a cell explains is no line of a program
                before, total = total, total + (0 if words else statements)
                if before <= AT_MOST < total:
                    self._refuse(line)
            full = not any(words for *_, words in cells) and cells[0][0].group.tag in LISTS
            if full and total <= AT_MOST and sum(c[1] + c[2] for c in cells) > CALLS:
                self._refuse(cells[0][0])
