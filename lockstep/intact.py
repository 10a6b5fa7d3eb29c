"""Whether a page left the Python around it as it was, asked in its own process after each block.

What a session shows is what ``print`` and ``repr`` said. A page that puts something else in their
place, by whatever way, would show what it likes, so this says what it replaced. Whoever writes into
the interpreter's memory can deceive this, too: SECURITY.md.
"""

import ast
import builtins
import contextlib
import doctest
import importlib
import io
import json
import math
import os
import re
import sys
import time
import traceback
from collections.abc import Container, Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

# What turns values into the text that a reader sees. A page's own names may not hide them.
SAY = {"print", "repr", "str", "format", "ascii", "round", "float", "int", "len", "bool", "type"}
# Python's own names that others rely on; what is not listed here comes to be, and goes.
KNOWN: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (builtins, tuple(name for name in vars(builtins) if name != "_")),
    (sys, tuple("stdout stderr stdin __stdout__ __displayhook__ displayhook settrace".split())),
    (io, tuple("StringIO open TextIOWrapper BytesIO".split())),
    (doctest, ("OutputChecker", "DocTestParser", "Example")),
    (traceback, ("format_exception_only", "format_exception", "extract_tb")),
    (contextlib, ("redirect_stdout", "chdir")),
    (json, ("JSONEncoder", "dumps")),
    (time, tuple("perf_counter perf_counter_ns time monotonic process_time".split())),
    (math, tuple(name for name in vars(math) if not name.startswith("_"))),
    (os, ("write", "_exit", "fork")),
)
# Packages whose checks pages rely on, where they are installed.
CHECKS = {
    "numpy.testing": ("assert_", "array_"),
    "numpy": ("all", "array_equal", "isclose", "mean"),
}
# Modules whose public names stay what they are, where they are installed.
WHOLE = "numpy numpy.linalg numpy.fft fractions decimal statistics random cmath operator itertools"


# Code that may change what is not its own: it stores an attribute, or has one of these words.
STORES = re.compile(r"__|attr|vars|exec|eval|mock|patch|pickle|ctypes|reload|\bgc\b|\bdir\b")
CONSTANT = (bool, int, float, complex, str, bytes, tuple)
OURS = {"sys", "builtins", "threading"}  # of which a run itself changes names: KNOWN has the others

_modules: dict[ModuleType, dict[str, Any]] = {}
_classes: dict[type, dict[str, Any]] = {}


def prepare(names: Iterable[str] = ()) -> None:
    """Import the packages that pages compute and check with, and keep how they are.

    ``names``: further modules that pages use. Before a page can change any of them.
    """
    for name in [*CHECKS, *WHOLE.split()]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _keep({name for name in names if "." not in name or name.partition(".")[0] in sys.modules})


def _keep(names: Container[str] = ()) -> None:
    """Keep what the modules of Python and of NumPy hold, and those of the names."""
    for name, module in list(sys.modules.items()):
        library = name.partition(".")[0] in {*sys.stdlib_module_names, "numpy"} - OURS
        if not isinstance(module, ModuleType) or module in _modules or name == "__main__":
            continue
        if not library and name not in names:
            continue
        _modules[module] = dict(vars(module))
        if library:
            found = (v for v in vars(module).values() if isinstance(v, type))
            _classes.update((v, dict(vars(v))) for v in found if v.__flags__ & HEAP)


HEAP = 1 << 9  # of a class: it was made while Python ran, so its names can be changed


def stores(text: str) -> bool:
    """Whether a block's code may change what is not its own, by itself or when it is called."""
    if STORES.search(text):
        return True
    try:
        nodes = ast.walk(ast.parse(text.replace(">>> ", "").replace("... ", "")))
        return any(isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) for n in nodes)
    except (SyntaxError, ValueError, RecursionError):
        return True


def replaced() -> Iterator[str]:
    """Yield what is not as it was in the modules of libraries, by whatever name it was reached."""
    for module, before in _modules.items():
        if _differ(before, vars(module)):
            yield from _other(module.__name__, before, vars(module), False)
    for kind, names in _classes.items():
        if _differ(names, vars(kind)):
            yield from _other(f"{kind.__module__}.{kind.__name__}", names, vars(kind), True)
    _keep()


