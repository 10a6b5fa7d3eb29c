"""A page once more without one of its kernels: what it compares must miss it.

An output that held the expected result before the launch, zeros of which nothing but zeros come, a
symmetric matrix that a kernel is said to transpose: there every comparison holds, whatever the
kernel does. So the process that ran the page is forked, and in the copy the kernel does nothing, or
hands its input on as it is where its name says that it moves elements. If all comparisons still
hold, they are refused. What a session shows is seen by its reader, who takes it for the kernel's
work, also where an error is rounded away or the host computes the result. So the whole page runs
once more without the kernel, and is refused if it shows and says just the same. Functions that a
compiler takes for the CPU run once more in such a copy as plain Python, which tells the lines that
no call of the page has reached.
"""

import ast
import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from lockstep import branches, retried
from lockstep.block import Block
from lockstep.languages.names import traced
from lockstep.mistakes import parse, walk
from lockstep.vacuous import name_of, root_of

WITHOUT = ("without it", "where it only copies")
MEND = "give it an input that it must change, and an output that holds something else before"
SHOW = "show what it gives of an input that it must change, and to as many digits as tell"
CALLED = 'call it so that they run; or say why not on the fence: unrun="reason"'
ASKS = re.compile(rf"{retried.COMPARED.pattern}|{retried.SHOWN}")
# A page that shows a wrong result says what is wrong, and not that the kernel is right.
WRONG = {"(False,)", "(nan,)"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def check(blocks: tuple[Block, ...], namespace: dict[str, Any], root: Path) -> retried.Found | None:
    """Return what a page that has just run proves of none of its kernels, or None."""
    there = [b for b in blocks if traced(b)]
    compiled = {
        name: held
        for name, held in namespace.items()
        if isinstance(_plain(held), FunctionType) and _plain(held).__name__ == name
    }
    texts = [retried._asked(b) if b.language == "pycon" else b.text for b in there]
    if not compiled and not any(map(ASKS.search, texts)):
        return None
    try:
        rows = _Rows(texts, any(b.language == "output" for b in blocks))
    except SyntaxError:
        return None
    file = str(root / there[0].path)
    wanted = [(name, fills, found) for name, fills in rows.kernels() if (found := rows.of(name))]
    if wanted:
        for name, at, line, how in retried._apart(lambda: _spared(wanted, namespace, file)):
            what = f"comparisons that hold of {name} {WITHOUT[how]}, too"
            return there[at], line, what, MEND
    if shown := rows.shown():
        for name, at, line, how in retried._apart(lambda: _unmissed(rows, shown, namespace, file)):
            what = f"a session that shows the same of {name} {WITHOUT[how]}, too"
            return there[at], line, what, SHOW
    used = {name for name in compiled if rows.naming({name})}
    if used:
        for path, function, lines in retried._apart(
            lambda: _relived(rows, {name: compiled[name] for name in used}, namespace, file)
        ):
            for one in there:
                inside = [n for n in lines if n in one.numbers]
                if str(root / one.path) == path and inside and "unrun" not in one.options:
                    said = ", ".join(map(str, inside))
                    what = f"no call of the page reaches {said} of {function}, which is compiled"
                    return one, one.numbers.index(inside[0]) + 1, what, CALLED
    return None


def _plain(held: Any) -> Any:
    """Return the Python of a function that Numba compiles for the CPU, or None."""
    kind = type(held)
    if not kind.__module__.startswith("numba.") or "cuda" in kind.__module__:
        return None
    return getattr(getattr(held, "_dispatcher", held), "py_func", None)


class _Rows:
    """The statements of a page that define nothing, and what each names, gives and compares."""

    def __init__(self, texts: list[str], printed: bool):
        bodies = [parse(text).body for text in texts]
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        self.defined = {s.name: s for body in bodies for s in body if isinstance(s, kinds)}
        nodes = {name: list(walk(node)) for name, node in self.defined.items()}
        self.rows = [
            (at, statement, list(walk(statement)))
            for at, body in enumerate(bodies)
            for statement in body
            if not isinstance(statement, retried.DEFINITIONS)
        ]
        self.names = [_names(inside) for _, _, inside in self.rows]
        self.inner = {name: _names(inside) for name, inside in nodes.items()}
        self.gives = [retried._targets(inside) for _, _, inside in self.rows]
        self.nodes, self.printed = nodes, printed

    def kernels(self) -> Iterator[tuple[str, set[int] | None]]:
        """Yield each name that is launched, with None; and functions that fill, with what."""
        every = [n for _, _, inside in self.rows for n in inside]
        every += [n for inside in self.nodes.values() for n in inside]
        launched = {
            call.func.value.id
            for call in every
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Subscript)
            and isinstance(call.func.value, ast.Name)
        }
        for name, node in self.defined.items():
            if name in launched:
                yield name, None
            elif not any(isinstance(n, ast.Return | ast.Yield) for n in self.nodes[name]):
                if fills := retried._fills([[node]], name):
                    yield name, fills

    def shown(self) -> list[tuple[str, int, int]]:
        """Return (kernel, block, line) of what is launched for a session that shows something."""
        shows = [row for row, names in enumerate(self.names) if retried.SHOWN in names]
        found = []
        for name, fills in self.kernels():
            seeds = [] if fills or self.printed else self.naming({name})
            if seeds and (behind := [row for row in shows if row >= seeds[0]]):
                at, statement, _ = self.rows[behind[0]]
                found.append((name, at, statement.lineno))
        return found

    def naming(self, wanted: set[str]) -> list[int]:
        """Return the statements that name something, by way of functions of the page, too."""
        through = set(wanted)
        while more := {f for f, names in self.inner.items() if names & through} - through:
            through |= more
        return [row for row, names in enumerate(self.names) if names & through]

    def before(self, rows: Collection[int]) -> list[int]:
        """Return some statements with all that make what they name, in order."""
        found = set(rows)
        while True:
            need = set().union(*(self.names[row] for row in found))
            need |= {n for f in need & self.inner.keys() for n in self.inner[f]}
            more = {
                row
                for row, (_, statement, _) in enumerate(self.rows)
                if self.gives[row] & need
                or (isinstance(statement, ast.Expr) and _given(statement) & need)
            } - found
            if not more:
                return sorted(found)
            found |= more

    def of(self, name: str) -> tuple[list, int, int] | None:
        """Return (statements, block, line) that compare what a kernel fills, or None."""
        seeds = self.naming({name})
        made: set[str] = set()
        for row in seeds:
            made |= self.gives[row]
            for call in (n for n in self.rows[row][2] if isinstance(n, ast.Call)):
                if root_of(call.func) == name:
                    made |= {n.id for a in call.args for n in walk(a) if isinstance(n, ast.Name)}
        made -= self.defined.keys() | {name}
        compares = []
        for row, (_, _, inside) in enumerate(self.rows):
            if seeds and row > seeds[0] and self.names[row] & made:
                made |= self.gives[row]
            if not (row in seeds or self.names[row] & made):
                continue
            if retried.SHOWN in self.names[row] or (self.printed and "print" in self.names[row]):
                return None  # a reader sees what it gives
            for node in (*inside, *self._tests(self.names[row])):
                if retried._compares(node) and (
                    retried._agrees(node) or retried._asks(node, self.defined)
                ):
                    compares.append((row, node))
        if not compares:
            return None
        rows = self.before({*seeds, *(row for row, _ in compares)})
        again = set().union(*(self.gives[row] for row in rows))
        outer = made & set().union(*self.gives)
        if not outer <= again:
            return None  # made by what does not run once more
        row, node = compares[0]
        at, statement, inside = self.rows[row]
        there = node if any(node is n for n in inside) else statement
        return [self.rows[r][1] for r in rows], at, getattr(there, "lineno", 1)

    def _tests(self, names: set[str]) -> Iterator[ast.AST]:
        for called in names & self.nodes.keys():
            yield from self.nodes[called]


