"""Pages that are shown from their notebook, by mkdocs-jupyter: ``notebooks`` in mkdocs.yml.

The notebook is the file that the reader takes away: the page's code, and what it printed in the
run that the record tells of. mkdocs-jupyter writes the code and the output of the page from it,
with the template beside this file. The words around them are MkDocs', as on any page: links, terms
and figures are the site's there. Nothing is trusted for that: the core has checked and proved the
same page before, and the one that mkdocs-jupyter took part in has to be the same HTML. So a page
whose notebook says something else ends the build.
"""

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

from lockstep import export
from lockstep.block import RECORDED, Block
from lockstep.evidence import Proof

TEMPLATES = Path(__file__).parent / "notebook"
PRE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
MEND = "name it in front of lockstep, and let its `include` match the page's .ipynb"


def prepare(config: Any) -> None:
    """Give mkdocs-jupyter our template: its own brings a style sheet of 574 kB along."""
    plugin = config.plugins.get("mkdocs-jupyter")
    if plugin is None:
        what = "`notebooks` needs the plugin mkdocs-jupyter"
        raise PluginError(f"mkdocs.yml: {what}. To mend: {MEND}.")
    if plugin.config["execute"]:
        what = "mkdocs-jupyter is to execute notebooks, and building a site runs nothing"
        raise PluginError(f"mkdocs.yml: {what}. To mend: take `execute: true` out.")
    # By its name: a project without notebooks does not have this package.
    importlib.import_module("mkdocs_jupyter.config").settings.templates_dir = str(TEMPLATES)


def lend(file: Any, notebook: Path) -> None:
    """Let mkdocs-jupyter see a notebook where everybody else sees the page's Markdown."""
    file.content_string = file.content_string  # so that MkDocs does not ask for the file
    file.abs_src_path = str(notebook)


def in_cells(blocks: list[Block], proofs: list[Proof]) -> list[bool]:
    """Return which blocks of a page its notebook has in cells: code, and what a run printed."""
    return [
        bool(export.notebook_codes(block)) or (block.language in RECORDED and bool(proof.runs))
        for block, proof in zip(blocks, proofs, strict=True)
    ]


def shown(page: Page, cells: list[bool], write: Callable[[], None]) -> None:
    """Let a page be rendered by MkDocs, and then its cells by mkdocs-jupyter.

    ``cells``: which blocks of the page they are. ``write`` writes the notebook.
    """
    name, from_notebook = page.file.src_uri, vars(page).get("render")
    if not from_notebook:
        what = f"mkdocs-jupyter does not show {name}"
        raise PluginError(f"mkdocs.yml: {what}. To mend: {MEND}.")

    def render(config, files) -> None:
        Page.render(page, config, files)
        html, contents = page.content or "", page.toc
        blocks = PRE.findall(html)
        if not blocks:  # a draft that cannot be shown
            return
        write()
        from_notebook(config, files)
        page.toc, there = contents, PRE.findall((page.content or "").partition("<style>")[0])
        if len(there) != sum(cells):
            what = f"{sum(cells)} of its blocks are cells, and its notebook has {len(there)}"
            mend = "put code into python blocks, and output right below the code that printed it"
            raise PluginError(f"{name}:1: {what}. To mend: {mend}.")
        cell = iter(there)
        all_blocks = iter(
            [next(cell) if own else block for block, own in zip(blocks, cells, strict=True)]
        )
        page.content = PRE.sub(lambda _: next(all_blocks), html)

    page.render = render  # type: ignore[method-assign]
