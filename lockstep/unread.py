"""Checks whose result nobody reads, and programs or tasks whose failure nobody sees.

``np.allclose(a, b)`` alone on its line compares and tells nobody; so does a program that is waited
for without a look at how it ended. And a reference that is computed from the very thing that a call
has changed agrees with it, whatever the call did. All of it is told without a run.
"""

import ast
import functools
import re
from collections.abc import Iterator
from contextlib import suppress

from lockstep.mistakes import kinds, nodes, parse, walk
from lockstep.unproved import KEEPS
from lockstep.vacuous import (
    CALLED,
    COMPARES,
    MODULES,
    TASKS,
    _distance,
    _sides,
    name_of,
    root_of,
    task,
)

Found = tuple  # (block, line from 0, what, how to mend it)

CHECKS = (CALLED | COMPARES) - {"sum", "approx"}
CHECKS |= {"isnan", "isinf", "issuperset", "isdisjoint", "compare_digest", "cmp", "is_dir"}
CHECKS |= {"isinstance", "issubclass", "hasattr", "callable", "wasSuccessful"}
WRAPS = {"bool", "int", "str", "repr", "float"}
RAISES = {"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns"}
SAYS = {"print", "info", "debug", "warning", "warn", "error", "log"}
ASSERT = "write assert before it, or show it as a session with what it gives"
# Only texts with one of these words are looked at for programs and tasks.
STARTS = re.compile(
    r"\b(?:subprocess|from os import|Popen|os\.(?:system|popen|spawn|posix_spawn|wait)|getoutput"
    r"|unittest|doctest"
    rf"|pytest\.main|multiprocessing|Process\(|futures|asyncio|{'|'.join(sorted(TASKS))}"
    r"|i?map_async|imap\w*|PYTHONOPTIMIZE|python[\d.]* -)|[\"']-\w*O\w*[\"']"
)


def check(blocks: list) -> Iterator[Found]:
    """Yield what is wrong with the blocks of a page."""
    python = [one for one in blocks if one.language == "python"]
    with suppress(SyntaxError):  # each block is told of its own
        yield from _unread(blocks, python)
        yield from _unlooked(blocks, python)
        yield from _in_place(blocks, python)


