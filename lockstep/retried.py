"""A page's comparisons once more, with a wrong result: one of them must notice.

What a page says of its own function is worth what it would say of a wrong one. ``np.clip(f(x), 0,
1)``, a set, a mean, a correlation, every hundredth element: such a comparison may hold whatever
``f`` gives. So where something stands between a result and its comparison, the process that ran the
page is forked, and the copy asks again, with a result that is twice or half as large, in another
order, or right in its first element alone. What nothing on the page notices is refused. The copy
ends with what it was asked, so the page goes on as if nothing had been; one that takes long is let
go.
"""

import ast
import doctest
import functools
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from lockstep.blank import halved
from lockstep.block import Block
from lockstep.languages.names import traced
from lockstep.mistakes import parse, walk
from lockstep.unproved import KEEPS
from lockstep.vacuous import BELOW, _distance, _small, name_of, root_of

WHOLE = 1.0  # seconds of the processor, of all that is tried of a page
LARGE = 1 << 16  # elements: of more no result is changed
CLOSE = {"allclose", "array_equal", "array_equiv", "isclose", "equal"}
SAME = set("asarray array copy copy_to_host tolist asnumpy get ravel".split())
ALIKE = set("corrcoef dot vdot inner norm cosine correlate pearsonr".split())
WRONG = (
    "twice as large",
    "in another order",
    "right in its first element alone",
    "its input as it was",
    "half as large",
)
GIVEN, HALF = 3, 4
MEND = "compare every element with what it must be, and nothing that is made less before"
CHANGE = "give it an input that it must change: neither sorted, nor symmetric, nor a unit matrix"
MOVES = re.compile(r"transpos|sort|revers|flip|permut|rotat|shuffl|shift")
MAKES = re.compile(rf"{MOVES.pattern}|product|matmul|gemm|multipl")
_fork, _wait, _pipe, _read, _write, _close = (
    os.fork, os.waitpid, os.pipe, os.read, os.write, os.close,
)  # fmt: skip
_leave, _timer = os._exit, signal.setitimer

Found = tuple[Block, int, str, str]  # and the line of the block, from 1, what, how to mend it
DEFINES = re.compile(r"^ *(?:def (\w+)|(\w+) = (?:\w+\()*lambda\b)", re.MULTILINE)
COMPARED = re.compile(r"\bassert|_equal\(|allclose\(")


SHOWN = "__shown__"


def check(blocks: tuple[Block, ...], namespace: dict[str, Any], root: Path) -> Found | None:
    """Return what no comparison of a page would notice that has just run, or None."""
    there = [b for b in blocks if traced(b)]
    texts = tuple(_asked(b) if b.language == "pycon" else b.text for b in there)
    if not any(map(COMPARED.search, texts)):
        return None
    defines = (b.text for b in blocks if b.language == "python")
    own = frozenset("".join(found) for text in defines for found in DEFINES.findall(text))
    printed = any(b.language == "output" for b in blocks)
    asked = _plan(texts, own, printed)
    if not asked:
        return None
    told = _apart(lambda: _tries(texts, namespace, str(root / there[0].path), asked))
    for at, line, name, wrong in told:
        what = f"a comparison that holds of a wrong result, too: of {name}, {WRONG[wrong]}"
        return there[at], line, what, CHANGE if wrong == GIVEN else MEND
    return None


def _asked(block: Block) -> str:
    """Return a session as a script: what says True is asserted, and what else it says is shown."""
    rows = [""] * (block.text.count("\n") + 1)
    for example in doctest.DocTestParser().get_examples(block.text):
        source = example.source.rstrip("\n").split("\n")
        if example.exc_msg is not None:
            continue
        if example.want:
            with suppress(SyntaxError):
                ast.parse(example.source, mode="eval")
                says = "assert " if example.want == "True\n" else SHOWN
                source = [f"{says}({source[0]}", *source[1:]]
                source[-1] = source[-1].partition("  #")[0] + ")"
        rows[example.lineno : example.lineno + len(source)] = source
    return "\n".join(rows)


