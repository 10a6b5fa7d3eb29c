"""Python that proves nothing: what cannot fail, what never runs, what swallows its errors.

And what reaches past a script into the interpreter that runs it. Each rule looks at one node of the
syntax tree and says what is wrong with it, and how to mend it.
"""

import ast
import builtins
import copy
import re
from collections.abc import Iterable, Iterator, Sequence

from lockstep.mistakes import walk


def idle(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass)


def _constant(node: ast.expr) -> bool:
    """Whether an expression has one value, whatever ran before it."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.NamedExpr):
        return _constant(node.value)
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


PURE = {"len", "bool", "all", "any", "abs", "int", "float", "min", "max", "sum", "sorted", "hash"}
PURE |= {"isinstance", "tuple", "list", "range", "isclose", "isfinite", "allclose", "array_equal"}
TRUE = {"repr", "id", "type", "dict", "object"}  # whose results are true, whatever they are of
TEXTS = {"str", "repr", "ascii", "format"}  # and as good as always those of these
COUNTS = {"len", "abs", "id"}
CALLED = {"all", "any", "allclose", "array_equal", "array_equiv", "isclose", "isfinite", "equals"}
CALLED |= {"sum", "exists", "is_file", "startswith", "endswith", "issubset", "isdigit"}


def _always(node: ast.expr) -> bool:
    """Whether an expression is true, whatever is in its names."""
    if isinstance(node, ast.Call):
        name, arguments = name_of(node.func), [*node.args, *(k.value for k in node.keywords)]
        if name == "isinstance" and len(node.args) == 2 and name_of(node.args[1]) == "object":
            return True
        loops = [a for a in arguments if isinstance(a, ast.GeneratorExp | ast.ListComp)]
        if name == "all" and any(_nothing(g.iter) for loop in loops for g in loop.generators):
            return True
        if name == "where" and len(node.args) == 3:
            return all(isinstance(a, ast.Constant) and bool(a.value) for a in node.args[1:])
        method = isinstance(node.func, ast.Attribute) and not arguments
        plain = name in PURE and not method and all(map(_constant, arguments))
        return plain or name in TRUE | TEXTS
    if isinstance(node, ast.NamedExpr):
        return _always(node.value)
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(v, ast.Constant) and v.value for v in node.values)
    if isinstance(node, ast.Dict):
        return bool(node.keys)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = node.left, node.right
        return any(getattr(side, "value", None) is True for side in sides) or _opposite(*sides)
    if isinstance(node, ast.Name):
        return node.id in dir(builtins)
    if isinstance(node, ast.Attribute):  # a function that nobody calls is true
        return node.attr in {"dtype", "device", "__class__", *CALLED}
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _foregone(node.left, node.ops[0], node.comparators[0])
    if isinstance(node, ast.BoolOp):
        results = [_constant(value) or _always(value) for value in node.values]
        return any(results) if isinstance(node.op, ast.Or) else all(results)
    return False


def _holds_anyway(node: ast.Assert) -> str | None:
    """Return why an assertion holds for nearly any result: a limit, an empty set, one of two."""
    test = _inner(node.test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        op, limit = test.ops[0], test.comparators[0]
        if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and _infinite(limit):
            return "an assertion of a limit that every number keeps"
        if isinstance(op, ast.LtE | ast.GtE) and isinstance(limit, ast.Constant) and node.msg:
            value = limit.value if isinstance(limit.value, int | float) else ""
            words = str(getattr(node.msg, "value", ""))
            if re.search(rf"(?<![\w.]){re.escape(str(value or '-'))}(?!\w|\.\d)", words):
                if not _LIMITS.search(words):
                    return f"an assertion of a limit, and its message says {value}"
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute):
        sides = [test.args[0] if test.args else None, test.func.value]
        side = sides[test.func.attr == "issubset"]
        if test.func.attr in {"issuperset", "issubset", "isdisjoint"} and side and _empty(side):
            return "an assertion of a set without anything in it"
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        asked = [part for part in test.values if isinstance(part, ast.Compare)]
        plain = [part for part in asked if isinstance(part.ops[0], ast.Eq)]
        if len({ast.dump(part.left) for part in plain}) > 1 and len(asked) == len(test.values):
            return "an assertion that either of two comparisons passes"
    return None


_LIMITS = re.compile(
    r"(?i)\b(?:at (?:most|least)|more|less|fewer|under|over|up to|within|limit|max|min)"
)


def _infinite(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _infinite(node.operand)
    if isinstance(node, ast.Call) and name_of(node.func) in {"float", "float32", "float64"}:
        return bool(node.args) and "inf" in str(getattr(node.args[0], "value", "")).lower()
    return name_of(node) in {"inf", "Inf", "PINF", "infty", "maxsize"}


def _empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return name_of(node.func) in {"set", "list", "tuple", "frozenset", "dict"} and not node.args
    parts = getattr(node, "elts", getattr(node, "keys", None))
    return parts == []


def _alike(node: ast.If | ast.Match | ast.IfExp) -> bool:
    """Whether all branches are the same code."""
    if isinstance(node, ast.Match):
        bodies = [case.body for case in node.cases]
    elif isinstance(node, ast.IfExp):
        bodies = [[ast.Expr(node.body)], [ast.Expr(node.orelse)]]
    else:
        bodies = [node.body, node.orelse]
    return len(bodies) > 1 and len({tuple(map(ast.dump, body)) for body in bodies}) == 1


def _opposite(one: ast.expr, other: ast.expr) -> bool:
    """Whether of two comparisons one always holds: x == y and x != y."""
    if not (isinstance(one, ast.Compare) and isinstance(other, ast.Compare)):
        return False
    ops = {type(one.ops[0]), type(other.ops[0])}
    both = ops in ({ast.Eq, ast.NotEq}, {ast.Lt, ast.GtE}, {ast.Gt, ast.LtE})
    dumps = [[ast.dump(side) for side in (c.left, *c.comparators)] for c in (one, other)]
    return both and dumps[0] == dumps[1]


def _never_is(node: ast.AST) -> bool:
    """Whether a test is that something is not True, or not False: no NumPy value is either."""
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.IsNot)):
        return False
    right = node.comparators[0]
    return isinstance(right, ast.Constant) and isinstance(right.value, bool)


def _foregone(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
    """Whether a comparison has one outcome, such as that of a count with less than none."""
    if name_of(right) == "ANY" or name_of(left) == "ANY":
        return True  # of unittest.mock, which is equal to anything
    if isinstance(op, ast.NotEq) and any(map(_text, (left, right))):
        if any(isinstance(side, ast.Constant) and not side.value for side in (left, right)):
            return True  # a text that is not empty
    if isinstance(op, ast.Lt | ast.LtE | ast.NotEq) and _number(right) == float("inf"):
        return True
    if isinstance(op, ast.Lt | ast.LtE) and _distance(left) and (_number(right) or 0) >= FAR:
        return True
    if isinstance(op, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        values = {e.value for e in right.elts if isinstance(e, ast.Constant)}
        return values >= {True, False} or {*map(name_of, right.elts)} >= {"True_", "False_"}
    if isinstance(op, ast.IsNot) and isinstance(right, ast.Constant) and right.value is None:
        return isinstance(left, ast.Call) and name_of(left.func) in {"main", "wait", "call", "run"}
    if isinstance(left, ast.Call) and name_of(left.func) == "len" and left.args:
        if _each(left.args[0]):
            return True  # so many answers there are, whichever they are
    for inner in walk(left):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
            if ast.dump(_same(inner.left)) == ast.dump(_same(inner.right)):
                return True  # x - x
    if ast.dump(left) == ast.dump(right) and isinstance(left, ast.Call):
        return name_of(left.func) in {*PURE, *TRUE, "mean", "item", "copy", "tolist"}
    count = name_of(left.func) in COUNTS if isinstance(left, ast.Call) else False
    count = count or name_of(left) in {"size", "nbytes", "ndim"}
    if isinstance(left, ast.Call) and name_of(left.func) in {"sum", "max", "mean"}:
        of = getattr(left.func, "value", None)
        count = isinstance(of, ast.Call) and name_of(of.func) == "abs"
    limit = _number(right)
    if not count or limit is None:
        return False
    of_text = isinstance(left, ast.Call) and any(map(_text, left.args))
    least = limit < 0 or (limit == 0 and (of_text or isinstance(op, ast.GtE)))
    return least and isinstance(op, ast.Gt | ast.GtE | ast.NotEq)


def _text(node: ast.expr) -> bool:
    """Whether an expression is the text of something."""
    if isinstance(node, ast.Call):
        return name_of(node.func) in TEXTS
    return isinstance(node, ast.JoinedStr)


FAR = 1000  # a limit of that size for a difference lets as good as everything pass


def _distance(node: ast.expr) -> bool:
    """Whether an expression says how far two things are apart: np.abs(x - y).max()."""
    inside = list(walk(node))
    calls = any(isinstance(i, ast.Call) and name_of(i.func) in {"abs", "norm"} for i in inside)
    return calls and any(isinstance(i, ast.BinOp) and isinstance(i.op, ast.Sub) for i in inside)


def _number(node: ast.expr) -> float | None:
    """Return the number that an expression is: 3, -1, np.inf, float("inf")."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Attribute) and node.attr in {"inf", "Inf", "infty"}:
        return float("inf")
    if isinstance(node, ast.Call) and name_of(node.func) == "float" and node.args:
        said = node.args[0]
        if isinstance(said, ast.Constant) and str(said.value).strip("+").lower() in INFINITE:
            return float("inf")
    return None


