"""What a project adds to its pages: boxes, markers, data files, commands.

The core asks every part of a project in turn; a part answers what it knows and leaves the rest.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.block import Block, Page

Wrong = Callable[[int, str, str], None]  # takes line, what is wrong, how to mend it
Told = Iterable[tuple[int, str | Block, str]]  # line of the file, line of prose or block, indent


@dataclass(frozen=True)
class Guard:
    """Blocks of a page that run on some machines alone, and how a script finds out."""

    reasons: dict[int, str] = field(default_factory=dict)  # of each of them, by its index
    imports: tuple[str, ...] = ()
    setup: str = ""  # a line that binds what the condition asks
    condition: str = ""
    says: str = ""  # of a block that did not run, before the reason
    mark: str = ""  # of such a cell of a notebook, before the reason


class Part:
    """One thing that a project adds. Each method does nothing unless it is overridden."""

    name = ""
    # A line of a page that stands for what data and evidence make of it.
    marker: re.Pattern | None = None
    # The folder of the JSON schemas of its data files.
    schemas: Path | None = None

    def insert(self, line: str, root: Path, where: tuple[str, int]) -> list[str] | None:
        """Return the lines that a line of a page stands for before the page is read, or None.

        What they include are blocks of the page, as if somebody had typed them. ``where``: the path
        and the line of the page. Raises ``PageError`` for a line that names nothing.
        """
        return None

    def check(self, body: str, first: int, blocks: list[Block], wrong: Wrong) -> None:
        """Say what is wrong with a page's body, which starts at line ``first``."""

    def check_front_matter(self, meta: dict, wrong: Callable[[str, str, str], None]) -> None:
        """Say what is wrong with a page's front matter. ``wrong`` takes the key first."""

    def invented(self, page: Page) -> set[int]:
        """Return the lines of a page whose numbers are made up, and say so."""
        return set()

    def explained(self, page: Page) -> set[int]:
        """Return those of the invented lines that say a number which nobody made up there."""
        return set()

    def state(self, root: Path, pages: list[Page]) -> Any:
        """Return what this part knows of all pages, as ``site.parts[name]``.

        It may have ``mistakes``, which refuse the site.
        """
        return None

    def render(self, marker: re.Match, site: Any, folder: str, plain: bool) -> str:
        """Return the Markdown that a marker stands for.

        ``site`` has ``root``, ``pages``, ``records`` and ``parts``. ``folder`` is that of the page,
        below the folder of the pages. ``plain``: without what only a browser can show. Raises
        ``PageError`` for a marker that names nothing.
        """
        raise NotImplementedError

    def extend(self, md: Any, state: Any, stopping: Any) -> None:
        """Register processors of Python-Markdown."""

    def stamped(self, page: Page, runs: list[dict]) -> list[str]:
        """Return sentences for a page's stamp. ``runs`` are those that prove it."""
        return []

    def proved(self, page: Page, records: Any) -> dict[int, tuple[str, str]]:
        """Return a further proof of some blocks, by their indices: a mark, and what it says.

        The mark is one of ``project.beside``. It stands beside the block's own level.
        """
        return {}

    def attributes(self, page: Page) -> dict[int, str]:
        """Return attributes of HTML for the lines of proof of some blocks, by their indices."""
        return {}

    # ---------------------------------------------------------------- what a reader takes away

    def told(self, parts: Told, page: Page, cells: bool) -> Told:
        """Return the lines of a page as a download tells them. ``cells``: in a notebook."""
        return parts

    def bare(self, text: str) -> str:
        """Return a line of prose without what this part alone knows how to show."""
        return text

    def needs(self, page: Page, cells: bool) -> list[str]:
        """Say what a script, or with ``cells`` a notebook, needs to run: lines of comment."""
        return []

    def guard(self, page: Page) -> Guard | None:
        """Return which blocks of a page run on some machines alone."""
        return None

    def folded(self, page: Page) -> set[int]:
        """Return the blocks that a download folds, such as solutions."""
        return set()

    def after(self, page: Page, source: Any) -> list[str]:
        """Return what a page's Markdown says at its end."""
        return []

    def files(self, page: Page) -> dict[str, Any]:
        """Return JSON files to write into the folder of a page, by their names."""
        return {}

    def downloads(self, page: Page) -> dict[str, str]:
        """Return which of its files a page offers to take away: a label for each name."""
        return {}

    def data(self, source: Any) -> dict[str, list[dict]]:
        """Return the rows of data files, by their names without the suffix."""
        return {}

    def row(self, page: Page, source: Any) -> dict[str, Any]:
        """Return more columns of a page's row in the data."""
        return {}

    def cited(self, source: Any) -> Iterator[tuple[str, str]]:
        """Yield (id of a microbenchmark, name of what cites it)."""
        return iter(())

    # ---------------------------------------------------------------- the built site

    def navigation(self, nav: list, site: Any) -> None:
        """Add to the navigation, as mkdocs.yml has it, before it is read."""

    def indexes(self, site: Any) -> dict[str, str]:
        """Return where the pages of a section without an index are listed, by the section's title.

        The place is that of a page, such as "terms/index.md#verbs".
        """
        return {}

    def path(self, site: Any) -> list[str]:
        """Return the pages that are read one after the other, wherever the navigation has them."""
        return []

    def content(self, html: str) -> str:
        """Return the HTML of a page's text, with what this part changes in it."""
        return html

    def names(self, page: Page) -> list[str]:
        """Return other names of a page's subject, by which the search finds it."""
        return []

    def shared(self) -> tuple[str, ...]:
        """Return files that many pages share: a preview builds all again when one changes."""
        return ()

    def lists(self, page: Page) -> bool:
        """Whether a page tells of what other pages hold: a preview builds it with each of them."""
        return False

    # ---------------------------------------------------------------- commands and what must run

    def problems(self, records: Any, pages: list[Page]) -> list:
        """Return what must run, or run again, as ``lockstep.evidence.Problem``."""
        return []

    def notes(self, records: Any) -> list[str]:
        """Return lines that ``status`` tells after the problems, and that fail nothing."""
        return []

    def commands(self, add: Callable[..., argparse.ArgumentParser]) -> None:
        """Add commands to ``python -m lockstep``.

        ``add(name, help=..., run=...)`` returns the parser of one; ``run`` is given the root and
        what was asked, and returns the exit code.
        """
