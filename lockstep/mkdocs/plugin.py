"""The plugin of MkDocs: ``plugins: [lockstep]``. What the built site holds beside its pages.

It hands the pages to ``lockstep.markdown``, which stamps them, and writes downloads, data files and
pages that moved. Search, paper and formulas are asked for by its options, because they need files
of the project: a worker, a template, a program.
"""

import base64
import gc
import hashlib
import json
import logging
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from mkdocs.commands.build import get_context
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.nav import Link

from lockstep import export, project
from lockstep.block import Page
from lockstep.mistakes import PageError
from lockstep.mkdocs import (
    apart,
    last,
    lighter,
    moved,
    notebooks,
    policy,
    printing,
    published,
    repository,
    search,
)
from lockstep.mkdocs.preview import Kept
from lockstep.page import nothing
from lockstep.site import Site, draft, drop, site, unjudged
from lockstep.source import digest

log = get_plugin_logger("lockstep")
FORMULA = 'class="arithmatex"'
WORKER = re.compile(r"assets/javascripts/workers/search\.[0-9a-f]+\.min\.js")
NOWHERE = re.compile(r"Doc file '(?P<file>[^']+)' contains an?.*? (?:link|path) '(?P<link>[^']+)'")
# What a page needs to be read as the core reads it; a project may set more of each.
EXTENSIONS: dict[str, dict] = {
    "attr_list": {},
    "pymdownx.highlight": {},
    "pymdownx.superfences": {},
    "pymdownx.snippets": {
        "check_paths": True,
        "dedent_subsections": True,
        "restrict_base_path": True,
    },
    "lockstep.markdown": {},
}


class Options(Config):
    """What mkdocs.yml may set below ``lockstep:``. All of it may be left out."""

    # A script that answers the search from our index, in the place of the theme's own worker
    search_worker = config_options.Type(str, default="")
    # What a page weighs in the search, by its kind, its path or a folder: 1 where nothing is said
    search_weights = config_options.Type(dict, default={})
    # A YAML file of lists of words that ask for the same
    search_synonyms = config_options.Type(str, default="")
    # A folder of YAML files with what people type to find a page or a heading
    search_asked = config_options.Type(str, default="")
    # A table of words and their directions, by which a question finds what says the same in others
    search_words = config_options.Type(str, default="")
    # A template that shows a section's pages as one, for paper
    paper = config_options.Type(str, default="")
    # A program that is run with the built site and renders its formulas
    formulas = config_options.Type(str, default="")
    # The name of an Atom feed of the pages that changed last, by git. It brings a robots.txt along
    feed = config_options.Type(str, default="")
    # The address below which Colab finds the notebooks of the published site
    colab = config_options.Type(str, default="")
    # The kinds of pages that mkdocs-jupyter shows from their notebook
    notebooks = config_options.Type(list, default=[])


