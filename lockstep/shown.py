"""What a shown source may not be: empty of statements, unlike what it looks, or changed elsewhere.

These rules need no run. They look at the text of a section as its reader sees it, and at the module
around it. What a run tells beyond them, which lines were executed, is in the record.
"""

import ast
import doctest
import functools
import io
import math
import re
import shlex
import sys
import tokenize
import unicodedata
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from pathlib import Path

from lockstep import (
    around,
    claims,
    clocks,
    commands,
    forged,
    impostors,
    numbers,
    preprocessed,
    reported,
    silent,
    texts,
    told,
    uncompiled,
    unproved,
    unread,
    verdicts,
    worked,
)
from lockstep.mistakes import Mistake, nodes, parse, walk
from lockstep.vacuous import (
    PROVES,
    REACHES,
    UNASKED,
    aliased,
    idle,
    loose,
    meddling,
    name_of,
    says_yes,
    task,
    vacuous,
)

WIDEST = 130  # characters: what stands further right is seen by nobody
GAP = 40  # blanks in a row inside a line, which push the rest out of sight
Wrong = Callable[[int, str, str], None]  # the line of the text (from 0), what, how to mend it

INVISIBLE = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}
PLAIN = {"\n", "\t"}
# Joiners and selectors inside emoji and scripts that need them; not in code.
IN_PROSE = {"\u200d", "\ufe0e", "\ufe0f", "\u00ad"}


def characters(text: str, wrong: Wrong, prose: bool = False) -> None:
    """Refuse characters that make a text look different from what it is."""
    for number, line in enumerate(text.split("\n")):
        for character in line if not line.isascii() or not line.isprintable() else ():
            hidden = unicodedata.category(character) in INVISIBLE and character not in PLAIN
            if hidden and not (prose and character in IN_PROSE):
                name = unicodedata.name(character, f"U+{ord(character):04X}")
                what = f"the character {name} (U+{ord(character):04X}), which nobody sees"
                wrong(number, what, "take it out, or write it as an escape such as \\u200b")
                break


def lines(text: str, wrong: Wrong) -> None:
    """Refuse lines whose end no reader sees."""
    for number, line in enumerate(text.split("\n")):
        if len(line) > WIDEST:
            wrong(number, f"a line of {len(line)} characters", f"break it: at most {WIDEST}")
        elif re.search(rf"\S[ \t]{{{GAP},}}\S", line):
            wrong(number, "code far to the right of a gap", "put it on a line of its own")


# ---------------------------------------------------------------- doctest


def examples(text: str, wrong: Wrong) -> list[doctest.Example]:
    """Return the examples of a doctest. Refuse what looks like one of them and is not checked."""
    try:
        parts = doctest.DocTestParser().parse(text)
    except ValueError as error:
        said = re.match(r"line (\d+) of the docstring for \S+ (.*)", str(error), re.DOTALL)
        what = said[2].split(":")[0] if said else str(error).split("\n")[0]
        wrong(int(said[1]) - 1 if said else 0, f"not a doctest: {what}", "write >>> and a blank")
        return []
    at = 0
    found: list[doctest.Example] = []
    for part in parts:
        if isinstance(part, doctest.Example):
            found.append(part)
            at = part.lineno + part.source.count("\n") + part.want.count("\n")
            if part.exc_msg is not None:
                _traceback(part, wrong)
            continue
        for offset, line in enumerate(part.split("\n")):
            if line.strip():
                what = "text between the examples, which looks like output and is not checked"
                mend = "write <BLANKLINE> for an empty line of output, or move the text to the page"
                wrong(at + offset, what, mend)
                break
        at += part.count("\n")
    if not found:
        wrong(0, "a pycon block without >>> examples", "show an example with its output")
    elif not any(example.want for example in found):
        wrong(0, "a pycon block without output", "show what it prints, or make it a python block")
    return found


def _traceback(example: doctest.Example, wrong: Wrong) -> None:
    first = example.lineno + example.source.count("\n")
    rows = example.want.rstrip("\n").split("\n")
    for number, row in enumerate(rows[1:], start=1):
        if not row[:1].isspace():
            break
        if row.strip() != "...":
            what = "a line of a traceback that nobody compares"
            wrong(first + number, what, "leave ... alone between the first line and the error")
            return


# ---------------------------------------------------------------- Python that proves nothing


def python(text: str, wrong: Wrong, defines: bool = False) -> None:
    """Refuse a block without statements, and statements that cannot fail or never run.

    ``defines``: the block is a file that a later one reads.
    """
    try:
        tree = parse(text)
    except SyntaxError as error:
        wrong((error.lineno or 1) - 1, f"this is not Python: {error.msg}", "mend the syntax")
        return
    if not defines and all(idle(statement) for statement in tree.body):
        wrong(0, "a block without a statement", "show code that does something")
    if re.search(r"(?:Executor|Pool)\(|\basyncio\b", text):
        for node in nodes(text):
            if not isinstance(node, ast.Expr):
                continue
            call = node.value
            lazy = "Executor(" in text and name_of(getattr(call, "func", call)) == "map"
            if isinstance(call, ast.Call) and (lazy or task(call)):
                mend = "keep it, and ask for its result"
                wrong(node.lineno - 1, "a task whose failure nobody sees", mend)
    for statement in _crowded(text):
        mend = "write each on a line of its own, which tells whether it ran"
        wrong(statement.lineno - 1, "a statement behind another on its line", mend)
    for node in nodes(text):
        for what, mend in vacuous(node) if isinstance(node, PROVES) else ():
            wrong(getattr(node, "lineno", 1) - 1, what, mend)
        # A file of its own may use the core: its reader then has it.
        for what, mend in meddling(node) if not defines and isinstance(node, REACHES) else ():
            wrong(getattr(node, "lineno", 1) - 1, what, mend)
    for number, row in enumerate(text.split("\n") if KNOWS.search(text) else ()):
        if KNOWS.search(row):
            wrong(number, *LOOKING)
    _names(text, wrong)


# Where code learns that a run is recorded, to do there what it does nowhere else.
KNOWS = re.compile(
    r"LOCKSTEP_|[\"']LOCKSTEP|\bgetppid\b|\bPPID\b"
    r"|/proc/?(?:self|thread-self|\d|\$|\*|\{|[\"'](?!/))"
)
LOOKING = (
    "code that may ask whether its run is recorded",
    "take it out: it does here what it does on a reader's machine",
)


def _crowded(text: str) -> Iterator[ast.stmt]:
    """Yield the statements that share their line with another: of both, a run knows the line."""
    rows = text.encode().split(b"\n")
    for node in nodes(text):
        if isinstance(node, ast.stmt) and not idle(node):
            if rows[node.lineno - 1][: node.col_offset].strip():
                yield node


def _names(text: str, wrong: Wrong) -> None:
    """Refuse names with letters that look like others."""
    if text.isascii():
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                what = f"the name {token.string!r} has letters that look like others"
                wrong(token.start[0] - 1, what, "write names in ASCII")
    except (tokenize.TokenError, IndentationError):
        return  # ast has said it


# ---------------------------------------------------------------- other languages


