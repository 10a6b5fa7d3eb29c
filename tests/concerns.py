"""What concerns one page: ``pytest --concerns docs/PAGE.md FILES`` runs its tests of these files.

Its blocks, every test that has the page, one of its kernels, programs or exercises as a parameter,
and of the files of tests that name a package of its kernels those tests that reach one of its
modules, or of which nobody can tell.
"""

import functools
import re
import types
from collections.abc import Iterator
from pathlib import Path

from lockstep.block import Page
from lockstep.source import find_root
from lockstep_site import exercise, run_here

ROOT = find_root(Path(__file__).parent)
asked = ""  # the page, once pytest has its arguments: no other is read
# Files with a test of each page. tests/test_pages.py is not among them: tests/check.py itself asks
# what it asks.
BY_PAGE = ("tests/test_voice.py", "tests/test_stepper_pages.py")


def sources(page: Page) -> set[str]:
    """Return the modules below kernels/ that a page shows."""
    return {block.path for block in page.blocks if block.path.startswith("kernels/")}


@functools.cache
def modules() -> set[str]:
    """Return the modules below kernels/ of the page that was asked for, wrong ones among them."""
    from lockstep.page import read

    page = read(ROOT / asked, ROOT)
    return sources(page) | {f"kernels/wrong/{name}.py" for name in wrong(page)}


def kernel_tests(page: Page) -> list[str]:
    """Return the files of kernel tests that name a module which the page shows."""
    names, found = set(), []
    for module in sources(page):
        folder, name = module.removesuffix(".py").rsplit("/", 1)
        # These two hold something of every page, and so does the root: there the module counts.
        mixed = folder in {"kernels/wrong", "kernels/exercises"}
        alone = f"kernels.{name}" if folder == "kernels" else folder.replace("/", ".")
        names.add(name if mixed else alone)
    about = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    for file in sorted((ROOT / "tests").glob("test_kernels_*.py")) if names else ():
        if about.search(file.read_text(encoding="utf-8").replace("/", ".")):
            found.append(file.relative_to(ROOT).as_posix())
    return found


def wrong(page: Page) -> set[str]:
    """Return the known-wrong kernels that a page shows, or that a kernel test of it launches."""
    texts = [*sources(page), *((ROOT / f).read_text(encoding="utf-8") for f in kernel_tests(page))]
    return {name for text in texts for name in re.findall(r"\bkernels[./]wrong[./](\w+)", text)}


def files(page: Page) -> list[str]:
    """Return the files of the suite that hold what concerns a page."""
    found = [page.path, *BY_PAGE]
    if sources(page):
        found += ["tests/test_stepper_kernels.py", *kernel_tests(page)]
    if run_here.programs(page):
        found.append("tests/test_run_here_programs.py")
    if exercise.named(page.written or page.body):
        found.append("tests/test_exercises.py")
    return found


def words(page: Page) -> list[str]:
    """Return what the parameters of a test that concerns a page hold."""
    names = [page.path, page.uri, *sources(page), *exercise.named(page.written or page.body)]
    names += [word for name in wrong(page) for word in (name, f"kernels/wrong/{name}.py")]
    return [*names, *(f"{page.name}-{program.key}" for program in run_here.programs(page))]


def pytest_addoption(parser):
    parser.addoption("--concerns", metavar="PAGE", help="run what concerns one page alone")


def pytest_configure(config):
    global asked
    asked = config.getoption("concerns") or ""


def pytest_collection_modifyitems(config, items):
    if not asked:
        return
    from lockstep.page import read

    page = read(ROOT / asked, ROOT)
    about = re.compile("|".join(rf"(?<![\w/]){re.escape(word)}(?![\w/])" for word in words(page)))
    ours = {dotted(path) for path in sources(page)}
    kept = []
    for item in items:
        file, _, name = item.nodeid.partition("::")
        kernels = Path(file).name.startswith("test_kernels_")
        if (
            file == page.path
            or about.search(name.partition("[")[2])
            or (kernels and concerned(reached(item), ours))
        ):
            kept.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


# ---------------------------------------------------------------- what a test of kernels reaches


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def concerned(found: set[str], ours: set[str]) -> bool:
    """Whether a test reaches one of some modules, or a package of theirs; or reaches none at all.

    What reaches none may read their files: it is run.
    """
    return not found or any(f"{one}.".startswith(f"{name}.") for name in found for one in ours)


def reached(item) -> set[str]:
    """Return the modules and packages below kernels/ that a test names, itself or by its helpers.

    By the names in its code, its parameters and its fixtures. Without running anything.
    """
    function = getattr(item, "function", None)
    if function is None:
        return set()
    seen: set[int] = set()
    values = [function, *getattr(getattr(item, "callspec", None), "params", {}).values()]
    for fixtures in item._fixtureinfo.name2fixturedefs.values():
        values += [f.func for f in fixtures if f.func.__module__ == function.__module__]
    return {name for value in values for name in _reached(value, function.__globals__, seen)}


def _reached(value, known: dict, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, str):
        for name in re.findall(r"\bkernels[./]\w[\w./]*", value):
            yield dotted(name).rstrip(".")
        return
    if isinstance(value, types.ModuleType):
        if value.__name__.startswith("kernels"):
            yield value.__name__
        return
    if isinstance(value, list | tuple | set | frozenset | dict):
        for inner in (*value, *(value.values() if isinstance(value, dict) else ())):
            yield from _reached(inner, known, seen)
        return
    if isinstance(value, types.CodeType):
        for name in value.co_names:
            yield from _reached(known.get(name, name), known, seen)
        yield from _reached(value.co_consts, known, seen)
        return
    for name in ("func", "fn", "py_func", "__wrapped__"):  # a part of a function, a kernel
        if inner := vars(value).get(name) if hasattr(value, "__dict__") else None:
            yield from _reached(inner, known, seen)
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and module.startswith("kernels."):
        yield module
    elif getattr(value, "__globals__", None) is known:
        yield from _reached(value.__code__, known, seen)
    elif isinstance(value, type) and module == known.get("__name__"):
        for inner in vars(value).values():
            yield from _reached(inner, known, seen)
