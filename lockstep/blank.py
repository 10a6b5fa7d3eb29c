"""Comparisons that prove nothing, as a run sees them: of nothing, of one thing with itself, blind.

``assert_allclose`` takes a NaN for equal to a NaN, and two empty arrays are equal, so a kernel that
writes neither would pass. So would any, where both sides are one array, or where the comparison
holds with another result, too: that is tried. What a page's own line compares is looked at in the
process that runs it, before the page can change anything, and only where the comparison holds.

And a line that ran and names such a comparison must have called NumPy's own.
"""

import ast
import functools
import importlib
import sys
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from lockstep.languages.names import code, traced
from lockstep.mistakes import kinds, nodes, walk
from lockstep.vacuous import name_of, root_of

# The arguments that are compared: two, or all elements of one.
COMPARE = {
    "numpy": ("allclose", "array_equal", "array_equiv"),
    "numpy.testing": (
        *("assert_allclose", "assert_array_equal", "assert_equal", "assert_almost_equal"),
        *("assert_array_almost_equal", "assert_approx_equal", "assert_array_less"),
        *("assert_array_max_ulp", "assert_array_almost_equal_nulp"),
    ),
    "numpy.ma": ("allequal", "allclose"),
}
ALL = {"numpy": ("all",)}
WATCHED = {name for names in COMPARE.values() for name in names}
ONE_SIDED = {"assert_array_less"}  # with a larger result it may hold as well
SIDES = ("actual", "desired", "x", "y", "a", "b", "a1", "a2")
OWNERS = {"numpy", "builtins", "__main__"}  # of what must be NumPy's, by its name
SOMETHING = "compare what there is: assert first that it is not empty, and no NaN"
ANOTHER = "compare it with another computation, and say how far off it may be"
TRIES = 3  # of each line that compares
LARGE = 1 << 20  # elements: a second comparison of more would be waited for

_files: Container[str] = ()  # those whose lines are a page's own
_noted: list[tuple[str, int, str, str]] = []  # file, line, what, how to mend it
_tried: dict[tuple[str, int], int] = {}  # lines that compared, and how often


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


def taken() -> tuple[str, int, str, str] | None:
    """Return the first comparison since the last call that proves nothing, or None."""
    found = _noted[:1]
    _noted.clear()
    return found[0] if found else None


def elsewhere(blocks: tuple, root: Path, ran: Container, names: Mapping) -> Iterator[tuple]:
    """Yield (file, line, what, mend) of comparisons on lines that ran and called another function.

    ``ran``: (file, line) of what ran; ``names``: the page's namespace.
    """
    for block in blocks:
        if not traced(block) or not any(name in block.text for name in WATCHED):
            continue
        file = str(root / block.path)
        for node in nodes(code(block)):
            called = getattr(node, "test" if isinstance(node, ast.Assert) else "value", None)
            if not (isinstance(node, ast.Assert | ast.Expr) and isinstance(called, ast.Call)):
                continue
            name, owner = name_of(called.func), names.get(root_of(called.func))
            module = isinstance(owner, ModuleType)
            whose = getattr(owner, "__name__" if module else "__module__", "")
            known = module or (owner is not None and isinstance(called.func, ast.Name))
            if name not in WATCHED or not known or str(whose).partition(".")[0] not in OWNERS:
                continue  # another library's, as mx.allclose is
            lines = [block.numbers[at - 1] for at in range(node.lineno, (node.end_lineno or 0) + 1)]
            if (file, lines[0]) in ran and not any((file, line) in _tried for line in lines):
                what = f"what is called {name} here is not NumPy's, which never ran"
                mend = f"import {name} from NumPy, and give its name to nothing else"
                yield file, lines[0], what, mend


EXPECTS = {"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup"}


def expecting(text: str) -> set[int]:
    """Return the lines of some Python that an error may leave: with pytest.raises(...)."""
    found: set[int] = set()
    for node in kinds(text, ast.With, ast.AsyncWith):
        calls = [n for item in node.items for n in walk(item) if isinstance(n, ast.Call)]
        if any(name_of(call.func) in EXPECTS for call in calls):
            found |= set(range(node.lineno, node.end_lineno + 1))
    return found