INFINITE = {"inf", "infinity"}


def _inner(test: ast.expr) -> ast.expr:
    """Return the comparison of a test: of (x == y).all() that is x == y."""
    while isinstance(test, ast.Call):
        of = getattr(test.func, "value", None)
        if name_of(test.func) in {"all", "any", "bool"} and (test.args or of is not None):
            inner = test.args[0] if test.args else of
            if isinstance(inner, ast.expr):
                test = inner
                continue
        break
    return test


def _twice(test: ast.expr) -> bool:
    """Whether a test compares what two equal expressions give: f(x) == f(x)."""
    test = _inner(test)
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq)):
        return False
    return ast.dump(_same(test.left)) == ast.dump(_same(test.comparators[0]))


def says_yes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield (node, what, mend) of what says little, in the lines of a session that says True."""
    for node in walk(tree):
        if isinstance(node, ast.Compare) and _twice(node):
            yield node, SELF, ANOTHER
        elif isinstance(node, ast.Expr):
            test = node.value
            while isinstance(test, ast.Call) and name_of(test.func) == "bool" and test.args:
                test = test.args[0]
            if wrong := _blind(test):
                yield node, *wrong
            elif isinstance(test, ast.Call) and AGREE.search(name_of(test.func)):
                if test.args and all(map(_zeros, test.args)):
                    yield (
                        node,
                        "a check of zeros alone, which hide what they are multiplied by",
                        ("check it with other numbers, too"),
                    )


AGREE = re.compile(r"(?i)agree|same|equal|match|close|correct|valid|verif|right")


def _zeros(node: ast.expr) -> bool:
    """Whether an argument is a row of zeros, or an empty one."""
    if isinstance(node, ast.Call) and name_of(node.func) in {"zeros", "zeros_like"}:
        return True
    if not isinstance(node, ast.List | ast.Tuple):
        return False
    return all(isinstance(e, ast.Constant) and not e.value for e in node.elts)


def _fixed(node: ast.expr) -> bool:
    """Whether a part of an "and" or an "or" is a constant: it decides, or is for nothing."""
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


def _nothing(node: ast.expr) -> bool:
    """Whether there is nothing to loop over."""
    if isinstance(node, ast.Tuple | ast.List):
        return not node.elts
    if isinstance(node, ast.Call) and name_of(node.func) == "range" and not node.keywords:
        numbers = [_number(a) for a in node.args]
        return numbers in ([0.0], [0.0, 0.0])
    return isinstance(node, ast.Constant) and node.value in ("", b"")


def _same(node: ast.expr) -> ast.expr:
    """Return what an expression is a copy of: of x.copy(), np.array(x), +x or x[:] that is x."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        if node.func.attr in {"copy", "view"}:
            return _same(node.func.value)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        if name_of(node.func) in {"array", "asarray", "copy", "list", "tuple"}:
            return _same(node.args[0])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return _same(node.operand)
    if isinstance(node, ast.BinOp):  # x * 1 and x + 0 are x
        neutral = 0 if isinstance(node.op, ast.Add | ast.Sub) else 1
        if type(node.op) in NEUTRAL and getattr(node.right, "value", None) == neutral:
            return _same(node.left)
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) in {":", "..."}:
        return _same(node.value)
    return node


NEUTRAL = {ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow}


def _called(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in walk(node))


def _truth(node: ast.expr) -> bool | None:
    """Return the truth of an expression, where it can be told without running it."""
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts)
    inside = list(walk(node))
    costly = any(isinstance(inner, ast.Pow | ast.LShift | ast.Mult) for inner in inside)
    if costly and not any(isinstance(inner, ast.Name) for inner in inside):
        return True  # as good as always: nobody waits for 9**9**9
    try:
        return bool(eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}))
    except Exception:
        return None


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:  # noqa: N802 as Python calls it
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


class _Filled(ast.NodeTransformer):
    """Puts what a name was given in its place."""

    def __init__(self, made: dict[str, ast.expr]):
        self.made = made

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 as Python calls it
        return self.made.get(node.id, node)


