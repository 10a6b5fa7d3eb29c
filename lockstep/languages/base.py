"""What a language is to the machine: how its fences are checked, run and spoken of."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from lockstep.block import Block, Page
from lockstep.mistakes import Failed
from lockstep.printed import Printed

__all__ = ["Failed", "Header", "Language", "Setting", "mentions", "opened"]

Complaint = tuple[str, str]  # what is wrong, how to mend it


@dataclass(frozen=True)
class Header:
    """The opening line of a fence, and what it includes."""

    language: str
    options: dict[str, str]
    path: str  # the included file
    text: str  # what is included; empty where it cannot be read, which is said elsewhere


@dataclass
class Setting:
    """Where a block runs: the page's namespace, its own folder, and what it may ask for."""

    namespace: dict[str, Any]
    folder: Path
    root: Path
    target: str
    told: list = field(default_factory=list)  # what a run reports, for ``Language.compare``
    watch: Callable[[CodeType], None] = lambda code: None  # told of code before it runs
    printed: Printed | None = None  # what takes what the page prints, where one does for all of it


class Language:
    """A language of fences. Each method may be overridden; this one is written to a file or shown.

    ``lexer`` is the highlighter's name for it, where that is another. ``options`` are those that
    its header may have beside ``title``, ``file`` and ``shown``. ``alone``: its file proves itself,
    so no later block has to load it. ``needs_file``: it is nothing without a file name.
    """

    name = ""
    lexer: str | None = None
    suffix: str | None = None  # of its files, where it is not the name
    options: frozenset[str] = frozenset()
    runs = False  # whether a block without file= is executed
    needs_file = False
    alone = False
    like_c = False  # its comments and conditions are those of C
    external = False  # it runs in a process of its own: which files that reads is not seen

    def __init__(self, name: str = ""):
        self.name = name or self.name

    def check_header(self, header: Header) -> Iterator[Complaint]:
        """Yield what is wrong with a fence of this language, each with how to mend it."""
        options, name = header.options, self.name
        named = "file" in options or (self.alone and "shown" in options)
        if self.needs_file and not named:
            example = f'write ```{name} file="name.{self.suffix or name}"'
            yield f"a {name} block needs a name", example
        if not self.runs and not self.needs_file and not options.keys() & {"shown", "run", "file"}:
            ways = f"; or {self.ways()}" if self.ways() else ""
            yield (
                f"nothing proves this {name} block",
                f'say why it is not run: ```{name} shown="reason"{ways}',
            )

    def ways(self) -> str:
        """Return what a header of this language may say to be run, for a message."""
        return ""

    def run(self, block: Block, setting: Setting) -> str:
        """Execute a block and return what it printed. Raises ``Failed`` with the source line.

        This happens in the process of the page. What the page says of the result is compared in
        another: see ``compare``.
        """
        raise Failed(f"{block.where}: {self.name} does not run")

    def compare(self, block: Block, told: list) -> None:
        """Compare what a run reported, ``Setting.told``, with the page. Raises ``Failed``."""

    def lines(self, text: str) -> set[int] | None:
        """Return the lines of a block that can run, from 1; None where a run tells none of them.

        Of Python the core's own tracer tells (``lockstep.tracing``).
        """
        return None

    def ran(self, block: Block, told: list) -> set[int]:
        """Return those of ``lines`` that ran, by what the run reported."""
        return set()

    def write(self, block: Block, setting: Setting) -> dict:
        """Prove a block that is a file, once it is written. Returns what is recorded of it."""
        return {"outcome": "written"}

    def level(self, outcome: str, target: Any) -> str:
        """Return the level of proof that an outcome on a ``Target`` gives a block.

        What does not run by itself and is no compiler's was read by a later block, at best.
        """
        if outcome == "passed" and not (self.runs or self.needs_file):
            outcome = "read"
        return {"passed": target.level, "compiled": "compiled", "read": "read"}.get(
            outcome, "awaiting"
        )

    def uses(self, block: Block, later: Block) -> bool:
        """Whether a later block, which read this one's file and passed, made it run."""
        return False

    def proof_words(self, level: str, block: Block, runs: list[dict]) -> str | None:
        """Say in a few words, which follow the level's name, how far a block is proved.

        None: as any language.
        """
        return None

    def compiled_words(self) -> str:
        """Say how a stamp names blocks that were compiled and not run."""
        return "compiled"

    def wanted(self, page: Page) -> str:
        """Return how to prove a block that a run has left unproved; empty: as its page."""
        return ""


def mentions(block: Block, name: str) -> bool:
    """Whether a block names a file, as a word of its own."""
    return re.search(rf"(?<![\w./-])(\./)?{re.escape(name)}(?![\w.-])", block.text) is not None


# ---------------------------------------------------------------- which files a block reads

opened: set[str] = set()  # the files that the running block has read
_watching = False


def watch_files() -> None:
    """Note from here on which files this process reads. An audit hook stays: it is added once."""
    global _watching
    if not _watching:
        sys.addaudithook(_note_open)
        _watching = True


def _note_open(event: str, arguments: tuple) -> None:
    if event == "open" and isinstance(arguments[0], str) and arguments[1] != "w":
        opened.add(os.path.realpath(arguments[0]))