LOST = "a check failed here, and what ran it went on as if it had not"
FAIL = "let it fail: nothing catches it, and a task is asked for its result"


def swallowed(failed: list[list[tuple]], blocks: tuple, root: Path) -> Iterator[tuple]:
    """Yield (file, line, what, mend) of failed checks that no line of the page expects.

    ``failed``: the (file, line) that each of them passed through.
    """
    if not failed:
        return
    may = {
        (str(root / block.path), block.numbers[at - 1])
        for block in blocks
        if traced(block)
        for at in expecting(code(block))
    }
    for places in failed:
        if may.isdisjoint(places):
            yield *places[0], LOST, FAIL


def _looked_at(compare: Callable[..., Any], many: int) -> Callable[..., Any]:
    look, note, frame, tried = _nothing, _noted.append, sys._getframe, _tried
    blind = None if many == 1 or compare.__name__ in ONE_SIDED else _blind

    @functools.wraps(compare)
    def compared(*args: Any, **more: Any) -> Any:
        here = frame(1)
        place = here.f_code.co_filename, here.f_lineno
        own = place[0] in _files
        if own:
            tried[place] = times = tried.get(place, 0) + 1
        said = compare(*args, **more)
        if own:
            if said is None or said:
                sides = [*args, *(v for k, v in more.items() if many == 1 or k in SIDES)][:many]
                what, mend = look(sides) if len(sides) == many else None, SOMETHING
                if not what and blind and len(sides) == many and times <= TRIES:
                    what, mend = blind(compare, sides, args, more), ANOTHER
                if what:
                    note((*place, f"{compare.__name__} {what}", mend))
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


def _blind(compare: Callable[..., Any], sides: list, args: tuple, more: dict) -> str | None:
    """Return why a comparison that holds would hold of as good as every result, or None."""
    numpy = sys.modules["numpy"]
    with suppress(Exception):  # what is no array is not looked at
        if all(isinstance(side, numpy.ndarray) and side.ndim and side.size for side in sides):
            first, second = sides
            one = first is second or _memory(first) == _memory(second)
            if one:
                return "compares an array with itself, by whatever name"
            if all(a.dtype.kind in "fc" and not numpy.isfinite(a).any() for a in sides):
                return "compares nothing but infinities"
        if any(numpy.ma.getmaskarray(s).mean() > 0.5 for s in sides if numpy.ma.isMA(s)):
            return "compares nearly nothing: most of it is masked"
        kinds = (numpy.ndarray, numpy.generic, list, tuple, int, float)
        if not all(isinstance(side, kinds) for side in sides):
            return None
        other = _another(numpy, sides[0])
        if other is None or other.size > LARGE:
            return None
        key = next((k for k in more if k in SIDES), None)
        changed = (other, *args[1:]) if args else ()
        named = more if args or key is None else more | {key: other}
        with numpy.errstate(all="ignore"):
            said = compare(*changed, **named)
        if said is None or said:
            return "holds of half the result, too: its tolerance is as large as what it compares"
    return None


def _memory(array: Any) -> tuple:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def _another(numpy: Any, side: Any) -> Any:
    """Return a result that is wrong: half as large, and none where it is 0.

    Beside a reference of 0 no relative tolerance lets anything pass, so a 0 stays one.
    """
    array = numpy.ma.asanyarray(side) if numpy.ma.isMA(side) else numpy.asarray(side)
    finite = array.dtype.kind not in "fc" or numpy.isfinite(array).any()
    if array.dtype.kind == "b":
        return ~array
    if array.dtype.kind not in "iufc" or not array.size or not finite:
        return None
    one = array.dtype.type(1)
    if not array.any():
        return array + one
    return halved(array)


def halved(value: Any) -> Any:
    """Return a number or an array that is half as large: of whole numbers at most the half."""
    whole = isinstance(value, int) or (hasattr(value, "dtype") and value.dtype.kind in "iu")
    return value - (value + (value > 0)) // 2 if whole else value / 2