# Names of what a result must be.
EXPECTED = re.compile(
    r"(?:^|_)(?:expected|reference|ref|want|wanted|truth|correct|oracle|golden|right|answer)(?:$|_|\d)"
)
# Calls that change nothing of what they get.
READERS = {*PURE, *TEXTS, "print", "array", "asarray", "copy", "view", "tolist", "mean", "item"}
READERS |= {"astype", "get", "copy_to_host", "asnumpy", "norm", "flatten", "reshape"}
TWICE = "a result that is compared with itself, of the same call"
ANOTHER = "compare it with another computation"


def aliased(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield (node, what, mend) of comparisons with another name of the same thing.

    And of those with what the same call gave a second time, under a name that says it is right.
    """
    names: dict[str, str] = {}
    copies: dict[str, set[str]] = {}  # and of what calls gave, the names in those
    calls: dict[str, str] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                names[name] = other
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if isinstance(of := _same(value), ast.Name):
                    names[name], copies[name] = of.id, set()
                elif isinstance(value, ast.Call):
                    first = calls.setdefault(ast.dump(value), name)
                    if first != name and (EXPECTED.search(name) or EXPECTED.search(first)):
                        names[name] = first
                        copies[name] = {n.id for n in walk(value) if isinstance(n, ast.Name)}
    if not names:
        return
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    bound = stored + [node.arg for node in nodes if isinstance(node, ast.arg)]
    names = {a: b for a, b in names.items() if bound.count(a) == 1 and bound.count(b) <= 1}
    if copies.keys() & names.keys():  # one of two equal things may be changed before the look
        changed = _changed(nodes)
        for name in copies.keys() & names.keys():
            if {name, names[name]} & changed or any(stored.count(n) > 1 for n in copies[name]):
                del names[name]
    for node in nodes if names else ():
        if isinstance(node, ast.Assert | ast.Call):
            same = _Renamed(names).visit(copy.deepcopy(node))
            compared = same.test if isinstance(same, ast.Assert) else same
            if isinstance(compared, ast.Compare) and isinstance(compared.ops[0], ast.Eq):
                if ast.dump(compared.left) == ast.dump(compared.comparators[0]):
                    yield node, SELF, ANOTHER
            elif not any(vacuous(node)) and isinstance(same, ast.Call) and any(_checks(same)):
                yield node, SELF, ANOTHER


def _changed(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of what some code may change: what a call gets, or an assignment."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(root_of(node))
        elif isinstance(node, ast.Call) and name_of(node.func) not in READERS:
            if name_of(node.func) in COMPARES or name_of(node.func).startswith("assert_"):
                continue
            parts = [*node.args, *(k.value for k in node.keywords)]
            parts += [node.func.value] if isinstance(node.func, ast.Attribute) else []
            found |= {root_of(p.value if isinstance(p, ast.Starred) else p) for p in parts}
    return found


COMPARES = {"allclose", "array_equal", "array_equiv", "isclose", "equal", "approx"}


def loose(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield (node, what, mend) of comparisons that a number by its name lets pass.

    That is a tolerance, or the length of what is compared from its end on.
    """
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    known, long = {}, {}
    made: dict[str, ast.expr] = {}  # differences, and what is equal, by their names
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                known[name] = value
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if (length := _length(value)) is not None:
                    long[name] = length
                if bound.count(name) == 1 and (
                    _subtracts(value) or _even(value) or _distance(value)
                ):
                    made[name] = value
    yield from _filled(tree.body)
    chosen = {
        name_of(statement.targets[0])
        for statement in tree.body
        if isinstance(statement, ast.Assign) and _chooses(statement.value)
    }
    known = {name: value for name, value in known.items() if bound.count(name) == 1}
    long = {name: length for name, length in long.items() if bound.count(name) == 1}
    for node in nodes:
        named = [k for k in getattr(node, "keywords", ()) if name_of(k.value) in known]
        if isinstance(node, ast.Call) and named:
            values = [known.get(name_of(k.value), k.value) for k in node.keywords]
            words = [ast.keyword(k.arg, v) for k, v in zip(node.keywords, values, strict=True)]
            same = ast.Call(node.func, node.args, words)
            yield from ((node, *found) for found in _checks(same) if "tolerance" in found[0])
        if chosen and any(_at(side, chosen) for side in _sides(node)):
            yield node, "only the elements that agree are compared", "compare all of them"
        if long and any(_none(side, long) for side in _sides(node)):
            yield node, NOTHING, SOMETHING
        if isinstance(node, ast.Assert) and made and not _blind(node.test):
            whole = _Filled(made).visit(copy.deepcopy(node.test))
            if wrong := _blind(whole):
                yield node, *wrong
        if isinstance(node, ast.Assert) and (masks := _masks(node.test)):
            asked = {ast.dump(n.func.value) for n in nodes if _counts(n)}  # type: ignore[attr-defined]
            asked |= {ast.dump(a) for n in nodes if _counts(n) for a in n.args}  # type: ignore[attr-defined]
            if not asked & masks:
                mend = "assert first that it lets something through: assert mask.any()"
                yield node, "all() of what a mask lets through, which may be nothing", mend


def _chooses(node: ast.expr) -> bool:
    """Whether an expression is the places where two things agree, or agree best."""
    for inner in walk(node):
        if isinstance(inner, ast.Call) and inner.args:
            name, of = name_of(inner.func), inner.args[0]
            if name in {"flatnonzero", "nonzero", "where", "argwhere"} and len(inner.args) == 1:
                return _each(of)
            if name in {"argmin", "argsort", "nanargmin"}:
                return _distance(of)
    return False


def _at(side: ast.expr, names: set[str]) -> bool:
    return isinstance(side, ast.Subscript) and any(
        isinstance(n, ast.Name) and n.id in names for n in walk(side.slice)
    )


def _filled(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield comparisons of an array with what was copied into it: ref[:] = out."""
    copied: tuple[str, str] | None = None
    for statement in body:
        pair = _copies(statement)
        if not pair and copied and isinstance(statement, ast.Expr | ast.Assert):
            test = statement.test if isinstance(statement, ast.Assert) else statement.value
            if {*copied} <= {name_of(_same(side)) for side in _sides(_inner(test))}:
                yield statement, SELF, ANOTHER
        named = {n.id for n in walk(statement) if isinstance(n, ast.Name)}
        if pair or (copied and named & {*copied}):
            copied = pair


def _copies(statement: ast.stmt) -> tuple[str, str] | None:
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=to), slice=cut)], value=value):
            of = _same(value)
            return (to, of.id) if ast.unparse(cut) in WHOLE and isinstance(of, ast.Name) else None
        case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=to), ast.Name(id=of)])):
            return (to, of) if name_of(func) == "copyto" else None
    return None


WHOLE = {":", "..."}


def _masks(test: ast.expr) -> set[str]:
    """Return the masks of what a test asks all elements of: x > 9 of (x[x > 9] == 3).all()."""
    if not (isinstance(test, ast.Call) and name_of(test.func) == "all"):
        return set()
    slices = [n.slice for n in walk(test) if isinstance(n, ast.Subscript)]
    return {ast.dump(cut) for cut in slices if isinstance(cut, ast.Compare)}


def _counts(node: ast.AST) -> bool:
    """Whether a call says how many of something are true: mask.any()."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr in {"any", "sum", "count_nonzero"}


NOTHING = "a comparison of nothing: the slice is empty"
SOMETHING = "compare the elements that there are"


def _sides(node: ast.AST) -> list[ast.expr]:
    """Return what a comparison compares."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        name = name_of(node.func)
        if name.startswith("assert_") or name in COMPARES:
            return node.args[:2]
    return []


def _none(node: ast.expr, long: dict[str, int] | None = None) -> bool:
    """Whether an expression is an empty slice. ``long``: names of what has a known length."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)):
        return False
    cut = node.slice
    first = 0.0 if cut.lower is None else _number(cut.lower)
    last = None if cut.upper is None else _number(cut.upper)
    if cut.step is None and cut.upper is not None and cut.lower is not None:
        if ast.dump(cut.lower) == ast.dump(cut.upper):
            return True
    if first is not None and last is not None and cut.step is None:
        return first >= last and (first < 0) == (last < 0)
    length = (long or {}).get(name_of(node.value))
    return length is not None and last is None and first is not None and first >= length


def _length(node: ast.expr) -> int | None:
    """Return the length of a list or an array of a size that stands there."""
    if isinstance(node, ast.List | ast.Tuple):
        return None if any(isinstance(e, ast.Starred) for e in node.elts) else len(node.elts)
    if isinstance(node, ast.Call) and name_of(node.func) in SIZED and node.args:
        size = node.args[0]
        if isinstance(size, ast.Tuple | ast.List) and name_of(node.func) != "arange":
            return _length(size) if name_of(node.func) == "array" else None
        if len(node.args) == 1 or name_of(node.func) != "arange":
            if isinstance(size, ast.Constant) and isinstance(size.value, int):
                return size.value
    return None


SIZED = {"arange", "zeros", "ones", "empty", "full", "array", "range", "device_array"}


SELF = "a result that is compared with itself, under another name"


# The kinds of nodes that the two sets of rules look at: most of a tree is of no other.
PROVES: tuple[type, ...] = (
    ast.Assert,
    ast.BoolOp,
    ast.FunctionDef,
    ast.ClassDef,
    ast.For,
    ast.comprehension,
)
PROVES += (
    ast.If,
    ast.While,
    ast.IfExp,
    ast.Match,
    ast.Try,
    ast.TryStar,
    ast.Assign,
    ast.ImportFrom,
)
PROVES += (ast.Expr, ast.With, ast.Attribute, ast.Call, ast.Raise)
REACHES: tuple[type, ...] = (
    ast.Import,
    ast.ImportFrom,
    ast.Attribute,
    ast.Assign,
    ast.AugAssign,
    ast.Delete,
)
REACHES += (ast.Call, ast.Name)


def vacuous(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Assert) and (
        _constant(node.test) or _always(node.test) or _always(_inner(node.test))
    ):
        yield "an assertion that cannot fail", "compare a result with what it must be"
    elif isinstance(node, ast.Assert) and _twice(node.test):
        yield TWICE, ANOTHER
    elif isinstance(node, ast.Assert) and any(map(_none, _sides(_inner(node.test)))):
        yield NOTHING, SOMETHING
    elif isinstance(node, ast.Assert) and any(map(_never_is, walk(node.test))):
        what = "a comparison with is, which a value of NumPy passes whatever it is"
        yield what, "write assert x, or assert not x"
    elif isinstance(node, ast.Assert) and (said := _holds_anyway(node)):
        yield said, "compare with the one value that must come out: =="
    elif isinstance(node, ast.If | ast.Match | ast.IfExp) and _alike(node):
        yield "branches that do the same, whatever was asked", "leave the question out, or compare"
    elif isinstance(node, ast.Assert) and _two(node):
        yield "two values after assert, of which the second is its message", "compare them with =="
    elif isinstance(node, ast.Assert) and _not_above(node.test):
        yield "an assertion that a NaN passes", "write the comparison without not: error <= limit"
    elif isinstance(node, ast.Assert) and (wrong := _blind(node.test)):
        yield wrong
    elif isinstance(node, ast.Raise) and _leaves(node):
        what = f"{ast.unparse(node)}, which Python takes for an end and no error"
        yield what, "raise an error: a failed check must be seen"
    elif isinstance(node, ast.If) and _fails(node.body) and _far(node.test, named=True):
        yield NAN, "raise unless it is near enough: if not error <= limit"
    elif isinstance(node, ast.If) and _keeps_larger(node):
        yield NAN, "take the largest with np.max, which a NaN is an error for"
    elif isinstance(node, ast.Assign) and _larger_of(node):
        yield NAN, "take the largest with np.max, which a NaN is an error for"
    elif isinstance(node, ast.Assign) and _whole(node.value):
        yield CUT_OFF, PLAIN
    elif isinstance(node, ast.Assign) and _signed(node.value):
        if any(ERROR.search(name_of(target)) for target in node.targets):
            yield SIGNED, ABSOLUTE
    elif isinstance(node, ast.BoolOp) and any(map(_fixed, node.values[:-1])):
        yield "code behind a condition that never changes", "show only what runs"
    elif isinstance(node, ast.FunctionDef | ast.ClassDef) and any(
        map(_left_out, node.decorator_list)
    ):
        yield "a test that is left out, or may fail", "let it run and pass"
    elif isinstance(node, ast.For | ast.comprehension) and _nothing(node.iter):
        yield "a loop over nothing, which never runs", "loop over what there is"
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and _constant(node.test):
        truth = _truth(node.test)
        if truth is False or (isinstance(node, ast.If) and truth):
            yield "code behind a condition that never changes", "show only what runs"
    elif isinstance(node, ast.Try | ast.TryStar):
        yields = any(isinstance(inner, ast.Yield) for s in node.body for inner in walk(s))
        for handler in node.handlers:
            if yields and not isinstance(handler.body[-1], ast.Raise):
                what = "an error that is swallowed, of the code around which this stands"
                yield what, "let it fail: end the handler with raise"
            elif _of_a_check(handler):
                yield "a failed check that is swallowed", "let it fail: take the try out"
            elif all(_shrugs(statement) for statement in handler.body):
                mend = "let it fail, or print what happened and check it"
                yield "an error that is swallowed: the block would pass without having worked", mend
            elif not _answers(handler):
                yield (
                    "a value in the place of an error: the block would pass without it",
                    ("let it fail, print the error, or note True that it came"),
                )
        for inner in (n for s in node.finalbody for n in walk(s)):
            if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                yield "a finally that swallows errors", "take the return, break or continue out"
            elif isinstance(inner, ast.Raise):
                mend = "let the first one through: raise in the try, or behind it"
                yield "a finally that puts another error in the place of the first", mend
    elif isinstance(node, ast.FunctionDef) and node.name in {"__exit__", "__aexit__"}:
        for inner in walk(node):
            if isinstance(inner, ast.Return) and inner.value and _truth(inner.value) is not False:
                yield "an error that is swallowed", "let __exit__ return nothing"
    elif isinstance(node, ast.ClassDef) and (name := _own_rule(node)):
        what = f"a value of Python's, or an array, with a {name} of its own"
        yield what, "compare plain values, which every reader knows"
    elif isinstance(node, ast.FunctionDef) and node.name in AGREES and _deaf(node):
        yield "a comparison that does not look at the other side", "compare with what it gets"
    elif isinstance(node, ast.Assign) and any(name_of(t) in AGREES for t in node.targets):
        if isinstance(node.value, ast.Lambda) and _deaf(node.value):
            yield "a comparison that does not look at the other side", "compare with what it gets"
    elif isinstance(node, ast.Assign) and any(name_of(t) == "__exit__" for t in node.targets):
        yield "an error that may be swallowed", "write __exit__ as a function that returns nothing"
    elif isinstance(node, ast.ImportFrom) and node.module == "contextlib":
        if any(a.name == "suppress" for a in node.names):
            yield "an error that is swallowed", "let it fail, or expect it with pytest.raises"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.BoolOp | ast.IfExp):
        yield "a statement that may do nothing, and looks as if it had run", "write it with if"
    elif isinstance(node, ast.Expr) and (
        isinstance(node.value, ast.Lambda | ast.GeneratorExp)
        or (isinstance(node.value, ast.Call) and name_of(node.value.func) in UNASKED)
    ):
        yield "a statement that does nothing", "call it and look at what it gives, or take it out"
    elif isinstance(node, ast.Expr):
        yield from _ignored(getattr(node.value, "value", node.value))
    elif isinstance(node, ast.With) and any(_suppresses(item) for item in node.items):
        yield "an error that is swallowed", "let it fail, or expect it with pytest.raises"
    elif isinstance(node, ast.Attribute) and node.attr == "suppress":  # by whatever name it goes
        yield "an error that is swallowed", "let it fail, or expect it with pytest.raises"
    elif isinstance(node, ast.Call):
        if name_of(node.func) == "assert_array_less" and any(map(_infinite, node.args[:2])):
            yield (
                "a comparison with a limit that every number keeps",
                "compare with the value that must come out",
            )
        yield from _checks(node)


ENDS = {"SystemExit", "StopIteration", "StopAsyncIteration", "GeneratorExit", "KeyboardInterrupt"}


def _leaves(node: ast.Raise) -> bool:
    """Whether something is raised that ends a program, or a loop, as if all were well."""
    if node.exc is None:
        return False
    called = node.exc if isinstance(node.exc, ast.Call) else None
    name = name_of(called.func if called else node.exc)
    if name != "SystemExit" or not called or not called.args:
        return name in ENDS
    status = called.args[0]  # of SystemExit: 1 and a text are failures
    return isinstance(status, ast.Constant) and status.value in (0, None, False)


def _of_a_check(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes a failed assertion, and goes on."""
    kinds = getattr(handler.type, "elts", [handler.type])
    checked = any(kind is not None and name_of(kind) == "AssertionError" for kind in kinds)
    return checked and not any(
        isinstance(inner, ast.Raise) for statement in handler.body for inner in walk(statement)
    )


def _answers(handler: ast.ExceptHandler) -> bool:
    """Whether a handler raises, uses the error, prints, or notes no more than that it came."""
    for node in (inner for statement in handler.body for inner in walk(statement)):
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Name) and node.id in {handler.name, "print"} - {None}:
            if not any(node in walk(idle) for idle in handler.body if _looks(idle)):
                return True
    *others, last = handler.body
    value = getattr(last, "value", None)
    flag = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    return not others and isinstance(last, ast.Return | ast.Assign) and flag


def _looks(statement: ast.stmt) -> bool:
    """Whether a statement looks at a value and does nothing with it: str(error)."""
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    looks = {"str", "repr", "type", "len", "id", "hash", "bool", "isinstance"}
    return not isinstance(value, ast.Call) or name_of(value.func) in looks


# Calls whose work begins when somebody asks what they return.
UNASKED = {"map", "filter", "zip", "starmap", "partial", "reversed", "enumerate", "iter"}
UNASKED |= {"imap", "imap_unordered", "partialmethod", "islice", "takewhile", "dropwhile"}
PROGRAMS = {"run", "call", "Popen"}


TASKS = {"submit", "apply_async", "map_async", "starmap_async", "create_task", "ensure_future"}


def task(call: ast.Call) -> bool:
    """Whether a call starts a task and returns it: pool.submit(f), but not scheduler.submit(r)."""
    pool = re.search(r"pool|executor|^ex$", ast.unparse(getattr(call.func, "value", call.func)))
    return name_of(call.func) in TASKS and (name_of(call.func) != "submit" or pool is not None)


def _ignored(call: ast.AST) -> Iterator[tuple[str, str]]:
    """Find a program that is started, and whose failure nobody sees."""
    if not isinstance(call, ast.Call):
        return
    if any(k.arg == "return_exceptions" for k in call.keywords):
        yield "errors that nobody looks at", "take return_exceptions out"
    checked = any(k.arg == "check" for k in call.keywords)
    module = getattr(getattr(call.func, "value", None), "id", "")
    name = name_of(call.func)
    if module == "subprocess" and name in PROGRAMS and not checked:
        yield "a program whose failure nobody sees", "write check=True"
    elif module == "os" and name in {"system", "popen"}:
        yield "a program whose failure nobody sees", "write subprocess.run(..., check=True)"


def _shrugs(statement: ast.stmt) -> bool:
    return idle(statement) or isinstance(statement, ast.Continue | ast.Break)


def _suppresses(item: ast.withitem) -> bool:
    return isinstance(item.context_expr, ast.Call) and name_of(item.context_expr.func) == "suppress"


def name_of(node: ast.expr) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def _left_out(decorator: ast.expr) -> bool:
    """Whether a decorator has a test not run, run for no case, or fail without a failure."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if name_of(called) == "parametrize" and isinstance(decorator, ast.Call):
        return len(decorator.args) > 1 and _nothing(decorator.args[1])
    return name_of(called) in {"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"}


def _two(node: ast.Assert) -> bool:
    """Whether an assertion has a value and another in the place of its message."""
    values = ast.Name | ast.Attribute | ast.Subscript
    constant = isinstance(node.msg, ast.Constant) and not isinstance(node.msg.value, str)
    return isinstance(node.test, values) and (constant or isinstance(node.msg, values))


ERROR = re.compile(r"(?:^|_)(?:err|error|errors|diff|difference|delta|off|worst|residual)(?:$|_)")
LIMIT = re.compile(r"(?i)(?:^|_)(?:tol|tolerance|eps|epsilon|atol|rtol|limit|threshold)(?:$|_)")
NEAREST = {"min", "amin", "nanmin", "median", "nanmedian", "percentile", "quantile"}
SIGNED = "a difference without abs: one that is far below passes, too"
ABSOLUTE = "take the absolute value first: np.abs(a - b).max()"
NAN = "a check that a NaN passes"
BELOW = ast.Lt | ast.LtE
ABOVE = ast.Gt | ast.GtE


def _blind(test: ast.expr) -> tuple[str, str] | None:
    """Return what an assertion does not see, and how to mend it: a sign, a NaN, all but one."""
    for part in test.values if isinstance(test, ast.BoolOp) else [test]:
        if _one_is_enough(part):
            return "a check that one equal element passes", "write all() in the place of any()"
        if _pairs(part):
            return "all() of pairs, which are all true", "compare them: all(a == b for a, b in ...)"
        if (
            isinstance(part, ast.UnaryOp)
            and isinstance(part.op, ast.Not)
            and _any_far(part.operand)
        ):
            return NAN, "write that all are near: (np.abs(a - b) <= limit).all()"
        inner = _inner(part)
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            inner = _inner(inner.elt)
        if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            left, op, right = inner.left, inner.ops[0], inner.comparators[0]
            if isinstance(op, ABOVE):  # limit > error
                left, op, right = right, ast.Lt(), left
            if isinstance(op, BELOW) and _small(right):
                if _cancels(left):
                    return CANCELS, "take the absolute value of each difference first"
                if _signed(left) or (inner is not part and _subtracts(left)):
                    return SIGNED, ABSOLUTE
                if _distance(left) and name_of(getattr(left, "func", left)) in NEAREST:
                    return "a check that one near element passes", "take the largest difference"
                if (
                    isinstance(left, ast.Subscript)
                    and name_of(getattr(left.value, "func", left.value)) in {"sorted", "sort"}
                    and _distance(left)
                ):
                    return "a check that one near element passes", "take the largest difference"
                if _shrunk(left):
                    return "a difference that is made smaller before it is compared", PLAIN
                if _skips_nan(left):
                    return NAN, "take nanmax, nan_to_num or fmax out: a NaN is an error"
            if isinstance(op, ast.Eq):
                if _text(left) and _text(right):
                    return "texts of two results, which leave digits and elements out", VALUES
                if _whole(left) or _whole(right):
                    return CUT_OFF, PLAIN
                if _cast([left, right]):
                    return CAST, "compare them as they are"
            if _never_negative(inner):
                return "an assertion that cannot fail", "an error is never negative: say its limit"
    return None


VALUES = "compare the values themselves"
PLAIN = "compare the largest difference as it is"


def _shrunk(node: ast.expr) -> bool:
    """Whether a difference is cut off at a limit, or divided by a large number."""
    for inner in walk(node):
        if isinstance(inner, ast.Call) and name_of(inner.func) in {"clip", "minimum", "fmin"}:
            if any(map(_distance, inner.args)) or _distance(inner.func):
                return True
        if isinstance(inner, ast.BinOp) and _distance(inner.left):
            number = _number(inner.right) or 0
            if isinstance(inner.op, ast.Div) and number >= 1e6:
                return True
            if isinstance(inner.op, ast.Mult) and 0 < number <= 1e-6:
                return True
    return False


def _one_is_enough(part: ast.expr) -> bool:
    """Whether any() stands where all() is meant: np.isclose(a, b).any()."""
    if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.In):
        if isinstance(part.left, ast.Constant) and part.left.value is True:
            return _even(part.comparators[0])
    if isinstance(part, ast.Compare) and isinstance(part.left, ast.Call):
        call, limit = part.left, _number(part.comparators[0])
        of = call.args[0] if call.args else getattr(call.func, "value", None)
        if isinstance(of, ast.expr) and _each(of):
            few = isinstance(part.ops[0], ABOVE) and limit is not None and limit < 1
            if name_of(call.func) in {"argmax", "argmin"}:
                return True
            if few and name_of(call.func) in {"mean", "sum", "count_nonzero", "average"}:
                return True
    if not isinstance(part, ast.Call):
        return False
    if name_of(part.func) in {"sum", "count_nonzero"}:
        of = part.args[0] if part.args else getattr(part.func, "value", None)
        return isinstance(of, ast.expr) and _even(of)
    if name_of(part.func) != "any":
        return False
    of = part.args[0] if part.args else getattr(part.func, "value", None)
    each = isinstance(of, ast.GeneratorExp | ast.ListComp)
    paired = each and any(name_of(getattr(g.iter, "func", g.iter)) == "zip" for g in of.generators)  # type: ignore[union-attr]
    of = of.elt if isinstance(of, ast.GeneratorExp | ast.ListComp) else of
    if isinstance(of, ast.Call):
        return name_of(of.func) in {"isclose", "allclose", "array_equal", "equal"}
    if not isinstance(of, ast.Compare):
        return False
    if isinstance(of.ops[0], BELOW):
        return _distance(of.left) and _small(of.comparators[0])
    if each and not paired:
        return False  # one of several names is the one that is looked for
    return isinstance(of.ops[0], ast.Eq) and not any(
        isinstance(side, ast.Constant) for side in (of.left, *of.comparators)
    )


def _each(node: ast.AST) -> bool:
    """Whether an expression is the answers of a comparison, one for each element."""
    if isinstance(node, ast.Call):
        return name_of(node.func) in {"isclose", "equal"}
    return isinstance(node, ast.expr) and _even(node)


def _even(node: ast.expr) -> bool:
    """Whether an expression says of each element of two things whether they are equal."""
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)):
        return False
    return not any(isinstance(s, ast.Constant) for s in (node.left, *node.comparators))


