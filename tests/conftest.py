"""The built site, a server for it and a browser: made once, shared by the workers."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from lockstep.page import find_root
from lockstep_site.gpu import fitting, targets
from tests import browser
from tests import built as site

ROOT = find_root()
# A project of its own, which tests/test_foreign.py copies: its pages are no tests of this one.
collect_ignore = ["foreign"]
# A minute by itself: `make scale` runs it, and .ci/run after `make test`.
if os.environ.get("LOCKSTEP_SCALE") != "1":
    collect_ignore.append("test_scale.py")


PATIENCE = 240  # seconds that a browser may take for one thing before that is a failure
AT_ONCE = 2  # files that need no site, for the time in which it is built


_not_here: dict[str, str] = {}  # tests that the GPU here cannot run, and why


def pytest_terminal_summary(terminalreporter):
    """No test is left out in silence: each by its name, with what the GPU here lacks."""
    if _not_here:
        terminalreporter.section(f"{len(_not_here)} tests not on this GPU")
        for name, why in _not_here.items():
            terminalreporter.line(f"  {name}: {why}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what the GPU here cannot run, begin to build the site, and let some long files go
    first that need none."""
    if os.environ.get("LOCKSTEP_TARGET") in targets.GPU_TARGETS:
        for item in items:
            path, _, name = item.nodeid.partition("::")
            if path.startswith("tests/test_kernels"):
                needs = fitting.of_test(ROOT, path, name.partition("[")[0])
                if why := fitting.lacks(needs):
                    _not_here[item.nodeid] = why
        if left := [item for item in items if item.nodeid in _not_here]:
            config.hook.pytest_deselected(items=left)
            items[:] = [item for item in items if item.nodeid not in _not_here]
    files = {}
    for item in items:
        files.setdefault(item.nodeid.split("::")[0], []).append(item)
    needing = {
        name for name, group in files.items() if any("built" in _fixtures(item) for item in group)
    }
    if not needing or config.option.collectonly:
        return
    site.start()
    first = [name for name in files if name not in needing][:AT_ONCE]
    items.sort(key=lambda item: item.nodeid.split("::")[0] not in first)


@pytest.fixture(scope="module", autouse=True)
def subnormals():
    """A library that a test loads may set the CPU to flush small numbers to zero, for all after."""
    yield
    smallest = sys.float_info.min
    assert smallest / 2 > 0, "a test of this file left a CPU that takes subnormal numbers for zeros"


def _fixtures(item):
    return getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def built():
    """The folder of the site, built strictly from this tree. All processes share one."""
    try:
        return site.make()
    except site.Failed as failed:
        pytest.fail(f"mkdocs build --strict failed:\n{failed}", pytrace=False)


@pytest.fixture(scope="session")
def pyodide():
    """What runs programs in the Python of the reader's browser, started once for a process.

    A function that takes rows of tests/run_here.mjs and returns a result for each.
    """
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    archive = ROOT / "docs/assets/vendor/run-here/stepper.zip"
    with tempfile.TemporaryFile("w+") as said:
        command, pipe = [node, "tests/run_here.mjs", archive], subprocess.PIPE
        with subprocess.Popen(
            command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=said, text=True
        ) as process:

            def run(rows):
                print(json.dumps(rows), file=process.stdin, flush=True)
                if answer := process.stdout.readline():
                    return json.loads(answer)
                process.wait()
                said.seek(0)
                pytest.fail(said.read()[-2000:])  # node shows the line, and it is long

            yield run
            process.stdin.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def end_headers(self):
        # A tab that walks through hundreds of pages asks once for what they share.
        if self.path.startswith("/assets/"):
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


@contextlib.contextmanager
def serving(folder):
    """Serve a folder on this machine, and yield its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}/"
        httpd.shutdown()


@pytest.fixture(scope="session")
def server(built):
    """The address of a local server of the built site."""
    with serving(built) as address:
        yield address


@pytest.fixture(scope="session")
def playwright():
    """What drives browsers, once for a process: a second one would be refused.

    Where no browser can be had, the tests that need it are skipped by name.
    """
    if browser.find() is None:
        reason = "no browser: put Chromium on the PATH, or let `make test` install one"
        if os.environ.get("LOCKSTEP_NO_SKIP") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    """A running Chromium."""
    path = str(browser.find())
    chromium = playwright.chromium.launch(executable_path=path, args=browser.FLAGS)
    chromium.new_context = _patient(chromium.new_context)
    chromium.new_page = _patient(chromium.new_page)
    yield chromium
    chromium.close()


def _patient(make):
    """Let what a function makes wait for as long as a busy machine may take."""

    def made(*arguments, **options):
        found = make(*arguments, **options)
        found.set_default_timeout(PATIENCE * 1000)
        return found

    return made


@pytest.fixture
def context(chromium, server):
    """A fresh browser profile that may read its clipboard, and notes requests to other hosts."""
    yield from _profile(chromium, server)


@pytest.fixture(scope="module")
def visitor(chromium, server):
    """Such a profile for a file's tests that change nothing in it: it loads what pages share once.

    A page in a fresh profile takes a third more of a core.
    """
    yield from _profile(chromium, server)


@pytest.fixture
def visit(visitor):
    """A tab of the visitor, closed when the test ends. Its ``context`` notes foreign requests."""
    visitor.elsewhere.clear()
    tab = visitor.new_page()
    yield tab
    tab.close()


def _profile(chromium, server):
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900},
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.elsewhere = []
    context.on(
        "request",
        lambda request: (
            context.elsewhere.append(request.url)
            if not request.url.startswith((server, "data:", "blob:"))
            else None
        ),
    )
    yield context
    context.close()