SWALLOWED = "a command whose failure is swallowed"
ALONE = "run it alone: name=$(command) on a line, and what uses it on the next"
PLAINLY = "take it out: write the commands by their own names"
NO_SIGN = "a number without a sign is asked whether it is negative, which it never is"
UNSEEN = "code behind a condition that never holds"
RUNS = "show only what runs"
SHELL = (
    (r"^\s*exit(?:\s+0)?\s*(?:$|[;#])", "what stands after exit never runs", "take the exit out"),
    (
        r"\|\|(?!.*\bexit [1-9]\d*\b)|^\s*!\s|[^&>|]&\s*(?:$|#)|;\s*(?:true|:)\s*$",
        SWALLOWED,
        "let it fail: write the command alone, or || { ...; exit 1; } behind it",
    ),
    (
        r"\bset\s+\+[eo]|\btrap\b|^\s*(?:eval|exec|alias|shopt|return|kill)\b",
        SWALLOWED,
        "take it out: write the commands themselves, one on each line",
    ),
    (r"^\s*(?:(?:case|select)\b|for \w+ in\s*(?:;|$))", UNSEEN, "show the commands that run"),
    (
        r"\b(?:echo|printf)\b[^|]*\|\s*(?:rev|base(?:32|64)|xxd|openssl|uudecode)\b"
        r"|\b(?:rev|base(?:32|64)|xxd)\b.*<<<",
        "a text that a command decodes, so that nobody reads what it says",
        "write the text as it comes out",
    ),
    (r"^\s*(?:\[|test\b).*(?:&&|\|\|)|\bfalse\s*&&|^\s*(?::|true)\s*<<", UNSEEN, RUNS),
    (r"^\s*(?:echo|printf|export|local|readonly|declare)\b.*(?:\$\(|`)", SWALLOWED, ALONE),
    (
        r"(?:^|\s)(?:BASH_ENV|LD_PRELOAD|PYTHONPATH|PYTHONSTARTUP)=",
        "another machine",
        "take it out: what the page shows runs as it is shown",
    ),
    (commands.NAMES.pattern, "a command that changes what is traced", PLAINLY),
    (KNOWS.pattern, *LOOKING),
    (
        r"\bfunction\s+\w+",
        "a function in a shell block",
        "show the commands themselves, one on each line",
    ),
)
# Python in a shell's quotes, or in lines that it reads.
SCRIPT = re.compile(
    r"\bpython[\d.]*\b[^\n'\"<]*"
    r"(?:-c\s*(?P<mark>['\"])|<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)[^\n]*\n)"
    r"(?P<code>.*?)(?:(?P=mark)|^\t*(?P=end)$)",
    re.DOTALL | re.MULTILINE,
)
FIRST = r"(?:^|[({;]|&&|\|\||\breturn\b|[^=!<>]=)\s*"  # what stands before a whole condition
C = (
    (r"^\s*#\s*if\s+(?:0|false)\b", "code that is not compiled", "show only what is compiled"),
    (r"\b(?:if|while)\s*(?:constexpr\s*)?\(\s*(?:0|false|!1|!true)\s*\)\s*[^;\s]", UNSEEN, RUNS),
    (rf"{FIRST}(?:0|false)\s*(?:&&|\?)|{FIRST}(?:1|true)\s*(?:\|\||\?)", UNSEEN, RUNS),
    (
        r"\b(?:if|while)\s*(?:constexpr\s*)?\(\s*(?!1\s*\))[\d\s<>=!&|+*/%()-]*\d[\d\s<>=!&|+*/%-]*\)",
        UNSEEN,
        RUNS,
    ),
    (r"\bswitch\s*\(\s*\d+\s*\)|\bfor\s*\([^;]*;\s*(?:false|0)\s*;", UNSEEN, RUNS),
    (r"\\u[0-9a-fA-F]{4}|\?\?[=/'()!<>-]", "letters written as escapes", "write names in ASCII"),
)


LEAVES = re.compile(r"\s*(?:return\b[^;{}]*|break|continue|goto \w+);\s*$")
ENDS = re.compile(r"\s*(?:[}#]|case\b|default\b|\w+:(?!:))")  # what may stand behind one of them
CLAUSE = re.compile(r"(?:\)|\belse|:|\\)\s*$")  # in whose last line it stands alone


def _unreached(text: str) -> Iterator[int]:
    """Yield the lines, from 0, of C++ and its like that stand behind a return."""
    bare = re.sub(r"/\*.*?\*/", lambda said: "\n" * said[0].count("\n"), text, flags=re.DOTALL)
    rows = [(n, re.sub(r"//.*", "", row).rstrip()) for n, row in enumerate(bare.split("\n"))]
    rows = [(n, row) for n, row in rows if row.strip()]
    for (_, before), (_, here), (n, after) in zip(rows, rows[1:], rows[2:], strict=False):
        if LEAVES.match(here) and not CLAUSE.search(before) and not ENDS.match(after):
            yield n


NEVER = re.compile(
    r"\bconst(?:expr)?\s+(?:static\s+)?(?:bool|int|unsigned)\s+(\w+)\s*=\s*(?:false|0)\s*;"
)


def _never(text: str) -> Iterator[int]:
    """Yield the lines, from 0, of conditions that are a constant's by its name."""
    for name in NEVER.findall(text):
        for found in re.finditer(
            rf"\b(?:if|while)\s*(?:constexpr\s*)?\(\s*{name}\s*(?:\)|&&)", text
        ):
            yield text.count("\n", 0, found.start())


_UNSIGNED = (
    r"(?:unsigned(?:\s+(?:int|long|short|char))*|(?:std::)?(?:size_t|uint(?:8|16|32|64)?_t)"
    r"|uint|ulong|ushort|uchar)"
)
UNSIGNED = re.compile(rf"\b{_UNSIGNED}\s+(?:const\s+)?(\w+)\s*[=;,)\[]")
THREADS = r"(?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz]|\bsizeof\s*\([^()]*\)|\b\w+\.size\(\)"


def _unsigned(text: str) -> Iterator[int]:
    """Yield the lines, from 0, that ask whether a number without a sign is below zero."""
    signed = re.sub(_UNSIGNED, "", text)
    found = UNSIGNED.findall(text)
    names = [n for n in found if not re.search(rf"\b(?:int|long|short)\s+{n}\b(?!\()", signed)]
    of = rf"(?:{'|'.join([*dict.fromkeys(names), THREADS])})"
    for asks in (
        rf"(?<![\w.>]){of}\s*(?:<\s*0[uU]?(?![\w.])|<=?\s*-\s*\d)",
        rf"(?<![\w.])0[uU]?\s*>\s*{of}\b",
        rf"\b(?:if|while|assert)\s*\(\s*(?:{of}\s*>=\s*0[uU]?|0[uU]?\s*<=\s*{of})\s*\)",
    ):
        for match in re.finditer(asks, text):
            yield text.count("\n", 0, match.start())


def other(language: str, text: str, wrong: Wrong, like_c: bool) -> None:
    """Refuse, in shell and C++ and their like, what does not run as it looks."""
    rules: tuple[tuple[str, str, str], ...]
    if language in {"bash", "console"}:
        rules = SHELL
        if all(not r.strip() or r.lstrip().startswith("#") for r in text.split("\n")):
            wrong(0, "a block without a command", "show what is run")
    elif like_c:
        rules = C
        if not re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL).strip():
            wrong(0, "a block without a statement", "show code that does something")
    else:
        return
    for number in _never(text) if rules is C else ():
        wrong(number, UNSEEN, RUNS)
    for number in _unreached(text) if rules is C else ():
        wrong(number, "what stands after a return never runs", RUNS)
    for number in _unsigned(text) if rules is C else ():
        wrong(number, NO_SIGN, "ask before it loses its sign, or take the condition out")
    for script in SCRIPT.finditer(text) if rules is SHELL else ():
        at = text.count("\n", 0, script.start("code"))
        with suppress(SyntaxError, ValueError):  # of what the shell puts together, a run tells
            for node in walk(parse(script["code"])):
                for what, mend in vacuous(node):
                    wrong(at + getattr(node, "lineno", 1) - 1, what, mend)
    for number, line in enumerate(text.split("\n")):
        for pattern, what, mend in rules:
            if re.search(pattern, line):
                wrong(number, what, mend)
        code = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|//.*|/\*.*|(?:^|\s)#.*", "", line)
        if rules is C and not code.isascii() and not re.match(r"\s*\*", line):
            wrong(number, "letters in code that look like others", "write names in ASCII")


# ---------------------------------------------------------------- numbers in code


WHOLE = {"text", "json", "csv", "yaml", "toml", "ini", "sql", "markdown", "console"}


# The comments and the texts of Python, as its tokenizer finds them in what parses, and twenty times
# as fast.
QUOTED = re.compile(
    r"#[^\r\n]*|(?:(?<!\w)[rRbBfFuU]{1,2})?(?:"
    + r"|".join(
        rf"{mark * 3}[^{mark}\\]*(?:(?:\\.|{mark}(?!{mark * 2}))[^{mark}\\]*)*{mark * 3}"
        rf"|{mark}[^\n{mark}\\]*(?:\\.[^\n{mark}\\]*)*{mark}"
        for mark in "'\""
    )
    + ")",
    re.DOTALL,
)


