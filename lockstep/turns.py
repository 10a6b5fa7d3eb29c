"""Several runs in one tree: pages run beside each other, and a record is written when none does.

The judge compares the files of the repository from before a page with those from after it, so a
record that another run writes meanwhile would look as if the page had written it. A page that runs
holds the lock of its repository with others, and whoever records holds it alone. It is a lock on
the folder itself: nothing is left behind, and it ends with its process.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # no Unix: pages do not run here
    fcntl = None  # type: ignore[assignment]


@dataclass
class _Lock:
    descriptor: int
    pages: int = 0  # of this process, that run
    alone: int = 0


_locks: dict[tuple[int, Path], _Lock] = {}


def _lock(root: Path) -> _Lock:
    key = os.getpid(), root.resolve()
    if key not in _locks:
        _locks[key] = _Lock(os.open(root, os.O_RDONLY))
    return _locks[key]


def _set(lock: _Lock) -> None:
    if fcntl is None:
        return
    how = fcntl.LOCK_EX if lock.alone else fcntl.LOCK_SH if lock.pages else fcntl.LOCK_UN
    with contextlib.suppress(OSError):  # a file system without locks
        fcntl.flock(lock.descriptor, how)


class Turn:
    """A page's turn, from when it is made to ``end``. Waits until nobody records."""

    def __init__(self, root: Path):
        self.lock: _Lock | None = _lock(root)
        self.lock.pages += 1
        _set(self.lock)

    def end(self) -> None:
        if self.lock:
            self.lock.pages -= 1
            _set(self.lock)
            self.lock = None


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Write into a repository: waits until no other process runs a page of it."""
    lock = _lock(root)
    lock.alone += 1
    _set(lock)
    try:
        yield
    finally:
        lock.alone -= 1
        _set(lock)
