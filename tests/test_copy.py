"""The proof that matters most: what a reader copies is what ran."""

import os
import subprocess
import sys

import pytest

from lockstep import evidence, languages
from lockstep.page import digest
from tests.pages import PAGES, ROOT, open_page

WITH_CODE = [page for page in PAGES if page.blocks]
RECORDS = evidence.Evidence(ROOT)


def copy_blocks(tab):
    """Press the copy button of every code block, in order, and return the clipboard each time.

    Recorded output has no button: it is there to be read.
    """
    texts = []
    for block in tab.locator(".md-content .highlight:has(pre)").all():
        button = block.locator("[data-md-type=copy]")
        if "output" in (block.get_attribute("class") or "").split():
            assert not button.is_visible()
            texts.append(None)
            continue
        tab.evaluate("navigator.clipboard.writeText('nothing was copied')")
        button.click(timeout=5000)
        tab.wait_for_function(
            "navigator.clipboard.readText().then(t => t !== 'nothing was copied')", timeout=5000
        )
        texts.append(tab.evaluate("navigator.clipboard.readText()"))
    return texts


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.path)
def test_what_the_copy_button_gives_is_what_ran(page, context, server, tmp_path):
    """A reader's clipboard, pasted into a fresh Python."""
    tab = open_page(context, page, server)
    buttons = copy_blocks(tab)
    assert len(buttons) == len(page.blocks), "a block has no copy button, or a button no block"
    texts = [text and text.replace("\r\n", "\n").strip("\n") for text in buttons]
    for text, block in zip(texts, page.blocks, strict=True):
        if block.language == "output":
            assert text is None
            continue
        assert text == block.copied.strip("\n"), f"{page.path}:{block.page_line} copies other text"

    # Blocks that need a GPU: the text is the one that the newest record says ran.
    needs_gpu = languages.gpu_only(page)
    for run in RECORDS.runs(page):
        for index in needs_gpu:
            block, recorded = page.blocks[index], run["blocks"][index]
            assert recorded["sha256"] == block.sha256
            if block.language != "pycon":
                assert digest(texts[index]) == recorded["sha256"]

    # Everything else runs here, pasted in order into one empty script.
    script = []
    for text, block in zip(texts, page.blocks, strict=True):
        if not block.runs or block.index in needs_gpu:
            continue
        if "file" in block.options:
            (tmp_path / block.options["file"]).write_text(text + "\n")
        elif block.language in {"python", "pycon"}:
            script.append(text)
    (tmp_path / "pasted.py").write_text("\n\n".join(script) + "\n")
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "LOCKSTEP_TARGET"}}
    done = subprocess.run(
        [sys.executable, "pasted.py"],
        cwd=tmp_path,
        env=env | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{page.path}: pasted into a fresh Python it fails\n{done.stderr}"
    assert context.elsewhere == []
