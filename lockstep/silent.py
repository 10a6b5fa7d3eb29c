"""Programs that a page runs and whose failed check nobody hears: an exit status that is a
count, an assertion that its language leaves out, a comparison that no NaN fails.

Python has its own rules (``lockstep.vacuous``). What a C program, a script of JavaScript, a class
of Java, a makefile or a query says when it fails is read off its text here: its end is all that a
run sees.
"""

import re
from collections.abc import Iterator, Set

Found = tuple  # (block, line from 0, what, how to mend it)

SCRIPTS = {"js", "mjs", "cjs", "ts", "mts", "jsx"}
JAVASCRIPT = {"javascript", "js", "typescript", "ts"}
_OFF = r"(?:Math\.|std::)?f?abs[fl]?\s*\([^;{}]*?-[^;{}]*?\)"
_ERROR = r"(?:\w*_)?(?:err|error|diff|difference|delta|worst|residual|gap)\w*"
# Further off than a limit, which no NaN is.
FAR = re.compile(
    rf"\b(?:if|while)\s*\(\s*(?:{_OFF}|{_ERROR})\s*>=?(?!>)|\b(?:\w+\s*(?:\+|\|)?=|return)\s*{_OFF}\s*>=?(?!>)"
    rf"|\b(?:if|while)\s*\([^;{{}}=<>]*?<\s*{_OFF}\s*\)"
)
# The largest of some differences, which skips what is no number.
LARGEST = re.compile(
    rf"\b(?:std::)?f?max[fl]?\s*\(\s*\w+\s*,\s*{_OFF}|\b(?:std::)?f?max[fl]?\s*\(\s*{_OFF}\s*,"
)
LOOKS = re.compile(r"\bis_?(?:nan|finite|NaN|Finite)")
UNLESS_NEAR = re.compile(r"!\s*\([^;]*<")
FLOATS = re.compile(r"\b(?:float|double|half|__half|bfloat16|real)\b|\bMath\.|\d\.\d")
NAN = "a check that a NaN passes"
UNLESS = "fail unless it is near enough: !(fabs(a - b) <= limit)"

COUNTED = re.compile(r"\b(\w+)\s*(?:\+\+|\+=)|\+\+\s*(\w+)")
ENDS = r"(?:\breturn\s+|\b_?[eE]xit\s*\(\s*|\bprocess\.exitCode\s*=\s*|\bSystem\.exit\s*\(\s*)"
COUNT = "a count as the exit status, of which a shell sees the last eight bits: 256 errors are none"
ONE = "end with 0 or 1: return wrong != 0"

SCRIPT = (
    (r"\bconsole\.assert\b", "console.assert, which only prints", 'use assert of "node:assert"'),
    (
        r"\b(?:test|it|describe|suite)\.(?:todo|skip|only)\b|\bx(?:it|test|describe)\s*\("
        r"|\b(?:todo|skip|only)\s*:\s*(?:true|[\"'])|\.(?:todo|skip)\(\s*[\"')]",
        "a test that is left out, or may fail",
        "let it run and pass",
    ),
    (
        r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|0)",
        "an error that is swallowed",
        "let it fail",
    ),
    (
        r"\bprocess\.on\(\s*[\"'](?:uncaught|unhandled|exit)",
        "an error that is swallowed",
        "let it fail: take the handler out",
    ),
)
EVERY = re.compile(
    r"(?<![\w.])(?P<of>\[\s*\]|[\w.]+(?:\([^()]*\))?(?:\.\w+\([^()]*\))*)\.every\s*\("
)
SILENT = re.compile(r"^\t\s*@?[+@]*-|^\t.*\|\|\s*(?:true|:|exit 0)\s*$|^\.IGNORE\b", re.MULTILINE)
JAVA = re.compile(r"^\s*java\b(?!.*\s-(?:ea\b|enableassertions\b|version|-version))", re.MULTILINE)
ASSERTS = re.compile(r"^\s*assert\b(?!\s*\()[^;]*;|^\s*assert\s*\([^;]*;", re.MULTILINE)
EMPTY = re.compile(r"^\s*(?:touch|truncate -s 0|:?\s*>)\s*([\w./-]+)\s*$", re.MULTILINE)
BY_ROWS = r"\b(?:g?awk|sed|perl|join|paste|read)\b"  # what does nothing for no row
# A comparison among what a query gives.
ASKED = re.compile(
    r"\bSELECT\b(?:(?!\bFROM\b|\bWHERE\b|\bCASE\b|;)[^'])*?[\w)]\s*(?:=|<>|!=|==|<=?|>=?|\bIS\b)\s*[\w(']"
    r"(?:(?!\bFROM\b|;).)*",
    re.IGNORECASE | re.DOTALL,
)