Place = tuple[int, int]  # of a statement: its block, and its number in it


@functools.lru_cache(maxsize=64)
def _plan(
    texts: tuple[str, ...], own: frozenset[str], printed: bool
) -> tuple[tuple[str, list[Place], tuple[int, ...]], ...]:
    """Return each function that a page compares by way of something, and those statements.

    Or that is said to move elements, or to multiply. And which wrong results to try of it.
    """
    try:
        bodies = [parse(text).body for text in texts]
    except SyntaxError:
        return ()
    defined = {s.name: walk(s) for body in bodies for s in body if isinstance(s, ast.FunctionDef)}
    there = [
        ((at, number), statement, _within(statement, defined))
        for at, body in enumerate(bodies)
        for number, statement in enumerate(body)
        if not isinstance(statement, DEFINITIONS)
    ]
    names = [{name_of(n) for n in inside if isinstance(n, NAMES)} for _, _, inside in there]
    given = [{t for t in _targets([s])} for _, s, _ in there]
    often = Counter(name for some in given for name in some)
    found = []
    for name in sorted(own & set().union(*names)):
        made, used, grown, rows = {name}, set[str](), set[str](), list[int]()
        indirect = near = claims = saved = False
        for row, (_, statement, inside) in enumerate(there):
            kept = saved and names[row] & LOADS
            if not (kept or made & names[row]) or name in given[row]:
                continue
            saved = saved or bool(names[row] & SAVES)
            indirect = indirect or saved
            if SHOWN in names[row] or (printed and "print" in names[row]):
                claims = False
                break  # a reader sees what it gives
            rows.append(row)
            used |= names[row]
            made |= _targets(inside)
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
                if name_of(value.func) == name:  # what it fills
                    made |= {n.id for a in value.args for n in walk(a) if isinstance(n, ast.Name)}
            for node in inside:
                if isinstance(node, ast.Call) and name_of(node.func) in KEEPS:
                    if made & {name_of(n) for n in walk(node) if isinstance(n, NAMES)}:
                        grown.add(root_of(node.func))
                        made |= grown
                if _compares(node):
                    claims = claims or _agrees(node) or _asks(node, defined)
                    near = near or any(map(_near, walk(node)))
                    indirect = indirect or not _plain(node, name, made)
                elif isinstance(node, ast.Assign):
                    indirect = indirect or not _direct(node.value, name, made)
        calls = (n for row in rows for n in there[row][2] if isinstance(n, ast.Call))
        tried = (*range(GIVEN), HALF) if indirect else (HALF,) if near else ()
        tried += (GIVEN,) if MAKES.search(name) else ()
        if claims and tried and any(name_of(call.func) == name for call in calls):
            again = {n for n in used if often[n] > 1} | grown
            rows += [row for row, some in enumerate(given) if some & again and row not in rows]
            found.append((name, [there[row][0] for row in sorted(rows)], tried))
    return tuple(found)


def _targets(inside: Iterable[ast.AST]) -> set[str]:
    """Return the names that some nodes give to something."""
    found: set[str] = set()
    for node in inside:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.stmt | ast.comprehension):
            found |= {n.id for t in targets if t for n in walk(t) if isinstance(n, ast.Name)}
    return found


NAMES = (ast.Name, ast.Attribute)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def _within(statement: ast.stmt, defined: dict[str, list[ast.AST]]) -> list[ast.AST]:
    """Return the nodes of a statement, and of the tests of its block that it calls."""
    found = list(walk(statement))
    called = {name_of(n.func) for n in found if isinstance(n, ast.Call)}
    for name in called & defined.keys():
        if any(map(_compares, defined[name])):
            found += defined[name]
    return found


CHECKS = re.compile("assert_|assert[A-Z]")


def _compares(statement: ast.AST) -> bool:
    if isinstance(statement, ast.If):
        return len(statement.body) == 1 and isinstance(statement.body[0], ast.Raise)
    return isinstance(statement, ast.Assert) or (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and CHECKS.match(name_of(statement.value.func)) is not None
    )


