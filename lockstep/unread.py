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
from lockstep.vacuous import CALLED, COMPARES, TASKS, _distance, _sides, name_of, root_of, task

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
    r"\b(?:subprocess|Popen|os\.(?:system|popen|spawn|posix_spawn|wait)|getoutput|unittest|doctest"
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
            return None if ENDED.search(whole) else (PROGRAM, "assert its returncode after wait()")
        return PROGRAM, "write check=True"
    if module == "subprocess" and name in {"getoutput", "getstatusoutput"}:
        return PROGRAM, "write subprocess.run(..., check=True, capture_output=True)"
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
    if task(call) and not (own and re.search(rf"\b(?:await|gather\().*\b{own}\b", whole)):
        if not RESULT.search(whole.replace("as_completed(", "").replace("await asyncio.wait", "")):
            return TASK, "keep it, and ask for its result"
    return None


# ---------------------------------------------------------------- in place

IN_PLACE = "a reference that is computed from what a call has changed: it agrees whatever was done"
COPY = "keep a copy of the input from before the call, and compute the reference from that"


COMPARED = re.compile(r"\bassert|\b(?:allclose|array_equal|array_equiv|isclose|equal)\(")
Function = tuple[str, tuple[str, ...], frozenset[str], tuple[ast.Call, ...]]


@functools.lru_cache(maxsize=4096)
def _functions(text: str) -> tuple[Function, ...]:
    """Return of the functions of a text what each gets, writes into, and calls."""
    found = []
    for function in kinds(text, ast.FunctionDef):
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
        found.append((function.name, names, frozenset(written - bound), tuple(calls)))
    return tuple(found)


def _writes(python: list) -> dict[str, set[int]]:
    """Return the functions of a page that write into what they are given, and which of it."""
    found: dict[str, set[int]] = {}
    functions = [function for one in python for function in _functions(one.text)]
    for _ in range(2):  # what a function gives on to another
        for name, places, written, calls in functions:
            more = {a.id for call in calls if found for a in _given(call, found)}
            if both := {at for at, place in enumerate(places) if place in written | more}:
                found[name] = both
    return found


def _given(call: ast.Call, writes: dict[str, set[int]]) -> list[ast.Name]:
    """Return the names that a call, or a launch of a kernel, writes into."""
    func = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and not call.args:
        return [func.value] if func.attr == "sort" else []
    at = writes.get(name_of(func), ()) if isinstance(func, ast.Name | ast.Attribute) else ()
    return [a for n, a in enumerate(call.args) if n in at and isinstance(a, ast.Name)]


def _in_place(blocks: list, python: list) -> Iterator[Found]:
    """Yield the comparisons of what a call wrote with what is computed from the same thing."""
    if not any(COMPARED.search(one.text) for one in blocks):
        return
    writes = _writes(python)
    names = "|".join(["sort", *writes])
    named = re.compile(rf"^(?!def ).*\b(?:{names})\b *[\[(]", re.MULTILINE)
    if not any(named.search(b.text) for b in blocks):
        return
    dirty: set[str] = set()  # names whose values a call has changed
    results: dict[str, set[str]] = {}  # names of what such a call returned: what it changed
    after: dict[str, set[str]] = {}  # names of what was computed from those since
    for one in blocks:
        if one.language not in {"python", "pycon"} or "file" in one.options:
            continue
        with suppress(SyntaxError, ValueError):
            tree = parse(one.text if one.language == "python" else _source(one.text))
            for statement in tree.body:
                if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Import):
                    continue
                inside = walk(statement)
                now = {a.id for n in inside if isinstance(n, ast.Call) for a in _given(n, writes)}
                dirty_now = dirty | now
                for node in inside if dirty_now else ():
                    sides = _sides(node)
                    if len(sides) == 2 and _same_source(sides, dirty_now, results, after, writes):
                        yield one, getattr(node, "lineno", statement.lineno) - 1, IN_PLACE, COPY
                dirty = dirty_now
                if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                    name, value = name_of(statement.targets[0]), statement.value
                    for known in (results, after):
                        known.pop(name, None)
                    dirty.discard(name)
                    if isinstance(value, ast.Call) and (of := _given(value, writes)):
                        results[name] = {a.id for a in of}
                        dirty |= results[name]
                    elif read := {n.id for n in walk(value) if isinstance(n, ast.Name)} & dirty:
                        if isinstance(value, ast.Call) and not _copies(value):
                            after[name] = read


def _copies(call: ast.Call) -> bool:
    return name_of(call.func) in {"copy", "copy_to_host", "asnumpy", "array", "get", "tolist"}


def _same_source(
    sides: list[ast.expr],
    dirty: set[str],
    results: dict[str, set[str]],
    after: dict[str, set[str]],
    writes: dict[str, set[int]],
) -> bool:
    """Whether one side is what a call has written, and the other is computed from that."""
    for one, other in (sides, sides[::-1]):
        if isinstance(one, ast.Call) and (of := _given(one, writes)):
            mine = {a.id for a in of}
        elif isinstance(one, ast.Name):
            mine = results.get(one.id, {one.id} & dirty)
        else:
            continue
        if isinstance(other, ast.Name):
            if after.get(other.id, set()) & mine:
                return True
        elif isinstance(other, ast.Call) and not _given(other, writes):
            if {n.id for n in walk(other) if isinstance(n, ast.Name)} & mine:
                return True
    return False
