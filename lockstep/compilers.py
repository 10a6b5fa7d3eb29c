"""Which functions of a page a compiler takes, so that Python never runs their lines.

A decorator does it, and its name proves nothing: ``jit`` may be whatever a page calls so. It counts
where its name leads, by the page's own imports, into a package that the project lists as a
compiler, and where nothing on the page gives that name to something else.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator

from lockstep.block import Block
from lockstep.mistakes import parse, walk

# What can give any name to anything, unseen by who reads the text.
SLY = {"globals", "locals", "vars", "mock", "monkeypatch", "__import__"}
COMPILES = re.compile("jit|vectorize")
Names = frozenset[str]


def of_page(blocks: Iterable[Block], packages: Iterable[str]) -> Names:
    """Return the names that lead into a compiler on a page: those of its decorators are below."""
    blocks = tuple(blocks)
    texts = tuple(b.text for b in blocks if b.language == "python" and "file" not in b.options)
    files = frozenset(b.options["file"] for b in blocks if "file" in b.options)
    return _names(texts, frozenset(packages), files)


def attributes(blocks: Iterable[Block], names: Names, known: Iterable[str]) -> Names:
    """Return how a page says ``known`` names of packages that it imports whole: numba.njit.

    ``names``: those of the page that lead into a compiler.
    """
    texts = {b.text for b in blocks if b.language == "python" and "file" not in b.options}
    found = {pair for text in texts for pair in _of_text(text)[0]}
    whole = {name for name, origin in found if "." not in origin} & names
    return frozenset(f"{name}.{one}" for name in whole for one in known)


def of_file(text: str, packages: Iterable[str]) -> Names:
    """Return those names of a file of its own, which a program runs."""
    return _names((text,), frozenset(packages), frozenset())


@functools.lru_cache(maxsize=1024)
def _names(texts: tuple[str, ...], packages: Names, files: Names) -> Names:
    origins: dict[str, set[str]] = {}
    others: set[str] = set()
    for text in texts:
        imported, bound = _of_text(text)
        others |= bound
        for name, origin in imported:
            origins.setdefault(name, set()).add(origin)
    if "*" in origins or "*" in others or SLY & origins.keys():
        return frozenset()
    found = set()
    for name, there in origins.items():
        tops = {origin.split(".")[0] for origin in there}
        ours = files & {file for top in tops for file in (top, f"{top}.py")}
        if tops <= packages and not ours and name not in others:
            found.add(name)
    return frozenset(found)


@functools.lru_cache(maxsize=4096)
def _of_text(text: str) -> tuple[frozenset[tuple[str, str]], Names]:
    """Return (name, origin) of what a text imports, and the names that it gives to something."""
    imported: set[tuple[str, str]] = set()
    others: set[str] = set()
    try:
        tree = parse(text)
    except SyntaxError:
        return frozenset(), frozenset()
    for node, private in _scopes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                imported.add((alias.asname or top, alias.name if alias.asname else top))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                origin = f"{'.' * node.level}{node.module or ''}.{alias.name}"
                imported.add((alias.asname or alias.name, origin))
        else:
            others.update(_bound(node, private))
    return frozenset(imported), frozenset(others)


def _scopes(tree: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield all nodes, and whether what they bind is of a function that decorates nothing."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    waiting = [(tree, False)]
    while waiting:
        node, private = waiting.pop()
        for child in ast.iter_child_nodes(node):
            yield child, private
            inner = private
            if isinstance(child, functions):
                below = [n for n in walk(child) if n is not child]
                shared = any(isinstance(n, ast.Global | ast.Nonlocal) for n in below)
                inner = not shared and not any(getattr(n, "decorator_list", ()) for n in below)
            waiting.append((child, inner))


def _bound(node: ast.AST, private: bool) -> Iterator[str]:
    """Yield the names that a node gives to something; "*" is any. Else ``private``: none."""
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield _root(node)
    elif isinstance(node, ast.Name) and node.id in SLY:
        yield "*"
    elif isinstance(node, ast.Call) and _root(node.func) in {"setattr", "delattr"}:
        yield (_root(node.args[0]) if node.args else "") or "*"
    elif isinstance(node, ast.Call) and _root(node.func) in {"exec", "eval"}:
        if len(node.args) < 2:  # else in names of its own
            yield "*"
    elif private:
        return
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def takes(node: ast.AST, names: Names) -> bool:
    """Whether a compiler takes a function: a decorator of it is one's, by its name."""
    for decorator in getattr(node, "decorator_list", ()):
        said = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if COMPILES.search(said) and (_root(decorator) in names or said in names):
            return True
    return False


def handed(text: str, names: Names) -> set[int]:
    """Return the lines of functions that are handed to a compiler: cuda.compile_ptx(f, ...)."""
    try:
        known = list(walk(parse(text))) if names else []
    except SyntaxError:
        return set()
    calls = (n for n in known if isinstance(n, ast.Call) and n.args and _root(n.func) in names)
    given = {_root(c.args[0]) for c in calls if re.search("compile|jit", ast.unparse(c.func))}
    return {
        line
        for node in known
        if isinstance(node, ast.FunctionDef) and node.name in given
        for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    }


def taken(text: str, names: Names) -> dict[str, int]:
    """Return the functions of a text that a compiler takes, each with its line."""
    try:
        nodes = walk(parse(text)) if names else ()
        return {
            node.name: node.lineno
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and takes(node, names)
        }
    except SyntaxError:
        return {}
