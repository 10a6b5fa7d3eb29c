"""Checks that are not what their names say, and checks that are handed on and may never run.

A reader knows ``np.testing.assert_allclose`` and ``all``, and reads no further. So such a name is
the library's own on a page, bound by its import alone, and it is called where it stands: whether
``map(assert_allclose, a, b)`` or ``scheduler.enter(1, 1, assert_allclose)`` ever compares, no line
tells.
"""

import ast
import functools
import re
from collections.abc import Iterator
from contextlib import suppress

from lockstep.mistakes import kinds, walk
from lockstep.vacuous import name_of, root_of

Found = tuple  # (block, line from 0, what, how to mend it)

ASSERTS = {"assert_close", "assert_frame_equal", "assert_series_equal", "assert_raises"}
ASSERTS |= {f"assert_{name}" for name in "allclose equal array_equal almost_equal".split()}
ASSERTS |= {f"assert_{name}" for name in "array_almost_equal approx_equal array_less".split()}
ASSERTS |= {f"assert_{name}" for name in "array_max_ulp array_almost_equal_nulp".split()}
CLOSE = {"allclose", "array_equal", "array_equiv", "isclose"}
CHECKS = ASSERTS | CLOSE | {"all", "any", "abs", "approx"}
# Modules that a reader knows by these names: what else may be called so.
MODULES = {"np": r"(?:\w+\.)*numpy|cupy|cupynumeric", "numpy": "numpy", "math": "math"}
MODULES |= {"torch": "torch", "cp": "cupy", "cupy": "cupy", "pytest": "pytest"}
MODULES |= {"unittest": "unittest", "operator": "operator"}
KNOWN = CHECKS | MODULES.keys()
# What an import may not call a function that is called otherwise where it comes from.
READS = re.compile(r"(?i)close|equal|same|near|agree|match|check|assert|valid|correct|verif")
NAMED = re.compile(rf"(?:^|\.)(?:{'|'.join(sorted(ASSERTS | CLOSE))})$")
FAMOUS = re.compile(r"assert_|allclose|array_eq|isclose")
# What a name says that something does: an alias may not say another thing than its own.
DOES = set(
    "add sub subtract mul multiply div divide matmul dot gemm sort argsort sum mean max min exp log"
    " sqrt softmax attention reduce scan conv convolve fft transpose relu gelu histogram argmax"
    " norm quantize cumsum gpu cuda compiled kernel flash tensor radix bitonic where gather"
    " scatter copy inverse solve".split()
)
ALIASED = re.compile(
    r"^from .* as |^\w+ = [\w.]+ *(?:#.*)?$|\bpartial\(|\bANY\b|^@\w+|lambda \*", re.MULTILINE
)
OWN = "call it by another name, and let {0} be what its reader knows"


def check(blocks: list) -> Iterator[Found]:
    """Yield what is wrong with the Python of a page."""
    for one in blocks:
        if one.language == "python":
            for line, what, mend in _of(one.text):
                yield one, line, what, mend


@functools.lru_cache(maxsize=4096)
def _of(text: str) -> tuple[tuple[int, str, str], ...]:
    with suppress(SyntaxError):  # each block is told of its own
        return tuple((node.lineno - 1, what, mend) for node, what, mend in _wrong(text))
    return ()


