"""The one MkDocs hook: what the built site holds beside its pages."""

import json
import logging
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

from mkdocs.commands.build import get_context
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger

from lockstep import export, moved, preview, printing, search
from lockstep.markdown import draft, site
from lockstep.page import Page, PageError, digest

log = get_plugin_logger("lockstep")
FORMULA = 'class="arithmatex"'
WORKER = re.compile(r"assets/javascripts/workers/search\.[0-9a-f]+\.min\.js")
NOWHERE = re.compile(r"Doc file '(?P<file>[^']+)' contains an?.*? (?:link|path) '(?P<link>[^']+)'")
# In code: names and blanks. No style sheet gives them a color, and they are half of its elements.
COLORLESS = re.compile(r'<span class="[nw]">([^<]*)</span>')
GLOSSARY = "glossary/index.md"
_with_formula: set[str] = set()
_contents: dict[str, str] = {}  # the HTML of each page's text, by path in docs/
_sections: list[dict] = []  # those that are offered on one page, for paper
_now: dict = {}  # what MkDocs hands to one event and another needs
# For a preview that builds a few pages again: the others as they were.
_pages: dict = {}
_entries: dict[str, list[dict]] = {}  # what the search knows of each page, by its address


def on_config(config):
    if "offline" in config.plugins or "material/offline" in config.plugins:
        # A page of the file system cannot fetch the next one.
        features = config.theme["features"]
        config.theme["features"] = [name for name in features if "instant" not in name]
    for item in config.nav or ():
        for children in item.values() if isinstance(item, dict) else ():
            if GLOSSARY in children:
                # A preview may hand in the same configuration again.
                children[:] = [c for c in children if not (isinstance(c, dict) and "Terms" in c)]
                children.insert(1, {"Terms": _terms(config)})
    links = logging.getLogger("mkdocs.structure.pages")
    links.filters = [f for f in links.filters if not isinstance(f, _WithLine)]
    links.addFilter(_WithLine(Path(config.docs_dir)))


class _WithLine(logging.Filter):
    """Adds file and line to what MkDocs says of a link or an anchor that leads nowhere."""

    def __init__(self, docs: Path):
        super().__init__()
        self.docs = docs

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if found := NOWHERE.search(said):
            file = self.docs / found["file"]
            text = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            for number, line in enumerate(text, start=1):
                if found["link"] in line:
                    record.msg, record.args = f"docs/{found['file']}:{number}: {said}", None
                    break
        return True


def _terms(config) -> list[dict]:
    """Return the glossary's terms as sections of the navigation, one for each group."""
    glossary = _site(config).glossary
    return [
        {glossary.groups.get(group, group): [t.page.path.removeprefix("docs/") for t in terms]}
        for group, terms in glossary.by_group().items()
    ]


def on_pre_build(config):
    if preview.only is None:
        for kept in (_with_formula, _contents, _pages, _entries):
            kept.clear()


def on_files(files, config):
    if preview.only is not None:
        for file in files.documentation_pages():
            again = file.src_uri in preview.only
            file.is_modified = lambda again=again: again


def on_nav(nav, config, files):
    """Choose the sections that have an index page and more pages than that."""
    _sections.clear()

    def walk(items):
        for item in items:
            if item.is_section:
                pages, index = list(_pages_of(item)), _index_of(item)
                if index and len(pages) > 1:
                    folder = posixpath.dirname(index.file.src_uri)
                    at = printing.address(folder, config.use_directory_urls)
                    row = {"title": item.title, "index": index, "pages": pages, "at": at}
                    _sections.append(row)
                walk(item.children)

    walk(nav.items)
    _now.update(nav=nav, files=files)


def _index_of(section):
    pages = (child for child in section.children if child.is_page)
    return next((page for page in pages if page.file.src_uri.endswith("/index.md")), None)


def _pages_of(section):
    """Yield the pages of a section, and of those below it that have no index of their own."""
    for child in section.children:
        if child.is_page:
            yield child
        elif child.is_section and not _index_of(child):
            yield from _pages_of(child)


def on_env(env, config, files):
    _now.update(env=env)
    env.bytecode_cache = preview.templates
    for file in files.documentation_pages():
        page, before = file.page, _pages.get(file.src_uri)
        if preview.only is not None and file.src_uri not in preview.only and before:
            for name in ("markdown", "content", "meta", "toc", "title", "present_anchor_ids"):
                setattr(page, name, getattr(before, name))
        else:
            _pages[file.src_uri] = page


