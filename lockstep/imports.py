"""Which files of the project a Python file brings with it: its imports, theirs, and the packages
around them.

A package's ``__init__.py`` runs before any of its modules, so it belongs to what a measurement
depends on. One without statements, empty or a docstring alone, changes nothing and does not count.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep.mistakes import parse


def closure(root: Path, paths: Iterable[str], folders: Iterable[str]) -> set[str]:
    """Return some Python files and all that run with them, of some folders of the project.

    ``paths`` and ``folders`` are from the root; files of other kinds are returned as they are.
    """
    found: set[str] = set()
    waiting, folders = list(paths), set(folders)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += around(root, path)
        file = root / path
        if path.endswith(".py") and file.is_file():
            for name in names(path, file.read_text(encoding="utf-8")):
                other = _file(root, name)
                if other and other.split("/")[0] in folders:
                    waiting += [other, *around(root, other)]
    return {path for path in found if not path.endswith("__init__.py") or _speaks(root, path)}


def around(root: Path, path: str) -> list[str]:
    """Return the ``__init__.py`` of the packages around a file that have a statement."""
    folders = path.split("/")[:-1]
    found = ["/".join([*folders[:n], "__init__.py"]) for n in range(1, len(folders) + 1)]
    return [package for package in found if package != path and _speaks(root, package)]


def _speaks(root: Path, path: str) -> bool:
    file = root / path
    return file.is_file() and statements(file.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1024)
def statements(text: str) -> bool:
    """Whether a module does anything when it is imported. What is no Python does: it fails."""
    try:
        body = parse(text).body
    except SyntaxError:
        return True
    return any(not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in body)


@functools.lru_cache(maxsize=1024)
def names(path: str, text: str) -> tuple[str, ...]:
    """Return the modules that a file may import, by their dotted names from the root."""
    try:
        tree = parse(text)
    except SyntaxError:
        return ()
    return tuple(dict.fromkeys(_names(path, tree)))


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements of a tree, wherever they stand.

    What holds statements is looked into, and no expression: there are ten times as many of those.
    """
    waiting = [tree]
    for node in waiting:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for name in BODIES:
            waiting += getattr(node, name, ())


# Where a statement holds others; of a handler and a case, too.
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def _names(path: str, tree: ast.AST) -> Iterator[str]:
    for node in imports(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = node.module or ""
            if node.level:  # relative to its package
                package = path.split("/")[: -node.level]
                base = ".".join([*package, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _file(root: Path, name: str) -> str | None:
    path = name.replace(".", "/")
    for there in (f"{path}.py", f"{path}/__init__.py"):
        if (root / there).is_file():
            return there
    return None


def depends(root: Path, record: dict) -> set[str]:
    """Return what the sources of a record bring with them today: what a figure depends on.

    A record without figures names its sources itself, and the packages around them are added.
    """
    sources = record["sources"]
    if "rows" in record:
        return closure(root, sources, {path.split("/")[0] for path in sources})
    return {package for path in sources for package in around(root, path)}