def _differ(before: dict, now: Mapping[str, Any]) -> bool:
    try:
        return now != before  # a value is asked whether it equals another one alone
    except Exception:
        return True


def _by_import(name: str, value: object) -> bool:
    """Whether a package that a page imports put its own function of that name there, as some do."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    code = getattr(value, "__code__", None)
    path = getattr(module, "__file__", None) or ""
    # Such as _patched_getfile of PyTorch, for inspect.getfile
    if code is None or module in _modules or code.co_filename != path:
        return False
    if name not in code.co_name and "patch" not in code.co_name:
        return False
    return not {"site-packages", "dist-packages"}.isdisjoint(path.split(os.sep))


def _other(where: str, before: dict, now: Mapping[str, Any], of_class: bool) -> Iterator[str]:
    """Yield the names of a module or a class that mean something else than before."""
    for name, value in before.items():
        new = now.get(name)
        if new is value or _by_import(name, new):
            continue
        public = not name.startswith("_") or name.endswith("__")
        constant = public and isinstance(value, CONSTANT) and isinstance(new, CONSTANT)
        method = callable(value) or isinstance(value, property | staticmethod | classmethod)
        if method or (
            constant
            and (type(new), new) != (type(value), value)
            and name not in {"__doc__", "__warningregistry__"}
        ):
            yield f"{where}.{name} was replaced"
    for name in now.keys() - before.keys():
        special = name.startswith("__") and name.endswith("__")
        if callable(now[name]) and (special if of_class else name in vars(builtins)):
            yield f"{where}.{name} was added"


class Intact:
    """Python as it is when this is made."""

    def __init__(self) -> None:
        self.suspect = False  # whether code has come that may change what is not its own
        self.names = {
            (module, name): self._state(vars(module)[name])
            for module, names in KNOWN
            for name in names
            if name in vars(module)
        }
        self.names |= {
            (sys.modules[module], name): self._state(value)
            for module, starts in CHECKS.items()
            if module in sys.modules
            for name, value in vars(sys.modules[module]).items()
            if name.startswith(starts)
        }
        self.whole = {
            name: {k: v for k, v in vars(sys.modules[name]).items() if callable(v) and k[0] != "_"}
            for name in WHOLE.split()
            if name in sys.modules
        }

    @staticmethod
    def _state(value: object) -> tuple:
        """Return what tells a value from another one: itself, its code, what a class holds."""
        if isinstance(value, FunctionType):
            return value, value.__code__, value.__defaults__, value.__kwdefaults__
        if isinstance(value, type) and not issubclass(value, BaseException):
            return (value, *(v for k, v in sorted(vars(value).items()) if callable(v)))
        return (value,)

    def changed(self, namespace: dict[str, Any], text: str = "") -> str | None:
        """Return what is not as it was, or None. ``namespace``: the page's own.

        ``text``: the code that ran. What could store an attribute may be called by later blocks.
        """
        self.suspect = self.suspect or stores(text)
        others = replaced() if self.suspect else iter(())
        return next(self._changed(namespace), None) or next(others, None)

    def _changed(self, namespace: dict[str, Any]) -> Iterator[str]:
        for (module, name), before in self.names.items():
            if not _same(before, self._state(vars(module).get(name))):
                yield f"{module.__name__}.{name} was replaced"
        for there, names in self.whole.items():
            now = vars(sys.modules.get(there, builtins))
            for name, value in names.items():
                if now.get(name) is not value:
                    yield f"{there}.{name} was replaced"
        for name in sorted(SAY & namespace.keys()):
            if namespace[name] is not vars(builtins)[name]:
                yield f"{name} of this page is not Python's"


def _same(before: tuple, after: tuple) -> bool:
    return len(before) == len(after) and all(
        a is b or (isinstance(a, tuple | dict) and a == b)
        for a, b in zip(before, after, strict=True)
    )


def patched(stream: io.TextIOWrapper) -> str | None:
    """Return what a page has put onto the object that takes its output, or None."""
    put = sorted(name for name, value in vars(stream).items() if (name, value) != ("mode", "w"))
    return f"the {put[0]} of sys.stdout was replaced" if put else None