def _pairs(part: ast.expr) -> bool:
    if not (isinstance(part, ast.Call) and name_of(part.func) in {"all", "any"} and part.args):
        return False
    of = part.args[0]
    if isinstance(of, ast.GeneratorExp | ast.ListComp):
        return isinstance(of.elt, ast.Tuple | ast.List)
    return isinstance(of, ast.Call) and name_of(of.func) in {"zip", "enumerate", "zip_longest"}


def _any_far(node: ast.expr) -> bool:
    """Whether any element is further off than some limit: (np.abs(a - b) > limit).any()."""
    if not (isinstance(node, ast.Call) and name_of(node.func) == "any"):
        return False
    of = node.args[0] if node.args else getattr(node.func, "value", None)
    of = of.elt if isinstance(of, ast.GeneratorExp | ast.ListComp) else of
    return isinstance(of, ast.expr) and _far(of)


def _far(test: ast.expr, named: bool = False) -> bool:
    """Whether a test is that a difference is above a limit, which no NaN is.

    ``named``: or what its name calls so, error > limit.
    """
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return False
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], BELOW):
        left, right = right, left
    elif not isinstance(test.ops[0], ABOVE):
        return False
    if named and _of_error(left) and _small(right):
        return True
    return _distance(left) and (_small(right) or isinstance(right, ast.BinOp))


