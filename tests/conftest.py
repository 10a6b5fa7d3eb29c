"""The built site, a server for it and a browser: made once, shared by the workers."""

import contextlib
import functools
import http.server
import os
import subprocess
import sys
import threading
import time

import pytest

from lockstep.page import find_root
from tests import browser

ROOT = find_root()
# A project of its own, which tests/test_foreign.py copies: its pages are no tests of this one.
collect_ignore = ["foreign"]
# A minute by itself: `make scale` runs it, and .ci/run after `make test`.
if os.environ.get("LOCKSTEP_SCALE") != "1":
    collect_ignore.append("test_scale.py")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The folder of the site, built strictly from this tree. Workers share one build."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    folder, log = base / "site", base / "site.log"
    try:
        (base / "site.lock").mkdir()  # the first worker builds, the others wait
    except FileExistsError:
        while not (base / "site.done").exists():
            time.sleep(0.1)
    else:
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", folder]
        before = os.times()
        with log.open("w") as out:
            code = subprocess.call(command, cwd=ROOT, env=env, stdout=out, stderr=out)
        (base / "site.done").write_text(f"{code} {_seconds(os.times()) - _seconds(before):.1f}")
    code, seconds = (base / "site.done").read_text().split()
    if code != "0":
        pytest.fail(f"mkdocs build --strict failed:\n{log.read_text()[-4000:]}", pytrace=False)
    (folder / ".seconds").write_text(seconds)
    return folder


def _seconds(times):
    """Return the time of a core that this process's children took."""
    return times.children_user + times.children_system


def load():
    """Return how much slower than when idle this machine is now, at least 2.

    The suite keeps every core busy. What a clock must tell exactly is in test_scale.py.
    """
    return max(2.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


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
def chromium():
    """A running Chromium. Where none can be had, the tests that need it are skipped by name."""
    path = browser.find()
    if path is None:
        reason = "no browser: put Chromium on the PATH, or let `make test` install one"
        if os.environ.get("LOCKSTEP_NO_SKIP") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(path), args=browser.FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def context(chromium, server):
    """A fresh browser profile that may read its clipboard, and notes requests to other hosts."""
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
