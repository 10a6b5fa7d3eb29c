"""A page's verdicts once more, turned around: something on the page must notice.

``ok = np.allclose(out, expected)`` decides nothing by itself, nor does the largest error in a text.
So where a verdict is kept, put among others or handed on, instead of asserted where it stands, a
copy of the process asks again and takes the opposite for it, or an error of 0 and one without end.
If every line that reads it goes on as before, and no reader sees what it says, it is refused.
"""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep import retried
from lockstep.block import Block
from lockstep.languages.names import traced
from lockstep.mistakes import parse, walk
from lockstep.unproved import KEEPS
from lockstep.vacuous import _distance, _inner, name_of, root_of

VERDICTS = {"allclose", "array_equal", "array_equiv"}
WORDS = re.compile(rf"\b(?:{'|'.join(VERDICTS)}|max|amax|norm|all)\b")
WHAT = "a verdict that nothing on the page would miss: what asks it holds of the opposite, too"
MEND = "assert it: assert np.allclose(...), or show it as a session with what it gives"


def check(blocks: tuple[Block, ...], namespace: dict[str, Any], root: Path) -> retried.Found | None:
    """Return the first verdict of a page that has just run, and that decides nothing, or None."""
    there = [b for b in blocks if traced(b)]
    texts = [retried._asked(b) if b.language == "pycon" else b.text for b in there]
    if not any(map(WORDS.search, texts)):
        return None
    shown = any(b.language == "output" for b in blocks)
    asked = list(_plan(texts, [shown or b.language == "pycon" for b in there]))
    if asked:
        file = str(root / there[0].path)
        for at, line in retried._apart(lambda: _tries(asked, namespace, file)):
            return there[at], line, WHAT, MEND
    return None


def _verdict(node: ast.AST) -> bool:
    """Whether an expression says of two things that they agree, or how far they are apart."""
    if not isinstance(node, ast.Call):
        return False
    if name_of(node.func) in VERDICTS:
        return True
    if name_of(node.func) == "all":
        inner = _inner(node)
        return isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Eq)
    return name_of(node.func) in {"max", "amax", "norm"} and _distance(node)


def _loose(nodes: list[ast.AST]) -> bool:
    """Whether a verdict is among some nodes that is not asserted, or asked, where it stands."""
    direct = set()
    for node in nodes:
        if isinstance(node, ast.Assert | ast.If | ast.While):
            direct |= {id(n) for n in walk(node.test)}
    return any(_verdict(n) and id(n) not in direct for n in nodes)


def _plan(texts: list[str], printed: list[bool]) -> Iterator[tuple]:
    """Yield (block, line, statements, functions): of a verdict, and of what reads it.

    ``printed``: of each text, whether a reader sees what it prints.
    """
    try:
        bodies = [parse(text).body for text in texts]
    except SyntaxError:
        return
    every = [(at, s, list(walk(s))) for at, body in enumerate(bodies) for s in body]
    defined = {s.name: s for _, s, _ in every if isinstance(s, ast.FunctionDef | ast.ClassDef)}
    loose = {name for name, function in defined.items() if _loose(list(walk(function)))}
    rows = [row for row in every if not isinstance(row[1], retried.DEFINITIONS)]
    for first, (at, statement, inside) in enumerate(rows):
        calls = {name_of(n.func) for n in inside if isinstance(n, ast.Call)}
        if not (_loose(inside) or calls & loose and not isinstance(statement, ast.Assert)):
            continue
        made, some, functions = set[str](), list[ast.stmt](), calls & loose
        for of, later, nodes in rows[first:]:
            names = {name_of(n) for n in nodes if isinstance(n, retried.NAMES)}
            if some and not made & names:
                continue
            if retried.SHOWN in names or (printed[of] and "print" in names):
                break  # a reader sees it
            some.append(later)
            made |= retried._targets(nodes)
            made |= {
                root_of(n.func)
                for n in nodes
                if isinstance(n, ast.Call) and name_of(n.func) in KEEPS
            }
        else:
            yield at, statement.lineno, some, [defined[name] for name in sorted(functions)]


class _Turned(ast.NodeTransformer):
    """Takes for each verdict the opposite, and for each error another one."""

    def __init__(self, error: float):
        self.error = error

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not _verdict(node):
            return self.generic_visit(node)
        if _distance(node):
            return ast.copy_location(ast.Constant(self.error), node)
        return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _tries(asked: list, namespace: dict, file: str) -> Iterator[tuple[int, int]]:
    """Yield (block, line) of what nothing notices."""
    for at, line, some, functions in asked:
        turned = (_Turned(error) for error in (0.0, float("inf")))
        if _holds(some, namespace, file) and all(
            _holds(functions + some, namespace, file, one) for one in turned
        ):
            yield at, line


def _holds(some: list, namespace: dict, file: str, turned: _Turned | None = None) -> bool:
    whole = ast.Module(some, [])
    if turned:
        whole = ast.fix_missing_locations(turned.visit(copy.deepcopy(whole)))
    try:
        exec(compile(whole, file, "exec", dont_inherit=True), dict(namespace))  # noqa: S102
    except BaseException:
        return False
    return True
