"""Numbers that no one cell says: the figure in one, its unit in another, above, below or beside.

A table is read as a whole: its rows, its columns, its corner and its caption. So are blocks that
follow each other, a paragraph of a number and one of its unit.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lockstep.worked import CARDS

Typed = Callable[[str], list[tuple[int, int]]]  # where in a text numbers look measured
MOST = 60  # characters of a cell that can be half of a number
NUMBER = re.compile(r"\d")
_BAR = re.compile(r"(?<!\\)\|")
SIGN = re.compile(r"[/%×]")
PLURAL = re.compile(r"\w\(s\)")  # device(s), no seconds
FIGURE = re.compile(r"[~≈<>+-]?\ ?\d[\d.,]*(?:\ ?(?:to|-|/|±|\()\ ?\d[\d.,]*\)?)?")

LONG = re.compile(r"[~≈<>+-]?\ ?(?:\d[\d,]+(?:\.\d+)?|\d*\.\d+)")  # no count of a few
BROKEN = re.compile(r"[~≈<>+-]?\ ?(?:\d+|\d{1,3}(?:,\d{3})+)?\.\d+")
# The head of a column or a row that says whose its numbers are, or how they came, and not of what.
VAGUE = re.compile(
    r"(?:(?:the|our|this|my|its)\ )?(?:ours?|mine|theirs|results?|values?|scores?|figures?|numbers?"
    r"|outcomes?|before|after|old|new|fast(?:er|est)?|slow(?:er|est)?|naive|tiled|optimi[sz]ed"
    r"|baseline|reference|library|kernel|cu[A-Z]\w+|CUB|CuPy|NumPy|Numba|PyTorch|torch|Triton"
    r"|mean|median|average|best|worst|min|max|runs?(?:\ \d+)?|measured|measurements?|got|cost"
    r"|gpu|cpu"
    r"|we\ \w+|you\ \w+)?(?:\ (?:kernel|version|code|one|results?|values?|scores?|runs?))?",
    re.IGNORECASE,
)


# The head of a column of what a compiler, a profiler or a run counts, and bare numbers below it.
RESOURCE = re.compile(
    r"""\b(?:registers?|occupancy|spill(?:s|ed)?|conflicts?|sectors?|iterations|sweeps
        |peak\ memory|memory\ (?:used|in\ use|at\ (?:its|the)\ peak|needed)
        |steps\ (?:until|to\ (?:reach|converge)|needed|before)|launches|tries)\b
    | ^most\ memory$ | ^(?:the\ |our\ |its\ )?shares?\b | \bin\ (?:hundredths|thousandths|tenths)$
    | ^(?:resident\ )?(?:blocks|warps)\ (?:an?|per|on\ (?:an?|each)|each)\ (?:SM|multiprocessor)$
    """,
    re.VERBOSE | re.IGNORECASE,
)
# How many of some runs or results came out so, and a cell that says it in a word.
TALLY = re.compile(
    r"""\b(?:right|wrong|correct|fail(?:s|ed)?|pass(?:es|ed)?|crash(?:es|ed)?|lost|surviv\w+
        |agree\w*|differ\w*|hits?|miss(?:es|ed)?|errors?|succeed\w*|completed?|hung)\b
        [^|]*\b(?:of|in|out\ of|per)\ (?:ten|twelve|twenty|fifty|a?\ ?hundred|a?\ ?thousand
        |\d[\d,]*)
        (?:\ \w+)?$""",
    re.VERBOSE | re.IGNORECASE,
)
TALLIED = re.compile(
    r"(?:(?:nearly|almost|about)\ )?(?:all|none|no|every\ one|half|most|(?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|once"
    r"|twice|never|always)(?:-\w+)?)(?:\ (?:of\ them|times|but\ \w+))?|\d[\d,.]*(?:\ of\ \w+)?",
    re.IGNORECASE,
)
# And the label of such a row.
COMPILED = re.compile(
    r"(?:\w+\ )?(?:instructions|barriers|wavefronts|stalls|issue\ slots)(?:\ \w+){0,4}",
    re.IGNORECASE,
)
COUNT = re.compile(
    r"[~≈<>+-]?\ ?\d[\d.,]*(?:\ ?(?:million|thousand|[kMGT]i?B|bytes|%|registers?|sectors?"
    r"|blocks?|warps"
    r"|steps|conflicts|each))?",
    re.IGNORECASE,
)
# A version of a kernel, by the word that tells it from the others.
VARIANT = (
    r"(?:naive|tiled|(?:un)?fused|blocked|padd(?:ed|ing)|direct|swizzled?|baseline|optimi[sz]ed"
    r"|(?:un)?tuned|unrolled|vectori[sz]ed|(?:un)?coalesced|strided|serial|sequential|privati[sz]ed"
    r"|private|atomics?|pipelined|persistent|double-buffered|shared|global|plain)"
)
VERSION = re.compile(
    rf"(?:(?:the|our|an?|with|without)\ )?(?:[\w-]+\ )?{VARIANT}(?:\ [\w-]+){{0,2}}", re.IGNORECASE
)
SCORE = re.compile(r"[~≈<>+-]?\ ?(?:\d{3,}|\d{1,3}(?:,\d{3})+|\d+\.\d+)")


DEVICE = re.compile(rf"(?:NVIDIA |AMD |GeForce )?(?:{CARDS}|T4)(?:\ \w+)?")


# The head of a column of outcomes, and a bare number below it that is no count of a few.
OUTCOME = re.compile(
    r"(?:the\ |our\ |its\ )?(?:\w+\ )?(?:scores?|marks|ratings?|grades?|measured"
    r"|verdict|out\ of\ (?:10|ten|100|a\ hundred))",
    re.IGNORECASE,
)


def cells(row: str) -> list[str]:
    """Return the texts of the cells of a table's row."""
    return [cell.strip() for cell in _BAR.split(row.strip().strip("|"))]


