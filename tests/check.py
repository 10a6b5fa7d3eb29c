"""python -m tests.check docs/PAGE.md: everything that concerns one page, in seconds.

Its rules; its page, built alone and looked at in a browser, where there is one; and its blocks, its
kernels' tests, its programs and its exercises. ``make test`` is the whole suite.
"""

import logging
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from lockstep import known, site
from lockstep.block import Page
from lockstep.check import Checker
from lockstep.page import PageError, paths, read

ROOT = Path(__file__).resolve().parent.parent
WIDTHS = (320, 1280)


class Heard(logging.Handler):
    """Keeps what MkDocs warns of, such as a link that leads nowhere."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        if "'dirty' build" not in said:  # that is what we ask for
            self.lines.append(said)


def build(page: Page, folder: str) -> list[str]:
    """Build one page and no other. Returns what is wrong with it."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    heard = Heard()
    logging.getLogger("mkdocs").addHandler(heard)
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=folder, strict=False)
    plugin = config.plugins["lockstep"]
    plugin.kept.only = {page.uri}
    plugin.config["paper"] = ""  # a section on one page needs its other pages
    config.theme.static_templates.clear()  # the map of the site and the page for a wrong address
    try:
        known.around(ROOT / page.path, ROOT)
        build(config, dirty=True)
    except (PageError, MkDocsException) as error:
        return [*heard.lines, str(error)]
    return heard.lines


def look(page: Page, folder: str) -> list[str]:
    """Open the built page, light and dark, wide and narrow. Returns what is wrong with it."""
    from tests import browser
    from tests.conftest import serving
    from tests.pages import url_of
    from tests.test_visible import SEEN

    path = browser.find()
    if path is None:
        print("  not looked at: there is no browser here")
        return []
    from playwright.sync_api import sync_playwright

    wrong = []
    with serving(folder) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(path), args=browser.FLAGS)
        tab = chromium.new_page(reduced_motion="reduce")  # a color is there at once
        tab.on("pageerror", lambda error: wrong.append(f"a script fails: {error}"))
        tab.goto(url_of(page, address))
        tab.wait_for_load_state("networkidle")
        for scheme in ("default", "slate") if page.blocks else ():
            tab.evaluate("name => { document.body.dataset.mdColorScheme = name }", scheme)
            found = tab.evaluate(SEEN)
            if found["blocks"] != len(page.blocks):
                wrong.append(f"{found['blocks']} of {len(page.blocks)} blocks are there")
            wrong += [f"in {scheme}: {what}" for what in found["wrong"]]
        for width in WIDTHS:
            tab.set_viewport_size({"width": width, "height": 800})
            over = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
            if over > 0:
                wrong.append(f"it is {over} px too wide at {width} px")
        chromium.close()
    return wrong


def main(name: str = "") -> int:
    """Check a page, and return 1 if anything is wrong with it."""
    file = (ROOT / name).resolve()
    if file not in paths(ROOT):
        what = f"there is no page {name}" if name else "no page"
        print(f"check: {what}: write make check PAGE=docs/PAGE.md", file=sys.stderr)
        return 2
    try:
        page = read(file, ROOT)
    except PageError as error:
        print(error)
        return 1
    from tests import concerns

    # No test of one page draws examples, and its package takes a second of a core.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest"]
    command += ["--concerns", page.path]
    tests = subprocess.Popen([*command, *concerns.files(page)], cwd=ROOT)
    with tempfile.TemporaryDirectory(prefix="lockstep-check-") as folder:
        said = build(page, folder)
        seen = [] if said else [f"{page.path}: {what}" for what in look(page, folder)]
    checker = Checker(ROOT)
    with suppress(PageError):  # said already
        checker.records = site.site(ROOT).records  # read once for both
    wrong = [*map(str, checker.page(file)), *said, *seen]
    code = tests.wait()
    if code == 5:  # no test concerns a page without code: pytest has nothing to run, and says so
        code = 0
    right = "its rules, links, page and blocks are right"
    print("\n".join(wrong) or f"{page.path}: {right}{', but a test is not' if code else ''}.")
    return 1 if code or wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
