"""The processes that a page has started, and those that outlive it. Of Linux: elsewhere, none.

A page's process is a child of one that adopts orphans (``adopt``), so what a page starts can leave
its session and its parent, and is found all the same.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_STARTED = 15  # of what proc(5) lists of a process behind its session: field 22 of all
GRACE = 2.0  # seconds in which what was detached may end by itself
LAST = 1.0  # and in which the others may, once their page is gone


class Process(NamedTuple):
    number: int
    parent: int
    session: int
    started: int  # in ticks of the system's clock
    name: str


def adopt() -> None:
    """Make this process the parent of those below it whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _all() -> dict[int, Process]:
    found = {}
    for number in filter(str.isdecimal, os.listdir("/proc") if sys.platform == "linux" else ()):
        with suppress(OSError, ValueError), open(f"/proc/{number}/stat", "rb") as stat:
            text = stat.read().decode("utf-8", "replace")
            name, _, rest = text.partition("(")[2].rpartition(")")
            state, parent, _, session, *more = rest.split()
            if state not in "ZX":
                started = int(more[_STARTED])
                found[int(number)] = Process(int(number), int(parent), int(session), started, name)
    return found


def _below(known: dict[int, Process], tops: set[int]) -> set[int]:
    """Return those processes, and all that they started."""
    found, more = set(), tops & known.keys()
    while more:
        found |= more
        more = {p.number for p in known.values() if p.parent in more} - found
    return found


def sockets(top: int) -> Iterator[set[str]]:
    """Yield what the descriptors of a process, and of all that it started, lead to."""
    yield _descriptors(top)  # mostly these, and to look at all processes takes a while
    yield from map(_descriptors, _below(_all(), {top}) - {top})


def _descriptors(number: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{number}/fd"):
            with suppress(OSError):
                found.add(os.readlink(f"/proc/{number}/fd/{name}"))
    return found


def end(page: int, forker: int, pages: set[int], grace: float = GRACE) -> list[str]:
    """End a page's process and all that it has started. Returns the names of what was detached.

    ``pages``: the processes of pages that live beside it, children of ``forker`` as it is. Orphans
    of all of these become its children, so what was there before this page is another one's.
    """

    def left() -> tuple[set[int], set[int]]:
        known = _all()
        ours = page in known and (page == forker or known[page].parent == forker)
        own = _below(known, {page} if ours else set())
        since = known[page].started if ours else 0
        orphans = {
            p.number
            for p in known.values()
            if p.parent == forker and forker != page and p.started >= since
        }
        orphans = _below(known, orphans - pages - {page})
        session = known[page].session if page in known else None
        away = {n for n in own if session is not None and known[n].session != session}
        return own | orphans, away | orphans

    there: set[int] = set()
    detached: set[int] = set()

    def settled() -> bool:
        nonlocal there, detached
        there, detached = left()
        return not detached

    _until(settled, grace)
    names = set()
    if detached:  # to look at all processes takes milliseconds, and most pages have but one
        names = {known.name for known in _all().values() if known.number in detached}
    _kill({page} & there)
    there -= {page}
    _until(lambda: not there or not there & _all().keys(), LAST)
    while there and (there := there & _all().keys()):
        _kill(there)
        time.sleep(0.001)
        there |= left()[0]
    return sorted(names)


def _until(holds, seconds: float) -> None:
    limit, pause = time.monotonic() + seconds, 0.001
    while not holds() and time.monotonic() < limit:
        time.sleep(pause)  # most end within a few milliseconds
        pause = min(0.01, 2 * pause)


def _kill(numbers: set[int]) -> None:
    for number in numbers - {0, 1, os.getpid()}:
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