def _names(inside: list[ast.AST]) -> set[str]:
    return {n.id for n in inside if isinstance(n, ast.Name)}


def _given(statement: ast.Expr) -> set[str]:
    """Return what a call of its own may change: its arguments, and what it is a method of."""
    value = statement.value
    if not isinstance(value, ast.Call) or name_of(value.func).startswith("assert"):
        return set()
    names = {n.id for n in walk(value) if isinstance(n, ast.Name)}
    return names if isinstance(value.func, ast.Attribute) else names - {root_of(value.func)}


# ---------------------------------------------------------------- in a copy of the process


def _read_only(event: str, arguments: tuple) -> None:
    """Let a copy of the process change no file."""
    changes = event in {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate"}
    if changes or (event == "open" and arguments[2] and arguments[2] & WRITES):
        raise PermissionError(event)


class _Instead:
    """In the place of a kernel: it does nothing, or copies its first array into the next."""

    def __init__(self, copies: bool):
        self.copies, self.called = copies, False

    def __getitem__(self, launch: Any) -> "_Instead":
        return self

    def forall(self, *launch: Any, **more: Any) -> "_Instead":
        return self

    def __call__(self, *args: Any) -> None:
        self.called = True
        if self.copies:
            first, out = [a for a in args if getattr(a, "shape", ())][:2]
            if first.shape != out.shape:
                raise ValueError("of another shape")
            for index in _indices(out.shape):
                out[index] = first[index]


def _indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not shape:
        yield ()
        return
    for first in range(shape[0]):
        for rest in _indices(shape[1:]):
            yield (first, *rest)


# What gives memory as it is, which may hold what a kernel left there before.
UNSET = ("empty", "empty_like", "device_array", "device_array_like", "pinned_array")


def _spoil(namespace: dict[str, Any]) -> None:
    """Let arrays that nothing has filled hold what no kernel left there."""

    def spoiled(make: Any) -> Any:
        def made(*args: Any, **more: Any) -> Any:
            array = make(*args, **more)
            with suppress(Exception):
                array[...] = 93
            return array

        return made

    for name, held in [*namespace.items()]:
        if isinstance(held, ModuleType):
            for function in UNSET:
                if real := getattr(held, function, None):
                    setattr(held, function, spoiled(real))
        elif callable(held) and getattr(held, "__name__", "") in UNSET:
            namespace[name] = spoiled(held)


def _unmissed(rows: _Rows, shown: list, namespace: dict, file: str) -> Iterator[tuple]:
    """Yield (kernel, block, line, how) where all that a page shows and says is so without one."""
    sys.addaudithook(_read_only)
    _spoil(namespace)
    said: list[str] = []
    namespace[retried.SHOWN] = lambda *values: said.append(repr(values))
    if "print" not in namespace:
        namespace["print"] = lambda *parts, **how: said.append(" ".join(map(str, parts)))
    every = compile(ast.Module([s for _, s, _ in rows.rows], []), file, "exec", dont_inherit=True)

    def again() -> list[str] | None:
        said.clear()
        try:
            exec(every, namespace)  # noqa: S102 of the page, in a copy of its process
        except BaseException:
            return None
        return [*said]

    before = again()
    if before is None or WRONG & {*before}:
        return
    for name, at, line in shown:
        real = namespace.get(name)
        for how in range(1 + bool(retried.MOVES.search(name))):
            namespace[name] = instead = _Instead(bool(how))
            same = again() == before
            namespace[name] = real
            if same and instead.called:
                yield name, at, line, how


def _spared(wanted: list, namespace: dict, file: str) -> Iterator[tuple]:
    """Yield (kernel, block, line, how) of comparisons that hold without a kernel."""
    sys.addaudithook(_read_only)
    _spoil(namespace)
    for name, _, (some, at, line) in wanted:
        again = compile(ast.Module(some, []), file, "exec", dont_inherit=True)
        real = namespace.get(name)
        for how in range(1 + bool(retried.MOVES.search(name))):
            instead = _Instead(bool(how))
            namespace[name] = instead
            try:
                exec(again, namespace)  # noqa: S102 of the page, in a copy of its process
            except BaseException:
                continue
            finally:
                namespace[name] = real
            if instead.called:
                yield name, at, line, how


def _relived(rows: _Rows, compiled: dict, namespace: dict, file: str) -> Iterator[tuple]:
    """Yield (file, function, lines) of compiled functions that no call has reached."""
    sys.addaudithook(_read_only)
    numpy = sys.modules["numpy"]
    codes: dict[CodeType, str] = {}
    for name, held in compiled.items():
        plain = _plain(held)
        for code in branches.inside(plain.__code__):
            codes[code] = name
        each = hasattr(held, "_dispatcher")  # of vectorize
        namespace[name] = numpy.vectorize(plain) if each else plain
    some = [rows.rows[r][1] for r in rows.before(rows.naming(set(compiled)))]
    namespace[retried.SHOWN] = lambda *values: None  # what a session shows
    again = compile(ast.Module(some, []), file, "exec", dont_inherit=True)
    seen: set[tuple[str, int]] = set()

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code not in codes:
            return None
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return follow

    sys.settrace(follow)
    try:
        exec(again, namespace)  # noqa: S102 of the page, in a copy of its process
    except BaseException:
        return
    finally:
        sys.settrace(None)
    for name, held in compiled.items():
        code = _plain(held).__code__
        body = rows.defined.get(name)
        if body is None:
            continue
        first = min(line for _, _, line in code.co_lines() if line)
        lines = {line for of in branches.inside(code) for _, _, line in of.co_lines() if line}
        ran = {line for path, line in seen if path == code.co_filename}
        heads = [body.lineno, *(decorator.lineno for decorator in body.decorator_list)]
        begins = code.co_firstlineno - min(heads)
        raises = {n.lineno + begins for n in walk(body) if isinstance(n, ast.Raise)}
        idle = {of.co_firstlineno for of in branches.inside(code)} | {first, body.lineno + begins}
        left = sorted(lines - ran - raises - idle)
        if left and ran:
            yield code.co_filename, name, left