def _is_check(node: ast.AST | None, predicates: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether an expression asks something whose answer is yes or no."""
    match node:
        case ast.Compare():
            return True
        case ast.UnaryOp(op=ast.Not(), operand=inner) | ast.NamedExpr(value=inner):
            return _is_check(inner, predicates)
        case ast.BoolOp(values=values):
            return any(_is_check(value, predicates) for value in values)
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in WRAPS:
            return _is_check(inner, predicates)
        case ast.Call(func=func):
            return name_of(func) in CHECKS or name_of(func) in predicates
    return False


def _asks(node: ast.AST | None, predicates: set[str]) -> bool:
    """Whether a check is among what an expression puts together: in a text, a list, a choice."""
    match node:
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_asks(part, predicates) for part in parts)
        case ast.FormattedValue(value=inner) | ast.IfExp(test=inner):
            return _is_check(inner, predicates)
        case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
            return _is_check(inner, predicates)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _asks(left, predicates) or _asks(right, predicates)
    return _is_check(node, predicates)


ANSWERS = re.compile(r"\breturn\b|\blambda\b")


def _predicates(python: list) -> set[str]:
    """Return the functions of a page that return the answer of a check, and nothing else."""
    found: set[str] = set()
    for one in python:
        if not ANSWERS.search(one.text):
            continue
        for node in kinds(one.text, ast.FunctionDef, ast.Assign):
            if isinstance(node, ast.FunctionDef):
                told = _told(node)
                if not told or not all(
                    _is_check(v, found) or isinstance(v, ast.Name) for v in told
                ):
                    continue
                kept = {
                    name_of(target)
                    for statement in node.body
                    if isinstance(statement, ast.Assign) and _is_check(statement.value, found)
                    for target in statement.targets
                }
                if all(_is_check(v, found) or name_of(v) in kept for v in told):
                    found.add(node.name)
            elif isinstance(node.value, ast.Lambda) and _is_check(node.value.body, found):
                found |= {name_of(target) for target in node.targets}
    return found


def _told(function: ast.FunctionDef) -> list[ast.expr]:
    """Return what a function returns, at the end of its body or of a branch in it."""
    found: list[ast.expr] = []
    left: list[ast.stmt] = [*function.body]
    while left:
        statement = left.pop()
        if isinstance(statement, ast.Return) and statement.value:
            found.append(statement.value)
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                left += getattr(statement, name, ())
    return found


def _loaded(blocks: list) -> set[str]:
    """Return the names that a page reads: not those that it only fills."""
    return set().union(*(_reads(text) for one in blocks for text in _code(one)))


@functools.lru_cache(maxsize=4096)
def _reads(text: str) -> frozenset[str]:
    found: set[str] = set()
    filled: set[int] = set()
    for node in nodes(text):  # what is around comes first
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and id(node) not in filled:
                found.add(node.id)
        elif isinstance(node, ast.Subscript | ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                filled.add(id(node.value))
            elif isinstance(node, ast.Attribute) and id(node) not in filled:
                found.add(node.attr)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            if isinstance(func, ast.Attribute) and func.attr in KEEPS:
                filled.add(id(func.value))
    return frozenset(found)


def _code(one) -> Iterator[str]:
    """Yield the Python of a block, where it is some."""
    if one.language in {"python", "pycon"}:
        text = one.text if one.language == "python" else _source(one.text)
        with suppress(SyntaxError, ValueError):
            parse(text)
            yield text


def _source(text: str) -> str:
    """Return the code of a session, each line where it stands, and nothing in the others."""
    rows = text.split("\n")
    code = [row.lstrip()[4:] if row.lstrip()[:3] in {">>>", "..."} else "" for row in rows]
    return "\n".join(code)


def _unread(blocks: list, python: list) -> Iterator[Found]:
    """Yield the checks of which nobody reads the answer."""
    predicates = _predicates(python)
    kept: list[tuple] = []  # (block, node, name) of answers that have one
    for one in blocks:
        if one.language == "pycon":
            if re.search(r"^\s*>>> \w+ = ", one.text, re.MULTILINE):
                for text in _code(one):
                    kept += _kept(one, text, predicates)
            continue
        if one.language != "python" or {"shown", "unrun"} & one.options.keys():
            continue
        expected: set[int] = set()  # what must raise
        if "raises" in one.text or "Raises" in one.text or "warns" in one.text:
            for node in kinds(one.text, ast.With):
                around = [getattr(i.context_expr, "func", i.context_expr) for i in node.items]
                if any(name_of(function) in RAISES for function in around):
                    expected |= {id(inner) for inner in walk(node)}
        after = blocks[one.index + 1 : one.index + 2]
        heard = "file" in one.options or bool(after and after[0].language == "output")
        for node in kinds(one.text, ast.Expr):
            if id(node) not in expected:
                yield from _alone(one, node, predicates, heard)
        for node in kinds(one.text, ast.If) if not heard else ():
            if all(map(_says, [*node.body, *node.orelse])) and _is_check(node.test, predicates):
                what = "a check after which the block goes on either way"
                yield one, node.lineno - 1, what, "write assert, or raise where it fails"
        kept += _kept(one, one.text, predicates)
    if kept:
        loaded = _loaded(blocks)
        for one, node, name in kept:
            if name not in loaded:
                what = f"a check whose result nobody reads: {name}"
                yield one, node.lineno - 1, what, f"write assert {name} below it"


def _alone(one, node: ast.Expr, predicates: set[str], heard: bool) -> Iterator[Found]:
    value = node.value
    if isinstance(value, ast.Call) and name_of(value.func) in SAYS:
        if not heard and any(_asks(a, predicates) for a in value.args):
            yield one, node.lineno - 1, "a check that is printed where nobody sees it", ASSERT
    elif _asks(value, predicates):
        yield one, node.lineno - 1, "a check whose result nobody reads", ASSERT


def _says(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but say something."""
    if isinstance(statement, ast.Pass):
        return True
    value = getattr(statement, "value", None) if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Call) and name_of(value.func) in SAYS


