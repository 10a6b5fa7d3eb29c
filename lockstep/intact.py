"""Whether a page left the Python around it as it was, asked in its own process after each block.

What a session shows is what ``print`` and ``repr`` said. A page that puts something else in their
place, by whatever way, would show what it likes, so this says what it replaced. Whoever writes into
the interpreter's memory can deceive this, too: SECURITY.md.
"""

import builtins
import contextlib
import doctest
import importlib
import io
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Iterator
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


def prepare() -> None:
    """Import the packages that pages compute and check with, before a page can change them."""
    for name in [*CHECKS, *WHOLE.split()]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Intact:
    """Python as it is when this is made."""

    def __init__(self) -> None:
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

    def changed(self, namespace: dict[str, Any]) -> str | None:
        """Return what is not as it was, or None. ``namespace``: the page's own."""
        return next(self._changed(namespace), None)

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


def patched(buffer: io.StringIO) -> str | None:
    """Return what a page has put onto the object that takes its output, or None."""
    put = sorted(vars(buffer))
    return f"the {put[0]} of sys.stdout was replaced" if put else None
