"""Which kernel tests and benchmarks the GPU here can run, by the code that each of them reaches.

A test of a kernel for a newer GPU, or a larger one, is left out by name, with the reason, and
counted; whatever is left runs and is recorded. Nothing of that is typed: what a test needs is read
off the kernels that it reaches by imports, by paths and by other functions of its file.
"""

import ast
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path

from lockstep_site.gpu import machine, sanitizer
from lockstep_site.gpu.needs import Needs, of_files

CODE = ("kernels/", "snippets/", "benchmarks/")


def lacks(needs: Needs) -> str | None:
    """Return what the GPUs here lack, or None. Without any there is nothing to say."""
    found = machine.gpus()
    return needs.lacks(found[0], len(found)) if found else None


@functools.cache
def of_test(root: Path, path: str, function: str) -> Needs:
    """Return what one test of a file needs of a GPU."""
    text = _reached((root / path).read_text(encoding="utf-8"), function)
    return of_files(root, filter(_code, sanitizer.reached(root, text)))


def _code(path: str) -> bool:
    return path.startswith(CODE) and not path.endswith("__init__.py")


def left_out(root: Path, path: str) -> tuple[dict[str, str], int]:
    """Return why each test of a file that does not fit the GPU here does not, and how many do."""
    names = _tests((root / path).read_text(encoding="utf-8"))
    found = {name: why for name in names if (why := lacks(of_test(root, path, name)))}
    return found, len(names) - len(found)


@functools.cache
def _tests(text: str) -> list[str]:
    """Return the names of the tests of a module."""
    body = _statements(ast.parse(text).body)
    return [n for node in body for n in _bound(node) if n.startswith("test")]


def seen(root: Path, path: str) -> set[str]:
    """Return what those tests of a file depend on that fit the GPU here; nothing if none does."""
    left, fit = left_out(root, path)
    if not left or not fit:
        return sanitizer.sources(root, path) if fit or not left else set()
    text = (root / path).read_text(encoding="utf-8")
    found = {path}
    for name in set(_tests(text)) - left.keys():
        found |= sanitizer.reached(root, _reached(text, name))
    return found


@functools.cache
def _reached(text: str, function: str) -> str:
    """Return the statements of a module that a function of it reaches by names, as a module."""
    defined: dict[str, list[ast.stmt]] = {}
    waiting = [function]
    for node in _statements(ast.parse(text).body):
        for name in _bound(node):
            defined.setdefault(name, []).append(node)
        if "autouse" in "".join(map(ast.unparse, getattr(node, "decorator_list", []))):
            waiting += _bound(node)
    found: dict[int, ast.stmt] = {}
    while waiting:
        for node in defined.pop(waiting.pop(), []):
            found[id(node)] = node
            waiting += (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            waiting += (n.arg for n in ast.walk(node) if isinstance(n, ast.arg))  # fixtures
    return "\n".join(map(ast.unparse, found.values()))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those below an ``if`` or a ``try`` in its place."""
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            handlers = [h.body for h in getattr(node, "handlers", [])]
            for part in (node.body, getattr(node, "orelse", []), *handlers):
                yield from _statements(part)
        else:
            yield node


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return [
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def benchmarks(root: Path) -> tuple[list[str], dict[str, str]]:
    """Return the benchmarks that can run on the GPU here, and why each of the others cannot."""
    known = importlib.import_module("benchmarks.__main__").scripts(root / "benchmarks")
    fit, left = [], {}
    for name, about in known.items():
        needs = of_files(root, filter(_code, sanitizer.sources(root, about["path"])))
        if why := lacks(needs):
            left[name] = why
        else:
            fit.append(name)
    return fit, left
