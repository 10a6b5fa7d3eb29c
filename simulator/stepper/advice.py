"""What would mend a finding: the line as it should be, from the kernel's source.

Each function gives a sentence, or None where the source is not simple enough to be sure.
"""

import ast

OPPOSITE = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}
OPPOSITE |= {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


def statements(source, site):
    """The statements of a kernel around a site, from the outermost; none in a device function."""
    if site.function not in ("", source.name):
        return []
    nodes = (n for n in ast.walk(source.node) if isinstance(n, ast.stmt) and n is not source.node)
    found = [n for n in nodes if n.lineno <= site.line <= n.end_lineno]
    return sorted(found, key=lambda n: (n.lineno, -n.end_lineno, n.col_offset))


def branches(source, site):
    """The statements that decide whether a thread comes to a site."""
    return statements(source, site)[:-1]


def head(statement):
    """A statement on one line: of a compound one what stands before its body."""
    return ast.unparse(statement).splitlines()[0]


def atomically(source, site, floats):
    """How an access that is not atomic is written where others use atomic operations."""
    around = statements(source, site)
    if not around:
        return None
    statement = around[-1]
    part = getattr(statement, "test", statement)  # of a compound statement its own line
    places = [
        n for n in ast.walk(part)
        if isinstance(n, ast.Subscript) and n.lineno == site.line
        and ast.unparse(n.value) == site.array
    ]  # fmt: skip
    if len({ast.unparse(n) for n in places}) != 1:
        return None
    place = places[0]
    base, index = ast.unparse(place.value), ast.unparse(place.slice)
    if isinstance(place.slice, ast.Tuple):
        index = f"({index.strip('()')})"
    stored = [n for n in places if isinstance(n.ctx, ast.Store)]
    if site.kind == "load" and not stored:
        line = head(statement).replace(ast.unparse(place), f"cuda.atomic.add({base}, {index}, 0)")
        or_else = "read it in a later launch, if it is to see what all threads did"
    elif site.kind == "store" and len(places) == 1 and isinstance(statement, ast.Assign):
        if floats or statement.targets != [place]:
            return None  # Numba exchanges integers alone
        line = f"cuda.atomic.exch({base}, {index}, {ast.unparse(statement.value)})"
        or_else = "write it before the launch, if it is to come first"
    else:
        return None
    return f"Write line {site.line} as `{line}`, or {or_else}."


def fence(source, told, block):
    """The line of an atomic operation by which a block tells of a write, with a fence before it.

    ``told``: the site of that operation.
    """
    around = statements(source, told)
    then = f", then `{head(around[-1])}`" if around else ""
    return (
        f"Block {block} tells of the write by the atomic operation in line {told.line}, which may "
        "be seen before the write is. Write a fence between the two, as a line of its own: "
        f"`cuda.threadfence()`{then}."
    )


def barrier(source, site, other_line=None):
    """Where a barrier belongs that stands in a branch, in a loop, or after an early return."""
    around = statements(source, site)
    if not around:
        return None
    call = head(around[-1])
    for outer in reversed(around[:-1]):
        test, first = head(outer), outer.lineno
        if isinstance(outer, ast.If):
            if other_line and other_line != site.line and first <= other_line <= outer.end_lineno:
                return (
                    f"Write one `{call}` behind the branches of line {first} (`{test}`), in place "
                    "of the two."
                )
            return (
                f"End the branch of line {first} before the barrier, write `{call}` where every "
                f"thread comes, and begin `{test}` again for what follows it."
            )
        return (
            f"The loop of line {first} (`{test}`) takes more turns in some threads than in others: "
            "let all take as many, and test inside the loop who has work to do."
        )
    for early in source.node.body:
        if isinstance(early, ast.If) and early.end_lineno < site.line and not early.orelse:
            last = early.body[-1]
            if isinstance(last, ast.Return):
                return (
                    f"Write `if {negated(early.test)}:` around the work, before the barrier and "
                    f"again after it, in place of the return in line {last.lineno}."
                )
    return None


def negated(test):
    """The opposite of a condition, as text."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        return ast.unparse(
            ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
        )
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.BoolOp):
        other = " and " if isinstance(test.op, ast.Or) else " or "
        return other.join(negated(t) for t in test.values)
    return f"not ({ast.unparse(test)})"