def comments(language: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what a reader reads as prose: comments, docstrings, texts in quotes."""
    if language == "python":
        at = read = 0
        for token in QUOTED.finditer(text):
            at, read = at + text.count("\n", read, token.start()), token.start()
            if token[0][0] == "#":
                yield at, token[0]
            elif token[0][0] not in "bB":
                inside = token[0].strip("\"'rfuRFU")
                session = False  # an example and its output, which are checked as a session
                for number, line in enumerate(inside.split("\n"), start=at):
                    session = line.lstrip().startswith(">>>") or (session and bool(line.strip()))
                    if not session:
                        yield number, line
        return
    if language == "pycon":
        for number, line in enumerate(text.split("\n")):
            if line.lstrip().startswith((">>>", "...")) and "#" in line:
                yield number, line[line.index("#") :]
        return
    if language in WHOLE:
        yield from enumerate(text.split("\n"))
        return
    marks = (
        r"#.*" if language in {"bash", "yaml", "toml", "make", "ini"} else r"//.*|/\*.*|^\s*\*.*"
    )
    for number, line in enumerate(text.split("\n")):
        if found := re.search(marks, line):
            yield number, found[0]
        for said in re.findall(r"\"(?:[^\"\\]|\\.)*\"|(?:\becho|\bprintf) .*", line):
            yield number, said
            if said.startswith("printf") and "%" in said:
                yield number, _filled(said)


def _filled(command: str) -> str:
    """Return what printf says of the words behind its form: printf '%s ms' 12."""
    with suppress(ValueError):
        _, form, *words = shlex.split(command)
        for word in words:
            form = re.sub(r"%[-+ #0-9.]*[sdifgeu]", word.replace("\\", r"\\"), form, count=1)
        return form
    return ""


TEMPLATE = re.compile(r"\{|%0")


# A figure of data with its key before it, and the unit that another key gives.
PAIR = re.compile(
    r"[\"']?([\w/%-]+)[\"']?\s*[:=]\s*\[?\s*[\"']?(~?-?\d[\d.,_]*(?:[eE][+-]?\d+)?)(?![\w.])"
)
TIMED = re.compile(r"(?:^|_)(?:times?|elapsed|duration|speed|fps)$|(?<!learning_)(?<!sample_)rate$")
UNIT = re.compile(r"[\"']?\bunits?[\"']?\s*[:=]\s*[\"']?([^\"',}\n]+)")


def figures(language: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what) of the figures of a data file whose key, unit or column is a quantity."""
    rows = text.split("\n")
    if language == "csv":
        heads = [numbers.HEAD.search(h) or numbers.QUANTITY.search(h) for h in _cells(rows[0])]
        for line, row in enumerate(rows[1:], start=1):
            for head, cell in zip(heads, _cells(row), strict=False):
                if head and numbers.BARE.fullmatch(cell):
                    yield line, f"{cell} in a column of {head[0]!r}"
        return
    if language == "text":
        yield from _logged(rows)
    unit = next((u for u in UNIT.findall(text) if numbers.typed(f"2 {u.strip()}")), None)
    remarks = re.findall(r"^\s*[#;] *(.*)", text, re.MULTILINE)
    headed = next((said for said in remarks if numbers.RATE.search(said)), "")
    for line, row in enumerate(rows):
        for key, value in PAIR.findall(row):
            if numbers.QUANTITY.search(key) or TIMED.search(key) or numbers.ALONE.fullmatch(key):
                yield line, f"{value} under {key!r}"
            elif unit and key in {"value", "median", "mean", "best", "min", "max", "result"}:
                yield line, f"{value} beside its unit {unit!r}"
            elif headed:
                yield line, f"{value} below {headed!r}"


# A line of a log: a time of day or of a start, a time as shells print it, a name and its figure.
LOGGED = re.compile(
    r"\b\d{1,2}:\d\d(?::\d\d)?[.,]\d|^\W*\d+[.,]\d+\W|\b\d+m\ ?\d+(?:[.,]\d+)?s\b"
    r"|\b(?:elapsed|took|time|real|user|sys|wall)\b\D{0,12}\d"
)
NAMED = re.compile(r"[ \t]*[A-Za-z][\w ()/+-]*?[ \t:=|,]+(\d+\.\d+|\d{2,})[ \t|]*")


def _logged(rows: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, what) of a text that looks as if a program had noted figures in it."""
    named = [line for line, row in enumerate(rows) if NAMED.fullmatch(row)]
    headed = next(
        (unit for row in rows for unit in row.split() if numbers.ALONE.fullmatch(unit)), ""
    )
    for line, row in enumerate(rows):
        if found := LOGGED.search(row):
            yield line, f"{found[0].strip()!r}, as of a log,"
        elif line in named and (len(named) > 1 or headed):
            yield line, f"{row.strip()!r}, as of a run,"


# What nobody gives a model to compute with, as a bandwidth or a latency.
MEASURED = re.compile(r"(?:^|_)(?:[gmtk]i?bp?s|[gmt]?flops|[numµ]s)$")
FIGURE = "a number that its own line gives, under the name of a measured quantity"
COMPUTED = "compute it, or measure it; or give its source or worked: in a comment on the line"


def echoes(tree: ast.AST, rows: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line from 0, what, mend) of code that gives a number as if it had been measured."""
    for node in walk(tree):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value:
            names = [name_of(target).lower() for target in targets if target]
            at = node.lineno - 1
            if any(_given(name, node.value) for name in names) and not _founded(
                rows[at] if at < len(rows) else ""
            ):
                yield at, FIGURE, COMPUTED
        elif isinstance(node, ast.keyword) and node.arg and MEASURED.search(node.arg):
            at = node.value.lineno - 1
            if _number(node.value) and not _founded(rows[at] if at < len(rows) else ""):
                yield at, FIGURE, COMPUTED
        elif isinstance(node, ast.Dict):
            for key, figure in zip(node.keys, node.values, strict=True):
                name = key.value if isinstance(key, ast.Constant) else None
                if isinstance(name, str) and MEASURED.search(name) and _number(figure):
                    if not _founded(rows[figure.lineno - 1]):
                        yield figure.lineno - 1, FIGURE, COMPUTED
        elif isinstance(node, ast.FunctionDef):
            body = [statement for statement in node.body if not idle(statement)]
            only = body[0] if len(body) == 1 else None
            value = getattr(only, "value", None)
            asked = [argument.arg for argument in node.args.args][::-1]
            defaults = dict(zip(asked, node.args.defaults[::-1], strict=False))
            given = defaults.get(getattr(value, "id", ""), value)
            at = node.lineno - 1
            for name, default in defaults.items():
                if MEASURED.search(name) and _number(default) and not _founded(rows[at]):
                    yield default.lineno - 1, FIGURE, COMPUTED
            if isinstance(only, ast.Return) and given and _number(given, math.inf):
                mend = "compute it, or give the number a name"
                yield node.lineno - 1, "a function that returns a number, and computes none", mend


def _number(node: ast.expr, small: float = 9) -> bool:
    """Whether an expression is made of numbers alone, of which one is no small count."""
    inside = list(walk(node))
    known = ast.Constant | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop | ast.List
    known |= ast.Tuple | ast.expr_context
    plain = all(isinstance(n, known) or (_rounds(n)) for n in inside)
    values = [_read(n.value) for n in inside if isinstance(n, ast.Constant)]
    figures = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    large = any(v % 1 or abs(v) > small for v in figures)
    return plain and large and len(figures) == len(values)


def _read(value: object) -> object:
    """Return the number of a text, as int("4100") reads it."""
    return float(value) if isinstance(value, str) and PLAIN_NUMBER.fullmatch(value) else value


PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def _rounds(node: ast.AST) -> bool:
    """Whether a node is a call that gives a number back, or the name of such a one."""
    if isinstance(node, ast.Call):
        return name_of(node.func) in ROUNDS
    if isinstance(node, ast.keyword | ast.Attribute):
        return isinstance(node, ast.keyword) or node.attr in ROUNDS
    return isinstance(node, ast.Name) and node.id in {*ROUNDS, *OF}


# Who a figure is of, where two are compared: ours and somebody's library.
SIDE = re.compile(
    r"(?:^|[_\W])(?:ours?|theirs?|cu(?:blas|dnn|fft|sparse)\w*|cub|cutlass|nccl)(?:$|[_\W])",
    re.IGNORECASE,
)
# A device as the name of a table, and a name that says a figure itself: copy_4100_gb_per_second.
CARD = re.compile(rf"_?(?:{worked.CARDS}|T4)", re.IGNORECASE)
HARDWARE = re.compile(
    r"(?i)(?:^|_)(?:sms?|(?:multi)?processors?|clocks?|cores?|bandwidth|latency|memory|registers?|l1|l2"
    r"|warps?|threads?|shared|cache|peak|capability|name|hz|nvlink|pcie)(?:$|_)"
)
SPELLED = re.compile(
    r"(?:^|_)\d+_?(?:[gtmk]i?b(?:_(?:per|a)_s\w*|ps|_?s)|[gtmp]?flops?|[mun]s"
    r"|(?:milli|micro|nano)s\w*|(?:times|x)_(?:as_)?(?:fast|quick|slow))(?:_|$)",
    re.IGNORECASE,
)
# What says an object as it likes, and not as it is.
SAYS_ITSELF = {"__repr__", "__str__", "__format__"}
DATA = ast.Constant | ast.UnaryOp | ast.unaryop | ast.List | ast.Tuple | ast.Dict | ast.expr_context
HOLDS = {"dict", "zip", "list", "tuple", "int", "float", "loads", "Decimal", "array", "namedtuple"}
HOLDS |= {
    "split",
    "splitlines",
    "strip",
    "map",
    "values",
    "SimpleNamespace",
    "round",
    "asarray",
    "json",
    "np",
    "numpy",
    "decimal",
    "types",
}


def sided(tree: ast.AST, rows: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line from 0, what, mend) of figures that code gives to two sides, or says otherwise.

    ``{"ours": 712, "cublas": 688}`` is no result of a run, whatever holds it.
    """
    typed: set[str] = set()  # names of what was given as it stands, or taken out of such
    for node in walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.ClassDef) and _sides(node, typed):
            if not _founded(rows[node.lineno - 1]):
                yield node.lineno - 1, FIGURE, COMPUTED
        elif isinstance(node, ast.FunctionDef) and node.name in SAYS_ITSELF:
            if any(map(_own_digits, _told(node))):
                what = f"a {node.name} with a number of its own, which an output then shows"
                yield node.lineno - 1, what, "print what the object holds, and compute it"
        elif isinstance(node, ast.FunctionDef) and _table_of(node):
            yield node.lineno - 1, FIGURE, COMPUTED
        elif isinstance(node, ast.keyword) and node.arg == "formatter":
            what = "an output in a form of the page's own, which may be another number"
            yield node.value.lineno - 1, what, "print the numbers as they are"
        name = getattr(node, "name", None) or getattr(node, "id", None)
        if isinstance(name, str) and SPELLED.search(name):
            yield getattr(node, "lineno", 1) - 1, f"{name} says a figure in its name", COMPUTED


def _asks(text: str) -> bool:
    """Whether a text has a word that ``sided`` looks for, which few have."""
    return SIDED.search(text) is not None or any(map(_quantity, DEFINES.findall(text)))


SIDED = re.compile(
    rf"{SIDE.pattern}|__(?:repr|str|format)__|formatter|{CARD.pattern}\s*=|{SPELLED.pattern}",
    re.IGNORECASE,
)
DEFINES = re.compile(r"\bdef (\w+)")


def _told(node: ast.FunctionDef) -> Iterator[object]:
    """Yield the constants of what a function says, and not those of its formats and indices."""
    inside = [inner for part in node.body for inner in walk(part)]
    forms = [n.format_spec for n in inside if isinstance(n, ast.FormattedValue) and n.format_spec]
    forms += [n.slice for n in inside if isinstance(n, ast.Subscript)]
    formal = {id(part) for form in forms for part in walk(form)}
    for inner in inside:
        if isinstance(inner, ast.Constant) and id(inner) not in formal:
            yield inner.value


def _own_digits(value: object) -> bool:
    return _figure(value) or bool(isinstance(value, str) and re.search(r"(?<![\w{.:])\d", value))


def _sides(node: ast.Assign | ast.AnnAssign | ast.ClassDef, typed: set[str]) -> bool:
    """Whether a statement holds figures alone, and names whose they are; or is of a device.

    ``typed`` gets the names that a statement gives to figures alone.
    """
    if isinstance(node, ast.ClassDef):
        given = [part for part in node.body if isinstance(part, ast.Assign | ast.AnnAssign)]
        if len(given) < 2:
            return False
        parts = [part for one in given for part in walk(one)]
        device = False
    else:
        parts = list(walk(node))
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        device = isinstance(node.value, ast.Dict) and any(
            CARD.fullmatch(name_of(target)) for target in targets
        )
    names, figures_ = [], 0
    loops = [part.target for part in parts if isinstance(part, ast.comprehension)]
    each = {n.id for target in loops for n in walk(target) if isinstance(n, ast.Name)}
    for part in parts:
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.append(part.id)
        elif isinstance(part, ast.keyword) and part.arg:
            names.append(part.arg)
        elif isinstance(part, ast.Call) and name_of(part.func) not in HOLDS:
            return False
        elif isinstance(part, ast.Name) and part.id in typed:
            figures_ += 2
        elif isinstance(part, ast.Name) and part.id not in HOLDS | each:
            return False
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            names.append(part.value)
            figures_ += len(re.findall(r"(?<![\w.])\d\d[\d.]*|\d\.\d", part.value))
        elif isinstance(part, ast.Constant) and _figure(part.value):
            figures_ += 1
        elif isinstance(part, ast.BinOp | ast.Compare | ast.Lambda):
            return False
    if figures_ > 1:
        typed |= {name for name in names if name.isidentifier()} - each
    device = device and not any(map(HARDWARE.search, names))
    return figures_ > 1 and (device or any(map(SIDE.search, names)))


def _table_of(node: ast.FunctionDef) -> bool:
    """Whether a function gives one of the figures that it holds, as a lookup does."""
    given = [part.value for part in walk(node) if isinstance(part, ast.Return)]
    if not all(given):
        return False
    held = [leaf for value in given if value for leaf in _leaves(value)]
    figures_ = [leaf.value for leaf in held if isinstance(leaf, ast.Constant)]
    plain = [value for value in figures_ if type(value) in {int, float}]
    asked = [
        n.value for n in walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    if not (_quantity(node.name) or any(map(SIDE.search, asked))):
        return False
    return len(held) > 1 and len(plain) == len(held) and any(map(_figure, plain))


def _figure(value: object) -> bool:
    """Whether a constant is a number that is no small count."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) > 9


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression may give: the values of a table, the sides of a condition."""
    if isinstance(node, ast.IfExp):
        yield from (*_leaves(node.body), *_leaves(node.orelse))
    elif isinstance(node, ast.Subscript):
        yield from _leaves(node.value)
    elif isinstance(node, ast.Call) and name_of(node.func) == "get":
        table = node.func.value if isinstance(node.func, ast.Attribute) else ast.Constant(None)
        yield from (leaf for part in (table, *node.args[1:]) for leaf in _leaves(part))
    elif isinstance(node, ast.Dict):
        yield from (leaf for value in node.values for leaf in _leaves(value))
    elif isinstance(node, ast.List | ast.Tuple):
        yield from (leaf for value in node.elts for leaf in _leaves(value))
    else:
        yield node


ROUNDS = {"round", "float", "int", "abs", "max", "min", "sum", "array", "asarray", "tensor"}
OF = {"np", "numpy", "cp", "torch", "datetime", "decimal", "fractions", "pd"}
ROUNDS |= {"timedelta", "Decimal", "Fraction", "float32", "float64", "Series"}


def _given(name: str, node: ast.expr) -> bool:
    """Whether a name of a quantity gets a constant number, or one with a unit several, or random.

    Several times may be what an example computes with, and a speed that of a star.
    """
    if ROWS.search(name) and _table(node):
        return True
    if CALLED_UNIT.search(name) and isinstance(
        node, ast.Dict | ast.List | ast.Tuple
    ):  # and no one setting
        values = node.values if isinstance(node, ast.Dict) else node.elts
        plain = [getattr(value, "value", None) for value in values]
        if len(plain) > 1 and all(type(value) in {int, float} for value in plain):
            return not all(_round(value) for value in plain if value is not None)
    if isinstance(node, ast.Dict):  # a table of them; of whole numbers it may be a model's
        parts = [value for value in node.values if _number(value, math.inf)]
        if PACES.search(name) and all(isinstance(_word(key), str) for key in node.keys):
            return sum(map(_number, node.values)) > 1  # and whose each is, in words
        return bool(parts) and (TIMED.search(name) or numbers.QUANTITY.search(name)) is not None
    random = any(name_of(n) in RANDOM for n in walk(node) if isinstance(n, ast.expr))
    if numbers.QUANTITY.search(name):
        return random or _number(node)
    single = not isinstance(node, ast.List | ast.Tuple)
    return single and TIMED.search(name) is not None and _number(node)


def _round(value: float) -> bool:
    """Whether a number is one that an example chooses: a power of two, of ten, or a few of it."""
    return value < 10 or (isinstance(value, int) and (value & (value - 1) == 0 or value % 10 == 0))


# A name that is a unit: MICROSECONDS, gigabytes_per_second.
CALLED_UNIT = re.compile(
    r"(?i)(?:^|_)(?:(?:milli|micro|nano|pico)?seconds?|micros|millis|nanos|(?:giga|mega|tera)?flops"
    r"|(?:kilo|mega|giga|tera)?bytes?_(?:per|a|each)_(?:second|cycle)|watts?|joules?|cycles|ticks"
    r"|per_?cent|fps|(?:mega|giga)?hertz|[mun]s|gbps|gb_s)$"
)
PACES = re.compile(
    r"(?:^|_)(?:rates|speeds|times|latenc(?:y|ies)|bandwidths?|throughputs?|seconds|durations|scores"
    r"|[mnu]s|gbps|gbs|gb_s|tflops|gflops|cycles|paces?)$"
)


def _word(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


ROWS = re.compile(r"(?:^|_)(?:runs|timings|results|measured|measurements|benchmarks?)$")
RANDOM = {"random", "gauss", "normal", "uniform", "normalvariate", "default_rng", "lognormvariate"}


def _echoed(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, what, mend) of a session's line that says a number which the page gave.

    ``rate = 957.2`` and then ``>>> rate``: what looks like a result is what somebody typed. So is a
    row of a table that a loop prints as it stands, or whose loop calls its figures by a quantity.
    """
    given: dict[str, int] = {}  # names, and how often they were bound
    tables: dict[str, tuple] = {}  # of figures, and where they were given
    for one in blocks:
        if one.language not in {"python", "pycon"}:
            continue
        with suppress(SyntaxError, ValueError):
            for tree, line in _trees(one):
                for node in walk(tree):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                        given[node.id] = given.get(node.id, 0) + 1
                for statement in tree.body:
                    said = getattr(statement, "value", None)
                    if isinstance(statement, ast.Assign) and said and _table(said):
                        tables[name_of(statement.targets[0])] = one, line + statement.lineno - 1
                    for name in _recited(statement, tables.keys() & given.keys()):
                        if given[name] != 1:
                            continue
                        what = f"{name} is said as a result, and a line above gave it"
                        yield one, line + statement.lineno - 1, what, COMPUTED
                    for name in _measured_rows(statement, tables.keys() & given.keys()):
                        if given[name] == 1:
                            yield *tables[name], FIGURE, COMPUTED
                    if isinstance(statement, ast.Assign) and said and _number(said):
                        name = name_of(statement.targets[0])
                        given[name] = 0 if given.get(name) == 1 else given.get(name, 0)
                    elif one.language == "pycon" and isinstance(statement, ast.Expr):
                        shown = said.args if isinstance(said, ast.Call) else [said]
                        if isinstance(said, ast.Call) and name_of(said.func) != "print":
                            continue
                        for name in {n.id for n in shown if isinstance(n, ast.Name)}:
                            if given.get(name) == 0:
                                what = f"{name} is said as a result, and a line above gave it"
                                mend = "compute it, or leave the example out"
                                yield one, line + statement.lineno - 1, what, mend


# A name of a time, and what an expression may call and still be made of its numbers alone.
TOOK = re.compile(
    r"(?:^|_)(?:t|dt|t\d|tic|toc|sec|secs|seconds|elapsed|took|duration|latency|time|times|wall"
    r"|[mun]s|millis|micros|gb_?s|gbps|tb_?s|tbps|bandwidth|throughput|cycles)(?:$|_)"
)
SUMS = {"print", "round", "format", "float", "int", "max", "min", "sum", "str"}
RATED = re.compile(r"\w/s\b|\bFLOPS?\b|\btimes as\b|\bfaster\b|\bspeed-?up\b")


def _rates(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, what, mend) of a session's rate that follows from typed numbers alone."""
    if not any(b.language == "pycon" and RECKONS.search(b.text) for b in blocks):
        return
    typed: set[str] = set()  # names of numbers that somebody typed, and of what follows from them
    for one in blocks:
        if one.language not in {"python", "pycon"} or "file" in one.options:
            continue
        rows = one.text.split("\n")
        with suppress(SyntaxError, ValueError):
            for tree, line in _trees(one):
                for statement in tree.body:
                    value, at = getattr(statement, "value", None), line + statement.lineno - 1
                    if one.language == "pycon" and isinstance(statement, ast.Expr):
                        if _rate(statement.value, typed):
                            what = "a rate, or a time, of numbers that the page itself typed"
                            yield one, at, what, COMPUTED
                        continue
                    names = {n.id for n in walk(statement) if isinstance(n, ast.Name)}
                    if isinstance(statement, ast.Assign) and value and not _founded(rows[at]):
                        own = {name_of(target) for target in statement.targets}
                        typed -= own
                        if _plain(value, typed):
                            typed |= own
                    else:
                        typed -= names


RECKONS = re.compile(r"^\s*>>> [^#\n]*/|^\s*>>> [^#\n]*\*", re.MULTILINE)


def _plain(node: ast.expr, typed: Set[str]) -> bool:
    """Whether an expression is made of numbers and of names for typed ones."""
    known = ast.Constant | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop | ast.expr_context
    inside = list(walk(node))
    names = [n.id for n in inside if isinstance(n, ast.Name)]
    figures_ = [n.value for n in inside if isinstance(n, ast.Constant)]
    if not all(isinstance(n, known | ast.Name) for n in inside) or not typed >= set(names):
        return False
    return bool(inside) and all(isinstance(v, int | float) for v in figures_)


def _rate(node: ast.expr, typed: Set[str]) -> bool:
    """Whether an expression computes a rate or a time, and all that it is made of was typed."""
    inside = list(walk(node))
    sums = [n for n in inside if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.Mult)]
    names = {n.id for n in inside if isinstance(n, ast.Name)} - SUMS
    if (
        not sums
        or not names
        or not names <= typed
        or any(isinstance(n, ast.Lambda) for n in inside)
    ):
        return False
    if any(isinstance(n, ast.Call) and name_of(n.func) not in SUMS for n in inside):
        return False
    said = " ".join(str(n.value) for n in inside if isinstance(n, ast.Constant))
    return any(map(TOOK.search, names)) or RATED.search(said) is not None


