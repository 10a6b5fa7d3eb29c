"""The judge: has pages run in processes of their own, and compares what they say with the page.

It never runs a page's code. ``Run`` is one page in one process, a fork of one that has imported
what pages import (``lockstep.worker``); comparison, the lines that ran and the record are made
here.
"""

import atexit
import json
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

from lockstep import environment, project
from lockstep.block import Block, Page
from lockstep.languages.base import Setting
from lockstep.mistakes import Failed
from lockstep.worker import receive, send

TIMEOUT = 1800.0  # seconds that one block may take

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
        if said is None:
            raise Failed(f"the process that runs pages ended with {self.process.wait()}")
        self.alone = said == b"alone"

    def open(self) -> socket.socket:
        """Return the channel to a new process, in which a page will run."""
        if self.alone:
            return _start(self.root, "page")[1]
        ours, theirs = socket.socketpair()
        with theirs:
            send(self.channel, b"page", (theirs.fileno(),))
        return ours

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
    names = (environment.TARGET, "PATH", *(name for t in targets for name in t.variables))
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
        self.kernels: dict[str, bool] = {}  # compiled functions, and whether they were launched
        self.state = _state(page)
        self.channel = _forker(page.root).open()
        self.channel.settimeout(TIMEOUT)
        start = (str(page.root), target, str(folder), page.blocks)
        send(self.channel, pickle.dumps(start))

    def block(self, block: Block) -> dict:
        """Run one block. Raises ``Failed`` with the line when it does not do what the page says."""
        language = self.project.languages[block.language]
        if "file" in block.options:
            path = self.folder / block.options["file"]
            path.write_text(block.text + "\n", encoding="utf-8")
            return language.write(block, Setting({}, self.folder, self.page.root, self.target))
        send(self.channel, str(block.index).encode())
        try:
            answer, _ = receive(self.channel)
        except TimeoutError:
            raise Failed(f"{block.where}: still running after {TIMEOUT:.0f} s") from None
        except ConnectionError:
            answer = None
        if answer is None:
            mend = "a block must leave Python running: no os._exit, no crash"
            raise Failed(f"{block.where}: the page's process ended. To mend: {mend}")
        said = json.loads(answer)
        self.lines |= {(str(path), line) for path, line in said["lines"]}
        self.kernels |= said["kernels"]
        if said["spawned"] and (changed := self._changed()):
            path = min(changed)[0]
            raise Failed(f"{block.where}: a program writes below the repository: {path}")
        if said["failed"]:
            raise Failed(said["failed"])
        language.compare(block, said["told"])
        found = {"outcome": "passed"}
        return found | {key: said[key] for key in ("output", "opened", "seconds")}

    def _changed(self) -> set[tuple]:
        """Return the files of the page's own that changed since it started."""
        return _state(self.page) ^ self.state

    def close(self) -> None:
        self.channel.close()


def _state(page: Page) -> set[tuple]:
    """Return the files that a page could forge for itself, each with its size and time.

    Its text, its sources and its records; not all files: other runs may be recorded meanwhile.
    """
    root = page.root
    files = [root / page.path, *(root / block.path for block in page.blocks)]
    files += (root / "evidence").glob(f"*/pages/{page.name}.json")
    files += (root / "evidence").glob("*.*")
    found = set()
    for file in set(files):
        if file.is_file() and file.parts[-2:-1] != ("output",):
            stat = file.stat()
            found.add((str(file), stat.st_size, stat.st_mtime_ns))
    return found