class Cell(NamedTuple):
    said: str  # as a reader sees it; numbers with a proof are KEY
    start: int
    head: bool


def crosses(first: str, second: str, typed: Typed) -> bool:
    """Whether two texts, one after the other, say a measured number that neither says alone.

    One of them says no more than its half, or the unit is one that is no word.
    """
    if not first or not second or not NUMBER.search(first[-MOST:] + second[:MOST]):
        return False
    figure = FIGURE.fullmatch(first) is not None
    first, second = first[-MOST:], second[:MOST]
    border, whole = len(first), f"{first} {second}"
    return any(
        figure or end == len(whole) or SIGN.search(whole, border, end)
        for start, end in typed(whole)
        if start < border < end - 1
    )


class Table:
    """The cells of a table, row by row. ``unit``: whether a text gives a unit to numbers."""

    def __init__(self, typed: Typed, unit: Callable[[str], bool], key: str):
        self.typed, self.unit, self.key = typed, unit, key
        self.rows: list[list[Cell]] = []

    def row(self) -> None:
        self.rows.append([])

    def add(self, cell: Cell, columns: int = 1) -> None:
        if not self.rows:
            self.row()
        self.rows[-1] += [cell] * max(1, min(columns, 100))

    def wrong(self) -> Iterator[tuple[Cell, Cell]]:
        """Yield (number, unit): two cells that are a measured number together."""
        yield from self._beside()
        yield from self._below()
        yield from self._corner()
        yield from self._unitless()
        yield from self._among()
        yield from self._counted()
        yield from self._versions()
        yield from self._scored()

    def _scored(self) -> Iterator[tuple[Cell, Cell]]:
        """Bare numbers under a head such as score, or in its row."""
        heads = self.rows[0] if self.rows else []
        for row in self.rows[1:]:
            for head, cell in zip(heads[1:], row[1:], strict=False):
                if OUTCOME.fullmatch(head.said) and FIGURE.fullmatch(cell.said):
                    yield cell, head
            if row and OUTCOME.fullmatch(row[0].said):
                yield from ((cell, row[0]) for cell in row[1:] if FIGURE.fullmatch(cell.said))

    def _beside(self) -> Iterator[tuple[Cell, Cell]]:
        for row in self.rows:
            titles = all(cell.head for cell in row)
            for index, (left, right) in enumerate(zip(row, row[1:], strict=False)):
                if left is right or not crosses(left.said, right.said, self.typed):
                    continue
                if not (titles and self._measured(index, index + 1)):
                    yield (left, right) if NUMBER.search(left.said) else (right, left)
            if titles:
                continue
            for cell in row:
                if self._names(cell):
                    yield from ((other, cell) for other in row if self._bare(other))

    def _below(self) -> Iterator[tuple[Cell, Cell]]:
        """A number and its unit in one column: under each other, or one of them in the head."""
        for index in range(max(map(len, self.rows), default=0)):
            column = [row[index] for row in self.rows if index < len(row)]
            heads = [cell for cell in column if cell.head]
            pairs = list(zip(column, column[1:], strict=False))
            pairs += [(head, cell) for head in heads for cell in column if not cell.head]
            for upper, lower in pairs:
                if crosses(upper.said, lower.said, self.typed):
                    yield (upper, lower) if NUMBER.search(upper.said) else (lower, upper)
                elif self._bare(lower) and crosses(lower.said, upper.said, self.typed):
                    yield lower, upper

    def _corner(self) -> Iterator[tuple[Cell, Cell]]:
        """The first cell gives the unit: of the cells, or of the head where those are words."""
        if not self.rows or not self.rows[0] or not self._names(self.rows[0][0]):
            return
        corner, *heads = self.rows[0]
        for index, head in enumerate(heads, start=1):
            column = [row[index] for row in self.rows[1:] if index < len(row)]
            numbers = [cell for cell in column if self._bare(cell)]
            yield from ((cell, corner) for cell in numbers)
            if self._bare(head) and not numbers and not self._measured(index):
                yield head, corner

    def _unitless(self) -> Iterator[tuple[Cell, Cell]]:
        """A number with a fraction, and nothing says of what: its column's head and its row's."""
        if len(self.rows) < 2:
            return
        heads = self.rows[0]
        whose = [VAGUE.fullmatch(cell.said) is not None for cell in heads]
        for row in self.rows[1:]:
            for index, cell in enumerate(row[1:], start=1):
                if index < len(heads) and not cell.head and BROKEN.fullmatch(cell.said):
                    sized = FIGURE.fullmatch(heads[index].said) and VAGUE.fullmatch(row[0].said)
                    if whose[index] or sized:
                        yield cell, heads[index] if whose[index] else row[0]
                elif index < len(heads) and not cell.head and LONG.fullmatch(cell.said):
                    if FIGURE.fullmatch(row[0].said) and DEVICE.fullmatch(heads[index].said):
                        yield cell, heads[index]

    def _among(self) -> Iterator[tuple[Cell, Cell]]:
        """A number in a column of figures with their proof, or beside one, as what was before."""
        for index in range(1, max(map(len, self.rows), default=0)):
            column = [row[index] for row in self.rows[1:] if index < len(row)]
            proved = [cell for cell in column if cell.said == self.key]
            for cell in column if proved else ():
                if not cell.head and LONG.fullmatch(cell.said):  # one is what others are times of
                    yield cell, proved[0]
        heads = self.rows[0] if self.rows else []
        for row in self.rows[1:]:
            proved = [cell for cell in row if cell.said == self.key]
            for head, cell in zip(heads, row, strict=False) if proved else ():
                if head.said and VAGUE.fullmatch(head.said) and LONG.fullmatch(cell.said):
                    yield cell, proved[0]

    def _counted(self) -> Iterator[tuple[Cell, Cell]]:
        """Bare numbers under a head that names what is counted: registers, occupancy, conflicts."""
        heads = self.rows[0] if self.rows else []
        for row in self.rows[1:]:
            for head, cell in zip(heads[1:], row[1:], strict=False):
                if TALLY.search(head.said) and TALLIED.fullmatch(cell.said):
                    yield cell, head
                elif RESOURCE.search(head.said) and self.key not in head.said:
                    if COUNT.fullmatch(cell.said):
                        yield cell, head
            if row and (RESOURCE.fullmatch(row[0].said) or COMPILED.fullmatch(row[0].said)):
                yield from ((cell, row[0]) for cell in row[1:] if COUNT.fullmatch(cell.said))

    def _versions(self) -> Iterator[tuple[Cell, Cell]]:
        """Numbers without a unit under the names of two versions, or beside them."""
        heads = self.rows[0] if self.rows else []
        named = [n for n, head in enumerate(heads) if n and VERSION.fullmatch(head.said)]
        for row in self.rows[1:] if len(named) > 1 else ():
            for n in named:
                if n < len(row) and SCORE.fullmatch(row[n].said):
                    yield row[n], heads[n]
        beside = [row for row in self.rows[1:] if row and VERSION.fullmatch(row[0].said)]
        for row in beside if len(beside) > 1 else ():
            for head, cell in zip(heads[1:], row[1:], strict=False):
                if FIGURE.fullmatch(head.said) and SCORE.fullmatch(cell.said):
                    yield cell, row[0]

    def _measured(self, *columns: int) -> bool:
        """Whether columns hold figures with their proof, so that a head is a size or a name."""
        return any(self.key in row[i].said for row in self.rows for i in columns if i < len(row))

    def _bare(self, cell: Cell) -> bool:
        return FIGURE.fullmatch(cell.said) is not None

    def _names(self, cell: Cell) -> bool:
        """Whether a cell names a measured quantity, such as "Time (ms)", and no figure of it."""
        said = PLURAL.sub("", cell.said)
        return self.key not in said and not NUMBER.search(said) and self.unit(said)