def _kept(one, text: str, predicates: set[str]) -> Iterator[tuple]:
    """Yield (block, node, name) of the checks whose answer is kept, alone or among others."""
    given: set[str] | None = None  # what a function gets, and who calls it reads
    for node in kinds(text, ast.Assign, ast.AugAssign, ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for part, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(part, ast.Name) and _judges(value, predicates):
                    yield one, node, part.id
        if node.value is not None and _judges(node.value, predicates):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Subscript):
                    if given is None:
                        given = {argument.arg for argument in kinds(text, ast.arg)}
                    if root_of(target) in given:
                        continue
                if isinstance(target, ast.Name | ast.Subscript):
                    yield one, node, root_of(target)
    for node in kinds(text, ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and name_of(call.func) in KEEPS:
            if any(_is_check(a, predicates) for a in call.args):
                yield one, node, root_of(call.func)


def _judges(value: ast.expr, predicates: set[str]) -> bool:
    """Whether a value says of something how right it is: by yes or no, each, or how far off."""
    if isinstance(value, ast.ListComp):
        return _is_check(value.elt, predicates)
    if isinstance(value, ast.Call):
        of = value.args[0] if value.args else getattr(value.func, "value", None)
        if name_of(value.func) == "sum" and isinstance(of, ast.Compare):
            return True
        return _is_check(value, predicates) or (
            name_of(value.func) in {"max", "amax", "norm"} and _distance(value)
        )
    return _is_check(value, predicates)


# ---------------------------------------------------------------- programs and tasks

RUNS = {"run", "call", "Popen"}
RESULT = re.compile(r"\.(?:result|exception|get)\(|\bawait\b|\bgather\(|\bas_completed\(")
ENDED = re.compile(
    r"\.(?:returncode|check_returncode|exitcode)\b"
    r"|(?:\bassert\b|[=!]=|\bif\b|\breturn\b|\[).*\.(?:wait|poll|communicate)\("
    r"|\.(?:wait|poll)\([^)]*\)\s*(?:[=!]=)"
)
LOOKED = ("returncode", "check_returncode", "stdout", "stderr", "communicate")
WITHOUT = re.compile(r"\bPYTHONOPTIMIZE\b|\bpython[\d.]*(?: -\w+)* -[a-zA-Z]*O+[a-zA-Z]*\b")
PROGRAM = "a program whose failure nobody sees"
TESTS = "tests whose failure nobody sees"
TASK = "a task whose failure nobody sees"


def _unlooked(blocks: list, python: list) -> Iterator[Found]:
    """Yield what is started and waited for, and may fail without anybody's notice."""
    found = [one for one in python if STARTS.search(one.text)]
    if not found:
        return
    whole = "\n".join(one.text for one in blocks if one.language in {"python", "pycon"})
    loaded: set[str] = set()
    for one in found:
        loaded = loaded or _loaded(blocks)
        names = _aliases(one.text)
        alone, kept, asked = _places(one.text)
        for node in kinds(one.text, ast.List, ast.Tuple):
            if _optimized(node):
                what = "Python without its assertions: -O"
                yield one, node.lineno - 1, what, "take -O out, so that what it asserts can fail"
        for node in kinds(one.text, ast.Constant) if WITHOUT.search(one.text) else ():
            if isinstance(node.value, str) and (found_here := WITHOUT.search(node.value)):
                what = f"Python without its assertions: {found_here[0]}"
                yield one, node.lineno - 1, what, "take it out of what the program gets"
        for node in kinds(one.text, ast.Call):
            wrong = _started(node, names, alone, kept, asked, loaded, whole)
            if wrong:
                yield one, node.lineno - 1, *wrong


def _only_waits(name: str, whole: str) -> bool:
    """Whether a page says a name only where it gets it, waits for it, or asks if it is done."""
    said = len(re.findall(rf"\b{name}\b", whole))
    waits = (
        rf"\b{name}\ =(?!=)|^\s*{name}\.(?:wait|exception)\(|\b{name}\.(?:done|add_done_callback)\b"
    )
    return said == len(re.findall(waits, whole, re.MULTILINE))


def _optimized(node: ast.List | ast.Tuple) -> bool:
    words = [e.value if isinstance(e, ast.Constant) else name_of(e) for e in node.elts]
    python = any(re.fullmatch(r".*python[\d.]*|executable", str(word)) for word in words[:3])
    return python and any(re.fullmatch(r"-[a-zA-Z]*O+[a-zA-Z]*", str(word)) for word in words)


def _aliases(text: str) -> dict[str, str]:
    """Return the modules and functions that go by another name: sp for subprocess."""
    found: dict[str, str] = {}
    for node in kinds(text, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name: a.name for a in node.names}
        elif node.module:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def _places(text: str) -> tuple[set[int], dict[int, str], dict[int, str]]:
    """Return the calls that stand alone, those with a name, and those of which a part is read."""
    alone: set[int] = set()
    kept: dict[int, str] = {}
    asked: dict[int, str] = {}
    for node in nodes(text):
        if isinstance(node, ast.Expr):
            alone |= {id(node.value), id(getattr(node.value, "value", None))}
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            kept[id(node.value)] = name_of(targets[0])
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            kept[id(node.context_expr)] = name_of(node.optional_vars)
        elif isinstance(node, ast.Attribute):
            asked[id(node.value)] = node.attr
    return alone, kept, asked


def _started(
    call: ast.Call,
    names: dict[str, str],
    alone: set[int],
    kept: dict[int, str],
    asked: dict[int, str],
    loaded: set[str],
    whole: str,
) -> tuple[str, str] | None:
    """Return what is wrong with a call that starts something, and how to mend it."""
    name = name_of(call.func)
    root = root_of(call.func)
    full = names.get(root, root)
    module = full.split(".")[0]
    if isinstance(call.func, ast.Name):
        name = full.split(".")[-1]
    own = kept.get(id(call)) or None
    unread = id(call) in alone or (own is not None and own not in loaded)
    if module == "subprocess" and name in RUNS:
        if any(k.arg in {"check", None} for k in call.keywords):
            return None  # check=False is told of elsewhere
        # What it wrote is looked at where it fails, too, which is what some pages show.
        if asked.get(id(call)) in LOOKED:
            return None
        if own and re.search(rf"\b{own}\.(?:{'|'.join(LOOKED)})\b", whole):
            return None
        if name == "call" and not unread:
            return None
        if name == "Popen":
            ended = ENDED.search(whole) and not (own and _only_waits(own, whole))
            return None if ended else (PROGRAM, "assert its returncode after wait()")
        return PROGRAM, "write check=True"
    if module == "subprocess" and name in {"getoutput", "getstatusoutput"}:
        return PROGRAM, "write subprocess.run(..., check=True, capture_output=True)"
    if re.match(r"create_subprocess_(?:exec|shell)", name):
        return None if "returncode" in whole else (PROGRAM, "assert its returncode after wait()")
    kept_errors = [k for k in call.keywords if k.arg == "return_exceptions"]
    if kept_errors and not re.search(r"isinstance\(\w+, \w*(?:Exception|Error)", whole):
        return "errors that nobody looks at", "take return_exceptions out"
    if module == "os" and re.match(r"(?:system|popen|spawn|posix_spawn|wait)", name):
        return (PROGRAM, "write subprocess.run(..., check=True)") if unread else None
    if module == "multiprocessing" and name == "Process" or full.endswith(".Process"):
        return None if "exitcode" in whole else (PROGRAM, "assert that its exitcode is 0")
    if (module, name) in {("pytest", "main"), ("doctest", "testmod"), ("doctest", "testfile")}:
        return (TESTS, "assert what it returns") if unread else None
    if name == "run_docstring_examples":
        return TESTS, "show the examples as a session, which a run compares"
    quiet = [k for k in call.keywords if k.arg == "exit"]
    if module == "unittest" and name == "main" and quiet and asked.get(id(call)) != "result":
        return (TESTS, "assert .result.wasSuccessful()") if unread else None
    if module == "unittest" and name == "TestResult":
        asked_of = re.search(r"\b(?:wasSuccessful|failures|errors)\b", whole)
        return None if asked_of else (TESTS, "assert that it wasSuccessful()")
    if name == "run" and re.search(r"Runner|[Ss]uite", ast.unparse(call.func)):
        return (TESTS, "assert .wasSuccessful() of what it returns") if unread else None
    if module in {"asyncio", "concurrent"} and name in {"wait", "as_completed"}:
        if not re.search(r"\.(?:result|exception)\(", whole):
            return TASK, "ask each for its result()"
    if name == "submit" and re.search(
        rf"Executor\([^)]*\) as {root}\b|\b{root} = \S*Executor\(", whole
    ):
        if id(call) in alone or (own and _only_waits(own, whole)):
            return TASK, "keep it, and ask for its result"
    if task(call) and own and re.fullmatch(r"\w+", own) and _only_waits(own, whole):
        return TASK, "keep it, and ask for its result"
    if task(call) and not (own and re.search(rf"\b(?:await|gather\().*\b{own}\b", whole)):
        if not RESULT.search(whole.replace("as_completed(", "").replace("await asyncio.wait", "")):
            return TASK, "keep it, and ask for its result"
    return None


# ---------------------------------------------------------------- in place

IN_PLACE = "a reference that is computed from what a call has changed: it agrees whatever was done"
COPY = "keep a copy of the input from before the call, and compute the reference from that"


COMPARED = re.compile(r"\bassert|\b(?:allclose|array_equal|array_equiv|isclose|equal)\(")
Function = tuple[str, tuple[str, ...], frozenset[str], tuple[ast.Call, ...]]
Writes = dict[str, tuple[set[int], set[str]]]  # of a function: which of what it gets, and its name


@functools.lru_cache(maxsize=4096)
def _functions(text: str) -> tuple[Function, ...]:
    """Return of the functions of a text what each gets, writes into, and calls."""
    found = []
    for node in kinds(text, ast.FunctionDef, ast.Assign):
        function: ast.FunctionDef | ast.Lambda
        if isinstance(node, ast.FunctionDef):
            function, called = node, node.name
        elif isinstance(node.value, ast.Lambda):
            function, called = node.value, name_of(node.targets[0])
        else:
            continue
        names = tuple(a.arg for a in function.args.args)
        names = names[1:] if names[:1] == ("self",) else names
        if not names:
            continue
        written, bound, added, calls = set(), set(), set(), []
        for node in walk(function):
            if isinstance(node, ast.Subscript):
                if not isinstance(node.ctx, ast.Load):
                    written.add(root_of(node))
            elif isinstance(node, ast.AugAssign):
                added.add(id(node.target))
                written.add(name_of(node.target))  # of an array; a number of the caller's stays
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store) and id(node) not in added:
                    bound.add(node.id)
            elif isinstance(node, ast.Call):
                written |= {root_of(k.value) for k in node.keywords if k.arg == "out"}
                calls.append(node)
        found.append((called, names, frozenset(written - bound), tuple(calls)))
    return tuple(found)