def _wrong(text: str) -> Iterator[tuple]:
    methods = {id(n) for kind in kinds(text, ast.ClassDef) for n in kind.body}
    for node in kinds(text, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        if id(node) not in methods:
            yield from _bound(node, node.name)
    for node in kinds(text, ast.Name):
        if node.id in KNOWN and not isinstance(node.ctx, ast.Load):
            yield from _bound(node, node.id)
    for node in kinds(text, ast.arg):
        yield from _bound(node, node.arg)
    for node in kinds(text, ast.Import, ast.ImportFrom):
        yield from _imported(node)
    if FAMOUS.search(text):
        yield from _handed(text)
    if ALIASED.search(text):
        yield from _other(text)


def _other(text: str) -> Iterator[tuple]:
    """Yield names that say another thing than what they are, and decorators that drop results."""
    for node in kinds(text, ast.ImportFrom):
        for alias in node.names:
            if alias.asname and (said := _says(alias.asname, alias.name, node.module or "")):
                what = f"{alias.name} is imported as {alias.asname}, which says {said}"
                yield node, what, f"call it {alias.name}, as its reader knows it"
            if alias.name == "ANY" and "mock" in (node.module or ""):
                yield node, "ANY, which is equal to whatever there is", "write what must come out"
    for node in kinds(text, ast.Attribute):
        if node.attr == "ANY" and "mock" in ast.unparse(node.value):
            yield node, "ANY, which is equal to whatever there is", "write what must come out"
    imported = {
        alias.asname or alias.name
        for node in kinds(text, ast.ImportFrom, ast.Import)
        for alias in node.names
    }
    for node in kinds(text, ast.Call):
        if name_of(node.func) == "partial" and len(node.args) == 1 and not node.keywords:
            what = "partial of a function alone, which is that function by another name"
            yield node, what, "call the function by its own name"
    for node in kinds(text, ast.Assign):
        value, target = node.value, node.targets[0]
        if isinstance(value, ast.Name | ast.Attribute) and isinstance(target, ast.Name):
            root = root_of(value)
            if root in imported | BUILTINS and (said := _says(target.id, name_of(value), "")):
                what = f"{name_of(value)} is called {target.id}, which says {said}"
                yield node, what, f"call it {name_of(value)}, as its reader knows it"
    used = [d for node in kinds(text, ast.FunctionDef) for d in node.decorator_list]
    called = {name_of(d.func) for d in used if isinstance(d, ast.Call)}  # @timed(3)
    decorators = called | {name_of(d) for d in used}
    for node in kinds(text, ast.FunctionDef):
        if node.name in decorators and (inner := _drops(node)):
            what = f"{node.name} drops what the function gives that it decorates"
            yield inner, what, "return what the function gave"
        elif node.name in decorators and (other := _replaces(node, node.name in called)):
            what = f"{node.name} gives another function than the one that it decorates"
            yield other, what, "return that function, or one that calls it and gives what it gave"


BUILTINS = set("sum max min sorted abs len map zip any all print list reversed pow".split())


def _says(name: str, own: str, module: str) -> str | None:
    """Return what a name says that the thing's own name, or its module, does not."""
    said = set(re.findall(r"[a-z]+", name.lower())) & DOES
    mine = f"{own} {module}".lower()
    return next((word for word in sorted(said) if word not in mine and mine[:3] != word), None)


def _drops(decorator: ast.FunctionDef) -> ast.AST | None:
    """Return the call of what is decorated whose result goes nowhere, where others are given."""
    asked = {argument.arg for argument in decorator.args.args}
    for inner in walk(decorator):
        if not isinstance(inner, ast.FunctionDef) or inner is decorator:
            continue
        calls = [n for n in walk(inner) if isinstance(n, ast.Call) and name_of(n.func) in asked]
        alone = [
            n.value
            for n in walk(inner)
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
        ]
        given = [n.value for n in walk(inner) if isinstance(n, ast.Return) and n.value]
        timed = "time" in ast.unparse(inner) or "perf" in ast.unparse(inner)
        if calls and given and not timed and all(any(c is a for a in alone) for c in calls):
            return calls[0]
    return None


def _replaces(decorator: ast.FunctionDef, called: bool) -> ast.AST | None:
    """Return what a decorator gives in the place of the function that it got, and never calls.

    ``called``: it is called first, and gives the decorator, which is looked at then.
    """
    inner = {n.name: n for n in decorator.body if isinstance(n, ast.FunctionDef)}
    gives = [n for n in _own(decorator) if isinstance(n, ast.Return)]
    if called:
        given = {n.value.id for n in gives if isinstance(n.value, ast.Name)}
        found = [_replaces(inner[name], False) for name in given & inner.keys()]
        return next(filter(None, found), None)
    asked = decorator.args.args[:1]
    function = asked[0].arg if asked else ""
    for one in gives:
        values = [one.value] if one.value else []
        while any(isinstance(value, ast.IfExp) for value in values):
            choices = [value for value in values if isinstance(value, ast.IfExp)]
            values = [v for v in values if not isinstance(v, ast.IfExp)]
            values += [side for choice in choices for side in (choice.body, choice.orelse)]
        for value in values:
            names = {n.id for n in walk(value) if isinstance(n, ast.Name)}
            held = {
                n.id
                for name in names & inner.keys()
                for n in walk(inner[name])
                if isinstance(n, ast.Name)
            }
            if function and function not in names | held:
                return one
    return None


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of the functions in it."""
    left: list[ast.AST] = [*function.body]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            left += ast.iter_child_nodes(node)


def _handed(text: str) -> Iterator[tuple]:
    """Yield the checks that are named and not called, and those that are put somewhere else."""
    calls = kinds(text, ast.Call)
    called = {id(node.func) for node in calls}
    # What stands in an assertion is asked there: assert all(map(np.array_equal, ...))
    asserted = {id(n) for node in kinds(text, ast.Assert) for n in walk(node.test)}
    for node in calls:
        for said in [*node.args, *(k.value for k in node.keywords)]:
            if isinstance(said, ast.Constant) and NAMED.search(str(said.value)):
                what = f"a check that is reached by a text: {said.value!r}"
                yield said, what, "call the check by its own name, and leave it as it is"
    for node in kinds(text, ast.Name, ast.Attribute):
        name = name_of(node)
        if name not in ASSERTS and name not in CLOSE:
            continue
        if not isinstance(node.ctx, ast.Load):
            yield from _bound(node, name) if isinstance(node, ast.Attribute) else ()
        elif id(node) not in called and (name in ASSERTS or id(node) not in asserted):
            what = f"{name} is handed on, and no line tells whether it ever compares"
            yield node, what, f"call it where it stands: {name}(...)"


def _bound(node: ast.AST, name: str) -> Iterator[tuple]:
    if name in KNOWN:
        yield node, f"{name} is something else here than its reader knows", OWN.format(name)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple]:
    module = getattr(node, "module", None) or ""
    for alias in node.names:
        name, of = alias.asname or alias.name, alias.name
        if isinstance(node, ast.Import):
            other = name in MODULES and not re.fullmatch(MODULES[name], of)
        else:
            whole = f"{module}.{of}"
            other = name in MODULES and not re.fullmatch(MODULES[name], whole) and name != of
            other = other or (name != of and (name in CHECKS or bool(READS.search(name))))
            other = other and not (READS.search(of) and name not in CHECKS)
        if other:
            what = f"{of} is imported as {name}, which is something else than its reader knows"
            yield node, what, OWN.format(name)
