"""Blocks of a page that ran and prove less than they show, looked at together.

An error that a handler keeps and nobody sees; a result of which the shape alone is checked; a
function of C++ and its like that nothing on the page names; a place outside of the page's folder,
which another page may have filled. No rule here needs a run.
"""

import ast
import re
from collections.abc import Iterator, Set
from contextlib import suppress

from lockstep.mistakes import nodes, walk
from lockstep.vacuous import COMPARES, name_of, root_of

Found = tuple  # (block, line from 0, what, how to mend it)


def check(blocks: list, like_c: Set[str], root: str = "") -> Iterator[Found]:
    """Yield what is wrong. ``like_c``: the languages with the definitions of C.

    ``root``: the project's folder, whose files are watched while a page runs.
    """
    yield from _elsewhere(blocks, root)
    yield from _unnamed(blocks, like_c)
    python = [one for one in blocks if one.language == "python"]
    with suppress(SyntaxError):  # each block is told of its own
        yield from _unseen(blocks, python)
        yield from _shapes(blocks, python)
        yield from _uncalled(blocks, python)
    yield from _only_read(blocks)


# ---------------------------------------------------------------- what nothing runs

ONLY_COMPILED = re.compile(
    r"\bpy_compile\b|\bcompileall\b|\bpyflakes\b|\bpylint\b|\bflake8\b|\bmypy\b|-fsyntax-only\b"
    r"|\bast\.parse\b|\btabnanny\b|\bruff\b|\bpython[\d.]* -m (?:ast|dis)\b|\bbash -n\b"
)
EXECUTES = re.compile(
    r"(?i)\bexecute(?:script|many)?\b|\b(?:sqlite3|psql|duckdb|mysql|clickhouse)\b[^\n]*[<.]|read_sql"
)


def _only_read(blocks: list) -> Iterator[Found]:
    """Yield files of code that a page reads, or compiles, and never runs."""
    for one in blocks:
        name = one.options.get("file")
        if not name or {"shown", "unrun"} & one.options.keys():
            continue
        later = [o for o in blocks[one.index + 1 :] if name.rpartition(".")[0] in o.text]
        if one.language == "sql" and not any(EXECUTES.search(o.text) for o in blocks):
            what = f"nothing on this page executes {name}: it is only read"
            yield one, 0, what, "execute it, with sqlite3 for example; or say why not: unrun="
        lines = [row for o in later if o.language == "bash" for row in o.text.split("\n")]
        naming = [row for row in lines if name in row]
        alone = naming and all(map(ONLY_COMPILED.search, naming))
        if alone and not any(o.language in {"python", "pycon"} for o in later):
            what = f"{name} is only compiled, or looked at, and no line of it runs"
            yield one, 0, what, 'run it; or say on the fence why it is only shown: unrun="reason"'


def _uncalled(blocks: list, python: list) -> Iterator[Found]:
    """Yield what a table holds to be called, under a key that nothing on the page says."""
    for one in python:
        if "partial(" not in one.text and "lambda" not in one.text:
            continue
        for node in nodes(one.text):
            if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)):
                continue
            name = name_of(node.targets[0])
            rest = "\n".join(other.text for other in blocks)
            uses = re.findall(rf"\b{re.escape(name)}\b(\[[\"'])?", rest)
            if not name or len(uses) < 2 or sum(not use for use in uses) > 1:
                continue  # it is read as a whole
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                lazy = isinstance(value, ast.Lambda) or (
                    isinstance(value, ast.Call) and name_of(value.func) == "partial"
                )
                if lazy and isinstance(key, ast.Constant) and isinstance(key.value, str):
                    if not re.search(rf"\b{re.escape(name)}\[[\"']{re.escape(key.value)}\b", rest):
                        what = f"nothing on this page calls {name}[{key.value!r}]"
                        yield one, key.lineno - 1, what, "call it, or take it out"


# ---------------------------------------------------------------- errors that nobody sees


def _unseen(blocks: list, python: list) -> Iterator[Found]:
    """Yield the handlers after which nobody can tell that an error came.

    A handler may raise, or return something; it may print where the page shows what is printed; or
    it keeps something in a name that the page reads elsewhere.
    """
    for one in python:
        if "except" not in one.text and "check=False" not in one.text:
            continue
        inner = {
            id(node)
            for outer in nodes(one.text)
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in walk(outer)
        }
        after = blocks[one.index + 1 : one.index + 2]
        heard = "file" in one.options or bool(after and after[0].language == "output")
        called = any(b.language in {"pycon", "output"} for b in blocks[one.index + 1 :])
        for node in nodes(one.text):
            if isinstance(node, ast.Call) and _unchecked(node):
                what = "a program whose failure nobody sees: check=False"
                yield one, node.lineno - 1, what, "write check=True, or assert its returncode"
            if not isinstance(node, ast.Try | ast.TryStar):
                continue
            for handler in node.handlers:
                function = id(node) in inner
                if _seen(handler, heard or (function and called), function):
                    continue
                kept = _kept(handler)
                if not any(_read(name, node, blocks, one) for name in kept):
                    named = " and ".join(sorted(kept))
                    what = f"an error that nobody sees: the page never reads {named}"
                    if not kept:
                        what = "an error that nobody sees: it is printed or logged out of sight"
                    mend = (
                        "end the handler with raise, or assert below what came; what is printed "
                        "is seen where an output block follows"
                    )
                    yield one, handler.lineno - 1, what, mend