def _table(node: ast.expr) -> bool:
    """Whether an expression is a table of constants, with a figure that is no whole number."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Dict):
        return False
    kinds = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp | ast.USub | ast.Load
    inside = list(walk(node))
    figures = [n.value for n in inside if isinstance(n, ast.Constant)]
    words = any(isinstance(value, str) for value in figures)  # which name what was measured
    broken = any(isinstance(value, float) and value % 1 for value in figures)
    return words and broken and all(isinstance(n, kinds) for n in inside)


def _recited(statement: ast.stmt, tables: Set[str]) -> Iterator[str]:
    """Yield the tables that a loop prints row by row, and computes nothing from."""
    if not (tables and isinstance(statement, ast.For)):
        return
    inside = [inner for part in statement.body for inner in walk(part)]
    computes = any(isinstance(n, ast.BinOp | ast.Compare | ast.Assign | ast.If) for n in inside)
    calls = [n for n in inside if isinstance(n, ast.Call)]
    if not computes and calls and all(name_of(n.func) in SAYS for n in calls):
        yield from {n.id for n in walk(statement.iter) if isinstance(n, ast.Name)} & tables


SAYS = {"print", "format", "str", "repr", "round", "ljust", "rjust", "join"}


def _measured_rows(statement: ast.stmt, tables: Set[str]) -> Iterator[str]:
    """Yield the tables whose figures a loop calls by a measured quantity: for name, ms in runs."""
    for node in walk(statement) if tables else ():
        if isinstance(node, ast.For | ast.comprehension):
            targets = [n.id for n in walk(node.target) if isinstance(n, ast.Name)]
            if any(map(_quantity, targets)):
                yield from {n.id for n in walk(node.iter) if isinstance(n, ast.Name)} & tables


def _quantity(name: str) -> bool:
    """Whether a name is that of a measured quantity, or of its unit alone."""
    return any(p.search(name) for p in (MEASURED, TIMED, numbers.QUANTITY))


ALIAS = re.compile(
    r"^(?:>>> )?\w+ = [+\w.()]*\w[.\w():\[\]]*$|(?:tol|abs|rel)=[A-Za-z_]"
    r"|^(?:>>> )?\w*(?:expected|reference|want|truth|correct|oracle|golden|right|answer)\w* = .*\("
    r"|(?:array_equal\(|allclose\(|assert_\w+\(|assert ).*\[\d+:\]|assert .*\[[^]]*[<>!=].*\ball\("
    r"|copyto\(|\[(?::|\.\.\.)\] = \w+$|argmin\(|argsort\(|nonzero\(|argwhere\(|sorted\(|clip\("
    r"|minimum\(|norm\(|^\w+ = (?:[\w.()]+ (?:-|==) [\w.()]+|(?:np\.)?abs\(.* - .*)$",
    re.MULTILINE,
)


def _compared(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, what, mend) of comparisons with another name of the same thing."""
    if not any(ALIAS.search(one.text) for one in blocks if one.language in {"python", "pycon"}):
        return
    places: dict[int, tuple] = {}
    body: list[ast.stmt] = []
    for one in blocks:
        if one.language in {"python", "pycon"} and "file" not in one.options:
            with suppress(SyntaxError, ValueError):
                for tree, line in _trees(one):
                    body += tree.body
                    places |= {id(node): (one, line) for node in walk(tree)}
    whole = ast.Module(body, [])
    inside = [node for node in walk(whole) if node is not whole]
    for node, what, mend in (*aliased(whole, inside), *loose(whole, inside)):
        one, line = places[id(node)]
        yield one, line + getattr(node, "lineno", 1) - 1, what, mend