class LockstepPlugin(BasePlugin[Options]):
    """One build of a site. ``kept`` outlives it where a preview hands it to the next one."""

    serving = False  # pages are for a preview, which adds a script of its own to each

    def __init__(self) -> None:
        self.kept = Kept()
        self.sections: list[dict] = []  # those that are offered on one page, for paper
        self.nav: Any = None
        self.files: Any = None
        self.env: Any = None
        self.changed: dict = {}  # when each page was, by git
        self.judge: apart.Judge | None = None  # of the pages, until its verdict
        self.written: dict[str, str] = {}  # the hash of each page as it is handed on, by its file

    # ------------------------------------------------------------ before the pages

    def on_config(self, config):
        complete(config)
        _indented(config.nav or [])
        if base := (config.extra or {}).get("repository"):
            config.extra["repository"] = base.rstrip("/")
        if _offline(config):
            # A page of the file system cannot fetch the next one.
            features = config.theme["features"]
            config.theme["features"] = [name for name in features if "instant" not in name]
        if not self.serving and apart.wanted():
            if pages := unjudged(Path(config.config_file_path).resolve().parent):
                self.judge = apart.Judge(pages)
        known = _site(config)
        if not known.pages:
            raise PluginError(str(nothing(known.root)))
        for part in project.of(known.root).parts:
            part.navigation(config.nav or [], known)
        links = logging.getLogger("mkdocs.structure.pages")
        for old in [f for f in links.filters if isinstance(f, _WithLine)]:
            links.removeFilter(old)
        links.addFilter(_WithLine(Path(config.docs_dir)))
        return config

    def on_pre_build(self, config):
        if not self.serving:
            # Trees and pages stay until the end, which is near: to look for what is of no use any
            # more would take a tenth of the time.
            gc.disable()
        last.nobody_after(config, self)
        self.written.clear()
        if self.kept.only is None:
            self.kept.clear()
        if self.config.feed and not self.serving:
            known = _site(config)
            ours = project.of(known.root)
            dates = published.changed(known.root, [ours.docs, *ours.sources])
            found = {page.uri: published.of_page(page, dates) for page in known.pages}
            self.changed = {uri: date for uri, date in found.items() if date}

    def on_build_error(self, error):
        """What is wrong with the pages is said before what it led to."""
        gc.enable()
        try:
            self._hear()
        except PluginError as wrong:
            apart.log.error(str(wrong))

    def _hear(self) -> None:
        """Wait for the judge's verdict, and raise it."""
        judge, self.judge = self.judge, None
        if judge:
            try:
                judge.verdict()
            except PluginError:
                drop(judge.site.root)
                raise

    def on_files(self, files, config):
        if self.kept.only is not None:
            for file in files.documentation_pages():
                again = file.src_uri in self.kept.only
                file.is_modified = lambda again=again: again
        if not self.serving:
            for file in files.css_files():
                if not file.src_uri.endswith(".min.css"):
                    place = file.abs_src_path
                    file.content_string = published.lighter(file.content_string)
                    file.abs_src_path = place  # other plugins ask where it came from
        if self.config.notebooks:
            notebooks.prepare(config)
            for page in filter(self._is_notebook, _site(config).pages):
                file = files.get_file_from_path(page.uri)
                notebooks.lend(file, Path(config.site_dir) / f"{page.name}.ipynb")

    def _is_notebook(self, page: Page) -> bool:
        return page.meta["kind"] in self.config.notebooks and export.has_python(page)

    def on_nav(self, nav, config, files):
        """Lead footers along the paths, and choose the sections with an index and more pages."""
        self.nav, self.files, self.sections = nav, files, []
        known, indexes = _site(config), {}
        for part in project.of(known.root).parts:
            for title, place in part.indexes(known).items():
                uri, mark, anchor = place.partition("#")
                if file := files.get_file_from_path(uri):
                    indexes[title] = f"{file.url}{mark}{anchor}"
            path = [files.get_file_from_path(uri).page for uri in part.path(known)]
            for here, there in pairwise(path):  # as the footers of the theme have it
                here.next_page, there.previous_page = there, here
        _lead_on(nav.items, indexes)
        if self.config.paper:
            self._walk(nav.items, config.use_directory_urls)

    def _walk(self, items, directories: bool) -> None:
        for item in items:
            if item.is_section:
                pages, index = list(_pages_of(item)), _index_of(item)
                if index and len(pages) > 2:  # of two, one may well be a way into sections
                    folder = posixpath.dirname(index.file.src_uri)
                    at = printing.address(folder, directories)
                    row = {"title": item.title, "index": index, "pages": pages, "at": at}
                    self.sections.append(row)
                self._walk(item.children, directories)

    def on_env(self, env, config, files):
        self._hear()  # before anything is written
        self.env, kept = env, self.kept
        env.bytecode_cache = kept.templates
        for file in files.documentation_pages():
            page, before = file.page, kept.pages.get(file.src_uri)
            if kept.only is not None and file.src_uri not in kept.only and before:
                for name in ("markdown", "content", "meta", "toc", "title", "present_anchor_ids"):
                    setattr(page, name, getattr(before, name))
            else:
                kept.pages[file.src_uri] = page

    # ------------------------------------------------------------ page by page

    def on_page_markdown(self, markdown, page, config, files):
        """Tell the theme which downloads a page has, and its other names."""
        known = _site(config)
        ours = next((p for p in known.pages if p.uri == page.file.src_uri), None)
        if date := self.changed.get(page.file.src_uri):
            page.meta["changed"] = date.date().isoformat()
        rows = self._downloads(ours) if ours else []
        for section in self.sections:
            if section["index"] is page:
                label = f"All {len(section['pages'])} pages of this section on one, to print"
                rows.append({"label": label, "href": section["at"]})
        if rows:
            page.meta["downloads"] = rows
        names = list(page.meta.get("aliases", []))
        for part in project.of(known.root).parts:
            names += part.names(ours) if ours else []
        if names:
            page.meta["tags"] = names
        if self.config.search_worker:
            # The theme's own index gets nothing; `own` is what the page's front matter says.
            page.meta["search"] = {"exclude": True, "own": page.meta.get("search") or {}}
        if ours and self._is_notebook(ours):
            cells = notebooks.in_cells(ours.blocks, known.records.proofs(ours))
            source, folder = _source(config), Path(config.site_dir)
            notebooks.shown(page, cells, lambda: export.write_notebook(ours, source, folder))

    def _downloads(self, page: Page) -> list[dict]:
        rows = export.downloads(page)
        if self.config.colab and export.has_python(page):
            href = f"{self.config.colab.rstrip('/')}/{page.name}.ipynb"
            rows.append({"label": "Open in Colab", "href": href})
        return rows

    @event_priority(last.LAST)
    def on_page_content(self, html, page, config, files):
        if not draft() and not self.serving:
            name = _name(config, page.file.src_uri)
            last.same(name, _site(config).approved(page.file.src_uri), html)
        for part in project.of(_site(config).root).parts:
            html = part.content(html)
        if base := (config.extra or {}).get("repository"):
            html = repository.linked(html, f"{base}/blob/main")
        self.kept.contents[page.file.src_uri] = html
        if FORMULA in html:
            self.kept.with_formula.add(page.file.src_uri)
        own = page.meta.get("search", {}).get("own", {})
        if self.config.search_worker and not own.get("exclude"):
            self.kept.entries[page.file.src_uri] = search.Entry(
                page.url.removeprefix("./"),
                page.title,
                html,
                page.meta.get("description", ""),
                [str(name) for name in page.meta.get("tags", [])],
                self._weight(page) * own.get("boost", 1),
            )
        return html

    def _weight(self, page) -> float:
        weights = self.config.search_weights
        found = [n for n in weights if "/" in n and page.file.src_uri.startswith(n)]
        kind = page.meta.get("kind", "")
        return weights[max(found, key=len)] if found else weights.get(kind, 1)

    @event_priority(last.LAST)
    def on_post_page(self, output, page, config):
        output = self._protected(self._own_worker(output), config)
        if not draft() and not self.serving:
            uri = page.file.src_uri
            last.around(_name(config, uri), self.kept.contents[uri], output)
            self.written[page.file.dest_uri] = digest(output)
        return output

    def _protected(self, page: str, config) -> str:
        offline = any("offline" in name for name in config.plugins)
        return page if offline or self.serving else policy.protect(page)

    @event_priority(last.LAST)
    def on_post_template(self, output_content, template_name, config):
        html = template_name.endswith(".html")
        return self._protected(self._own_worker(output_content), config) if html else output_content

    def _own_worker(self, output: str) -> str:
        """Let the theme's search ask our worker. Its own builds an index in the browser."""
        if not self.config.search_worker:
            return output
        output, found = WORKER.subn(self.config.search_worker, output)
        if not found:
            raise PluginError("the theme names its search worker in another way: see WORKER here")
        return output

    # ------------------------------------------------------------ after the pages

    def _write(self, config):
        if self.config.search_worker:
            self._index(config)
        if self.config.feed and config.site_url and self.kept.only is None:
            self._publish(config)
        known, folder = _site(config), Path(config.site_dir)
        docs, only = project.of(known.root).docs, self.kept.only
        urls = {file.src_uri: file.url.removeprefix("./") for file in self.files}
        try:
            lighter.write(folder / "assets/js")
            export.write(_source(config), folder, only and {f"{docs}/{name}" for name in only})
            self._print(config)
            moved.write(known.root, folder, urls, config.use_directory_urls)
        except PageError as error:
            raise PluginError(str(error)) from None

    @event_priority(last.LAST)
    def _look(self, config):
        last.untouched(Path(config.site_dir), self.written)
        gc.enable()
        if self.kept.with_formula and self.config.formulas:
            self._prerender(_site(config).root, config.site_dir)

    on_post_build = CombinedEvent(_write, _look)

    def _publish(self, config) -> None:
        folder, url, entries = Path(config.site_dir), config.site_url, []
        (folder / "robots.txt").write_text(published.robots(url), encoding="utf-8")
        for file in self.files.documentation_pages():
            if date := self.changed.get(file.src_uri):
                about, at = file.page.meta.get("description", ""), file.url.removeprefix("./")
                entries.append(published.Entry(file.page.title, about, at, date))
        if entries:
            text = published.feed(entries, config.site_name, url, self.config.feed)
            (folder / self.config.feed).write_text(text, encoding="utf-8")

    def _index(self, config) -> None:
        """Replace the texts that the theme's search plugin wrote by our index of them."""
        folder = Path(config.site_dir) / "search"
        written = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))
        root = _site(config).root
        # Of pages that answer equally well the one that is read first comes first.
        order = {page.file.src_uri: n for n, page in enumerate(self.nav.pages)}
        kept = sorted(self.kept.entries.items(), key=lambda e: (order.get(e[0], len(order)), e[0]))
        try:
            file, asked = self.config.search_synonyms, self.config.search_asked
            synonyms = search.synonyms(root / file, root) if file else []
            typed = search.asked(root / asked, root) if asked else {}
            whole = not (draft() or self.serving or self.kept.only)
            index = search.index([entry for _, entry in kept], synonyms, typed, whole)
        except PageError as error:
            raise PluginError(str(error)) from None
        text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        # The theme fetches this file with each first visit, so it says only where the index is. A
        # page of the file system cannot fetch: there, the offline plugin makes a script of it.
        table = (root / self.config.search_words).read_bytes() if self.config.search_words else b""
        start = {"separator": written["config"]["separator"], "index": index}
        if table:
            start["words"] = base64.b64encode(table).decode()
        if not _offline(config):
            start["index"] = f"search/index.{digest(text)[:10]}.json"
            (folder.parent / start["index"]).write_text(text, encoding="utf-8")
            if table:
                start["words"] = f"search/words.{hashlib.sha256(table).hexdigest()[:10]}.bin"
                (folder.parent / start["words"]).write_bytes(table)
        tiny = json.dumps({"config": start, "docs": []}, ensure_ascii=False, separators=(",", ":"))
        (folder / "search_index.json").write_text(tiny, encoding="utf-8")

    def _print(self, config) -> None:
        """Write each section as one page, for paper."""
        only = self.kept.only
        for section in self.sections:
            at = section["at"]
            if only is not None and not any(p.file.src_uri in only for p in section["pages"]):
                continue
            pages = [(p.url, self.kept.contents[p.file.src_uri]) for p in section["pages"]]
            context: dict[str, Any] = dict(
                get_context(self.nav, self.files, config, base_url=_up(at))
            )
            context["print"] = {
                "title": section["title"],
                "count": len(pages),
                "url": section["index"].url,
                "content": printing.render(pages, at),
            }
            text = self._protected(self.env.get_template(self.config.paper).render(context), config)
            file = Path(config.site_dir) / (at + "index.html" if at.endswith("/") else at)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def _prerender(self, root: Path, site_dir: str) -> None:
        """Render the formulas, so that no script has to do it in the browser."""
        # `make` installs node beside Python where the machine has none.
        node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
        if not node or not (root / "node_modules").is_dir():
            pages = ", ".join(sorted(self.kept.with_formula))
            log.warning(f"the formulas of {pages} stay raw: no node_modules. To mend: make site.")
            return
        command = [node, str(root / self.config.formulas), site_dir]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode:
            raise PluginError((done.stderr or done.stdout).strip())


