"""The site as a reader meets it: copy buttons, links to nowhere, phone widths, accessibility."""

import os
import subprocess
import sys

import pytest

from lockstep import evidence, languages
from lockstep.page import digest, find_root, read_all

ROOT = find_root()
PAGES = read_all(ROOT)
WITH_CODE = [page for page in PAGES if page.blocks]
RECORDS = evidence.Evidence(ROOT)


def url_of(page, server):
    name = page.name.removesuffix("index")
    return server + (name if not name or name.endswith("/") else f"{name}/")


def open_page(context, page, server):
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tab.wait_for_load_state("networkidle")
    # A solution is folded away: a reader opens it before copying.
    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    tab.evaluate("document.querySelectorAll('.tabbed-set > input').forEach(i => i.click())")
    return tab


def copy_blocks(tab):
    """Press the copy button of every code block, in order, and return the clipboard each time."""
    texts = []
    for block in tab.locator(".md-content .highlight:has(pre)").all():
        block.scroll_into_view_if_needed()
        block.hover()
        button = block.locator("button[data-clipboard-target], button.md-clipboard, [data-md-type=copy]")
        tab.evaluate("navigator.clipboard.writeText('nothing was copied')")
        button.first.click()
        tab.wait_for_function(
            "navigator.clipboard.readText().then(t => t !== 'nothing was copied')", timeout=5000
        )
        texts.append(tab.evaluate("navigator.clipboard.readText()"))
    return texts


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.path)
def test_what_the_copy_button_gives_is_what_ran(page, context, server, tmp_path):
    """The proof that matters most: a reader's clipboard, pasted into a fresh Python."""
    tab = open_page(context, page, server)
    buttons = copy_blocks(tab)
    assert len(buttons) == len(page.blocks), "a block has no copy button, or a button no block"
    texts = [text.replace("\r\n", "\n").strip("\n") for text in buttons]
    for text, block in zip(texts, page.blocks, strict=True):
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_no_request_leaves_the_site_and_nothing_scrolls_sideways(page, context, server):
    tab = open_page(context, page, server)
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for width in (360, 768, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{page.path} is {wide} px too wide at {width} px"
    assert context.elsewhere == [] and errors == []


AXE = ROOT / "node_modules/axe-core/axe.min.js"
TEMPLATES = ["docs/index.md", "docs/roadmap/index.md", "docs/roadmap/foundation/vector-add.md"]
TEMPLATES += ["docs/evidence/index.md"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", TEMPLATES)
def test_axe_finds_nothing(path, scheme, chromium, server):
    page = next(page for page in PAGES if page.path == path)
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    tab = open_page(context, page, server)
    tab.wait_for_timeout(400)  # our script names what the theme leaves unnamed
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run().then(r => r.violations)")
    context.close()
    said = [f"{v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}" for v in found]
    assert not said, "\n".join(said)