def _writes(python: list) -> Writes:
    """Return the functions of a page that write into what they are given, and which of it."""
    found: Writes = {}
    functions = [function for one in python for function in _functions(one.text)]
    for _ in range(2):  # what a function gives on to another
        for name, places, written, calls in functions:
            more = set().union(*(_given(call, found) for call in calls)) if found else set()
            if both := {at for at, place in enumerate(places) if place in written | more}:
                found[name] = both, {places[at] for at in both}
    return found


def _given(call: ast.Call, writes: Writes) -> set[str]:
    """Return the names of what a call, or a launch of a kernel, writes into."""
    func = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and not call.args:
        return {func.value.id} if func.attr == "sort" else set()
    if not isinstance(func, ast.Name | ast.Attribute) or name_of(func) not in writes:
        return set()
    places, names = writes[name_of(func)]
    given = [a for n, a in enumerate(call.args) if n in places]
    given += [k.value for k in call.keywords if k.arg in names]
    return {root_of(a) for a in given if isinstance(a, ast.Name | ast.Subscript | ast.Attribute)}


# What leaves what it gets where it is, and gives another name for it.
VIEWS = {"asarray", "ascontiguousarray", "reshape", "ravel", "view", "squeeze", "transpose"}
VIEWS |= {"zip", "enumerate", "reversed", "list", "tuple", "iter", "values", "from_numpy"}