def complete(config) -> None:
    """Add the Markdown extensions that pages need and mkdocs.yml leaves out."""
    root = Path(config.config_file_path).resolve().parent
    for name, options in EXTENSIONS.items():
        if name not in config.markdown_extensions:
            config.markdown_extensions.append(name)
            config.mdx_configs[name] = dict(options)
    config.mdx_configs.setdefault("lockstep.markdown", {}).setdefault("root", str(root))
    snippets = config.mdx_configs.setdefault("pymdownx.snippets", {})
    snippets.setdefault("base_path", [str(root)])


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
                    place = f"{self.docs.name}/{found['file']}:{number}"
                    record.msg, record.args = f"{place}: {said}", None
                    break
        return True


def _indented(nav) -> None:
    """Refuse a nav in which YAML joined lines: one that is set less deep than its neighbors."""
    for item in nav:
        for place in item.values() if isinstance(item, dict) else [item]:
            if isinstance(place, list):
                _indented(place)
            elif isinstance(place, str) and (joined := re.match(r"(\S+\.md) - ", place)):
                mend = "put as many spaces in front of it as the lines around it have"
                raise PluginError(
                    f"mkdocs.yml: {joined[1]} in the nav is set less deep than the line after it, "
                    f"and YAML makes one entry of both. To mend: {mend}."
                )