def _of_error(node: ast.expr) -> bool:
    """Whether an expression is an error by its name: worst, max_error(a, b), errors.max()."""
    if isinstance(node, ast.Call) and name_of(node.func) in {"max", "amax", "float", "item"}:
        return any(map(_of_error, [*node.args, getattr(node.func, "value", node.func)]))
    return bool(ERROR.search(name_of(getattr(node, "func", node))))


def _fails(body: list[ast.stmt]) -> bool:
    """Whether a branch says that something is wrong: it raises, ends, counts or notes it."""
    if len(body) != 1:
        return isinstance(body[-1], ast.Raise)
    value = getattr(body[0], "value", None)
    if isinstance(body[0], ast.Expr) and isinstance(value, ast.Call):
        return name_of(value.func) in {"fail", "append", "add", "exit"}
    flag = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    counts = isinstance(body[0], ast.AugAssign) and isinstance(body[0].op, ast.Add)
    return isinstance(body[0], ast.Raise) or counts or (flag and isinstance(body[0], STORES))


STORES = ast.Assign | ast.Return
CUT_OFF = "a difference that is cut to a whole number before it is compared"


def _whole(node: ast.expr) -> bool:
    """Whether an expression is a difference without what stands behind the point."""
    if not isinstance(node, ast.Call):
        return False
    if name_of(node.func) == "astype" and node.args:
        return bool(re.search(r"int", ast.unparse(node.args[0]))) and _distance(node.func)
    cuts = {"int", "floor", "trunc", "round", "fix", "rint"}
    return name_of(node.func) in cuts and len(node.args) == 1 and _distance(node.args[0])