def _agrees(statement: ast.AST) -> bool:
    """Whether a comparison says that a result is another one, or near it, or goes as it goes."""
    for node in walk(statement):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq) for op in node.ops):
            return True
        if isinstance(node, ast.Call):
            name = name_of(node.func)
            if name in CLOSE | ALIKE or CHECKS.match(name):
                return name != "assert_array_less"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = [node.left, node.comparators[0]]
            if all(isinstance(s, ast.Name | ast.Subscript | ast.Attribute) for s in sides):
                return True  # error <= bound
            if any(_word(side) or _distance(side) for side in sides):
                return True
    return False


def _near(node: ast.AST) -> bool:
    """Whether a comparison has a tolerance, which a run of NumPy's own does not see."""
    called = getattr(node, "func", node)
    named = isinstance(called, ast.expr) and name_of(called) in {"approx", "isclose"}
    return named or isinstance(node, BELOW)


def _asks(statement: ast.AST, defined: Collection[str]) -> bool:
    """Whether an assertion asks a function of the page about two things: agrees(got, want)."""
    test = getattr(statement, "test", None)
    if not isinstance(test, ast.Call) or name_of(test.func) not in defined:
        return False
    return len(test.args) + len(test.keywords) > 1


def _word(node: ast.expr) -> bool:
    """Whether a name says that two things are alike, or how far apart they are."""
    return bool(re.search(r"(?i)corr|cosin|similar|error|diff|distance", name_of(node)))


def _plain(statement: ast.AST, name: str, made: set[str]) -> bool:
    """Whether a comparison takes its sides as they are, or their largest difference."""
    if isinstance(statement, ast.Expr):
        assert isinstance(statement.value, ast.Call)
        return _sides(statement.value.args[:2], name, made)
    assert isinstance(statement, ast.Assert | ast.If)
    test = statement.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    while isinstance(test, ast.Call) and name_of(test.func) in {"all", "bool"}:
        of = test.args[0] if test.args else getattr(test.func, "value", None)
        if not isinstance(of, ast.expr):
            break
        test = of
    if isinstance(test, ast.Call) and name_of(test.func) in CLOSE:
        return _sides(test.args[:2], name, made)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.Lt | ast.LtE) and _distance(left) and _small(right):
            return True
        return _sides([left, right], name, made)
    return False


def _sides(sides: list[ast.expr], name: str, made: set[str]) -> bool:
    """Whether the sides are taken as they are, and one of them does not come from the function."""
    known = [{name_of(n) for n in walk(side) if isinstance(n, NAMES)} for side in sides]
    return all(_direct(side, name, made) for side in sides) and not all(made & k for k in known)


def _direct(node: ast.expr, name: str, made: set[str]) -> bool:
    """Whether an expression is what the function gives as it is, or none of it."""
    if not made & {name_of(n) for n in walk(node) if isinstance(n, NAMES)}:
        return True
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
            return all(_direct(n, name, made) for n in (*node.args, node.func.value))
        return name_of(node.func) == name
    if isinstance(node, ast.Tuple | ast.List):
        return all(_direct(n, name, made) for n in node.elts)
    return isinstance(node, ast.Name | ast.Attribute)


# ---------------------------------------------------------------- in a copy of the process


def _apart(work: Callable[[], Iterator[Any]]) -> list:
    """Return what some work gives in a copy of this process, as far as it comes in its time."""
    source, sink = _pipe()
    child = _fork()
    if child == 0:
        try:
            for number in (signal.SIGALRM, signal.SIGPROF):
                signal.signal(number, signal.SIG_DFL)
            _timer(signal.ITIMER_PROF, WHOLE)
            _timer(signal.ITIMER_REAL, 10 * WHOLE)  # for what sleeps
            sys.addaudithook(_alone)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            for said in work():
                _write(sink, json.dumps(said).encode() + b"\n")
        finally:
            _leave(0)
    _close(sink)
    parts = []
    while part := _read(source, 1 << 16):
        parts.append(part)
    _close(source)
    with suppress(ChildProcessError):
        _wait(child, 0)
    return [json.loads(row) for row in b"".join(parts).split(b"\n")[:-1]]


