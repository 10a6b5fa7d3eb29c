"""The judge: has pages run in processes of their own, and compares what they say with the page.

It never runs a page's code. ``Run`` is one page in one process, a fork of one that has imported
what pages import (``lockstep.worker``); comparison, the lines that ran and the record are made
here.
"""

import atexit
import json
import os
import pickle
import secrets
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lockstep import blank, environment, kin, project, turns, watched
from lockstep.block import Block, Page
from lockstep.branches import Branch
from lockstep.evidence import digest
from lockstep.languages.base import Setting
from lockstep.mistakes import Failed
from lockstep.worker import receive, send, signer

TIMEOUT = 1800.0  # seconds that one block may take
SIGNED = 32  # bytes before each answer that say from whom it is
FORGED = (
    "the page's process answers without being asked, or as somebody else. "
    "To mend: a block leaves the descriptors alone that it has not opened"
)

_running: set[int] = set()  # processes of pages

_forking: dict[tuple, "Forker"] = {}
# Folders with the settings of another one, whose process runs their pages, too: what pages import
# is then imported once for all of them.
same_settings: dict[Path, Path] = {}


class Forker:
    """The process that has the imports, and makes one for each page."""

    def __init__(self, root: Path):
        self.root = root
        self.process, self.channel = _start(root)
        said, _ = receive(self.channel)
        modules, _ = receive(self.channel)
        if said is None or modules is None:
            raise Failed(f"the process that runs pages ended with {self.process.wait()}")
        self.alone = said == b"alone"
        self.modules = {*watched.loaded(), *json.loads(modules)}

    def open(self) -> tuple[socket.socket, int, int]:
        """Return the channel to a new process for a page, its number and that of its parent."""
        if self.alone:
            process, ours = _start(self.root, "page")
            return ours, process.pid, process.pid
        ours, theirs = socket.socketpair()
        with theirs:
            send(self.channel, b"page", (theirs.fileno(),))
        said, _ = receive(self.channel)
        if said is None:
            raise Failed(f"the process that runs pages ended with {self.process.wait()}")
        return ours, int(said), self.process.pid

    def close(self) -> None:
        self.channel.close()
        self.process.wait()


def _start(root: Path, *more: str) -> tuple[subprocess.Popen, socket.socket]:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "lockstep.worker", str(theirs.fileno()), str(root), *more]
    here = str(Path(__file__).parents[1])
    places = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(places))}
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=root, env=env)
    theirs.close()
    return process, ours


def _forker(root: Path) -> Forker:
    # What decides about imports: the project, and the variables of this process.
    root = same_settings.get(root, root)
    targets = project.of(root).targets.values()
    more = (name for target in targets for name in target.variables)
    names = (environment.TARGET, "PATH", "PYTHONPATH", *more)
    state = (root, os.getpid(), *(os.environ.get(name) for name in names))
    if state not in _forking:
        if not _forking:
            atexit.register(_close_all)
        _forking[state] = Forker(root)
    return _forking[state]


def _close_all() -> None:
    for forker in _forking.values():
        forker.close()