def _keeps_larger(node: ast.If) -> bool:
    """Whether the larger of two errors is kept, which a NaN never is: if e > worst: worst = e."""
    test, body = node.test, node.body[0]
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(body, ast.Assign)):
        return False
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], BELOW):
        left, right = right, left
    elif not isinstance(test.ops[0], ABOVE):
        return False
    stored = ast.unparse(body.targets[0]) == ast.unparse(right)
    return stored and ast.dump(body.value) == ast.dump(left) and (_distance(left) or _named(left))


def _named(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and bool(ERROR.search(node.id))


def _larger_of(node: ast.Assign) -> bool:
    """Whether Python's max takes the larger of an error and another, which a NaN may not be."""
    call = node.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return False
    if call.func.id != "max" or len(call.args) != 2:
        return False
    target = ast.unparse(node.targets[0])
    others = [a for a in call.args if ast.unparse(a) != target]
    return len(others) == 1 and (_distance(others[0]) or _named(others[0]))


NARROW = re.compile(r"\bu?int(?:8|16)\b")


def _narrowed(node: ast.expr) -> str | None:
    """Return to which small type an expression is cast, or None: x.astype(np.uint8)."""
    if not (isinstance(node, ast.Call) and node.args):
        return None
    if name_of(node.func) == "astype":
        return ast.unparse(node.args[0]) if NARROW.search(ast.unparse(node.args[0])) else None
    return name_of(node.func) if NARROW.fullmatch(name_of(node.func)) else None


CAST = "both sides are cast to a small type, in which different numbers are the same"


def _cast(sides: Sequence[ast.expr]) -> bool:
    first, second = map(_narrowed, sides[:2])
    return first is not None and first == second


def _small(node: ast.expr) -> bool:
    """Whether an expression is a limit: a small number, or one by its name."""
    number = _number(node)
    return number is not None and 0 < number <= 1 or bool(LIMIT.search(name_of(node)))


def _subtracts(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and name_of(node.func) == "subtract":
        return True
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


CANCELS = "differences that cancel each other: one that is above hides one below"


def _cancels(node: ast.expr) -> bool:
    """Whether an expression is the size of a mean or a sum of differences: abs((a - b).mean())."""
    if not (isinstance(node, ast.Call) and name_of(node.func) in {"abs", "fabs"} and node.args):
        return False
    inner = node.args[0]
    if not (isinstance(inner, ast.Call) and name_of(inner.func) in {"sum", "mean", "average"}):
        return False
    of = inner.args[0] if inner.args else getattr(inner.func, "value", None)
    return isinstance(of, ast.expr) and _subtracts(of)


def _signed(node: ast.expr) -> bool:
    """Whether an expression is the largest of differences that may be negative: (a - b).max()."""
    if not (isinstance(node, ast.Call) and name_of(node.func) in {"max", "amax", "mean", "sum"}):
        return False
    of = node.args[0] if node.args else getattr(node.func, "value", None)
    of = of.elt if isinstance(of, ast.GeneratorExp | ast.ListComp) else of
    return isinstance(of, ast.expr) and _subtracts(of)


def _skips_nan(node: ast.expr) -> bool:
    """Whether the largest of some differences is taken without those that are no number."""
    if not (isinstance(node, ast.Call) and _distance(node)):
        return False
    skips = {"nanmax", "nanmean", "nansum", "nan_to_num", "fmax"}
    return any(isinstance(n, ast.Call) and name_of(n.func) in skips for n in walk(node))


def _never_negative(test: ast.Compare) -> bool:
    """Whether a test is that an error, by its name or how it is made, is not below zero."""
    left, op, limit = test.left, test.ops[0], _number(test.comparators[0])
    if limit is None or not isinstance(op, ABOVE) or not (limit < 0 or isinstance(op, ast.GtE)):
        return False
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Pow) and limit <= 0:
        return _number(left.right) == 2
    made = isinstance(left, ast.Call) and name_of(left.func) in {"norm", "std", "var", "hypot"}
    return limit <= 0 and (made or bool(POSITIVE.search(name_of(left))))


POSITIVE = re.compile(r"(?:^|_)(?:err|error|mse|rmse|mae|norm|distance)$")


def _not_above(test: ast.expr) -> bool:
    """Whether a test is that something is not above, or not below, another thing."""
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return False
    order = ast.Lt | ast.LtE | ast.Gt | ast.GtE
    return isinstance(test.operand, ast.Compare) and isinstance(test.operand.ops[0], order)


ANYTHING = 10  # an absolute tolerance of that size tells little: what is large has a relative one


def _wide(given: dict, relative: tuple, absolute: tuple) -> Iterator[tuple[str, str]]:
    """Yield that a tolerance lets everything pass, by the names that a function has for it."""
    near, far = (
        max((given.get(name) or 0 for name in names), default=0) for names in (relative, absolute)
    )
    if near >= 1 or far >= ANYTHING:
        yield "a tolerance that lets everything pass", "say how far off the result may be"


def _checks(call: ast.Call) -> Iterator[tuple[str, str]]:
    name = name_of(call.func)
    compares = name.startswith("assert_") or name in {"allclose", "array_equal", "isclose"}
    sides = [*call.args, *(k.value for k in call.keywords if k.arg in SIDES)]
    if compares and len(sides) >= 2:
        first, second = (_same(a) for a in sides[:2])
        if ast.dump(first) == ast.dump(second):
            yield TWICE if _called(first) else "a result that is compared with itself", ANOTHER
        if any(map(_none, sides[:2])):
            yield NOTHING, SOMETHING
        if _cast(sides):
            yield CAST, "compare them as they are"
        given = {k.arg: _number(k.value) for k in call.keywords}
        given |= dict(zip(("rtol", "atol"), map(_number, call.args[2:4]), strict=False))
        yield from _wide(given, ("rtol", "rel_tol"), ("atol", "abs_tol"))
        if name == "assert_array_less" and (_number(sides[0]) or 0) < 0 and _distance(sides[1]):
            yield "an assertion that cannot fail", "an error is never negative: say its limit"
        if (given.get("decimal") or 1) < 0 or given.get("significant") == 0:
            yield from _wide({"rtol": 1.0}, ("rtol",), ())
    if name in {"assertAlmostEqual", "assertAlmostEquals"}:
        given = {k.arg: _number(k.value) for k in call.keywords}
        places = given.get("places")
        near = 0.0 if places is None or places > 0 else ANYTHING
        yield from _wide({"delta": given.get("delta"), "places": near}, (), ("delta", "places"))
    if name == "skipTest" or (name in {"skip", "xfail"} and root_of(call.func) == "pytest"):
        yield "a test that is left out, or may fail", "let it run and pass"
    if name == "approx":
        yield from _wide({k.arg: _number(k.value) for k in call.keywords}, ("rel",), ("abs",))
    kinds = {name_of(kind) for a in call.args[:1] for kind in getattr(a, "elts", [a])}
    if name in RAISES and kinds & {"Exception", "BaseException"}:
        said = [k.value for k in call.keywords if k.arg == "match"] + call.args[1:2]
        if not any(isinstance(s, ast.Constant) and re.search(r"\w\w", str(s.value)) for s in said):
            yield "an error of any kind is expected", "name the error that must come"
    if name == "push" and any(isinstance(a, ast.Lambda) for a in call.args):
        yield "an error that is swallowed", "let it fail: push nothing that returns True"
    if name == "register" and name_of(getattr(call.func, "value", call.func)) == "atexit":
        yield "code that runs after the last look at the page", "run it in the block"
    if name in TRUTHS and len(call.args) > 1 and not _message(call.args[1]):
        yield "two values, of which the second is the message", "compare them: assertEqual(a, b)"
    if name == "round" and len(call.args) == 2 and (_number(call.args[1]) or 0) < -2:
        yield "a number that is rounded to thousands or more", "say how far off the result may be"
    if name in {"exit", "_exit", "quit", "abort"}:
        yield "a call that ends Python", "let the page run on to its last block"


# The two sides of a comparison, where it names them.
SIDES = {"actual", "desired", "x", "y", "a", "b", "a1", "a2", "expected", "input", "other"}
TRUTHS = {"assertTrue", "assertFalse", "assert_", "assertIsNone", "assertIsNotNone", "failUnless"}


def _message(node: ast.expr) -> bool:
    """Whether an expression is a text, as a message is, or may be one by its name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.JoinedStr) or _text(node):
        return True
    if isinstance(node, ast.BinOp):
        return _message(node.left) or _message(node.right)
    if isinstance(node, ast.Call):
        return name_of(node.func) in {"format", "join", "getvalue"}
    return bool(re.search(r"(?i)msg|message|text|name|why|reason|what|said", name_of(node)))


RAISES = {"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup"}
AGREES = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"}


def _own_rule(node: ast.ClassDef) -> str | None:
    """Return the name by which a kind of number, list or array compares as it likes, or None."""
    if not {"float", "int", "complex", "list", "str", "bytes", "ndarray"} & {
        *map(name_of, node.bases)
    }:
        return None
    names = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    return min(names & (AGREES | {"__abs__", "__sub__", "__rsub__", "__bool__"}), default=None)


def _deaf(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a method that compares never reads what it gets, and raises nothing."""
    body = function.body if isinstance(function.body, list) else [function.body]
    inside = [node for part in body for node in walk(part)]
    if any(isinstance(n, ast.Raise) or getattr(n, "id", "") == "NotImplemented" for n in inside):
        return False
    other = [argument.arg for argument in function.args.args[1:2]]
    return not any(isinstance(n, ast.Name) and n.id in other for n in inside)


CORE = {"lockstep", "lockstep_site"}
# What reaches past a script into the interpreter that runs it.
INSIDES = {
    "sys": {
        *"__displayhook__ displayhook meta_path path_hooks path_importer_cache modules".split(),
        *"_getframe settrace setprofile addaudithook monitoring".split(),
    },
    "inspect": {"stack", "currentframe", "getouterframes"},
    "gc": {"get_objects", "get_referrers"},
    "threading": {"settrace", "setprofile"},
}  # fmt: skip


# What leads from any object into the interpreter, or into another function.
INWARD = {
    *"__subclasses__ __globals__ __code__ __closure__ __defaults__ __getattribute__".split(),
    *"f_globals f_locals f_back gi_frame cr_frame ag_frame tb_frame __builtins__".split(),
}
# Modules whose names a reader knows: what they hold is not a page's to change.
MODULES = {"builtins", "sys", "time", "math", "os", "io", "json", "random", "statistics"}
MODULES |= {"np", "numpy", "numba", "cuda", "cp", "cupy", "pytest", "subprocess", "threading"}


def meddling(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Find what would change or read the machine that runs the page."""
    what = "shown code that reaches into the machine that runs it"
    mend = "show what a reader can run in a file of their own"
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [getattr(node, "module", None) or "", *(a.name for a in node.names)]
        if any(name.split(".")[0] in CORE for name in names):
            yield "shown code imports the core, which its reader does not have", mend
        elif names[0] in INSIDES and {a.name for a in node.names} & INSIDES[names[0]]:
            yield what, mend
    elif isinstance(node, ast.Attribute) and node.attr in INWARD:
        yield what, mend
    elif isinstance(node, ast.Attribute) and node.attr == "__dict__" and root_of(node) in MODULES:
        yield f"a module that is opened: {ast.unparse(node)}", mend
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in INSIDES.get(node.value.id, ()):
            yield what, mend
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Attribute) and root_of(target) in MODULES:
                yield f"a module that is changed: {ast.unparse(target)}", mend
    elif isinstance(node, ast.Call) and name_of(node.func) in {"setattr", "delattr", "vars"}:
        if node.args and root_of(node.args[0]) in MODULES:
            yield f"a module that is changed, or opened: {ast.unparse(node)}", mend
    elif isinstance(node, ast.Name) and node.id in {"__builtins__", "__loader__", "__spec__"}:
        yield what, mend
    elif isinstance(node, ast.Call) and name_of(node.func) in {"import_module", "__import__"}:
        first = node.args[0] if node.args else None
        if not (isinstance(first, ast.Constant) and str(first.value).split(".")[0] not in CORE):
            yield "an import by name, which its reader cannot follow", "write an import statement"


def root_of(node) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")
