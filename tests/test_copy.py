"""The proof that matters most: what a reader copies is what ran."""

import doctest
import html
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from lockstep.page import digest
from lockstep_site.gpu.needs import gpu_only, lacks_package
from lockstep_site.gpu.targets import Simulator
from tests.pages import PAGES, ROOT, sample, url_of
from tests.records import all_records

WITH_CODE = [page for page in PAGES if page.blocks]
LESSONS = [page for page in WITH_CODE if page.meta["kind"] in {"lesson", "lab", "puzzle"}]
# Every page is run by Sybil, and its HTML is read below: of terms and the like, a few are pasted.
# Pasted code runs in Numba's simulator, which has no warp operations: the stepper is no reader's.
PASTED = [
    page
    for page in WITH_CODE
    if (page in LESSONS or page in sample(WITH_CODE, 3)) and Simulator().here(page) != "stepper"
]
CODE = re.compile(
    r'<div class="[^"]*\bhighlight\b[^"]*"(?: data-copy="(?P<copy>[^"]*)")?>'
    r".*?<pre\b[^>]*>(?P<code>.*?)</pre>",
    re.DOTALL,
)


# A script may copy for five seconds after its reader's last act, and each call of ours counts as
# one: on a busy machine a page with many blocks takes several.
COPY = """async (blocks, first) => {
  const texts = [], none = "nothing was copied"
  // A solution is folded away: a reader opens it before copying.
  document.querySelectorAll("details").forEach(details => { details.open = true })
  for (const block of blocks.slice(first)) {
    // A block may stand in a tab that another one covers: its reader chooses the tab first.
    const panel = block.closest(".tabbed-block")
    if (panel) {
      const place = [...panel.parentElement.children].indexOf(panel)
      panel.closest(".tabbed-set").querySelectorAll("input")[place].click()
    }
    const button = block.querySelector("[data-md-type=copy]")
    const seen = button?.checkVisibility({ visibilityProperty: true }) ?? false
    // Recorded output has no button: it is there to be read.
    if (block.classList.contains("output")) {
      texts.push(seen ? "a button" : null)
      continue
    }
    if (!seen) throw new Error("no button to copy " + block.textContent.slice(0, 200))
    button.scrollIntoView({ block: "center" })
    const { x, y, width, height } = button.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    if (!button.contains(top)) throw new Error("no hand reaches the button of " + block.textContent)
    await navigator.clipboard.writeText(none)
    let text = none
    for (let i = 0; text === none && (i === 0 || navigator.userActivation.isActive); i++) {
      if (i % 100 === 0) button.click() // again, as the theme may not have listened yet
      await new Promise(done => setTimeout(done, 10))
      text = await navigator.clipboard.readText()
    }
    if (text === none) break // of this block again, in the next call
    texts.push(text)
  }
  return texts
}"""
IN_VAIN = 20  # calls of five seconds


def copy_blocks(tab):
    """Press the copy button of every code block, in order, and return the clipboard each time."""
    blocks = tab.locator(".md-content .highlight:has(pre)")
    texts, all_blocks, in_vain = [], blocks.count(), 0
    while len(texts) < all_blocks:
        more = blocks.evaluate_all(COPY, len(texts))
        in_vain = 0 if more else in_vain + 1
        assert in_vain < IN_VAIN, f"nothing was copied of block {len(texts) + 1}"
        texts += more
    # Once with the mouse: the button is where a hand reaches it.
    for at, text in enumerate(texts):
        if text is not None:
            tab.evaluate("navigator.clipboard.writeText('nothing was copied')")
            blocks.nth(at).locator("[data-md-type=copy]").click()
            tab.wait_for_function(
                "t => navigator.clipboard.readText().then(u => t === u)", arg=text
            )
            break
    return texts


def test_every_block_of_the_site_copies_its_own_text(built):
    """The theme copies data-copy of a block, or else the text of its code."""
    wrong = []
    for page in WITH_CODE:
        folder = page.name.removesuffix("index").rstrip("/")
        text = (built / folder / "index.html").read_text(encoding="utf-8")
        found = [html.unescape(copied(match)).strip("\n") for match in CODE.finditer(text)]
        wanted = [block.copied.strip("\n") for block in page.blocks]
        if [text.expandtabs(4) for text in found] != [text.expandtabs(4) for text in wanted]:
            wrong.append(page.path)
    assert not wrong


def copied(match):
    return match["copy"] or re.sub(r"<[^>]*>", "", match["code"])


# What a page frees is kept for its next array: to give it back each time, and get it again in pages
# of zeros, is half of the time of one that trains a model.
MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}