def _compared_in_tests(blocks: list) -> Iterator[tuple]:
    """Yield the same of the test functions of a block, each by itself."""
    for one in blocks:
        if one.language == "python" and re.search(r"^def test", one.text, re.MULTILINE):
            with suppress(SyntaxError, ValueError):
                for test in parse(one.text).body:
                    if isinstance(test, ast.FunctionDef) and test.name.startswith("test"):
                        whole, inside = ast.Module(test.body, []), list(walk(test))
                        for found in (aliased(whole, inside), loose(whole, inside)):
                            for node, what, mend in found:
                                yield one, getattr(node, "lineno", 1) - 1, what, mend


def _repeated(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, number) of a session's time or rate that a block above has as it is."""
    before = ""
    for one in blocks:
        if one.language == "pycon":
            for example in examples(one.text, lambda *what: None):
                for number in numbers.typed(example.want) if example.exc_msg is None else ():
                    digits = re.search(r"\d+\.\d+|\d{3,}", number)
                    if not digits or "%" in number or not digits[0].strip("0."):
                        continue
                    if re.search(rf"(?<![\w.]){re.escape(digits[0])}(?![\w.])", before):
                        yield one, example.lineno, number
                before += example.source
        elif one.language != "output":
            before += one.text


def _recited_text(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, words) of a session's figures that a text above holds as they are."""
    sessions = [one.text for one in blocks if one.language == "pycon"]
    if not any(TOLD.fullmatch(row.strip()) for text in sessions for row in text.split("\n")):
        return
    held: set[str] = set()
    for one in blocks:
        if one.language == "pycon":
            for example in examples(one.text, lambda *what: None):
                recites = held and example.exc_msg is None and _recites(example.source)
                rows = example.want.split("\n") if recites else ()
                for row in (" ".join(row.split()) for row in rows):
                    if row in held:
                        yield one, example.lineno, row
                        break
        if one.language in {"python", "pycon"} and "\\n" in one.text or '"""' in one.text:
            with suppress(SyntaxError, ValueError):
                for tree, _ in _trees(one):
                    for node in walk(tree):
                        said = node.value if isinstance(node, ast.Constant) else None
                        if isinstance(said, str) and ">>>" not in said:
                            rows = [" ".join(row.split()) for row in said.split("\n")]
                            held |= {row for row in rows if TOLD.fullmatch(row)}