def _behind(node: ast.expr | None) -> set[str]:
    """Return the names of what an expression is a part, a view or a list of."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
            return _behind(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return set().union(*map(_behind, parts))
        case ast.Dict(values=parts):
            return set().union(*map(_behind, parts))
        case ast.Call(func=func, args=args) if name_of(func) in VIEWS:
            of = getattr(func, "value", None) if isinstance(func, ast.Attribute) else None
            return _behind(of).union(*map(_behind, args)) - MODULES
    return set()


class _Flow:
    """What a page has written into where, statement by statement."""

    def __init__(self, writes: Writes):
        self.writes = writes
        self.dirty: set[str] = set()  # names whose values a call has changed
        self.results: dict[str, set[str]] = {}  # of what such a call returned: what it changed
        self.after: dict[str, set[str]] = {}  # of what was computed from those since
        self.same: dict[str, set[str]] = {}  # names that share what they hold with others

    def all_of(self, names: set[str]) -> set[str]:
        """Return the names of whatever shares something with these."""
        found: set[str] = set()
        left = [*names]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.same.get(name, ())
                left += [other for other, of in self.same.items() if name in of]
        return found

    def run(self, body: list[ast.stmt]) -> Iterator[ast.AST]:
        """Go through some statements, and yield the comparisons that agree by themselves."""
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                if statement.name not in self.writes and not statement.args.args:
                    yield from _Flow(self.writes).run(statement.body)
                continue
            if isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom):
                continue
            if isinstance(statement, ast.For):
                self.share(statement.target, statement.iter)
            if getattr(statement, "body", None):
                for name in ("body", "orelse", "finalbody"):
                    yield from self.run(getattr(statement, name, None) or [])
                for handler in getattr(statement, "handlers", ()):
                    yield from self.run(handler.body)
                continue
            yield from self.one(statement)

    def share(self, target: ast.expr, source: ast.expr) -> None:
        """Note that the names of a loop stand for elements of what it goes through."""
        if isinstance(target, ast.Tuple) and isinstance(source, ast.Call):
            if name_of(source.func) == "zip" and len(source.args) == len(target.elts):
                for part, of in zip(target.elts, source.args, strict=True):
                    self.share(part, of)
                return
        for name in {n.id for n in walk(target) if isinstance(n, ast.Name)}:
            self.same[name] = _behind(source) - {name}

    def one(self, statement: ast.stmt) -> Iterator[ast.AST]:
        inside = walk(statement)
        for node in inside:
            if isinstance(node, ast.comprehension):
                self.share(node.target, node.iter)
        calls = [n for n in inside if isinstance(n, ast.Call)]
        now: set[str] = set().union(*(_given(call, self.writes) for call in calls))
        self.dirty |= self.all_of(now) if now else now
        for node in inside if self.dirty else ():
            sides = _sides(node) or _apart(node)
            if len(sides) == 2 and (self.agree(*sides) or self.agree(*sides[::-1])):
                yield node
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self.assign(name_of(statement.targets[0]), statement.value)

    def assign(self, name: str, value: ast.expr) -> None:
        for known in (self.results, self.after, self.same):
            known.pop(name, None)
        self.dirty.discard(name)
        made = value.elt if isinstance(value, ast.ListComp) else value
        if isinstance(made, ast.Call) and (of := _given(made, self.writes)):
            self.results[name] = self.all_of(of)
            self.dirty |= self.results[name]
        elif shared := _behind(value) - {name}:
            self.same[name] = shared
            if shared & self.dirty:
                self.dirty.add(name)
        elif read := {n.id for n in walk(value) if isinstance(n, ast.Name)} & self.dirty:
            if isinstance(made, ast.Call | ast.BinOp) and not (
                isinstance(made, ast.Call) and _copies(made)
            ):
                self.after[name] = read

    def agree(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether one side is what a call has written, and the other is computed from that."""
        if isinstance(one, ast.Call) and (of := _given(one, self.writes)):
            mine = self.all_of(of)
        elif isinstance(one, ast.Name | ast.Subscript):
            name = root_of(one)
            near = self.same.get(name, set()) | {name}
            mine = set().union(*(self.results.get(n, set()) for n in near))
            mine = mine or self.all_of({name} & self.dirty)
        else:
            return False
        if not mine:
            return False
        if isinstance(other, ast.Name):
            itself = isinstance(one, ast.Call) and other.id in mine
            return itself or bool(self.all_of(self.after.get(other.id, set())) & mine)
        if isinstance(other, ast.Call) and not _copies(other) and not _given(other, self.writes):
            if not isinstance(one, ast.Name | ast.Call):
                inside = {ast.dump(n) for n in walk(other)}
                return ast.dump(one) in inside
        elif not (isinstance(other, ast.BinOp) and isinstance(one, ast.Name | ast.Call)):
            return False
        return bool({n.id for n in walk(other) if isinstance(n, ast.Name)} & mine)


def _apart(node: ast.AST) -> list[ast.expr]:
    """Return the two things of which a test says how far they are apart: np.abs(a - b).max()."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE):
        if _distance(node.left):
            for inner in walk(node.left):
                if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                    return [inner.left, inner.right]
    return []


def _in_place(blocks: list, python: list) -> Iterator[Found]:
    """Yield the comparisons of what a call wrote with what is computed from the same thing."""
    if not any(COMPARED.search(one.text) for one in blocks):
        return
    writes = _writes(python)
    names = "|".join(["sort", *writes])
    named = re.compile(rf"^(?!def ).*\b(?:{names})\b *[\[(]", re.MULTILINE)
    if not any(named.search(b.text) for b in blocks):
        return
    flow = _Flow(writes)
    for one in blocks:
        if one.language not in {"python", "pycon"} or "file" in one.options:
            continue
        with suppress(SyntaxError, ValueError):
            tree = parse(one.text if one.language == "python" else _source(one.text))
            for node in flow.run(tree.body):
                yield one, getattr(node, "lineno", 1) - 1, IN_PLACE, COPY


def _copies(call: ast.Call) -> bool:
    return name_of(call.func) in {"copy", "copy_to_host", "asnumpy", "array", "get", "tolist"}
