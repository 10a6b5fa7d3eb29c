"""Parts of a line that may not run although their line does.

``x if c else y`` runs one of two; ``a and b`` may stop at the first; what a lambda or a
comprehension holds runs when somebody calls it, and for each element that there is. A run notes
which of them ran (``lockstep.tracing``), by the places that Python keeps with each instruction, so
what runs is the code as it stands. A record from before has the lines alone.
"""

import ast
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import NamedTuple

from lockstep import compilers
from lockstep.mistakes import parse

LONGEST = 40  # characters of a part in a record


class Branch(NamedTuple):
    """The place of a part, in lines of its file and bytes of the line."""

    line: int
    column: int
    last: int
    end: int

    def holds(self, other: Iterable[int]) -> bool:
        line, column, last, end = other
        return (self.line, self.column) <= (line, column) and (last, end) <= (self.last, self.end)


def of(
    text: str, numbers: tuple[int, ...], compiled: compilers.Names = frozenset()
) -> dict[Branch, int]:
    """Return the parts of a Python block, each with the line that its statement begins on.

    ``numbers``: the lines of its file. ``compiled``: without functions that a decorator of these
    names takes to a compiler.
    """
    try:
        tree = parse(text)
    except SyntaxError:
        return {}
    found = {}
    for node, statement in _walk(tree, 1, compiled):
        assert node.end_lineno is not None and node.end_col_offset is not None
        first, last = numbers[node.lineno - 1], numbers[node.end_lineno - 1]
        branch = Branch(first, node.col_offset, last, node.end_col_offset)
        found[branch] = numbers[statement - 1]
    return found


def _walk(node: ast.AST, line: int, compiled: compilers.Names) -> Iterator[tuple[ast.expr, int]]:
    """Yield each part with the line of its statement. What explains an error is none."""
    if isinstance(node, ast.stmt):
        line = node.lineno
    if isinstance(node, ast.Raise):
        return
    if compilers.takes(node, compiled):
        return
    yield from ((part, line) for part in _parts(node))
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "msg"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, line, compiled)


def _parts(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return node.values[1:]
        case ast.Compare():
            return node.comparators[1:]
        case ast.Lambda():
            return [node.body]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [node.elt]
        case ast.DictComp():
            return [node.value]
        case ast.match_case(guard=ast.expr() as guard):
            return [guard]
    return []


def probes(code: CodeType, branches: Iterable[Branch]) -> dict[int, list[Branch]]:
    """Return the parts that each instruction of some code belongs to, by its offset."""
    found: dict[int, list[Branch]] = {}
    branches = list(branches)
    for index, (line, last, column, end) in enumerate(code.co_positions() if branches else ()):
        if line is None or last is None or column is None or end is None:
            continue
        there = [branch for branch in branches if branch.holds((line, column, last, end))]
        if there:
            found[2 * index] = there
    return found


def inside(code: CodeType) -> Iterator[CodeType]:
    """Yield some code and that of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from inside(constant)


def named(
    text: str, numbers: tuple[int, ...], there: dict[Branch, int], idle: Iterable[Iterable]
) -> set[Branch] | None:
    """Return the parts that did not run by what ``idle`` said of them, with those inside of them.

    None where it says what the code has not.
    """
    found: set[Branch] = set()
    words = {branch: [branch.line, _words(text, numbers, branch)] for branch in there}
    for row in idle:
        outer = [branch for branch in there if words[branch] == list(row)]
        if not outer:
            return None
        found |= {branch for branch in there if any(o.holds(branch) for o in outer)}
    return found


def _words(text: str, numbers: tuple[int, ...], branch: Branch) -> str:
    row = text.split("\n")[numbers.index(branch.line)].encode()
    end = branch.end if branch.last == branch.line else None
    words = row[branch.column : end].decode(errors="replace")
    return f"{words[:LONGEST]}..." if len(words) > LONGEST else words


def idle(
    text: str, numbers: tuple[int, ...], there: dict[Branch, int], ran: set[Branch], lines: set[int]
) -> list[list]:
    """Return [line, text] of the parts that did not run on a line that did, without their own."""
    missed = [b for b, statement in there.items() if b not in ran and statement in lines]
    outer = [b for b in missed if not any(o != b and o.holds(b) for o in missed)]
    return [[branch.line, _words(text, numbers, branch)] for branch in sorted(outer)]