# Without one of these an output has no rate, no time and no ratio.
RATED_OUTPUT = re.compile(
    r"/s|\b[mnuµ]?s\b|second|times|fast|slow|per |FLOP|Hz|cycles|fold|[×x]\b|pace"
)


def _recites(source: str) -> bool:
    """Whether an example says a text as it is, or its lines."""
    with suppress(SyntaxError):
        inside = list(walk(parse(source)))
        calls = [name_of(node.func) for node in inside if isinstance(node, ast.Call)]
        return {*calls} <= SAYS | {"split", "splitlines", "strip"} and not any(
            isinstance(node, ast.BinOp | ast.Compare) for node in inside
        )
    return False


# A name and its figures, as in a row of a table.
TOLD = re.compile(r"[A-Za-z][\w .:-]*?[ :=|]+(?:(?:\d\d[\d.]*|\d\.\d+)[ |]*)+")


def _trees(one) -> Iterator[tuple[ast.Module, int]]:
    if one.language == "python":
        yield parse(one.text), 0
    else:
        for example in examples(one.text, lambda *what: None):
            with suppress(SyntaxError):
                yield parse(example.source), example.lineno


def _cells(row: str) -> list[str]:
    return [cell.strip().strip("\"'") for cell in re.split(r"[,;\t]", row)]


def typed_numbers(language: str, text: str, wrong: Wrong) -> None:
    """Refuse a measured number in a comment, a docstring or a text in quotes."""
    open_ = language not in WHOLE  # a template may stand there
    rows = text.split("\n")
    said_ = list(comments(language, text))
    if language == "python":
        said_ += texts.texts(text)
    elif language == "pycon":
        session = examples(text, lambda *what: None)
        names = texts.constants("".join(example.source for example in session))
        for example in session:
            said = texts.texts(example.source, False, names)
            said_ += ((example.lineno + n, words) for n, words in said)
    if language in {"json", "csv", "yaml", "toml", "ini", "text"}:
        for number, what in figures(language, text):
            mend = "measure it and say it on the page by key; data on a page are no measurements"
            wrong(number, f"{what} is typed in a data file", mend)
    _together(language, said_, wrong)
    for number, line in said_:
        comment = line.lstrip().startswith(("#", "//", "/*"))
        for what in _reckoned(line) if "worked:" in line else ():
            mend = "say the number that follows, or the numbers that it follows from"
            wrong(number, what, mend)
        if _founded(line) or (open_ and not comment and TEMPLATE.search(line)):
            continue  # its source stands there; or a template of what a run prints
        if stamp := forged.stamp(line.lstrip("#/* ")):
            wrong(number, f"{stamp!r} is typed, and reads like a stamp", "print what the run gives")
        printed = comment and (PRINTED.search(line) or _spoken(line, number, rows))
        if open_ and (printed := printed or GIVES.search(line)):
            mend = "show it as a session, whose output a run compares"
            wrong(number, f"{printed[0]!r} is typed, as if the code had printed it", mend)
        for found in (*numbers.typed(line), *claims.errors(line)):
            if line.startswith(("#", "//", "/*")) and _restates(found, rows[number]):
                continue
            mend = "measure it and say it on the page by key; or write its source or worked: there"
            wrong(number, f"{found!r} is typed in a comment or a text", mend)