def _name(config, uri: str) -> str:
    """Return a page as messages name it."""
    return f"{Path(config.docs_dir).name}/{uri}"


def _offline(config) -> bool:
    return any("offline" in name for name in config.plugins)


def _lead_on(items, indexes: dict[str, str]) -> None:
    """Give sections without a page of their own the place that lists their pages."""
    for item in items:
        if item.is_section:
            if not _index_of(item) and (url := indexes.get(item.title)):
                link = Link(item.title, url)
                vars(link)["is_index"] = True  # as the theme calls the page of a section
                link.parent = item
                item.children.insert(0, link)
            _lead_on(item.children, indexes)


def _index_of(section):
    pages = (child for child in section.children if child.is_page)
    return next((page for page in pages if page.file.src_uri.endswith("/index.md")), None)


def _pages_of(section) -> Iterator:
    """Yield the pages of a section, and of those below it that have no index of their own."""
    for child in section.children:
        if child.is_page:
            yield child
        elif child.is_section and not _index_of(child):
            yield from _pages_of(child)


def _up(at: str) -> str:
    """Return the way from a page back to the site's root."""
    return posixpath.relpath(".", at if at.endswith("/") else posixpath.dirname(at))


def _site(config) -> Site:
    try:
        return site(Path(config.config_file_path).resolve().parent)
    except PageError as error:
        raise PluginError(str(error)) from None


def _source(config) -> export.Source:
    """Return what is exported of the site."""
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
    source.parts = known.parts
    return source
