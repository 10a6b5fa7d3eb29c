"""`make serve`: a change is seen as soon as its page is built again, and a mistake ends nothing.

How soon, on a machine that does nothing else, is told by the clock of test_scale.py.
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
from tests.pages import PAGES, ROOT

LONG = 1800  # seconds: a guard against what never comes, which no busy machine meets
REFUSED = "Mend it, and it is built again."
PAGE = "roadmap/foundation/vector-add"
KERNEL = "kernels/vector_add/add.py"
FORMULAS = "patterns/fft"
EARLY = "roadmap/foundation/execution-model"
# What is edited or searched here; of other pages the head and the headings, which others link to,
# will do: the first build of all takes less than a third. test_site.py has them whole.
WHOLE = {PAGE, FORMULAS, EARLY, "roadmap/foundation/thinking-in-parallel", "setup"}
WORDS = "Words of a page. " * 50  # as many as a term must have


class Preview:
    """A running `tools/serve.py` in a copy of the repository."""

    def __init__(self, root, early=None, wait=True):
        """Start it. ``early`` is an edit made while it builds for the first time.

        ``wait``: until that is done; or else ``ready`` waits.
        """
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
            # A suite that a shell runs in the background has been told to ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        threading.Thread(target=self._listen, daemon=True).start()
        if early:
            # MkDocs has read every page once it writes one.
            self.until(lambda: any(folder.glob(f"*/{PAGE}/index.html")), f"wrote {PAGE}")
            self.edit(*early)
        if wait:
            self.ready()

    def ready(self):
        """Wait for the first build."""
        self.url = self.says(r"Lockstep is at (\S+)")[1]
        self.says(r"\d pages built in")

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)

    def until(self, asked, what):
        """Return what is asked for, as soon as there is such a thing."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            if found := asked():
                return found
            said = "".join(self.said)
            assert self.process.poll() is None and "Waiting for that." not in said, said
            time.sleep(0.05)
        pytest.fail(f"it never {what}:\n{''.join(self.said)}", pytrace=False)

    def says(self, pattern):
        """Return the match of a line, as soon as it comes."""
        return self.until(lambda: re.search(pattern, "".join(self.said)), f"said {pattern}")

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=LONG) as answer:
            return answer.read().decode()

    def edit(self, path, old, new):
        """Put a text in the place of another, in a file of the copy."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    def shown_after(self, path, words):
        """Return the seconds until a page has some words."""
        start, before = time.monotonic(), len(self.said)

        def shown():
            said = "".join(self.said[before:])
            assert REFUSED not in said, said  # it would never come
            return words in self.get(path)

        self.until(shown, f"showed {words!r} on {path}")
        return time.monotonic() - start

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # Ctrl-C
        self.process.wait(LONG)  # a build of all pages may be under way


def shorten(root):
    """Leave of the pages that no test here asks for what a build needs of each."""
    for page in PAGES:
        if page.name not in WHOLE:
            text = (root / page.path).read_text(encoding="utf-8")
            head, body = text[: len(text) - len(page.written)], page.written
            title, *others = re.findall(r"^#+ .*", body, re.MULTILINE) or ["# Nothing"]
            short = "\n\n".join([title, WORDS, *others])
            (root / page.path).write_text(f"{head}\n{short}\n", encoding="utf-8")
    settings = root / "mkdocs.yml"  # links to rows of tables lead nowhere now
    text = settings.read_text(encoding="utf-8")
    assert "\nstrict: true\n" in text
    settings.write_text(text.replace("\nstrict: true\n", "\nstrict: false\n"), encoding="utf-8")


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    root = scale.make(ROOT, tmp_path_factory.mktemp("preview") / "house", 0)
    shorten(root)
    preview = Preview(root, early=(f"docs/{EARLY}.md", "\n## ", "\nAn early zebra.\n\n## "))
    yield preview
    preview.stop()


def test_a_change_during_the_first_build_is_not_lost(preview):
    preview.shown_after(f"{EARLY}/", "An early zebra.")


def test_a_change_of_one_page_is_seen_by_a_browser(preview, chromium):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{preview.url}{PAGE}/#launch-it")
    preview.edit(f"docs/{PAGE}.md", "## Launch it", "## Launch it, zebra")
    # The browser loads the page again by itself.
    tab.locator("h2:has-text('Launch it, zebra')").wait_for(timeout=LONG * 1000)
    context.close()
    preview.says(rf"{PAGE}\.md.* built again in")  # that page alone
    assert "zebra" in preview.get(f"{PAGE}.md") and "zebra" in preview.get(f"{PAGE}.ipynb")
    index = re.search(r"search/index\.\w+\.json", preview.get("search/search_index.json"))[0]
    assert "zebra" in preview.get(index) and "thinking-in-parallel" in preview.get(index)


def test_a_change_of_a_kernel_is_seen_on_the_page_that_shows_it(preview):
    before = len(preview.said)
    preview.edit(KERNEL, "# this thread's place", "# zebra: this thread's place")
    preview.shown_after(f"{PAGE}/", "# zebra: this thread")
    # The pages that include it, and not the site
    new = lambda: "".join(preview.said[before:])  # noqa: E731
    preview.until(lambda: " built again in " in new(), "built pages again")
    assert " pages built in " not in new()
    assert "zebra" in preview.get(f"{PAGE}.py")


def test_formulas_and_the_other_pages_stay_as_they_were(preview):
    before = preview.get(f"{FORMULAS}/")
    preview.edit(f"docs/{FORMULAS}.md", "\n## ", "\nA zebra.\n\n## ")
    preview.shown_after(f"{FORMULAS}/", "A zebra.")
    after = preview.get(f"{FORMULAS}/")
    strip = re.compile(r"<p>A zebra\.</p>\s*|<script>[^<]*livereload.*?</script>", re.DOTALL)
    assert "katex-html" in before, f"{FORMULAS} has no formula any more: take another page"
    assert strip.sub("", after) == strip.sub("", before)


def test_a_mistake_is_named_with_its_line_and_the_site_stays_up(preview):
    text = (preview.root / "docs/setup.md").read_text(encoding="utf-8")
    line = text.count("\n") + 3  # of what is no include
    preview.edit("docs/setup.md", text, f"{text}\n```python\nprint(1)\n```\n")
    preview.says(rf"docs/setup\.md:{line}: a fence holds one include line.* To mend: ")
    assert "<h1" in preview.get("setup/") and "zebra" in preview.get(f"{PAGE}/")
    preview.edit("docs/setup.md", "\n```python\nprint(1)\n```\n", "\nMended.\n")
    preview.shown_after("setup/", "<p>Mended.</p>")


def test_a_port_that_is_taken_is_named(preview):
    port = preview.url.rstrip("/").rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "tools/serve.py", port], cwd=preview.root, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith(f"serve: port {port}: ")
    assert "make serve PORT=" in done.stderr
