"""What a shown source may not be: empty of statements, unlike what it looks, or changed elsewhere.

These rules need no run. They look at the text of a section as its reader sees it, and at the module
around it. What a run tells beyond them, which lines were executed, is in the record.
"""

import ast
import doctest
import functools
import io
import re
import tokenize
import unicodedata
from collections.abc import Callable, Iterator, Set
from pathlib import Path

from lockstep import numbers
from lockstep.mistakes import Mistake

MARKER = re.compile(r"--8<-- \[(?P<kind>start|end):(?P<name>[\w-]+)\]")

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
        tree = ast.parse(text)
    except SyntaxError as error:
        wrong((error.lineno or 1) - 1, f"this is not Python: {error.msg}", "mend the syntax")
        return
    if not defines and all(_idle(statement) for statement in tree.body):
        wrong(0, "a block without a statement", "show code that does something")
    for node in ast.walk(tree):
        # A file of its own may use the core: its reader then has it.
        for what, mend in (*_vacuous(node), *(() if defines else _meddling(node))):
            wrong(getattr(node, "lineno", 1) - 1, what, mend)
    _names(text, wrong)


def _idle(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass)


def _constant(node: ast.expr) -> bool:
    """Whether an expression has one value, whatever ran before it."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) or not isinstance(node, ast.Set)
    if isinstance(node, ast.UnaryOp):
        return _constant(node.operand)
    if isinstance(node, ast.BinOp):
        return _constant(node.left) and _constant(node.right)
    if isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.Or):
            return any(_constant(v) and _truth(v) is not False for v in node.values) or all(
                map(_constant, node.values)
            )
        return any(_constant(v) and _truth(v) is False for v in node.values) or all(
            map(_constant, node.values)
        )
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if all(map(_constant, sides)):
            return True
        same = len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1])
        # Of floats x != x is a question: whether it is a NaN.
        return same and not isinstance(node.ops[0], ast.NotEq) and not _called(sides[0])
    return isinstance(node, ast.Lambda)


def _called(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _truth(node: ast.expr) -> bool | None:
    """Return the truth of an expression, where it can be told without running it."""
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts)
    try:
        return bool(eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}))
    except Exception:
        return None


def _vacuous(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Assert) and _constant(node.test):
        yield "an assertion that cannot fail", "compare a result with what it must be"
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and _constant(node.test):
        truth = _truth(node.test)
        if truth is False or (isinstance(node, ast.If) and truth):
            yield "code behind a condition that never changes", "show only what runs"
    elif isinstance(node, ast.Try | ast.TryStar):
        for handler in node.handlers:
            if all(_shrugs(statement) for statement in handler.body):
                mend = "let it fail, or print what happened and check it"
                yield "an error that is swallowed: the block would pass without having worked", mend
            elif not _answers(handler):
                yield (
                    "a value in the place of an error: the block would pass without it",
                    ("let it fail, print the error, or note True that it came"),
                )
        for inner in (n for s in node.finalbody for n in ast.walk(s)):
            if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                yield "a finally that swallows errors", "take the return, break or continue out"
    elif isinstance(node, ast.FunctionDef) and node.name in {"__exit__", "__aexit__"}:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value and _truth(inner.value):
                yield "an error that is swallowed", "let __exit__ return nothing"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _ignored(node.value)
    elif isinstance(node, ast.With) and any(_suppresses(item) for item in node.items):
        yield "an error that is swallowed", "let it fail, or expect it with pytest.raises"
    elif isinstance(node, ast.Call):
        yield from _checks(node)


def _answers(handler: ast.ExceptHandler) -> bool:
    """Whether a handler raises, uses the error, prints, or notes no more than that it came."""
    for node in (inner for statement in handler.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Name) and node.id in {handler.name, "print"}:
            return True
    *others, last = handler.body
    value = getattr(last, "value", None)
    flag = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    return not others and isinstance(last, ast.Return | ast.Assign) and flag


PROGRAMS = {"run", "call", "Popen"}


def _ignored(call: ast.Call) -> Iterator[tuple[str, str]]:
    """Find a program that is started, and whose failure nobody sees."""
    checked = any(k.arg == "check" for k in call.keywords)
    module = getattr(getattr(call.func, "value", None), "id", "")
    name = _name(call.func)
    if module == "subprocess" and name in PROGRAMS and not checked:
        yield "a program whose failure nobody sees", "write check=True"
    elif module == "os" and name in {"system", "popen"}:
        yield "a program whose failure nobody sees", "write subprocess.run(..., check=True)"


def _shrugs(statement: ast.stmt) -> bool:
    return _idle(statement) or isinstance(statement, ast.Continue | ast.Break)


def _suppresses(item: ast.withitem) -> bool:
    return isinstance(item.context_expr, ast.Call) and _name(item.context_expr.func) == "suppress"


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def _checks(call: ast.Call) -> Iterator[tuple[str, str]]:
    name = _name(call.func)
    if name.startswith("assert_") and len(call.args) >= 2:
        first, second = (ast.dump(a) for a in call.args[:2])
        if first == second and not _called(call.args[0]):
            yield "a result that is compared with itself", "compare it with another computation"
    if name in {"allclose", "array_equal"} and len(call.args) >= 2:
        if ast.dump(call.args[0]) == ast.dump(call.args[1]) and not _called(call.args[0]):
            yield "a result that is compared with itself", "compare it with another computation"
    if name in {"exit", "_exit", "quit", "abort"}:
        yield "a call that ends Python", "let the page run on to its last block"


CORE = {"lockstep", "lockstep_site"}
# What reaches past a script into the interpreter that runs it.
INSIDES = {
    "sys": {"modules", "_getframe", "settrace", "setprofile", "addaudithook", "monitoring"},
    "inspect": {"stack", "currentframe", "getouterframes"},
    "gc": {"get_objects", "get_referrers"},
    "threading": {"settrace", "setprofile"},
}  # fmt: skip


def _meddling(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Find what would change or read the machine that runs the page."""
    what = "shown code that reaches into the machine that runs it"
    mend = "show what a reader can run in a file of their own"
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [getattr(node, "module", None) or "", *(a.name for a in node.names)]
        if any(name.split(".")[0] in CORE for name in names):
            yield "shown code imports the core, which its reader does not have", mend
        elif names[0] in INSIDES and {a.name for a in node.names} & INSIDES[names[0]]:
            yield what, mend
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in INSIDES.get(node.value.id, ()):
            yield what, mend
    elif isinstance(node, ast.Name) and node.id in {"__builtins__", "__loader__", "__spec__"}:
        yield what, mend
    elif isinstance(node, ast.Call) and _name(node.func) in {"import_module", "__import__"}:
        first = node.args[0] if node.args else None
        if not (isinstance(first, ast.Constant) and str(first.value).split(".")[0] not in CORE):
            yield "an import by name, which its reader cannot follow", "write an import statement"


