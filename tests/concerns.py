"""What concerns one page: ``pytest --concerns docs/PAGE.md FILES`` runs its tests of these files.

Its blocks, every test that has the page, one of its kernels, programs or exercises as a parameter,
and the files of tests that name a package of its kernels.
"""

import re
from pathlib import Path

from lockstep.block import Page
from lockstep.source import find_root
from lockstep_site import exercise, run_here

ROOT = find_root(Path(__file__).parent)
BY_PAGE = ("tests/test_pages.py", "tests/test_voice.py", "tests/test_stepper_pages.py")


def sources(page: Page) -> set[str]:
    """Return the modules below kernels/ that a page shows."""
    return {block.path for block in page.blocks if block.path.startswith("kernels/")}


def files(page: Page) -> list[str]:
    """Return the files of the suite that hold what concerns a page."""
    found, modules = [page.path, *BY_PAGE], sources(page)
    if modules:
        found.append("tests/test_stepper_kernels.py")
        names = set()
        for module in modules:
            folder, name = module.removesuffix(".py").rsplit("/", 1)
            # These two hold something of every page.
            mixed = folder in {"kernels/wrong", "kernels/exercises"}
            names.add(name if mixed else folder.replace("/", "."))
        about = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
        for file in sorted((ROOT / "tests").glob("test_kernels_*.py")):
            text = file.read_text(encoding="utf-8").replace("/", ".")
            if about.search(text):
                found.append(file.relative_to(ROOT).as_posix())
    if run_here.programs(page):
        found.append("tests/test_run_here_programs.py")
    if exercise.named(page.written or page.body):
        found.append("tests/test_exercises.py")
    return found


def words(page: Page) -> list[str]:
    """Return what the parameters of a test that concerns a page hold."""
    names = [page.path, *sources(page), *exercise.named(page.written or page.body)]
    return [*names, *(f"{page.name}-{program.key}" for program in run_here.programs(page))]


def pytest_addoption(parser):
    parser.addoption("--concerns", metavar="PAGE", help="run what concerns one page alone")


def pytest_collection_modifyitems(config, items):
    if not (asked := config.getoption("concerns")):
        return
    from lockstep.page import read

    page = read(ROOT / asked, ROOT)
    about = re.compile("|".join(rf"(?<![\w/]){re.escape(word)}(?![\w/])" for word in words(page)))
    kept = []
    for item in items:
        file, _, name = item.nodeid.partition("::")
        whole = file == page.path or Path(file).name.startswith("test_kernels_")
        if whole or about.search(name.partition("[")[2]):
            kept.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