def _alone(event: str, arguments: tuple) -> None:
    """Let a copy of the process start no program, which would outlive it."""
    if event in {"subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.fork"}:
        raise PermissionError(event)


def _tries(texts: tuple[str, ...], namespace: dict, file: str, asked: tuple) -> Iterator[tuple]:
    """Yield (block, line, function, which wrong result) of what nothing notices."""
    bodies = [parse(text).body for text in texts]
    for name, places, tried in asked:
        holder, real = _holder(namespace, name)
        if real is None:
            continue
        some = [bodies[at][number] for at, number in places]
        again = compile(ast.Module(some, []), file, "exec", dont_inherit=True)
        fills = _fills(bodies, name)

        def held(
            wrong: int | None, which: int, holder=holder, real=real, again=again, fills=fills
        ) -> tuple[bool, "_Calls"]:
            calls = _Calls(real, wrong, which, fills)
            holder(calls)
            try:
                exec(again, namespace)  # noqa: S102 of the page, in a copy of its process
            except BaseException:
                return False, calls
            finally:
                holder(None)
            return True, calls

        holds, calls = held(None, 0)
        if not holds or not calls.results:
            continue
        compares = (n for s in some for n in walk(s) if isinstance(n, ast.stmt) and _compares(n))
        first = next(compares, some[-1])
        at = next(
            at for at, number in places if bodies[at][number] in some and _has(bodies[at], first)
        )
        used = {n.id for s in some for n in walk(s) if isinstance(n, ast.Name)} - {name}
        sizes = {_size(result) for result in calls.results}
        others = {_size(namespace[n]) for n in used if n in namespace} | calls.sizes
        if max(sizes) > 1 and not {size for size in sizes if size > 1} & others:
            continue  # nothing that it could be compared with, element by element
        which_calls: tuple[int, ...] = (0, 1, len(calls.results))
        if _said(some) & LOADS:  # a reference from a file that the function itself has filled
            which_calls = (0,)
        for wrong in tried:
            if wrong == GIVEN:
                some_wrong = calls.handed
            else:
                some_wrong = any(_changed(r, wrong) is not None for r in calls.results)
            if not some_wrong:
                continue
            if all(held(wrong, which)[0] for which in dict.fromkeys(which_calls)):
                yield at, first.lineno, name, wrong
        held(None, 0)  # what it writes is what it was


SAVES = {"save", "savez", "tofile", "write_text", "write_bytes", "dump", "savetxt", "write"}
LOADS = {"load", "fromfile", "read_text", "read_bytes", "loads", "loadtxt", "genfromtxt"}


def _said(some: list[ast.stmt]) -> set[str]:
    return {name_of(n) for s in some for n in walk(s) if isinstance(n, NAMES)}


def _has(body: list[ast.stmt], statement: ast.stmt) -> bool:
    return any(node is statement for outer in body for node in walk(outer))


def _holder(namespace: dict, name: str) -> tuple[Callable, Any]:
    """Return what puts a function into its place, and the function; a method is its class's."""
    kinds = [v for v in list(namespace.values()) if isinstance(v, type)]
    kind = next((k for k in kinds if isinstance(vars(k).get(name), FunctionType)), None)
    if kind is None or name in namespace:
        real = namespace.get(name)

        def put(calls: "_Calls | None") -> None:
            namespace[name] = calls or real

        return put, real if isinstance(real, FunctionType) else None
    method = vars(kind)[name]

    def patch(calls: "_Calls | None") -> None:
        setattr(kind, name, method if calls is None else lambda *a, **more: calls(*a, **more))

    return patch, None if name.startswith("__") else method


def _fills(bodies: list, name: str) -> set[int]:
    """Return which arguments a function stores into."""
    for body in bodies:
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                stored = {
                    root_of(n)
                    for n in walk(node)
                    if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)
                }
                asked = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
                return {at for at, argument in enumerate(asked) if argument in stored}
    return set()