def _unchecked(call: ast.Call) -> bool:
    """Whether a call starts a program and says that its failure does not count."""
    return name_of(call.func) == "run" and any(
        k.arg == "check" and isinstance(k.value, ast.Constant) and not k.value.value
        for k in call.keywords
    )


def _seen(handler: ast.ExceptHandler, heard: bool, function: bool) -> bool:
    """Whether a handler itself lets somebody see its error."""
    for node in (inner for part in handler.body for inner in walk(part)):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Return) and function):
            return True
        if isinstance(node, ast.Call) and name_of(node.func) == "print" and heard:
            return True
        if isinstance(node, ast.Call) and name_of(node.func) == "put":  # for another process
            return True
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Name | ast.Constant):
            return True
        if not _broad(handler) and root_of(node) == "self" and not isinstance(node, ast.Name):
            return True  # what its object, or who calls it, knows to read
    return False


def _broad(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes errors of any kind."""
    kinds = getattr(handler.type, "elts", [handler.type])
    return any(kind is None or name_of(kind) in {"Exception", "BaseException"} for kind in kinds)


KEEPS = {"append", "add", "extend", "insert", "setdefault", "update"}


def _kept(handler: ast.ExceptHandler) -> set[str]:
    """Return the names in which a handler keeps something."""
    found: set[str] = set()
    for node in (inner for part in handler.body for inner in walk(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found.add(name_of(node.value) or root_of(node))
        elif isinstance(node, ast.Call) and name_of(node.func) in KEEPS:
            found.add(root_of(node.func))
    return found


def _read(name: str, outside: ast.AST, blocks: list, one) -> bool:
    """Whether a page reads a name, outside of a statement of one of its blocks."""
    own = {id(node) for node in walk(outside)}
    called = {id(n.func.value) for n in nodes(one.text) if _keeps(n)}  # type: ignore[attr-defined]
    for node in nodes(one.text):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            if name_of(node) == name and id(node) not in own | called:
                return True
    others = (other for other in blocks if other is not one and other.language != "output")
    return any(re.search(rf"\b{re.escape(name)}\b", other.text) for other in others)


def _keeps(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in KEEPS


# ---------------------------------------------------------------- shapes alone

SHAPE = {"shape", "dtype", "ndim", "size", "nbytes", "itemsize", "strides", "device"}
SAME = {"tuple", "list", "str", "int", "repr", "bool"}
KIND = {"isinstance", "len", "type", "callable", "hasattr"}
SHAPED = re.compile(
    rf"\bassert\w*\b.*(?:\b(?:shape|ndim|size)\(|\.(?:{'|'.join(sorted(SHAPE))})\b"
    rf"|\b(?:{'|'.join(sorted(KIND))})\(| is )"
)


LOOKED = re.compile(rf"\b\w+\.(?:{'|'.join(sorted(SHAPE))})\b|\b(?:{'|'.join(sorted(KIND))})\(\w+")


def _shapes(blocks: list, python: list) -> Iterator[Found]:
    """Yield the assertions on the shape or the type of a result that nothing else looks at."""
    if not any(SHAPED.search(one.text) for one in python):
        return
    results: set[str] = set()
    looked: set[str] = set()
    only: list[tuple] = []
    for one in blocks:
        if one.language == "pycon":
            looked |= set(re.findall(r"\w+", LOOKED.sub("", one.text)))
        if one.language != "python" or "file" in one.options:
            continue
        for node in nodes(one.text):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                results |= {name_of(target) for target in node.targets}
            elif isinstance(node, ast.Assert | ast.Call):
                checks = isinstance(node, ast.Assert) or _compares(node)
                sides = [node.test] if isinstance(node, ast.Assert) else node.args
                names = set().union(*map(_of_shape, sides)) if checks else set()
                if names and checks:
                    only.append((one, node, names))
                elif checks or (isinstance(node, ast.Call) and name_of(node.func) == "print"):
                    for side in sides:
                        looked |= _of_value(side)
    for one, node, names in only:
        if names <= results and not names & looked:
            what = f"of {' and '.join(sorted(names))} the shape or the type alone is checked"
            mend = "compare its values, too: with numpy.testing.assert_allclose, or in a session"
            yield one, node.lineno - 1, what, mend


def _compares(call: ast.Call) -> bool:
    name = name_of(call.func)
    return name.startswith("assert") or name in COMPARES


def _of_value(node: ast.AST) -> set[str]:
    """Return the names in an expression, without those of which it says the shape alone."""
    if isinstance(node, ast.expr) and _of_shape(node):
        return set()
    if isinstance(node, ast.Name):
        return {node.id}
    return set().union(*map(_of_value, ast.iter_child_nodes(node)))


def _of_shape(test: ast.expr) -> set[str]:
    """Return the names of which a test looks at the shape or the type, or none if at more."""
    match test:
        case ast.BoolOp(values=values):
            parts = [_of_shape(value) for value in values]
            return set().union(*parts) if all(parts) else set()
        case ast.UnaryOp(operand=operand):
            return _of_shape(operand)
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return {left.id} if isinstance(left, ast.Name) else set()
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            rest = [side for side in sides if not _of_shape(side)]
            if any(isinstance(n, ast.Call) for side in rest for n in walk(side)):
                return set()  # it is compared with what something else gave
            return set().union(*map(_of_shape, sides))
        case ast.Subscript(value=value):
            return _of_shape(value)
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in SHAPE:
            return {name}
        case ast.Attribute(value=ast.Attribute() | ast.Call() as value):  # out.dtype.name
            return _of_shape(value)
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in SAME:
            return _of_shape(inner)
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=name)]) if attr in SHAPE:
            return {name}  # np.shape(out)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as inner]):
            return _of_shape(inner)
        case ast.Call(func=ast.Name(id=kind), args=[ast.Name(id=name), *_]) if kind in KIND:
            return {name}
    return set()


# ---------------------------------------------------------------- functions that nothing names

DEFINED = re.compile(
    r"^[ \t]*(?:(?:extern \"C\"|template ?<[^>\n]*>|static|inline|\[\[\w+\]\])\s+)*"
    r"(?:__global__|__device__|kernel)\b[^;(){}=]*?"
    r"(?:__launch_bounds__\s*\([^)]*\)[^;(){}=]*?)?\b(\w+)\s*\([^;{}]*\)\s*\{",
    re.MULTILINE,
)


def _unnamed(blocks: list, like_c: Set[str]) -> Iterator[Found]:
    """Yield the functions for a GPU that no other line of the page names, so that none ran."""
    for one in blocks:
        if one.language not in like_c or {"shown", "unrun"} & one.options.keys():
            continue
        for name, line in unnamed(one, blocks):
            what = f"nothing on this page launches or calls {name}"
            yield one, line, what, f'launch {name} on the page, or say why not: unrun="reason"'


def unnamed(one, blocks: list) -> list[tuple[str, int]]:
    """Return (name, line) of those of a block's functions, where others of them are named.

    Where none is, no run is said to have launched any.
    """
    there = [(d[1], one.text.count("\n", 0, d.start(1))) for d in DEFINED.finditer(one.text)]
    idle = [(name, line) for name, line in there if not _named(name, blocks)]
    return idle if len(idle) < len(there) else []


def _named(name: str, blocks: list) -> bool:
    """Whether a page says a name more often than where it is defined."""
    word = re.compile(rf"\b{name}\b")
    return sum(len(word.findall(_bare(one.text))) for one in blocks if name in one.text) > 1


def _bare(text: str) -> str:
    """Return a text without the comments of C, which name and do not call."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL) if "/" in text else text


# ---------------------------------------------------------------- outside of the page's folder

_QUOTE = "[\"']"
ELSEWHERE = re.compile(
    r"(?<![\w.:*])/(?:(?:(?:var|private)/)?tmp\b|(?:home|root|Users|run/user|var)/)|/dev/shm\b"
    rf"|\bPath\({_QUOTE}/{_QUOTE}\)|\bjoin\({_QUOTE}/{_QUOTE}|\bchdir\({_QUOTE}\.\."
    rf"|(?<={_QUOTE})\.\.(?={_QUOTE})|\bcwd\(\)\.parent|\bpardir\b|\btempfile\.tempdir\b"
    r"|\bgettempdir\b|\bexpanduser\b|\bPath\.home\b|\$\{?(?:HOME|TMPDIR|XDG_\w+)\b|(?<![\w/])~/"
    rf"|(?<=[\"' =])\.\./|\bSharedMemory\b"
    rf"|\b(?:environ\[|getenv\(|environ\.get\(){_QUOTE}(?:HOME|TMPDIR){_QUOTE}"
)
# A text without one of these has none of them.
HINTS = {*"/tmp /home/ /root/ /Users/ /run/user/ /var/ /dev/shm ~/ ../ \".. '..".split()}
HINTS |= {"Path('/", 'Path("/', "join('/", 'join("/', "cwd().parent", "pardir", "tempdir"}
HINTS |= {*"expanduser Path.home HOME TMPDIR XDG_ SharedMemory".split()}


def _elsewhere(blocks: list, root: str) -> Iterator[Found]:
    """Yield the places that outlive a page's folder: one page would read what another left."""
    for one in blocks:
        if not one.runs or "shown" in one.options or not any(map(one.text.__contains__, HINTS)):
            continue
        if not ELSEWHERE.search(one.text):
            continue
        text = one.text.replace(root, "here") if root else one.text
        for line, row in enumerate(text.split("\n")):
            if found := ELSEWHERE.search(re.sub(r"^\s*(?:#|//).*", "", row)):
                what = f"{found[0]!r} leads out of the page's folder, to what others left there"
                mend = "write and read files of the page's own folder, by their name alone"
                yield one, line, what, mend
