"""Comparisons of nothing, as a run sees them: of empty arrays, or of nothing but NaN.

``assert_allclose`` takes a NaN for equal to a NaN, and two empty arrays are equal, so a kernel that
writes neither would pass. What a page's own line compares is looked at in the process that runs it,
before the page can change anything, and only where the comparison holds.
"""

import functools
import importlib
import sys
from collections.abc import Callable, Container
from contextlib import suppress
from typing import Any

# The arguments that are compared: two, or all elements of one.
COMPARE = {
    "numpy": ("allclose", "array_equal", "array_equiv"),
    "numpy.testing": (
        *("assert_allclose", "assert_array_equal", "assert_equal", "assert_almost_equal"),
        *("assert_array_almost_equal", "assert_approx_equal", "assert_array_less"),
        *("assert_array_max_ulp", "assert_array_almost_equal_nulp"),
    ),
}
ALL = {"numpy": ("all",)}

_files: Container[str] = ()  # those whose lines are a page's own
_noted: list[tuple[str, int, str]] = []  # file, line, what


def watch() -> None:
    """Look at NumPy's comparisons from now on, where it is installed."""
    for names, many in ((COMPARE, 2), (ALL, 1)):
        for module, functions in names.items():
            with suppress(ImportError):
                there = importlib.import_module(module)
                for name in functions:
                    setattr(there, name, _looked_at(getattr(there, name), many))


def begin(files: Container[str]) -> None:
    """Take note of what lines of these files compare."""
    global _files
    _files = files


def taken() -> tuple[str, int, str] | None:
    """Return the first comparison of nothing since the last call, or None."""
    found = _noted[:1]
    _noted.clear()
    return found[0] if found else None


def _looked_at(compare: Callable[..., Any], many: int) -> Callable[..., Any]:
    look, note, frame = _nothing, _noted.append, sys._getframe

    @functools.wraps(compare)
    def compared(*args: Any, **more: Any) -> Any:
        said = compare(*args, **more)
        if _files:
            here = frame(1)
            if here.f_code.co_filename in _files and (said is None or said):
                sides = [*args, *more.values()][:many]
                if len(sides) == many and (what := look(sides)):
                    note((here.f_code.co_filename, here.f_lineno, f"{compare.__name__} {what}"))
        return said

    return compared


def _nothing(sides: list[Any]) -> str | None:
    """Return why some things that were compared are nothing, or None."""
    numpy = sys.modules["numpy"]
    kinds = (numpy.ndarray, numpy.generic, list, tuple, int, float)
    if not all(isinstance(side, kinds) for side in sides):
        return None
    if any(type(side) is list and not side for side in sides):
        return None  # nothing is what must come out, and the line says so
    with suppress(Exception):  # what makes no array is compared otherwise
        arrays = [numpy.asarray(side) for side in sides]
        if any(array.size == 0 for array in arrays):
            return "compares nothing: an array is empty"
        # One NaN by itself is what a page expects, and says.
        if all(a.ndim and a.dtype.kind in "fc" and numpy.isnan(a).all() for a in arrays):
            return "compares nothing but NaN"
    return None
