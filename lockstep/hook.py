"""The one MkDocs hook: what the built site holds beside its pages."""

import shutil
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger

from lockstep import export
from lockstep.markdown import draft, site
from lockstep.page import PageError

log = get_plugin_logger("lockstep")
FORMULA = 'class="arithmatex"'
_with_formula: set[str] = set()


def on_pre_build(config):
    _with_formula.clear()


def on_page_markdown(markdown, page, config, files):
    """Tell the theme which downloads a page has."""
    path = f"docs/{page.file.src_uri}"
    found = [p for p in _site(config).pages if p.path == path]
    if found and (rows := export.downloads(found[0])):
        page.meta["downloads"] = rows


def on_page_content(html, page, config, files):
    if FORMULA in html:
        _with_formula.add(page.file.src_uri)


def on_post_build(config):
    known = _site(config)
    source = export.Source(
        known.root,
        known.pages,
        known.records,
        name=config.site_name,
        description=config.site_description or "",
        url=config.site_url or "/",
        draft=draft(),
    )
    try:
        export.write(source, Path(config.site_dir))
    except PageError as error:
        raise PluginError(str(error)) from None
    if _with_formula:
        _prerender(known.root, config.site_dir)


def _site(config):
    try:
        return site(Path(config.config_file_path).resolve().parent)
    except PageError as error:
        raise PluginError(str(error)) from None


def _prerender(root: Path, site_dir: str) -> None:
    """Render the formulas with KaTeX, so that no script has to do it in the browser."""
    # `make` installs node beside Python where the machine has none.
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    if not node or not (root / "node_modules").is_dir():
        pages = ", ".join(sorted(_with_formula))
        log.warning(f"the formulas of {pages} stay raw: no node_modules here. To mend: make site.")
        return
    command = [node, str(root / "tools" / "prerender.mjs"), site_dir]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise PluginError((done.stderr or done.stdout).strip())
