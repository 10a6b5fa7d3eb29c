"""The judge apart from the judged: the rules of pages, in a process of its own beside the renderer.

It is a fork of the build, made when all pages are read and none has become HTML. It looks at the
code of all pages first, then at the HTML of each as the build hands it over; so on two cores the
rules take little of a build's time. Nothing is written before its verdict. Where it gives none,
the build fails.
"""

import gc
import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection

import click
from mkdocs.exceptions import PluginError

from lockstep import finished, page
from lockstep.block import Page
from lockstep.mistakes import Mistake
from lockstep.site import Site, draft

log = logging.getLogger("mkdocs.commands.build")  # which says where reading a page failed


def wanted() -> bool:
    """Whether this is a plain ``mkdocs build``, on a system that forks safely."""
    command = click.get_current_context(silent=True)
    plain = command and command.info_name == "build" and command.params.get("clean")
    return bool(plain) and sys.platform == "linux" and not draft()


class Judge:
    """Judges the pages of a site that was read unjudged. Until its verdict it hangs on the site."""

    def __init__(self, site: Site):
        self.site, self.handed = site, 0
        self._pages = {page.uri: page for page in site.pages}
        fork = multiprocessing.get_context("fork")
        self._pipe, there = fork.Pipe()
        self._worker = fork.Process(target=_work, args=(site, there, self._pipe), daemon=True)
        gc.freeze()  # no collection there writes to what both share
        self._worker.start()
        gc.unfreeze()
        there.close()
        site.judge = self

    def takes(self, page: Page, text: str) -> bool:
        """Hand the HTML of a page over. What is no page, or was read again, stays here."""
        if self._pages.get(page.uri) is not page:
            return False
        self.handed += 1
        with suppress(OSError):  # it has ended, and so there is no verdict
            self._pipe.send((page.uri, text))
        return True

    def verdict(self) -> None:
        """Wait for it. Raises ``PluginError`` with what is wrong, or where there is none."""
        self.site.judge = None
        with suppress(OSError):
            self._pipe.send(None)
        try:
            said = self._pipe.recv()
        except (EOFError, OSError):
            said = None
        self._pipe.close()
        self._worker.join()
        match said:
            case ("judged", [], None, self.handed) if self._worker.exitcode == 0:
                return
            case ("judged", [*mistakes], None, _) if mistakes:
                raise PluginError(_lines(mistakes))
            case ("judged", [], (uri, [*mistakes]), _) if mistakes:
                log.error(f"Error reading page '{uri}':")
                raise PluginError(_lines(mistakes))
            case ("failed", str(trace)):
                raise PluginError(f"the process that judges the pages failed:\n{trace}")
        code = self._worker.exitcode
        what = f"the process that judges the pages ended without a verdict (exit code {code})"
        raise PluginError(f"{what}. To mend: build again; it may have been short of memory.")


def _lines(mistakes: list[Mistake]) -> str:
    return "\n".join(map(str, mistakes))


# ---------------------------------------------------------------- in the process of its own


def _work(site: Site, pipe: Connection, builders: Connection) -> None:
    builders.close()  # else its end would not be seen here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build gets it, too, and ends this
    texts: queue.SimpleQueue = queue.SimpleQueue()
    taking = threading.Thread(target=_take, args=(pipe, texts), daemon=True)
    taking.start()
    try:
        said: tuple = ("judged", *_judged(site, texts))
    except BaseException:
        said = ("failed", traceback.format_exc())
    pipe.send(said)
    taking.join()


def _take(pipe: Connection, texts: queue.SimpleQueue) -> None:
    """Take what comes, whatever is judged meanwhile: the build never waits for a full pipe."""
    with suppress(Exception):
        while one := pipe.recv():
            texts.put(one)
        texts.put(None)
        return
    os._exit(1)  # the build is gone


def _judged(site: Site, texts: queue.SimpleQueue) -> tuple:
    """Return what is wrong with the code; else with the first page that is wrong; and the count."""
    if mistakes := [m for one in site.pages for m in page.judged(one.blocks, site.root)]:
        return mistakes, None, 0
    pages, count = {one.uri: one for one in site.pages}, 0
    for uri, text in iter(texts.get, None):
        count += 1
        if mistakes := finished.check(pages[uri], text):
            return [], (uri, mistakes), count
    return [], None, count