def _together(language: str, lines_: list[tuple[int, str]], wrong: Wrong) -> None:
    """Refuse what comments and docstrings tell of a run, read as one text over their lines."""
    if language in WHOLE:
        return
    mend = (
        "measure it and say it on the page by key; or say what the code does, and not how it came"
        " out"
    )
    parts: list[list[tuple[int, str]]] = []
    for number, line in lines_:
        if not parts or number > parts[-1][-1][0] + 1 or not line.strip(" #/*"):
            parts.append([])
        parts[-1].append((number, line.strip().lstrip("#/* ")))
    for part in dict.fromkeys(map(tuple, parts)):
        text = " ".join(line for _, line in part)
        for found in (
            *verdicts.find(text, code=True),
            *told.find(text),
            *reported.told(text, code=True),
        ):
            at = next((n for n, line in part if found.split()[0] in line), part[0][0])
            wrong(at, f"{found!r} is told in a comment or a text, as of a run", mend)


# An output in a comment.
PRINTED = re.compile(
    r"^(?:#|//)+\s*(?:->|=>|=(?!=)|→|⇒|[Oo]ut(?:put)?:"
    r"|(?:[Pp]rints?|[Rr]esult|[Gg]ives|[Yy]ields|[Rr]eturns)(?:\ is)?:?\ [\d\[\"'(-]).*"
    r"|^(?:#|//)\s*(?:array\(.*\)|\[[-\d.,\ ]+\]|-?\d[\d_]*\.\d+|-?\d{2,}|True|False)\s*$"
)
# And one behind a line that prints, or right below it, with words of its own: # about 8, # 8 rows
SPEAKS = re.compile(r"\b(?:print|pprint|printf|puts|echo|println)\b|\bcout\b")
ASKED = re.compile(r"\s*>>> .*#\s*(?:about |roughly |[~≈=]\s*)?-?\d[\d.,_]*(?:e-?\d+)?\s*$")
SPOKEN = re.compile(
    r"^(?:#|//)+\s*(?:(?:[A-Za-z]+[ ,]+){0,3}(?:is|are|so|now|about|roughly|nearly|answer|result"
    r"|sum)[ ,:=]+|[~≈]\s*)?-?\d[\d.,_]*(?:e-?\d+)?(?:\s+[a-z]+){0,2}\s*[.!]?$"
)


# A call and what it is said to give, in words: total([1, 2, 3]) -> 6.0.
GIVES = re.compile(
    r"\b[A-Za-z_][\w.]*\((?=[^()]*[\d\[\"'])(?:[^()]|\([^()]*\))*\)`*,?\s*"
    r"(?:->|=>|==?|→|⇒|is|gives|returns|yields|prints|evaluates\ to|results\ in)\s*`*"
    r"(?:-?\.?\d+(?![\w(*/+ ]*\()|\[-?\d|\(-?\d|array\(|True\b|False\b)"
)


# A name that a call gives a value, and a comment that is this value.
MADE = re.compile(r"^\s*[\w.]+(?:, \w+)* = .*[\w\])]\(")
ANSWER = re.compile(r"^#\s*(?:(?:\w+ )?(?:is|=|now|gives|holds)(?: now)? )?-?\d[\d.,_]*\s*$")


def _spoken(comment: str, line: int, rows: list[str]) -> re.Match | None:
    """Return the value that a comment gives for what its own line, or the one above, prints."""
    near = rows[max(0, line - 1) : line + 1]
    if any(map(SPEAKS.search, near)) or (near and ASKED.match(near[-1])):
        return SPOKEN.search(comment)
    own = rows[line].partition("#")[0].strip() if line < len(rows) else ""
    if any(map(MADE.match, [rows[line]] if own else near[:-1])):
        return ANSWER.search(comment)
    return None


def _reckoned(line: str) -> Iterator[str]:
    """Yield what is wrong where a line gives a number, and amounts that give another one."""
    said, _, how = line.partition("worked:")
    for number in numbers.typed(said):
        if what := worked.otherwise(number, how):
            yield f"{what} for {number!r}"


def _founded(line: str) -> bool:
    """Whether a line says how its numbers follow, or names a source that a reader can open."""
    reason = re.search(r"\bworked:(.*)", line)
    if reason and not worked.unfounded("", reason[1]):
        return True
    return any(numbers.outside({"href": said}) for said in re.findall(r"https?://\S+", line))


def _restates(number: str, line: str) -> bool:
    """Whether a comment says a number of the code on its own line again: 20 ms of seconds=0.02."""
    code = line.split("#")[0].split("//")[0]
    digits = {d.replace(".", "").strip("0") for d in re.findall(r"\d[\d.]*", code)}
    said = re.search(r"\d[\d.,]*", number)
    return said is not None and re.sub(r"[.,]", "", said[0]).strip("0") in digits - {""}


# ---------------------------------------------------------------- all of them

Found = around.Found


@functools.lru_cache(maxsize=4096)
def block(
    language: str, text: str, is_file: bool = False, like_c: bool = False
) -> tuple[Found, ...]:
    """Return what is wrong with the text of a block. ``is_file``: a later block reads it.

    ``like_c``: its comments and conditions are those of C.
    """
    found: list[Found] = []

    def wrong(line: int, what: str, mend: str) -> None:
        found.append((line, what, mend))

    characters(text, wrong)
    if language == "output":  # what a run printed
        return tuple(found)
    lines(text, wrong)
    if language == "python":
        try:
            python(text, wrong, is_file)
            with suppress(SyntaxError):
                rows, tree = text.split("\n"), parse(text)
                for found_here in (
                    *echoes(tree, rows),
                    *(sided(tree, rows) if _asks(text) else ()),
                ):
                    wrong(*found_here)
        except RecursionError:
            wrong(0, "this is not Python: it is nested too deeply", "write it in smaller pieces")
            return tuple(dict.fromkeys(found))
    elif language == "pycon":
        before = ""
        for example in examples(text, wrong):
            before += example.source
            _example(example, before, wrong)
    else:
        other(language, text, wrong, like_c)
    typed_numbers(language, text, wrong)
    return tuple(dict.fromkeys(found))


def _example(example: doctest.Example, before: str, wrong: Wrong) -> None:
    try:
        tree = parse(example.source)
    except SyntaxError:
        return  # a traceback may be what is shown; a run says
    for node in walk(tree):
        for what, mend in (*vacuous(node), *meddling(node)):
            wrong(example.lineno + getattr(node, "lineno", 1) - 1, what, mend)
    rows = example.source.split("\n")
    for line, what, mend in (*echoes(tree, rows), *(sided(tree, rows) if _asks(before) else ())):
        wrong(example.lineno + line, what, mend)
    for node, what, mend in says_yes(tree) if example.want.strip() == "True" else ():
        wrong(example.lineno + getattr(node, "lineno", 1) - 1, what, mend)
    if figure := _recites_figure(tree):
        what = f"{figure!r} is printed, and the line that prints it holds it as a text"
        wrong(example.lineno, what, "compute it, or measure it and say it by key")
    if (given := FROM_TEXT.search(example.source)) and example.exc_msg is None:
        for digits in re.findall(r"\d+\.\d+|\d{3,}", example.want):
            if digits in example.source:
                what = f"{digits} is read from a text of its own line by {given[0]}...)"
                wrong(example.lineno, what, "compute it, or measure it and say it by key")
    if name := reported.printed(example.want, tree):
        what = f"{name!r} is printed, and it is a text of the line that prints it"
        wrong(example.lineno, what, "start that and print what it says, or leave its name out")
    for number in numbers.typed(example.want):
        made = re.search(r"\b(?:random|default_rng|seed)\b", before)
        if made and not number.endswith("%"):  # the share of an error may be of random data
            what = f"{number!r} is printed on a page that has it from {made[0]}"
            wrong(example.lineno, what, "measure it and say it by key")
        digits = re.search(r"\d[\d.,]*", number)
        said = example.source if example.exc_msg is not None else before
        if digits and re.search(rf"(?<![\w.]){re.escape(digits[0])}(?![\w.])", said):
            what = f"{number!r} is typed: the session prints what its own lines say"
            wrong(example.lineno, what, "compute it, or measure it and say it by key")
    _names(example.source, lambda line, what, mend: wrong(example.lineno + line, what, mend))


def _recites_figure(tree: ast.Module) -> str | None:
    """Return a decimal that a session's line prints as it stands in a text of that line."""
    for statement in tree.body:
        said = statement.value if isinstance(statement, ast.Expr) else None
        calls = isinstance(said, ast.Call) and name_of(said.func) == "print"
        for part in said.args if isinstance(said, ast.Call) and calls else [said]:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                if found := RECITED.search(part.value):
                    return found[0]
    return None