class _Calls:
    """A function whose results are wrong: all of them, or that of one call."""

    def __init__(self, real: Callable, wrong: int | None, which: int, fills: set[int]):
        self.real, self.wrong, self.which, self.fills = real, wrong, which, fills
        self.results: list[Any] = []
        self.sizes: set[int] = set()  # of its arguments
        self.handed = False  # whether an argument could be taken for a result
        self.inside = False
        functools.update_wrapper(self, real)

    def __call__(self, *args: Any, **more: Any) -> Any:
        if self.inside:
            return self.real(*args, **more)
        self.inside = True
        first = _copied(args[0]) if args else None
        try:
            result = self.real(*args, **more)
        finally:
            self.inside = False
        self.sizes |= {_size(a) for at, a in enumerate(args) if at not in self.fills}
        filled = [args[at] for at in self.fills if at < len(args)] if result is None else []
        self.results.append(filled[0] if filled else result)
        alike = (
            first is not None and type(first) is type(result) and _shape(first) == _shape(result)
        )
        self.handed = self.handed or alike
        if self.wrong == GIVEN:
            return first if alike else result
        if self.wrong is None or self.which not in (0, len(self.results)):
            return result
        for array in filled:
            if (changed := _changed(array, self.wrong)) is not None:
                array[:] = changed
        changed = _changed(result, self.wrong)
        return result if changed is None else changed


def _copied(value: Any) -> Any:
    """Return a copy of an array or a list, or None."""
    numpy = sys.modules.get("numpy")
    array = numpy is not None and type(value) is numpy.ndarray and 1 < value.size <= LARGE
    return value.copy() if array or (type(value) is list and len(value) > 1) else None


def _shape(value: Any) -> Any:
    return len(value) if isinstance(value, list) else value.shape


def _size(value: Any) -> int:
    """Return of how many elements a value is, or 0 where it has none."""
    if isinstance(value, list | tuple | dict):
        parts = list(value.values() if isinstance(value, dict) else value)
        return max([len(parts), *(_size(p) for p in parts[:4] if not isinstance(p, int | float))])
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return int(value.size)
    return 1 if isinstance(value, int | float) else 0


def _part(value: list | tuple, wrong: int) -> Any:
    """Return some results of which the rows are wrong."""
    rows = [None if isinstance(v, int | float) else _changed(v, wrong) for v in value]
    if type(value) not in {list, tuple} or all(row is None for row in rows):
        return None
    made = (v if row is None else row for v, row in zip(value, rows, strict=True))
    return type(value)(made)


def _changed(value: Any, wrong: int) -> Any:
    """Return a result that is wrong, or None where it cannot be made so."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        if wrong == HALF:
            return halved(value) if value else None
        return value * 2 if wrong == 0 and value else None
    if isinstance(value, dict):
        changed = _part(list(value.values()), wrong)
        return changed and dict(zip(value, changed, strict=True))
    if isinstance(value, list | tuple) and value:
        if wrong == 1 and not hasattr(value[0], "shape"):
            back = type(value)(value[::-1]) if type(value) in {list, tuple} else None
            return back if back is not None and list(back) != list(value) else None
        if not all(type(v) in {int, float} for v in value):
            return _part(value, wrong)
        made = [value[0], *(v + 1 for v in value[1:])]
        if wrong in (0, HALF):
            made = [halved(v) if wrong == HALF else v * 2 for v in value]
        return type(value)(made) if made != list(value) else None
    if numpy is None or type(value) is not numpy.ndarray or not 1 < value.size <= LARGE:
        return None
    if value.dtype.kind not in "iuf":
        return None
    with numpy.errstate(all="ignore"):
        if wrong == 0:
            made = value * value.dtype.type(2)
        elif wrong == HALF:
            made = halved(value).astype(value.dtype)
        elif wrong == 1:
            made = value.ravel()[::-1].reshape(value.shape).copy()
        else:
            made = value + value.dtype.type(1)
            made.flat[0] = value.flat[0]
        return None if numpy.array_equal(made, value, equal_nan=value.dtype.kind == "f") else made
