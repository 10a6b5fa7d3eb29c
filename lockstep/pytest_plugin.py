"""pytest's side of the machine: pages are collected, run and recorded, and skips are counted.

A conftest.py beside mkdocs.yml turns it on: ``pytest_plugins = ["lockstep.pytest_plugin"]``.
``--shard 2/4`` runs the second quarter of the files. The ini option ``lockstep_seconds`` names the
file that says how long each takes; ``--measure`` writes it.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from lockstep import collect, project, running, shards
from lockstep.known import read
from lockstep.mistakes import PageError
from lockstep.page import paths
from lockstep.source import find_root

ROOT = find_root()
# Before anything imports what the pages do.
running.target_of_process(project.of(ROOT)).prepare()

pytest_collect_file = collect.sybil().pytest()


def pytest_addoption(parser):
    parser.addoption("--record", action="store_true", help="write evidence of pages that passed")
    parser.addoption("--shard", metavar="K/N", help="run the Kth of N parts of the suite")
    parser.addoption("--measure", action="store_true", help="keep the seconds that each file took")
    parser.addini("lockstep_seconds", "the file with the seconds of each file of the suite")


# ---------------------------------------------------------------- parts, and the longest first

_mine: set[str] | None = None  # the files of this shard
_seconds: dict[str, float] = {}
_took: dict[str, float] = {}


def _seconds_file(config) -> Path | None:
    name = config.getini("lockstep_seconds")
    return ROOT / name if name else None


def pytest_configure(config):
    global _mine
    _seconds.update(shards.measured(_seconds_file(config)))
    if asked := config.getoption("shard"):
        try:
            number, count = shards.of(asked)
        except ValueError as error:
            raise pytest.UsageError(f"--shard: {error}") from None
        _mine = shards.divide(_files(config), count, _seconds)[number - 1]


def _files(config) -> list[str]:
    """Return every page, and every file of tests, by its path from the root."""
    found = list(paths(ROOT))
    for place in config.getini("testpaths") or ["."]:
        for pattern in config.getini("python_files"):
            found += (ROOT / place).rglob(pattern)
    return [file.relative_to(ROOT).as_posix() for file in found]


def pytest_ignore_collect(collection_path, config):
    if _mine is None or not collection_path.is_file() or collection_path.name == "conftest.py":
        return None
    name = collection_path.relative_to(ROOT).as_posix()
    return True if name not in _mine else None


def pytest_collection_modifyitems(items):
    """The longest file first: whoever runs them in processes then waits for none at the end."""
    items.sort(key=lambda item: -_seconds.get(item.nodeid.split("::")[0], 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """After the last block of a page that passed whole, record the run."""
    result = yield
    example = getattr(item, "example", None)
    if example is not None and item.config.getoption("record"):
        document = example.document
        if hasattr(document, "page") and not getattr(document, "recorded", False) and document.done:
            document.recorded = True
            document.record()
    return result


# ---------------------------------------------------------------- nothing is skipped silently

_seen: dict[str, int] = {}  # page -> blocks reported
_skipped: dict[str, list[str]] = {}  # page, or test file -> reasons


def pytest_runtest_logreport(report):
    if hasattr(report, "context"):  # subtests
        return
    file = report.nodeid.split("::")[0]
    _took[file] = _took.get(file, 0.0) + report.duration
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        _seen[file] = _seen.get(file, 0) + 1
        if report.outcome == "skipped" and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            _skipped.setdefault(file, []).append(f"{report.nodeid}: {reason}")


def expected_skips(some: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return, for each of some pages, how many blocks run here, and how many it declares not to."""
    root, found = ROOT, {}
    for file in some:
        try:
            page = read(file, root)
        except PageError:
            continue
        target = running.here(page)
        runs = sum(block.runs for block in page.blocks) if target else 0
        needs = target.declared(page) if target else 0
        if target and target.can_run(page):
            needs = runs  # it keeps the record of another machine
        found[page.path] = (runs, needs)
    return found


_expected: dict[str, tuple[int, int]] = {}  # as a worker said it


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Keep what a worker said of the pages as it ended."""
    _expected.update(getattr(node, "workeroutput", {}).get("expected", {}))


def _asks_for_every_page(config) -> bool:
    """Whether this run was to collect every page."""
    option = config.option
    if (
        option.keyword
        or option.markexpr
        or option.collectonly
        or config.getoption("deselect", None)
    ):
        return False
    if config.getoption("lf", False) or config.getoption("ignore", None):
        return False
    docs = ROOT / project.of(ROOT).docs
    return any((ROOT / argument).resolve() in {ROOT, docs} for argument in config.args)


def pytest_sessionfinish(session, exitstatus):
    """Refuse a run whose skips are not the ones that the pages declare."""
    if worker := getattr(session.config, "workerinput", None):
        if worker["workerid"] == "gw0" and _asks_for_every_page(session.config):  # it has read all
            session.config.workeroutput["expected"] = expected_skips(paths(ROOT))
        return
    wrong = []
    total = allowed = 0
    whole = _asks_for_every_page(session.config) and not session.shouldstop
    files = [file for file in paths(ROOT) if whole or file.relative_to(ROOT).as_posix() in _seen]
    for page, (runs, needs) in (_expected or expected_skips(files)).items():
        if _mine is not None and page not in _mine:
            continue
        if whole and runs and _seen.get(page, 0) != runs:
            wrong.append(f"{page}: {_seen.get(page, 0)} of {runs} blocks were collected")
        if _seen.get(page) == runs and runs:  # the page ran whole
            total, allowed = total + len(_skipped.get(page, [])), allowed + needs
            if len(_skipped.get(page, [])) != needs:
                wrong.append(f"{page}: {len(_skipped.get(page, []))} blocks skipped, not {needs}")
    others = [r for file, rs in _skipped.items() if not file.endswith(".md") for r in rs]
    if os.environ.get("LOCKSTEP_NO_SKIP") == "1":
        wrong += [f"skipped: {reason}" for reason in others]
    file = _seconds_file(session.config)
    if file and session.config.getoption("measure"):
        shards.write(file, shards.measured(file) | _took)
    session.config.lockstep_summary = (total, allowed, others, wrong)
    if wrong and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    total, allowed, others, wrong = getattr(config, "lockstep_summary", (0, 0, [], []))
    target = running.target_of_process(project.of(ROOT)).name
    terminalreporter.section("skips")
    terminalreporter.line(f"{total} blocks not run ({allowed} declared by their pages) on {target}")
    terminalreporter.line(f"{len(others)} other tests skipped")
    for line in others + [f"NOT EXPECTED: {w}" for w in wrong]:
        terminalreporter.line(f"  {line}")
