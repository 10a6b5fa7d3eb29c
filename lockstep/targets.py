"""What a page runs on. A project adds its own targets where it registers (``lockstep.project``)."""

import contextlib
from collections.abc import Iterable
from typing import Any, ClassVar

from lockstep import compilers, environment
from lockstep.block import Block, Page


class Target:
    """A place to run pages: ``level`` is the proof that a block has which passed there.

    ``keeps_output``: what blocks print there is what the page shows as their output.
    """

    name = "cpu"
    level = "cpu"
    keeps_output = True
    writes_output = True  # and it may change the file: of several that keep output, the first
    packages: tuple[str, ...] = ()  # whose versions a run records
    also: ClassVar[dict[str, str]] = {}  # versions of what is no Python package
    awaited = "a run"  # what a page awaits that did not run here
    later = ""  # who runs it there, said to somebody who cannot
    lacks = "it cannot run here"  # said of a block that is skipped
    variables: tuple[str, ...] = ()  # of the environment, that decide what imports bring
    greeting = ""  # said before pages run here
    compiles = True  # functions with a jit decorator: Python does not run their lines
    beside: frozenset[str] = frozenset()  # and those that compile for the CPU where it does not
    precedence = 0  # of targets with one level, the one that a block's proof names

    def wants(self, page: Page) -> bool:
        """Whether a page needs a run here to be proved."""
        return True

    def here(self, page: Page) -> str | None:
        """Return the target of a page in a process that was set up for this one, or None."""
        return self.name if self.wants(page) else None

    def missing(self) -> str | None:
        """Return why this machine is not one of these at all, or None where it is."""
        return None

    def can_run(self, page: Page) -> str | None:
        """Return why this machine cannot run a page here, or None where it can."""
        return None

    def skips(self, page: Page) -> dict[int, str]:
        """Return why each block that cannot run here cannot, by its index."""
        return {}

    def declared(self, page: Page) -> int:
        """Return how many blocks the page itself says cannot run here."""
        return 0

    def declare(self, count: int) -> str:
        """Say how a page declares that so many blocks cannot run here."""
        return f"make {count} blocks run on {self.name}"

    def prepare(self) -> None:
        """Set a process up for this target, before it runs anything."""

    def preload(self) -> tuple[str, ...]:
        """Return the modules that pages import, to be imported once for all of them."""
        return ()

    def compiled(self, blocks: Iterable[Block], packages: Iterable[str]) -> compilers.Names:
        """Return the names on a page whose decorators compile, where this target compiles."""
        return compilers.of_page(blocks, packages) if self.compiles else frozenset()

    def launched(self, namespace: dict[str, Any]) -> dict[str, bool]:
        """Return the compiled functions of a page, and whether each was ever launched."""
        return {}

    def forks(self) -> bool:
        """Whether a process that has prepared itself can be forked for each page."""
        return True

    def around(self, block: Block) -> contextlib.AbstractContextManager:
        """Return what a block runs inside of. Leaving it may raise ``Failed``."""
        return contextlib.nullcontext()

    def after(self, block: Block, namespace: dict[str, Any]) -> None:
        """Wait for what a block has started. Raises ``Failed`` when that went wrong."""

    def machine(self) -> str:
        """Return the folder of this machine's evidence below evidence/."""
        return "cpu"

    def describe(self) -> dict:
        """Return what a record says of where it was made: device, packages, python, date."""
        return {
            "device": environment.processor(),
            "packages": environment.packages(self.packages) | self.also,
            "python": environment.python(),
            "date": environment.today(),
        }

    def counts(self, run: dict, page: Page) -> bool:
        """Whether a run here of these very blocks, which passed, proves the page."""
        return True

    def outdated(self, run: dict) -> str | None:
        """Return why what ran a run is no longer what it was, or None: it then proves nothing."""
        return None

    def mend(self, page: Page) -> str:
        """Say how to have a page run here."""
        return f"python -m lockstep run {page.path}"

    def stand_in(self, page: Page) -> str | None:
        """Return the target that runs what it can of a page where this one is not to be had."""
        return None

    # ---------------------------------------------------------------- words

    def where(self, page: Page) -> str:
        """Say where a page runs here: "on a CPU"."""
        return "on a CPU"

    def place(self, run: dict, page: Page) -> str:
        """Say where a run was: "on a CPU"."""
        return self.where(page)

    def tool(self, run: dict, page: Page) -> str:
        """Name what ran the page's code in a run, with its version."""
        return f"Python {run['python']}"

    def circumstances(self, run: dict) -> list[str]:
        """Return what else a reader needs to repeat a run."""
        return []

    def proof_words(self, runs: list[dict]) -> str:
        """Say in a few words, which follow the level's name, where a block ran."""
        return "ran on a CPU"


class Cpu(Target):
    """This machine's processor: what every project has."""
