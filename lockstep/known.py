"""Pages as they were read, for all who ask in one process: reading one takes some milliseconds.

Who keeps a page says so, by ``read`` of this module. Whoever asks gets it while neither its file
nor any source that it includes has changed.
"""

from contextlib import suppress
from pathlib import Path

from lockstep import page as pages
from lockstep.block import Page

# Each with its files
_known: dict[Path, tuple[dict[Path, tuple[int, int]], Page]] = {}


def _state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def read(file: Path, root: Path, judge: bool = True) -> Page:
    """Return a page, and keep it. Raises ``PageError`` with every mistake found on it."""
    states, kept = _known.get(file, ({}, None))
    with suppress(OSError):  # one of them is gone
        same = all(_state(path) == state for path, state in states.items())
        if kept and same and kept.root == root:
            return kept
    before = _state(file)
    page = pages.read(file, root, judge)
    places = {root / block.path for block in page.blocks}
    _known[file] = {file: before} | {path: _state(path) for path in places}, page
    return page


def forget() -> None:
    """Keep none of them."""
    _known.clear()


def read_all(root: Path) -> list[Page]:
    """Return every page, and keep them. Raises ``PageError`` with the mistakes of them all."""
    return pages.read_all(root, read)


def around(file: Path, root: Path) -> None:
    """Keep the pages around one, unjudged. For a look at that page alone, in its own process."""
    for other in pages.paths(root):
        if other != file:
            read(other, root, judge=False)