def _names(text: str, wrong: Wrong) -> None:
    """Refuse names with letters that look like others."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                what = f"the name {token.string!r} has letters that look like others"
                wrong(token.start[0] - 1, what, "write names in ASCII")
    except (tokenize.TokenError, IndentationError):
        return  # ast has said it


# ---------------------------------------------------------------- other languages


SWALLOWED = "a command whose failure is swallowed"
UNSEEN = "code behind a condition that never holds"
RUNS = "show only what runs"
SHELL = (
    (r"^\s*exit(?:\s+0)?\s*(?:$|[;#])", "what stands after exit never runs", "take the exit out"),
    (r"\|\|\s*(?:true|:|exit 0|echo)\b", SWALLOWED, "let it fail"),
    (r"\bset\s+\+e|\btrap\b.*\b(?:EXIT|ERR)\b", SWALLOWED, "take it out"),
    (r"\bif\s+(?:false|:|true|\[\s*\])\s*;|\bfalse\s*&&|:\s*<<", UNSEEN, RUNS),
    (r"\bfunction\s+\w+|^\s*\w+\s*\(\)\s*\{", "a function in a shell block", "show the commands"),
)
C = (
    (r"^\s*#\s*if\s+(?:0|false)\b", "code that is not compiled", "show only what is compiled"),
    (r"\b(?:if|while)\s*\(\s*(?:0|false|!1|!true)\s*\)\s*[^;\s]", UNSEEN, RUNS),
    (r"\\u[0-9a-fA-F]{4}|\?\?[=/'()!<>-]", "letters written as escapes", "write names in ASCII"),
)


def other(language: str, text: str, wrong: Wrong, like_c: bool) -> None:
    """Refuse, in shell and C++ and their like, what does not run as it looks."""
    rules: tuple[tuple[str, str, str], ...]
    if language in {"bash", "console"}:
        rules = SHELL
        commands = [r for r in text.split("\n") if r.strip() and not r.lstrip().startswith("#")]
        if not commands:
            wrong(0, "a block without a command", "show what is run")
    elif like_c:
        rules = C
        if not re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL).strip():
            wrong(0, "a block without a statement", "show code that does something")
    else:
        return
    for number, line in enumerate(text.split("\n")):
        for pattern, what, mend in rules:
            if re.search(pattern, line):
                wrong(number, what, mend)
        code = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|//.*|/\*.*|(?:^|\s)#.*", "", line)
        if rules is C and not code.isascii() and not re.match(r"\s*\*", line):
            wrong(number, "letters in code that look like others", "write names in ASCII")


# ---------------------------------------------------------------- numbers in code


def comments(language: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what a reader reads as prose: comments, docstrings, texts in quotes."""
    if language == "python":
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return
        for token in tokens:
            if token.type == tokenize.COMMENT:
                yield token.start[0] - 1, token.string
            elif token.type == tokenize.STRING and not token.string[:1].lower() == "b":
                inside = token.string.strip("\"'rfuRFU")
                if ">>>" not in inside:
                    for number, line in enumerate(inside.split("\n"), start=token.start[0] - 1):
                        yield number, line
        return
    if language == "pycon":
        for number, line in enumerate(text.split("\n")):
            if line.lstrip().startswith((">>>", "...")) and "#" in line:
                yield number, line[line.index("#") :]
        return
    marks = (
        r"#.*" if language in {"bash", "yaml", "toml", "make", "ini"} else r"//.*|/\*.*|^\s*\*.*"
    )
    for number, line in enumerate(text.split("\n")):
        if found := re.search(marks, line):
            yield number, found[0]
        elif language == "text":
            yield number, line