class Run:
    """One page, running. ``block`` runs the next of its blocks and returns what is recorded."""

    def __init__(self, page: Page, target: str, folder: Path):
        self.page, self.folder, self.target = page, folder, target
        self.project = project.of(page.root)
        self.lines: set[tuple[str, int]] = set()  # file, line: those that ran
        self.parts: set[tuple[str, Branch]] = set()  # and parts of lines
        self.kernels: dict[str, bool] = {}  # compiled functions, and whether they were launched
        self.written: dict[Path, tuple[bytes, os.stat_result]] = {}  # files that the page shows
        self.turn = turns.Turn(page.root)  # else another run's record would be this page's doing
        forker = _forker(page.root)
        self.modules = forker.modules
        self.state = watched.state(page.root, self.modules)
        self.channel, self.process, self.parent = forker.open()
        self.channel.settimeout(TIMEOUT)
        _running.add(self.process)
        key = secrets.token_bytes(32)
        self.sign = signer(key)
        self.home = tempfile.TemporaryDirectory()
        self.ran = Path(self.home.name) / "ran"  # hashes of the sources that its programs executed
        start = (key, str(page.root), target, str(folder), str(self.ran), page.blocks)
        send(self.channel, pickle.dumps(start))

    def block(self, block: Block) -> dict:
        """Run one block. Raises ``Failed`` with the line when it does not do what the page says."""
        language = self.project.languages[block.language]
        if "file" in block.options:
            path = self.folder / block.options["file"]
            path.write_text(block.text + "\n", encoding="utf-8")
            self.written[path] = path.read_bytes(), os.lstat(path)
            return language.write(block, Setting({}, self.folder, self.page.root, self.target))
        self._silent(block)
        send(self.channel, str(block.index).encode())
        try:
            signed, _ = receive(self.channel)
            answer = None if signed is None else signed[SIGNED:]
        except TimeoutError:
            raise Failed(f"{block.where}: still running after {TIMEOUT:.0f} s") from None
        except ConnectionError:
            answer = None
        if signed is None or answer is None:
            mend = "a block must leave Python running: no os._exit, no crash"
            raise Failed(f"{block.where}: the page's process ended. To mend: {mend}")
        if not secrets.compare_digest(signed[:SIGNED], self.sign(block.index, answer)):
            raise Failed(f"{block.where}: {FORGED}")
        self._silent(block)
        try:
            said = json.loads(answer)
            self.lines |= {(str(path), int(line)) for path, line in said["lines"]}
            self.parts |= {(str(path), Branch(*map(int, at))) for path, *at in said["parts"]}
            self.kernels |= said["kernels"]
            missing = {"spawned", "failed", "told", "output", "opened", "seconds"} - said.keys()
        except (ValueError, LookupError, TypeError, AttributeError):
            missing = {"everything"}
        if b"\\ud" in answer and not _whole(said):
            mend = "print text that can be written as UTF-8"
            raise Failed(f"{block.where}: it prints half of a character. To mend: {mend}")
        if missing:
            what = "the page's process says nothing that can be read"
            mend = "a block must leave Python as it is: no builtin, no module of Python replaced"
            raise Failed(f"{block.where}: {what}. To mend: {mend}")
        if said["spawned"] and (changed := self._changed()):
            raise Failed(f"{block.where}: a program writes below the repository: {changed}")
        if said["failed"]:
            raise Failed(said["failed"])
        for path in self.written:
            if self._rewritten(path):
                what = f"it changes {path.name}, which the page shows as it was before"
                mend = "write what it makes to a file of another name, and run that"
                raise Failed(f"{block.where}: {what}. To mend: {mend}")
        language.compare(block, said["told"])
        found: dict[str, Any] = {"outcome": "passed"}
        if language.lines(block.text) is not None:
            found["traced"] = language.ran(block, said["told"])
        rows = self.ran.read_text().split() if self.ran.is_file() else []
        self._all_passed([row.split("!") for row in rows if "!" in row])
        found["ran"] = [row for row in rows if ":" not in row]
        found["ran_lines"] = [row.split(":") for row in rows if ":" in row]
        return found | {key: said[key] for key in ("output", "opened", "seconds")}

    def _rewritten(self, path: Path) -> bool:
        """Whether a file that the page shows was written by somebody else, and perhaps put back.

        The time of its last change no program sets. What makes a file executable changes that, too.
        """
        text, before = self.written[path]
        try:
            now = os.lstat(path)
            if now.st_ctime_ns == before.st_ctime_ns:
                return False
            same = (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
            return not same or now.st_mode == before.st_mode or path.read_bytes() != text
        except OSError:
            return False  # taken away: nothing runs under its name

    def _all_passed(self, failed: list[list[str]]) -> None:
        """Refuse a program that ends well though one of its checks failed, which it caught."""
        files = {digest(b.text + "\n"): b for b in self.page.blocks if "file" in b.options}
        for of, line in failed:
            if (block := files.get(of)) and int(line) not in blank.expecting(block.text):
                where = f"{block.path}:{block.numbers[int(line) - 1]}"
                raise Failed(f"{where}: {blank.LOST}. To mend: {blank.FAIL}")

    def _silent(self, block: Block) -> None:
        """Refuse what a page's process says without being asked: nobody but a page would."""
        self.channel.setblocking(False)
        try:
            unasked = self.channel.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, ConnectionError):
            unasked = b""
        finally:
            self.channel.settimeout(TIMEOUT)
        if unasked:
            raise Failed(f"{block.where}: {FORGED}")

    def _changed(self) -> str:
        """Return the first file that changed since the page started, from the root, or ""."""
        root = self.page.root
        now = watched.state(root, self.modules)
        found = watched.changed(root, self.state, now) if now != self.state else []
        return found[0].removeprefix(f"{root}{os.sep}") if found else ""

    def abandon(self) -> None:
        """End the process of a page that failed, with all that it has started: it is judged.

        What it left would be found among the processes of the next page.
        """
        try:
            kin.end(self.process, self.parent, _running - {self.process}, grace=0)
        finally:
            self._over()

    def _over(self) -> None:
        _running.discard(self.process)
        self.channel.close()
        self.turn.end()

    def finish(self) -> None:
        """End the page's process and all that it started, and look at the files once more.

        Raises ``Failed`` where something would have outlived the page, or changed the repository.
        """
        try:
            detached = kin.end(self.process, self.parent, _running - {self.process})
            changed = self._changed()
        finally:
            self._over()
        where = f"{self.page.path}:1"
        if detached:
            what = f"{' and '.join(detached)} would still run when this page has ended"
            raise Failed(f"{where}: {what}. To mend: wait for it, or end it, in the block")
        if changed:
            what = f"{changed} was changed while this page ran"
            mend = "a block writes into its own folder alone; if it was you, run the page again"
            raise Failed(f"{where}: {what}. To mend: {mend}")


def _whole(said: dict) -> bool:
    """Whether what a block printed can be kept in a file."""
    try:
        json.dumps(said, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
