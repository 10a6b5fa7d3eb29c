"""A module around its sections: it must be what they show, wherever else it is imported."""

import ast
import builtins
import functools
import re
from collections.abc import Iterator

from lockstep.mistakes import parse, walk
from lockstep.vacuous import name_of, root_of

MARKER = re.compile(r"--8<-- \[(?P<kind>start|end):(?P<name>[\w-]+)\]")
Found = tuple[int, str, str]  # the line of the text (from 0), what, how to mend it


def _loads(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _taken(tree: ast.Module, inside: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield (line, name) where an import in one section takes the name of what another defines.

    A section of imports may stand on no page, so its reader would not see it.
    """
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign)
    defined = {
        name: statement.lineno
        for statement in tree.body
        if isinstance(statement, kinds)
        for name in bound(statement)
    }
    origins: dict[str, str] = {}
    for statement in tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if not any(first <= statement.lineno <= last for first, last in inside):
            continue
        module = getattr(statement, "module", "")
        for alias in statement.names:
            name = (alias.asname or alias.name).split(".")[0]
            origin = f"{module}.{alias.name if alias.asname or module else name}"
            other = origins.setdefault(name, origin) != origin
            if alias.name == "*" or statement.lineno > defined.get(name, statement.lineno) or other:
                yield statement.lineno, alias.asname or alias.name


def rebound(text: str, inside: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield (line, name) where a module binds a name of its sections again, outside of them.

    ``inside``: the first and last line of each section, from 1. The page would show one thing, and
    whoever imports the module would run another.
    """
    try:
        tree = parse(text)
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
    yield from _taken(tree, inside)
    nodes = (n for s in tree.body if shown(s.lineno) for n in walk(s))
    used = {n.id for n in nodes if isinstance(n, ast.Name) and _loads(n)}
    shadowed = used & set(dir(builtins))  # a builtin that is another thing in the module
    for statement in tree.body:
        if shown(statement.lineno):
            for decorator in getattr(statement, "decorator_list", ()):
                if not shown(decorator.lineno):
                    yield decorator.lineno, getattr(statement, "name", "?")
            continue
        for name in sorted(set(bound(statement)) & (ours.keys() | shadowed)):
            yield statement.lineno, name
        for node in walk(statement):
            target = getattr(node, "value", None)
            stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            if (
                stored
                and isinstance(node, ast.Attribute | ast.Subscript)
                and root_of(target) in ours
            ):
                yield node.lineno, root_of(target)
            elif isinstance(node, ast.Attribute) and stored and node.attr in INNARDS:
                yield node.lineno, root_of(target)
            elif isinstance(node, ast.Attribute) and _is_sys_modules(node):
                yield node.lineno, "sys.modules"
            elif isinstance(node, ast.Assign) and name_of(node.value) in SETTERS:
                yield node.lineno, name_of(node.value)
            elif isinstance(node, ast.Call):
                yield from _sly(node, ours)
            elif isinstance(node, ast.Global) and set(node.names) & ours.keys():
                yield node.lineno, node.names[0]
            elif isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                yield node.lineno, "*"


def _is_sys_modules(node: ast.Attribute) -> bool:
    return node.attr == "modules" and ast.unparse(node) == "sys.modules"


INNARDS = {"__code__", "__defaults__", "__kwdefaults__", "__closure__", "__wrapped__"}
SETTERS = {"setattr", "delattr", "exec", "globals", "locals", "vars"}


def _sly(call: ast.Call, ours: dict) -> Iterator[tuple[int, str]]:
    name = name_of(call.func)
    if name in {"setattr", "delattr"} and call.args and root_of(call.args[0]) in ours:
        yield call.lineno, root_of(call.args[0])
    elif name in {"exec", "globals", "locals", "vars", "__setitem__"} and isinstance(
        call.func, ast.Name
    ):
        yield call.lineno, name
    elif name == "update" and isinstance(call.func, ast.Attribute):
        if isinstance(call.func.value, ast.Call) and name_of(call.func.value.func) == "globals":
            yield call.lineno, "globals"


def bound(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    found = []
    for node in walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += [(a.asname or a.name).split(".")[0] for a in node.names]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.append(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.append(node.name)
    return found


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


def placed(text: str, lines: tuple[int, ...], section: str) -> Found | None:
    """Return what is wrong where a section's statements are none of its module, or conditional.

    ``lines``: for each line of the section, that of the module's text, from 1. The page would show
    one thing, and whoever imports the module would run another.
    """
    try:
        there, shown = _statements(text), parse(section)
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
    waiting: list[tuple[ast.AST, tuple[type, ...]]] = [(parse(text), ())]
    while waiting:
        node, outer = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inside = outer
            if isinstance(child, ast.stmt):
                found.setdefault(child.lineno, (type(child), outer))
                inside = (*outer, type(child))
            waiting.append((child, inside))
    return found
