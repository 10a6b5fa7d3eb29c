"""Numbers set as code or as a formula, and said to come of a run.

A code span is read as code, so no rule of units looks into it, and a formula as arithmetic. Here
the words around them count: what something moved or needed, what a run ended with, what a profiler
shows. Then a block of the page holds the number, or it stands there by key.
"""

import re
from collections.abc import Iterator

from lockstep import figures, numbers
from lockstep.block import Page
from lockstep.english import SENTENCE
from lockstep.mistakes import Mistake

SHOW = "show it as a session or an output, which a run compares; or pull it by key"
# It moves `4100` of `4254`; the last line of its run: `ok, 0 wrong`.
_DOES = (
    r"(?:moves?|moved|needs?|needed|takes?|took|reach(?:es|ed)|gets?|got"
    r"|(?:runs?|ran)\ (?:at|in)|scores?|scored|delivers?|delivered|sustains?|sustained|achieves?"
    r"|achieved|manages?|managed"
    r"|costs?|finish(?:es|ed)\ (?:in|at|after)|loses?|lost|wastes?|wasted|clocks?\ (?:in\ )?at)"
)
_MOVED = re.compile(
    rf"\b{_DOES}\ (?:only\ |about\ |some\ |nearly\ |almost\ |all\ )*"
    r"`(-?\d[\d.,_]*(?:\ ?[\w/%]+)?)`"
)
_LINE = re.compile(
    r"\b(?:last|first|only|final|second|third)\ (?:line|word|thing)\ (?:of|in|from)\ (?:its|the"
    r"|that|our|this|each|every)\ (?:\w+\ )?(?:run|output|log|program|session|test|launch|report"
    r"|listing)[^.`]{0,25}`([^`]+)`"
    r"|\b(?:its|the|our|that)\ (?:run|log|test|output|report|benchmark)\ (?:ends|ended|closes"
    r"|closed|stops|begins|began|starts)\ (?:with|by|in)\ (?:the\ \w+\ )?`([^`]+)`"
)
# `ncu` says so: `Registers Per Thread 24`; `Used 24 registers`, by `ptxas`.
_TOOL = (
    r"(?:ncu|nsys|nvprof|ptxas|nvdisasm|cuobjdump|nvcc|compute-sanitizer|nvidia-smi|memcheck"
    r"|racecheck"
    r"|initcheck|synccheck|(?:the\ |our\ )?(?:profiler|sanitizer|compiler|assembler"
    r"|disassembler|timeline)"
    r"|Nsight(?:\ \w+)?)"
)
_SAYS = (
    r"(?:says?|said|prints?|printed|reports?|reported|shows?|showed|gives?|gave|lists?|listed"
    r"|writes?"
    r"|wrote|reads?|ends?\ with|ended\ with|answers?|answered|tells?|told\ us|counts?"
    r"|counted)"
)
_QUOTED = re.compile(
    rf"(?<![\w`])`?{_TOOL}`?(?:'s\ \w+)?\ (?:\w+\ )?{_SAYS}\b[^.`;]{{0,40}}?`([^`]*\d[^`]*)`"
    rf"|\b(?:[Bb]y|[Ff]rom|[Pp]er|[Aa]ccording\ to|[Ii]n"
    rf"|[Oo]f)\ `?{_TOOL}`?(?:'s\ \w+)?[:,]\ `([^`]*\d[^`]*)`"
    rf"|(?<!`)`([^`]*\d[^`]*)`,?\ (?:so\ )?(?:{_SAYS}|by|according\ to|from)\ `?{_TOOL}\b"
)
# 32 `HGMMA`, `FFMA` 64 times: how many of an instruction a compiler made.
_FEW = "two three four five six seven eight nine ten twelve sixteen twenty thirty forty".split()
_COUNTED = re.compile(
    rf"(?<![\w.,×^])(?P<n>\d+(?:,\d{{3}})*|{'|'.join(_FEW)})\ (?:(?!and|or|to)\w+\ "
    rf"|of\ its\ )?`(?P<name>[A-Z][A-Z0-9]{{2,}}"
    r"(?:\.[A-Z0-9.]+)?)`(?!\ ?[=\d])"
    r"|`(?P<name2>[A-Z][A-Z0-9]{2,}(?:\.[A-Z0-9.]+)?)`(?:,?\ (?P<n2>\d[\d,]*)\ (?:times"
    r"|of\ (?:it|them))\b"
    r"|:\ (?P<n3>\d+)\b)"
)
_FORMULA = re.compile(r"(?<![\\$\w])\$(?!\s)[^$]*\d[^$]*(?<!\s)\$(?!\w)")
_SAID = re.compile(
    r"(?i)\b(?:profiler|counters?|timer|Nsight(?:\ \w+)?|ncu|nsys|benchmark|stopwatch|clock)"
    r"\ (?:\w+\ )?(?:shows?|showed|says?|said|counts?|counted|reports?|reported|gives?|gave|sees"
    r"|saw|finds|found|measures?|measured|reads?)\b"
    r"|\b(?:we|I)\ (?:\w+\ )?(?:measured?|saw|see|timed|counted|observed?|clocked)\b"
    r"|\b(?:is|was|were|are|as)\ (?:\w+\ )?(?:measured|timed|clocked|observed|profiled)\b"
)