# A decimal, or a number of many digits, with words around it.
RECITED = re.compile(r"(?<=[A-Za-z:=,]\ )(?<![\w.])\d[\d,]*\.\d+(?![\w.])")
FROM_TEXT = re.compile(r"\b(?:loads|literal_eval|eval|int|float|Decimal|fromstring)\([\"']")
TAKEN = {*sys.stdlib_module_names, "sitecustomize", "usercustomize", "conftest", "pytest"}
TAKEN |= {"numpy", "numba", "torch", "cupy", "triton"}
COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


LAZY = {*UNASKED, "submit"}


def _unasked(blocks: list) -> Iterator[tuple]:
    """Yield (block, statement, name) of what runs when asked, and that no block names again."""
    texts = [one.text for one in blocks]
    for one in blocks:
        if one.language != "python" or not re.search(
            r"\blambda\b|\(.*\bfor\b|= (?:\w+\.)?(?:map|filter|submit|zip|starmap|partial)\(",
            one.text,
        ):
            continue
        try:
            body = parse(one.text).body
        except SyntaxError:
            continue
        for statement in body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            name, value = getattr(statement.targets[0], "id", None), statement.value
            lazy = isinstance(value, ast.Lambda | ast.GeneratorExp)
            lazy = lazy or (isinstance(value, ast.Call) and name_of(value.func) in LAZY)
            if name and lazy:
                if sum(len(re.findall(rf"\b{name}\b", text)) for text in texts) < 2:
                    yield one, statement, name


def _uncalled(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, what, mend) of functions of a file that nothing on the page names."""
    texts = [one.text for one in blocks]
    for one in blocks:
        if one.language != "python" or "file" not in one.options or "unrun" in one.options:
            continue
        try:
            body = parse(one.text).body
        except SyntaxError:
            continue
        for statement in body:
            kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            if not isinstance(statement, kinds) or statement.decorator_list:
                continue
            name = statement.name
            if not name.lower().startswith("test"):
                if sum(len(re.findall(rf"\b{name}\b", text)) for text in texts) < 2:
                    what = f"nothing on this page calls {name}"
                    yield one, one.numbers[statement.lineno - 1], what, "call it, or take it out"


# What a program that has timed something names.
CLOCK = re.compile(
    r"\b(?:perf_counter|monotonic|process_time|timeit|(?:get_)?elapsed_time|do_bench|benchmark|profile"
    r"|\w*clock\w*|globaltimer|MPI_Wtime|Wtime|ncu|nsys|nvidia-smi|nvml)\w*|\btime\.time\b"
)


# A model's inputs stand in its own call, by their names: rate=300e9.
NO_RATE = re.compile(r"^ours|%$")  # a loss of each side, the share of an error
MODEL = re.compile(r"\b[a-z]\w*=\d[\d.]*e-?\d+\b")


def _untimed(blocks: list) -> Iterator[tuple]:
    """Yield (block, line, number) of outputs with a time or a rate on a page that has no clock."""
    timed = False
    for one in blocks:
        timed = timed or (one.language != "output" and CLOCK.search(one.text) is not None)
        if one.language == "pycon" and not timed and RATED_OUTPUT.search(one.text):
            for example in examples(one.text, lambda *what: None):
                if example.exc_msg is None and not MODEL.search(example.source):
                    said = (n for n in numbers.typed(example.want) if not NO_RATE.search(n))
                    yield from ((one, example.lineno, number) for number in [*said][:1])
        if one.language == "output" and not timed:
            for line, said in enumerate(one.text.split("\n")):
                rates = [n for n in numbers.typed(said) if not n.startswith("ours")]  # a loss
                yield from ((one, line, number) for number in rates[:1])


def _preprocessed(blocks: list, like_c: Set[str]) -> Iterator[tuple]:
    """Yield (block, line, what, mend) of C++ and its like of which a compiler gets less."""
    files = {one.options["file"]: one.text for one in blocks if "file" in one.options}
    for one in blocks:
        says = "unrun" in one.options
        if "shown" in one.options:
            continue
        if one.language in like_c:
            others = "\n".join(other.text for other in blocks if other is not one)
            for found in preprocessed.check(one.text, files, others, says):
                yield one, *found
        elif one.language == "python" and "#" in one.text:
            for line, said in quoted(one.text):
                for at, what, mend in preprocessed.quoted(said, says):
                    yield one, line + at, what, mend


@functools.lru_cache(maxsize=4096)
def quoted(text: str) -> tuple[tuple[int, str], ...]:
    """Return the texts in quotes of some Python that have lines, each with its own, from 0."""
    try:
        return tuple(
            (node.lineno - 1, node.value)
            for node in nodes(text)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "#" in node.value
        )
    except (SyntaxError, ValueError, RecursionError):
        return ()


def of_blocks(blocks: list, root: Path, known: set, like_c: Set[str]) -> list[Mistake]:
    """Return what is wrong with the sources of a page's blocks, apart from what is ``known``.

    ``like_c``: the languages with the comments and conditions of C.
    """
    found = []
    for one in blocks:
        for line, what, mend in block(
            one.language, one.text, "file" in one.options, one.language in like_c
        ):
            at = one.numbers[line] if line < len(one.numbers) else 1
            found.append(Mistake(one.path, at, what, mend))
    for one, line, what, mend in _preprocessed(blocks, like_c):
        at = one.numbers[line] if line < len(one.numbers) else 1
        found.append(Mistake(one.path, at, what, mend))
    for one, at, what, mend in _uncalled(blocks):
        found.append(Mistake(one.path, at, what, mend))
    for one, line, what, mend in (
        *unproved.check(blocks, like_c, str(root)),
        *silent.check(blocks, like_c),
        *unread.check(blocks),
        *impostors.check(blocks),
        *uncompiled.check(blocks),
        *clocks.check(blocks, like_c),
    ):
        found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one in blocks:
        for line, what, mend in commands.look(one.text) if "run" in one.options else ():
            found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one in blocks:
        name, _, suffix = one.options.get("file", "").rpartition(".")
        if suffix == "py" and name in TAKEN:
            what = (
                f"a file {name}.py, which Python takes in the place of its own, or of a package's"
            )
            found.append(Mistake(one.path, one.numbers[0], what, "give it a name of its own"))
    for one, line, what, mend in (*_echoed(blocks), *_rates(blocks)):
        found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one, line, what, mend in (*_compared(blocks), *_compared_in_tests(blocks)):
        found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one, line, number in _repeated(blocks):
        what = f"{number!r} is printed, and stands as it is in a block above"
        mend = "compute it, or measure it and say it on the page by key"
        found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one, line, words in _recited_text(blocks):
        what = f"{words!r} is printed, and stands as it is in a text above"
        found.append(Mistake(one.path, one.numbers[line], what, COMPUTED))
    for one, line, number in _untimed(blocks):
        what = f"{number!r} is printed, and no block before it reads a clock"
        mend = "time it on the page, or print the number without its unit"
        found.append(Mistake(one.path, one.numbers[line], what, mend))
    for one, statement, name in _unasked(blocks):
        what = f"nothing asks {name}, so what it holds never ran"
        at = one.numbers[statement.lineno - 1]
        found.append(Mistake(one.path, at, what, "use it on the page, or take it out"))
    for path in dict.fromkeys(one.path for one in blocks if one.path.endswith(".py")):
        text = (root / path).read_text(encoding="utf-8")
        for line, what, mend in around.module(text):
            found.append(Mistake(path, line + 1, what, mend))
        for number, line in enumerate(text.split("\n")[:2], start=1):
            cookie = COOKIE.match(line)
            if cookie and cookie[1].lower() not in {"utf-8", "utf8"}:
                what = f"a source in {cookie[1]}, which Python reads as another text"
                found.append(Mistake(path, number, what, "save it as UTF-8, without that line"))
        for one in blocks:
            if one.path == path and one.language == "python" and one.section:
                if wrong := around.placed(text, one.numbers, one.text):
                    found.append(Mistake(path, wrong[0] + 1, *wrong[1:]))
    return [m for m in dict.fromkeys(found) if (m.path, m.line, m.what) not in known]
