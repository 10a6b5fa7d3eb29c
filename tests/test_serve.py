"""`make serve`: a change is seen within seconds, and a mistake ends nothing.

On a machine that does nothing else: within 5 s, which test_scale.py holds it to.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from tests import scale
from tests.conftest import load
from tests.pages import ROOT

SECONDS = 5
PAGE = "roadmap/foundation/vector-add"
KERNEL = "kernels/vector_add/add.py"


class Preview:
    """A running `tools/serve.py` in a copy of the repository."""

    def __init__(self, root, early=None):
        """Start it. ``early`` is an edit made while it builds for the first time."""
        self.root, self.said = root, []
        folder = root.parent / "served"
        folder.mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP")}
        self.process = subprocess.Popen(
            [sys.executable, "tools/serve.py", "0"],
            cwd=root,
            env=env | {"NO_MKDOCS_2_WARNING": "1", "TMPDIR": str(folder)},
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        if early:
            # MkDocs has read every page once it writes one.
            self.until(lambda: any(folder.glob(f"*/{PAGE}/index.html")), 300, f"wrote {PAGE}")
            self.edit(*early)
        self.url = self.says(r"Lockstep is at (\S+)", 300)[1]
        self.says(r"\d pages built in", 1)

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)

    def until(self, asked, seconds, what):
        """Return what is asked for, as soon as there is such a thing."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := asked():
                return found
            assert self.process.poll() is None, "".join(self.said)
            time.sleep(0.05)
        pytest.fail(f"it never {what}:\n{''.join(self.said)}", pytrace=False)

    def says(self, pattern, seconds):
        """Return the match of a line that comes within some seconds."""
        said = f"said {pattern}"
        return self.until(lambda: re.search(pattern, "".join(self.said)), seconds, said)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.read().decode()

    def edit(self, path, old, new):
        """Put a text in the place of another, in a file of the copy."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    def shown_after(self, path, words):
        """Return the seconds until a page has some words."""
        start = time.monotonic()
        while words not in self.get(path):
            assert time.monotonic() - start < 120, "".join(self.said[-20:])
            time.sleep(0.05)
        return time.monotonic() - start

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # Ctrl-C
        self.process.wait(90)  # a build of all pages may be under way


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    root = scale.make(ROOT, tmp_path_factory.mktemp("preview") / "house", 0)
    preview = Preview(
        root,
        early=("docs/roadmap/foundation/execution-model.md", "\n## ", "\nAn early zebra.\n\n## "),
    )
    yield preview
    preview.stop()


def test_a_change_during_the_first_build_is_not_lost(preview):
    page = "roadmap/foundation/execution-model/"
    assert preview.shown_after(page, "An early zebra.") <= SECONDS * load()


def test_a_change_of_one_page_is_seen_by_a_browser(preview, chromium):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{preview.url}{PAGE}/#launch-it")
    start = time.monotonic()
    preview.edit(f"docs/{PAGE}.md", "## Launch it", "## Launch it, zebra")
    # The browser loads the page again by itself.
    tab.locator("h2:has-text('Launch it, zebra')").wait_for(timeout=60_000)
    took = time.monotonic() - start
    context.close()
    print(f"a changed page is seen after {took:.1f} s")
    assert took <= SECONDS * load()
    assert "zebra" in preview.get(f"{PAGE}.md") and "zebra" in preview.get(f"{PAGE}.ipynb")
    index = re.search(r"search/index\.\w+\.json", preview.get("search/search_index.json"))[0]
    assert "zebra" in preview.get(index) and "thinking-in-parallel" in preview.get(index)


def test_a_change_of_a_kernel_is_seen_on_the_page_that_shows_it(preview):
    preview.edit(KERNEL, "# this thread's place", "# zebra: this thread's place")
    assert preview.shown_after(f"{PAGE}/", "# zebra: this thread") <= SECONDS * load()
    assert "zebra" in preview.get(f"{PAGE}.py")


def test_formulas_and_the_other_pages_stay_as_they_were(preview):
    page = "roadmap/foundation/pmpp-1-4"  # it has formulas
    before = preview.get(f"{page}/")
    preview.edit(f"docs/{page}.md", "\n## ", "\nA zebra.\n\n## ")
    assert preview.shown_after(f"{page}/", "A zebra.") <= SECONDS * load()
    after = preview.get(f"{page}/")
    strip = re.compile(r"<p>A zebra\.</p>\s*|<script>[^<]*livereload.*?</script>", re.DOTALL)
    assert "katex-html" in before, f"{page} has no formula any more: take another page"
    assert strip.sub("", after) == strip.sub("", before)


def test_a_mistake_is_named_with_its_line_and_the_site_stays_up(preview):
    text = (preview.root / "docs/setup.md").read_text(encoding="utf-8")
    line = text.count("\n") + 3  # of what is no include
    preview.edit("docs/setup.md", text, f"{text}\n```python\nprint(1)\n```\n")
    preview.says(rf"docs/setup\.md:{line}: a fence holds one include line.* To mend: ", 20)
    assert "<h1" in preview.get("setup/") and "zebra" in preview.get(f"{PAGE}/")
    preview.edit("docs/setup.md", "\n```python\nprint(1)\n```\n", "\nMended.\n")
    assert preview.shown_after("setup/", "<p>Mended.</p>") <= SECONDS * load()


def test_a_port_that_is_taken_is_named(preview):
    port = preview.url.rstrip("/").rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "tools/serve.py", port], cwd=preview.root, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith(f"serve: port {port}: ")
    assert "make serve PORT=" in done.stderr