_CAPITALS = re.compile(r"`[A-Z]{3}")
_TOOLS = ("ncu", "nsys", "nvprof", "ptxas", "disas", "cuobjdump", "nvcc", "sanitizer", "nvidia-smi",
          "check", "profiler", "compiler", "assembler", "timeline", "Nsight")  # fmt: skip
_HOW_TO = re.compile(
    r"(?:^|[.:;]\s)[^.:;]*\b(?:[Ii]f|[Ww]hen|[Ww]here|[Uu]nless|[Ww]rite|[Uu]se|[Cc]all|[Rr]un)\b[^.:;]*$"
)


def check(page: Page) -> Iterator[Mistake]:
    """Yield the numbers of code spans and formulas that a run is said to give."""
    shown = re.sub(r"\s", "", "".join(block.text for block in page.blocks))
    fenced = False
    for number, row in enumerate(page.body.split("\n"), start=page.body_line):
        fence = row.lstrip().startswith("```")
        fenced ^= fence
        if fence or fenced or not ("`" in row or "$" in row):
            continue
        at = page.at(number)
        for said, name, count in _instructions(row, page):
            what = f"{said} is what a compiler made, and no block of this page holds {count} {name}"
            yield Mistake(page.path, at, what, SHOW)
        for value in _printed(row):
            if re.sub(r"\s", "", value) not in shown:
                what = f"`{value}` is said to come of a run, and no block of this page holds it"
                yield Mistake(page.path, at, what, SHOW)
        for formula in _measured(row) if "$" in row else ():
            what = f"{formula} is said to be measured, and is typed"
            yield Mistake(page.path, at, what, numbers.MEND)


def _printed(row: str) -> Iterator[str]:
    for pattern in (_MOVED, _LINE, _QUOTED) if "`" in row else ():
        if pattern is _QUOTED and not any(tool in row for tool in _TOOLS):
            continue
        for found in pattern.finditer(row):
            said = next(filter(None, found.groups()))
            if pattern is _QUOTED and (
                said.startswith("-")
                or row.startswith("](", found.end())
                or _HOW_TO.search(row[: found.start()])
            ):
                continue
            yield said


def _instructions(row: str, page: Page) -> Iterator[tuple[str, str, str]]:
    """Yield (words, name, count) of instructions that no line of the page's blocks counts."""
    for found in _COUNTED.finditer(row) if _CAPITALS.search(row) else ():
        name, count = found["name"] or found["name2"], found["n"] or found["n2"] or found["n3"]
        lines = (line for block in page.blocks for line in block.text.split("\n") if name in line)
        if not any(re.search(rf"(?<!\d){count.replace(',', ',?')}(?!\d)", line) for line in lines):
            yield found[0], name, count


def _measured(row: str) -> Iterator[str]:
    for sentence in SENTENCE.split(row):
        if figures.KEY.search(sentence) or numbers.WORKED.search(sentence):
            continue
        if (formula := _FORMULA.search(sentence)) and _SAID.search(_FORMULA.sub(" ", sentence)):
            yield formula[0]