@pytest.fixture(scope="module")
def paste():
    """Returns a function that runs a folder's pasted.py as its reader does: tests/pasted.py."""
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "LOCKSTEP_TARGET"}}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # for its commands
    reader = subprocess.Popen(
        [sys.executable, "-P", ROOT / "tests/pasted.py"],
        env=env | MEMORY | {"NUMBA_ENABLE_CUDASIM": "1", "PATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(folder):
        print(folder, file=reader.stdin, flush=True)
        return int(reader.stdout.readline())

    yield run
    reader.stdin.close()
    reader.wait()


def test_pasted_code_starts_from_nothing_and_a_failure_is_seen(paste, tmp_path):
    script = tmp_path / "pasted.py"
    script.write_text(
        "import sys\nassert __name__ == '__main__' and 'left' not in vars(sys)\n"
        "sys.left = left = 1\nprint(sys.argv)\n"
    )
    assert [paste(tmp_path), paste(tmp_path)] == [0, 0]
    assert (tmp_path / "said.txt").read_text() == "['pasted.py']\n"
    for wrong in ("import kernels", "import tests", "1 / 0", "import sys; sys.exit(3)"):
        script.write_text(wrong)
        assert paste(tmp_path), wrong


def as_in_a_console(copied, session):
    """Return copied statements as a script that goes on after an error, as a console does.

    Only after an error that the session shows, and only if it comes.
    """
    examples = doctest.DocTestParser().get_examples(session)
    assert "".join(example.source for example in examples).strip("\n") == copied
    script = []
    for example in examples:
        text = example.source
        if example.exc_msg is not None:
            name = example.exc_msg.split(":")[0].strip().split(".")[-1]
            text = f"try:\n{textwrap.indent(text, '    ')}except Exception as error:\n"
            text += f"    assert type(error).__name__ == {name!r}, error\n"
            text += f"else:\n    raise AssertionError('no {name} came')\n"
        script.append(text)
    return "".join(script)


@pytest.mark.parametrize(
    ("statement", "passes"),
    [("1 / 0", True), ("[][0]", False), ("len('')", False)],
    ids=["the error", "another error", "no error"],
)
def test_an_error_that_a_session_shows_must_come(statement, passes, paste, tmp_path):
    session = f">>> {statement}\nTraceback (most recent call last):\n  ...\nZeroDivisionError: no\n"
    session += ">>> print('and on')\nand on\n"
    script = as_in_a_console(f"{statement}\nprint('and on')", session)
    (tmp_path / "pasted.py").write_text(script)
    assert (paste(tmp_path) == 0) == passes
    assert ((tmp_path / "said.txt").read_text() == "and on\n") == passes


@pytest.mark.parametrize("page", PASTED, ids=lambda page: page.path)
def test_what_the_copy_button_gives_is_what_ran(page, visitor, visit, server, paste, tmp_path):
    """A reader's clipboard, pasted into a fresh Python."""
    tab = visit
    tab.goto(url_of(page, server))
    tab.locator("[data-md-type=copy]").first.wait_for(state="attached")
    buttons = copy_blocks(tab)
    assert len(buttons) == len(page.blocks), "a block has no copy button, or a button no block"
    texts = [text and text.replace("\r\n", "\n").strip("\n") for text in buttons]
    for text, block in zip(texts, page.blocks, strict=True):
        if block.language == "output":
            assert text is None
            continue
        assert text == block.copied.strip("\n"), f"{page.path}:{block.page_line} copies other text"

    # Blocks that need a GPU, and all of a page that needs a package which is not here: the text is
    # the one that the newest record says ran.
    elsewhere = range(len(page.blocks)) if lacks_package(page) else gpu_only(page)
    runs = all_records().runs(page)
    assert runs or not lacks_package(page), f"{page.path}: {lacks_package(page)}, and no record"
    for run in runs:
        for index in elsewhere:
            block, recorded = page.blocks[index], run["blocks"][index]
            if block.language == "output":
                continue
            assert recorded["sha256"] == block.sha256
            if block.language != "pycon":
                assert digest(texts[index]) == recorded["sha256"]

    # Everything else runs here, pasted in order into one empty script.
    script = []
    for text, block in zip(texts, page.blocks, strict=True):
        if not block.runs or block.index in elsewhere:
            continue
        if "file" in block.options:
            (tmp_path / block.options["file"]).write_text(text + "\n")
        elif block.language == "pycon":
            script.append(as_in_a_console(text, block.text))
        elif block.language == "python":
            script.append(text)
        elif block.language == "bash":  # a command, in its place among the others
            command = ["bash", "-euo", "pipefail", "-c", text]
            script.append(f"__import__('subprocess').run({command!r}, check=True)")
    (tmp_path / "pasted.py").write_text("\n\n".join(script) + "\n")
    code = paste(tmp_path)
    said = (tmp_path / "said.txt").read_text(encoding="utf-8", errors="replace")
    assert code == 0, f"{page.path}: pasted into a fresh Python it fails\n{said}"
    assert visitor.elsewhere == []
