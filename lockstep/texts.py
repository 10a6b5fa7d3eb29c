"""What Python puts together of constants: a text that a reader sees, of whatever tokens it is made.

``"4.2" + " TB/s"``, ``f"{4.2} TB/s"``, ``print(4.2, "TB/s")`` say one thing that nobody measured.
"""

import ast
import contextlib
from collections.abc import Iterator

from lockstep.mistakes import nodes

UNKNOWN = "\ufffc"  # in the place of what only a run knows


def texts(text: str, alone: bool = True) -> Iterator[tuple[int, str]]:
    """Yield (line from 0, text) of the texts that a piece of Python makes of constants.

    ``alone``: and of those that are one constant.
    """
    try:
        known = nodes(text)
    except SyntaxError:
        return
    docstrings = (n.value for n in known if isinstance(n, ast.Expr))
    told = {id(value) for value in docstrings if isinstance(value, ast.Constant)}
    for node in known:
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            told |= {id(inner) for inner in ast.walk(node.format_spec)}
    for node in known:
        if id(node) in told:
            continue
        if isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call) and (said := _said(node)):
            yield node.lineno - 1, said
        elif isinstance(node, ast.Constant) and alone:
            held: object = node.value
            if isinstance(held, bytes):
                held = held.decode("utf-8", "replace")
            if isinstance(held, str) and "\n" not in held:  # the lines of longer ones are read
                yield node.lineno - 1, held


def _said(node: ast.AST) -> str | None:
    """Return what a node says, as far as it is made of constants; None where it is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(value) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (_said(side) or _constant(side) for side in (node.left, node.right))
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _filled(node.left, node.right)
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", None)
    if name == "print" and len(node.args) > 1 and not node.keywords:
        return " ".join(_print(argument) for argument in node.args)
    if getattr(node.func, "attr", None) == "format" and not node.keywords:
        form = getattr(getattr(node.func, "value", None), "value", None)
        if isinstance(form, str):
            with contextlib.suppress(ValueError, IndexError, KeyError, AttributeError):
                return form.format(*map(_value, node.args))
    return None


def _print(node: ast.expr) -> str:
    said = _said(node)
    return said if said is not None else str(_value(node))


def _part(node: ast.expr) -> str:
    """Return a part of an f-string."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue):
        value, spec = _value(node.value), node.format_spec
        form = _said(spec) if spec else ""
        with contextlib.suppress(ValueError, TypeError):
            return format(value, form or "")
    return UNKNOWN


def _filled(left: ast.expr, right: ast.expr) -> str | None:
    if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
        return None
    values = right.elts if isinstance(right, ast.Tuple) else [right]
    with contextlib.suppress(ValueError, TypeError):
        return left.value % tuple(map(_value, values))
    return None


def _constant(node: ast.expr) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.USub, ast.UAdd)


def _value(node: ast.expr):
    """Return what a constant is, or arithmetic of constants; else a sign for what is not known."""
    inner = list(ast.walk(node))
    kinds = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if all(isinstance(part, kinds) for part in inner):
        if all(isinstance(p, SUMS) for p in inner if isinstance(p, ast.operator | ast.unaryop)):
            with contextlib.suppress(Exception):
                return eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
    return UNKNOWN