def typed_numbers(language: str, text: str, wrong: Wrong) -> None:
    """Refuse a measured number in a comment, a docstring or a text in quotes."""
    for number, line in comments(language, text):
        if re.search(r"https?://|\bworked:", line) or "{" in line or "%0" in line:
            continue  # its source stands there; or a template of what a run prints
        for found in numbers.typed(line):
            if line.startswith(("#", "//", "/*")) and _restates(found, text.split("\n")[number]):
                continue
            mend = "measure it and say it on the page by key; or write its source or worked: there"
            wrong(number, f"{found!r} is typed in a comment or a text", mend)


def _restates(number: str, line: str) -> bool:
    """Whether a comment says a number of the code on its own line again: 20 ms of seconds=0.02."""
    code = line.split("#")[0].split("//")[0]
    digits = {d.replace(".", "").strip("0") for d in re.findall(r"\d[\d.]*", code)}
    said = re.search(r"\d[\d.,]*", number)
    return said is not None and re.sub(r"[.,]", "", said[0]).strip("0") in digits - {""}


# ---------------------------------------------------------------- a module around its sections


def rebound(text: str, inside: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield (line, name) where a module binds a name of its sections again, outside of them.

    ``inside``: the first and last line of each section, from 1. The page would show one thing, and
    whoever imports the module would run another.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return

    def shown(line: int) -> bool:
        return any(first <= line <= last for first, last in inside)

    ours = {
        name: statement.lineno
        for statement in tree.body
        if shown(statement.lineno)
        for name in bound(statement)
    }
    for statement in tree.body:
        if shown(statement.lineno):
            for decorator in getattr(statement, "decorator_list", ()):
                if not shown(decorator.lineno):
                    yield decorator.lineno, getattr(statement, "name", "?")
            continue
        for name in sorted(set(bound(statement)) & ours.keys()):
            yield statement.lineno, name
        for node in ast.walk(statement):
            target = getattr(node, "value", None)
            stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            if stored and isinstance(node, ast.Attribute | ast.Subscript) and _root(target) in ours:
                yield node.lineno, _root(target)
            elif isinstance(node, ast.Call):
                yield from _sly(node, ours)
            elif isinstance(node, ast.Global) and set(node.names) & ours.keys():
                yield node.lineno, node.names[0]
            elif isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                yield node.lineno, "*"


def _sly(call: ast.Call, ours: dict) -> Iterator[tuple[int, str]]:
    name = _name(call.func)
    if name in {"setattr", "delattr"} and call.args and _root(call.args[0]) in ours:
        yield call.lineno, _root(call.args[0])
    elif name in {"exec", "globals", "vars", "__setitem__"} and isinstance(call.func, ast.Name):
        yield call.lineno, name
    elif name == "update" and isinstance(call.func, ast.Attribute):
        if isinstance(call.func.value, ast.Call) and _name(call.func.value.func) == "globals":
            yield call.lineno, "globals"


def _root(node) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def bound(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    found = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += [(a.asname or a.name).split(".")[0] for a in node.names]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.append(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
    return found


# ---------------------------------------------------------------- all of them

Found = tuple[int, str, str]  # the line of the text (from 0), what, how to mend it


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
        python(text, wrong, is_file)
    elif language == "pycon":
        for example in examples(text, wrong):
            _example(example, wrong)
    else:
        other(language, text, wrong, like_c)
    typed_numbers(language, text, wrong)
    return tuple(dict.fromkeys(found))


def _example(example: doctest.Example, wrong: Wrong) -> None:
    try:
        tree = ast.parse(example.source)
    except SyntaxError:
        return  # a traceback may be what is shown; a run says
    for node in ast.walk(tree):
        for what, mend in (*_vacuous(node), *_meddling(node)):
            wrong(example.lineno + getattr(node, "lineno", 1) - 1, what, mend)
    for number in numbers.typed(example.want):
        digits = re.search(r"\d[\d.,]*", number)
        if digits and re.search(rf"(?<![\w.]){re.escape(digits[0])}(?![\w.])", example.source):
            what = f"{number!r} is typed: the session prints what its own line says"
            wrong(example.lineno, what, "compute it, or measure it and say it by key")
    _names(example.source, lambda line, what, mend: wrong(example.lineno + line, what, mend))


@functools.lru_cache(maxsize=1024)
def module(text: str) -> tuple[Found, ...]:
    """Return what is wrong with a Python file around its sections."""
    inside: list[tuple[int, int]] = []
    opened: dict[str, int] = {}
    for number, written in enumerate(text.split("\n"), start=1):
        if marker := MARKER.search(written):
            if marker["kind"] == "start":
                opened[marker["name"]] = number
            elif marker["name"] in opened:
                inside.append((opened.pop(marker["name"]), number))
    if not inside:
        return ()
    found: list[Found] = []
    for line, name in rebound(text, inside):
        what = f"{name} of a section is bound or changed again, outside of every section"
        found.append((line - 1, what, "take it out, or mark it as a section and show it"))
    return tuple(dict.fromkeys(found))


COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def placed(text: str, lines: tuple[int, ...], section: str) -> Found | None:
    """Return what is wrong where a section's statements are none of its module, or conditional.

    ``lines``: for each line of the section, that of the module's text, from 1. The page would show
    one thing, and whoever imports the module would run another.
    """
    try:
        there, shown = _statements(text), ast.parse(section)
    except SyntaxError:
        return None
    for statement in shown.body:
        at = lines[statement.lineno - 1]
        kind, outer = there.get(at, (None, ()))
        if kind is not type(statement):
            what = "a section inside of a text, which the module does not run"
            return at - 1, what, "move it out of the quotes"
        if set(outer) - {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef}:
            what = "a section under a condition, which the module may not run"
            return at - 1, what, "put the markers around the whole statement"
    return None


@functools.cache
def _statements(text: str) -> dict[int, tuple[type, tuple[type, ...]]]:
    """Return, for each line that begins a statement, its kind and the kinds around it."""
    found: dict[int, tuple[type, tuple[type, ...]]] = {}
    waiting: list[tuple[ast.AST, tuple[type, ...]]] = [(ast.parse(text), ())]
    while waiting:
        node, outer = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inside = outer
            if isinstance(child, ast.stmt):
                found.setdefault(child.lineno, (type(child), outer))
                inside = (*outer, type(child))
            waiting.append((child, inside))
    return found


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
    for path in dict.fromkeys(one.path for one in blocks if one.path.endswith(".py")):
        text = (root / path).read_text(encoding="utf-8")
        for line, what, mend in module(text):
            found.append(Mistake(path, line + 1, what, mend))
        for number, line in enumerate(text.split("\n")[:2], start=1):
            cookie = COOKIE.match(line)
            if cookie and cookie[1].lower() not in {"utf-8", "utf8"}:
                what = f"a source in {cookie[1]}, which Python reads as another text"
                found.append(Mistake(path, number, what, "save it as UTF-8, without that line"))
        for one in blocks:
            if one.path == path and one.language == "python" and one.section:
                if wrong := placed(text, one.numbers, one.text):
                    found.append(Mistake(path, wrong[0] + 1, *wrong[1:]))
    return [m for m in dict.fromkeys(found) if (m.path, m.line, m.what) not in known]
