"""What Python puts together of constants: a text that a reader sees, of whatever tokens it is made.

``"4.2" + " TB/s"``, ``f"{4.2} TB/s"``, ``print(4.2, "TB/s")`` say one thing that nobody measured.
"""

import ast
import contextlib
import functools
from collections.abc import Iterator

from lockstep.mistakes import nodes, parse, walk

UNKNOWN = "\ufffc"  # in the place of what only a run knows


Names = dict[str, object]


def texts(text: str, alone: bool = True, names: Names | None = None) -> Iterator[tuple[int, str]]:
    """Yield (line from 0, text) of the texts that a piece of Python makes of constants.

    ``alone``: and of those that are one constant. ``names``: those that stand for a constant; by
    default those of the text.
    """
    try:
        known = nodes(text)
    except SyntaxError:
        return
    names = constants(text) if names is None else names
    docstrings = (n.value for n in known if isinstance(n, ast.Expr))
    told = {id(value) for value in docstrings if isinstance(value, ast.Constant)}
    for node in known:
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            told |= {id(inner) for inner in walk(node.format_spec)}
    for node in known:
        if id(node) in told:
            continue
        if isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call) and (said := _said(node, names)):
            yield node.lineno - 1, said
        elif isinstance(node, ast.Constant) and alone:
            held: object = node.value
            if isinstance(held, bytes):
                held = held.decode("utf-8", "replace")
            if isinstance(held, str) and "\n" not in held:  # the lines of longer ones are read
                yield node.lineno - 1, held


@functools.lru_cache(maxsize=1024)
def constants(text: str) -> Names:
    """Return the names that a piece of Python binds once, at its top, to a constant."""
    found: Names = {}
    try:
        body = parse(text).body
    except SyntaxError:
        return found
    for statement in body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Constant() | ast.BinOp() as value
            ):
                held = _value(value, found)
                if held is not UNKNOWN:
                    found[name] = held
    known = nodes(text) if found else ()
    stored = [n.id for n in known if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored += [node.arg for node in known if isinstance(node, ast.arg)]
    return {name: held for name, held in found.items() if stored.count(name) == 1}


def _said(node: ast.AST, names: Names) -> str | None:
    """Return what a node says, as far as it is made of constants; None where it is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(value, names) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (node.left, node.right)
        left, right = (_said(side, names) or _constant(side, names) for side in sides)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _filled(node.left, node.right, names)
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", None)
    if name == "print" and len(node.args) > 1:
        return " ".join(_print(argument, names) for argument in node.args)
    if getattr(node.func, "attr", None) == "format":
        form = getattr(getattr(node.func, "value", None), "value", None)
        if isinstance(form, str):
            with contextlib.suppress(ValueError, IndexError, KeyError, AttributeError):
                given = {k.arg: _value(k.value, names) for k in node.keywords if k.arg}
                return form.format(*(_value(a, names) for a in node.args), **given)
    return None


def _print(node: ast.expr, names: Names) -> str:
    said = _said(node, names)
    return said if said is not None else str(_value(node, names))


def _part(node: ast.expr, names: Names) -> str:
    """Return a part of an f-string."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue):
        value, spec = _value(node.value, names), node.format_spec
        form = _said(spec, names) if spec else ""
        with contextlib.suppress(ValueError, TypeError):
            return format(value, form or "")
    return UNKNOWN


def _filled(left: ast.expr, right: ast.expr, names: Names) -> str | None:
    if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
        return None
    values = right.elts if isinstance(right, ast.Tuple) else [right]
    with contextlib.suppress(ValueError, TypeError):
        return left.value % tuple(_value(v, names) for v in values)
    return None


def _constant(node: ast.expr, names: Names) -> str | None:
    value = _value(node, names)
    return value if isinstance(value, str) else None


SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.USub, ast.UAdd)


def _value(node: ast.expr, names: Names):
    """Return what a constant is, or arithmetic of constants; else a sign for what is not known."""
    inner = list(walk(node))
    kinds = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
    if all(isinstance(p, kinds) or getattr(p, "id", None) in names for p in inner):
        if all(isinstance(p, SUMS) for p in inner if isinstance(p, ast.operator | ast.unaryop)):
            with contextlib.suppress(Exception):
                return eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}, names)
    return UNKNOWN