def check(blocks: list, like_c: Set[str]) -> Iterator[Found]:
    """Yield what is wrong. ``like_c``: the languages with the conditions of C."""
    printed = any(one.language in {"output", "pycon", "console"} for one in blocks)
    for one in blocks:
        if {"shown", "unrun"} & one.options.keys():
            continue
        suffix = one.options.get("file", "").rpartition(".")[2]
        script = one.language in JAVASCRIPT or (one.language == "text" and suffix in SCRIPTS)
        java = one.language == "java" or (one.language == "text" and suffix == "java")
        text = one.text
        if one.language in like_c or script or java:
            yield from _compares(one, script)
            yield from _ends(one, script or java)
        if script:
            yield from _script(one)
        elif java and (found := ASSERTS.search(_bare(text))):
            runs = [o for o in blocks if o.language in {"bash", "console"}]
            for other in runs:
                for ran in JAVA.finditer(other.text):
                    what = "java without -ea, which runs no assert"
                    yield other, _line(other.text, ran.end()), what, "write java -ea"
            if not runs:
                yield (
                    one,
                    _line(text, found.end()),
                    "an assert that Java leaves out",
                    "run it with -ea",
                )
        elif one.language == "make":
            for ran in SILENT.finditer(text):
                what = "a command whose failure make does not see"
                yield one, _line(text, ran.end()), what, "write the command alone"
        elif one.language == "sql" and not printed:
            for asks in ASKED.finditer(re.sub(r"--.*", "", text)):
                what = "a comparison in a query, whose answer nobody sees"
                mend = "show what it prints in an output block, or have a CHECK fail"
                yield one, _line(text, asks.start()), what, mend
        elif one.language == "bash":
            for made in EMPTY.finditer(text):
                rest, name = text[made.end() :], re.escape(made[1])
                reads = re.search(rf"{BY_ROWS}.*(?<![\w>.]){name}(?!\w)", rest)
                if reads and not re.search(rf">\s*{name}", rest[: reads.start()]):
                    what = "an empty file, of which a program that goes by rows checks nothing"
                    yield one, _line(text, made.start(1)), what, "write something into it"


def _bare(text: str) -> str:
    """Return a text of C and its like without comments; the lines stay."""
    text = re.sub(r"/\*.*?\*/", lambda said: "\n" * said[0].count("\n"), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at)


def _compares(one, script: bool) -> Iterator[Found]:
    """Yield the comparisons that no NaN fails, of a program that looks for none."""
    text = one.text
    if "abs" not in text and not re.search(_ERROR, text):
        return
    bare = _bare(text)
    if LOOKS.search(bare) or not (script or FLOATS.search(bare)):
        return
    unless = UNLESS_NEAR.search(bare)
    for pattern in (LARGEST,) if unless else (FAR, LARGEST):
        for far in pattern.finditer(bare):
            yield one, _line(bare, far.end()), NAN, UNLESS


def _ends(one, script: bool) -> Iterator[Found]:
    """Yield where a program ends with a count, and not with whether there was an error."""
    bare = _bare(one.text)
    main = re.search(r"\bmain\s*\(", bare)
    if not (main or script):
        return
    counted = {name for pair in COUNTED.findall(bare) for name in pair if name}
    if not counted:
        return
    names = "|".join(sorted(map(re.escape, counted)))
    value = rf"(?:\(\s*(?:int|unsigned|size_t)\s*\)\s*)?\(?\s*(?:{names})\s*\)?\s*[;)]"
    for ends in re.finditer(ENDS + value, bare):
        inside = ends[0].startswith("return")
        if inside and (main is None or not _of_main(bare, main.end(), ends.start())):
            continue
        yield one, _line(bare, ends.start()), COUNT, ONE
    # What a function counts, and main returns as it is.
    for ends in re.finditer(ENDS + r"(\w+)\s*\([^;]*\)\s*;", bare):
        inside = ends[0].startswith("return") and main is not None
        if inside and main is not None and _of_main(bare, main.end(), ends.start()):
            body = re.search(rf"\b(?:int|long|size_t|unsigned)\s+{ends[1]}\s*\(", bare)
            after = bare[body.end() : main.start()] if body else ""
            if re.search(rf"\breturn\s+(?:{names})\s*;", after.split("\n}")[0]):
                yield one, _line(bare, ends.start()), COUNT, ONE


def _of_main(text: str, start: int, at: int) -> bool:
    """Whether a place is in the function whose arguments begin at ``start``."""
    end = text.find("\n}", start)
    return start < at and (end < 0 or at < end)


def _script(one) -> Iterator[Found]:
    bare = _bare(one.text)
    for pattern, what, mend in SCRIPT:
        for found in re.finditer(pattern, bare):
            yield one, _line(bare, found.start()), what, mend
    for found in EVERY.finditer(bare):
        of = found["of"].split(".")[0].split("(")[0]
        name = rf"\b{re.escape(of)}"
        if not re.search(rf"{name}\.(?:length|size)\b|{name}\s*=\s*\[\s*[^\]\s]", bare):
            what = "every(), which says true of nothing"
            mend = "ask first that there is something: x.length > 0"
            yield one, _line(bare, found.start()), what, mend
