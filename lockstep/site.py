"""Every page and every record, read once for all who ask while a site is built.

With LOCKSTEP_DRAFT=1 in the environment an unknown figure, and a page that breaks the rules, are
shown as such instead of ending the build. A draft is for previews and is never published.
"""

import functools
import logging
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lockstep import evidence, project
from lockstep.block import Page
from lockstep.known import forget as forget_pages
from lockstep.known import read as read_once
from lockstep.mistakes import Mistake, PageError
from lockstep.page import paths
from lockstep.source import digest

try:
    from mkdocs.exceptions import BuildError
except ImportError:  # another engine
    BuildError = Exception  # type: ignore[assignment,misc]


log = logging.getLogger("mkdocs.lockstep")
# Seconds until the files are looked at again. A preview says when one has changed: ``forget``.
RECHECK = 30.0


class BadPage(PageError, BuildError):
    """A page that must not be published. MkDocs prints its lines and stops."""


def draft() -> bool:
    return os.environ.get("LOCKSTEP_DRAFT") == "1"


# ---------------------------------------------------------------- pages and evidence, read once


class Site:
    """Every page and every record of evidence/, as they were at one moment.

    ``judge``: look for what is wrong with the code of the pages, too.
    """

    def __init__(self, root: Path, judge: bool = True):
        self.root = root
        self.judge: Any = None  # who else takes the HTML of pages to judge it, meanwhile
        self.records = evidence.Evidence(root)
        self.pages: list[Page] = []
        self._approved: dict[str, str] = {}
        mistakes: list[Mistake] = []
        for file in paths(root):
            try:
                self.pages.append(read_once(file, root, judge))
            except PageError as error:
                mistakes += error.mistakes
        # What each part knows of all pages, by its name
        self.parts = {part.name: part.state(root, self.pages) for part in project.of(root).parts}
        for known in self.parts.values():
            mistakes += getattr(known, "mistakes", [])
        if mistakes and not draft():
            raise BadPage(mistakes)
        for mistake in mistakes:
            log.warning("%s", mistake)
        self._by_text = {
            digest((page.body if page.written is None else page.written).strip()): page
            for page in self.pages
        }

    @functools.cached_property
    def _homes(self) -> dict[str, Page]:
        """For each source, the page that shows the most of it."""
        found: dict[str, tuple[int, int, Page]] = {}
        for page in self.pages:
            for path, count in Counter(block.path for block in page.blocks).items():
                best = found.get(path)
                if best is None or (count, len(page.blocks)) > best[:2]:
                    found[path] = count, len(page.blocks), page
        return {path: page for path, (_, _, page) in found.items()}

    def home(self, row: dict, page: Page) -> str | None:
        """Return where the code is shown that a figure measures, or None where ``page`` shows it.

        An address below the folder of the pages: another page, or the one that lists all figures.
        """
        path = row.get("kernel")
        if path is None or any(block.path == path for block in page.blocks):
            return None
        if path in self._homes:
            return self._homes[path].uri
        listed = project.of(self.root).listed
        there = listed != page.uri and any(other.uri == listed for other in self.pages)
        return listed if there else None

    def approve(self, page: Page, text: str) -> None:
        """Keep a page's HTML as it was checked and proved, for those who hand it on."""
        self._approved[page.uri] = text.strip()

    def approved(self, uri: str) -> str | None:
        """Return the HTML of a page as it was checked, or None where nobody has checked it."""
        return self._approved.get(uri)

    def find(self, text: str) -> Page | None:
        """Return the page whose body is this text, or None."""
        return self._by_text.get(digest(text.strip()))


_sites: dict[Path, tuple[float, int, Site]] = {}


def site(root: Path) -> Site:
    """Return the pages and evidence of a repository, read again when a file has changed."""
    now = time.monotonic()
    looked, state, known = _sites.get(root, (0.0, None, None))
    if known and now - looked < RECHECK:
        return known
    found = _state(root)
    if known is None or found != state:
        known = Site(root)
    _sites[root] = (now, found, known)
    return known


def _state(root: Path) -> int:
    ours = project.of(root)
    files = [
        (entry.path, entry.stat().st_mtime_ns, entry.stat().st_size)
        for folder in (ours.docs, "evidence", *ours.sources)
        for entry in _walk(root / folder)
    ]
    return hash((draft(), *sorted(files)))


def unjudged(root: Path) -> Site | None:
    """Return the pages and evidence as ``site`` does, with the code of the pages not judged yet.

    None where pages are wrong in other ways: ``site`` says all of that in one.
    """
    drop(root)
    now, found = time.monotonic(), _state(root)
    try:
        known = Site(root, judge=False)
    except PageError:
        drop(root)
        return None
    _sites[root] = (now, found, known)
    return known


def drop(root: Path) -> None:
    """Keep nothing of a repository: what was read of it is not judged."""
    _sites.pop(root, None)
    forget_pages()


def forget() -> None:
    """Let the next look at the files be a real one, however soon it comes."""
    for root, (_, state, known) in _sites.items():
        _sites[root] = (-RECHECK, state, known)


def _walk(folder: Path) -> Iterator[os.DirEntry]:
    if folder.is_dir():
        for entry in os.scandir(folder):
            if entry.is_dir():
                yield from _walk(Path(entry.path))
            else:
                yield entry


@contextmanager
def stopping():
    """Turn a page's mistakes into the error that ends the site's build without a traceback."""
    try:
        yield
    except BadPage:
        raise
    except PageError as error:
        raise BadPage(error.mistakes) from None