def on_page_markdown(markdown, page, config, files):
    """Tell the theme which downloads a page has."""
    path = f"docs/{page.file.src_uri}"
    found = [p for p in _site(config).pages if p.path == path]
    rows = export.downloads(found[0]) if found else []
    if (base := config.extra.get("colab")) and found and export.has_python(found[0]):
        rows.append({"label": "Open in Colab", "href": f"{base}{found[0].name}.ipynb"})
    for section in _sections:
        if section["index"] is page:
            label = f"All {len(section['pages'])} pages of this section on one, to print"
            rows.append({"label": label, "href": section["at"]})
    if rows:
        page.meta["downloads"] = rows
    names = page.meta.get("aliases", []) + (_own_kernels(found[0]) if found else [])
    if names:
        page.meta["tags"] = names  # as Material's search calls them


KERNEL = re.compile(r"^@cuda\.jit\b[^\n]*\ndef (\w+)\(", re.MULTILINE)


def _own_kernels(page: Page) -> list[str]:
    """Return the kernels of the folder that has the page's name: here they are at home."""
    folder = f"kernels/{Path(page.path).stem.replace('-', '_')}/"
    own = [block.text for block in page.blocks if block.path.startswith(folder)]
    return list(dict.fromkeys(name for text in own for name in KERNEL.findall(text)))


def on_page_content(html, page, config, files):
    html = COLORLESS.sub(r"\1", html)
    _contents[page.file.src_uri] = html
    if FORMULA in html:
        _with_formula.add(page.file.src_uri)
    return html


def on_post_page(output, page, config):
    return _own_worker(output)


def on_post_template(output_content, template_name, config):
    return _own_worker(output_content) if template_name.endswith(".html") else output_content


def _own_worker(output: str) -> str:
    """Let the theme's search ask our worker. Its own builds an index in the reader's browser."""
    output, found = WORKER.subn("assets/js/search-worker.js", output)
    if not found:
        raise PluginError("the theme names its search worker in another way: see lockstep/hook.py")
    return output


def _index(config) -> None:
    """Replace the texts that Material's search plugin wrote by our index of them."""
    folder = Path(config.site_dir) / "search"
    written = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))
    found: dict[str, list[dict]] = {}
    for entry in written["docs"]:
        found.setdefault(entry["location"].split("#")[0], []).append(entry)
    _entries.update(found)
    index = search.index([entry for entries in _entries.values() for entry in entries])
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    # The theme fetches this file with each first visit, so it says only where the index is. A page
    # of the file system cannot fetch: there, Material's offline plugin makes a script of it.
    start = {"separator": written["config"]["separator"], "index": index}
    if not any("offline" in name for name in config.plugins):
        name = f"search/index.{digest(text)[:10]}.json"
        (Path(config.site_dir) / name).write_text(text, encoding="utf-8")
        start["index"] = name
    tiny = json.dumps({"config": start, "docs": []}, ensure_ascii=False, separators=(",", ":"))
    (folder / "search_index.json").write_text(tiny, encoding="utf-8")


def on_post_build(config):
    _index(config)
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
    source.glossary = known.glossary
    try:
        only = preview.only and {f"docs/{name}" for name in preview.only}
        export.write(source, Path(config.site_dir), only)
    except PageError as error:
        raise PluginError(str(error)) from None
    _print(config)
    urls = {file.src_uri: file.url.removeprefix("./") for file in _now["files"]}
    try:
        moved.write(known.root, Path(config.site_dir), urls, config.use_directory_urls)
    except PageError as error:
        raise PluginError(str(error)) from None
    if _with_formula:
        _prerender(known.root, config.site_dir)


def _print(config) -> None:
    """Write each section as one page, for paper."""
    for section in _sections:
        at = section["at"]
        if preview.only is not None and not any(
            page.file.src_uri in preview.only for page in section["pages"]
        ):
            continue
        pages = [(page.url, _contents[page.file.src_uri]) for page in section["pages"]]
        context = get_context(_now["nav"], _now["files"], config, base_url=_up(at))
        context["print"] = {
            "title": section["title"],
            "count": len(pages),
            "url": section["index"].url,
            "content": printing.render(pages, at),
        }
        text = _now["env"].get_template("print.html").render(context)
        file = Path(config.site_dir) / (at + "index.html" if at.endswith("/") else at)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _up(at: str) -> str:
    """Return the way from a page back to the site's root."""
    return posixpath.relpath(".", at if at.endswith("/") else posixpath.dirname(at))


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
