"""A page and its blocks, as they were read. Nothing here reads, runs or judges them."""

import doctest
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lockstep.source import digest

# What a run printed: a block of this language shows a file that runs alone write.
RECORDED = {"output"}
# Options that have a place of their own in a page's hash, and the one that changes nothing.
HASHED = {"file", "run", "shown", "arch", "title", "unrun"}


@dataclass(frozen=True)
class Block:
    """One fenced block of a page, expanded."""

    index: int  # its place on the page, from 0
    language: str
    options: dict = field(hash=False)
    path: str  # the source file, from the root, with forward slashes
    section: str | None
    raw: str  # the section as the site's snippet extension inserts it
    numbers: tuple[int, ...]  # the line of the source file of each line of the text
    page: str
    page_line: int  # the line of the opening fence, in the page

    @cached_property
    def text(self) -> str:
        """What the reader sees, without empty lines at either end."""
        return self.raw.strip("\n")

    @property
    def source(self) -> str:
        return f"{self.path}:{self.section}" if self.section else self.path

    @property
    def where(self) -> str:
        return f"{self.path}:{self.numbers[0] if self.numbers else 1}"

    @cached_property
    def sha256(self) -> str:
        return digest(self.text)

    @property
    def runs(self) -> bool:
        """Whether a run executes, compiles or writes it (all but shown and recorded blocks)."""
        return "shown" not in self.options and self.language not in RECORDED

    @cached_property
    def copied(self) -> str:
        """What the copy button puts on the clipboard: of a doctest, its statements only."""
        if self.language != "pycon":
            return self.text
        examples = doctest.DocTestParser().get_examples(self.text)
        return "".join(example.source for example in examples).rstrip("\n")


@dataclass
class Page:
    """A page: its front matter, its blocks, its text with every include resolved."""

    root: Path
    path: str  # from the root, such as docs/index.md
    meta: dict
    blocks: list[Block]
    body: str  # after the front matter, with the includes as written and what parts insert
    body_line: int  # the line of the file at which the body starts
    expanded: list[str]  # the lines of the body with every include resolved
    docs: str = "docs"  # the folder of the pages, from the root
    written: str | None = None  # the body as it was typed
    typed: list[int] = field(default_factory=list)  # for each line of the body, the one in the file

    def line_of(self, block: Block) -> int:
        """Return the line of the file that a block stands in."""
        return self.at(block.page_line)

    def at(self, number: int) -> int:
        """Return the line of the file where a line of the body was typed."""
        index = number - self.body_line
        return self.typed[index] if index < len(self.typed) else number

    @property
    def name(self) -> str:
        """Its path in the folder of the pages without the suffix, which names its evidence."""
        return self.uri.removesuffix(".md")

    @property
    def uri(self) -> str:
        """Its path in the folder of the pages, such as index.md."""
        return self.path.removeprefix(f"{self.docs}/")

    @property
    def is_page(self) -> bool:
        """Whether it is a file of its own, and not a piece of text that somebody converts."""
        return self.path.startswith(f"{self.docs}/")

    @property
    def title(self) -> str:
        return self.meta["title"]

    @cached_property
    def code(self) -> str:
        """The text of every block that runs."""
        return "\n".join(block.text for block in self.blocks if block.runs)

    @cached_property
    def said(self) -> dict[int, tuple[dict, str]]:
        """What was said of runs, by their identities, for ``lockstep.stamps.versions``."""
        return {}

    @cached_property
    def sha256(self) -> str:
        """The hash that evidence is bound to: every block that runs or is shown, in order.

        Of recorded output, its place counts and not its text: each run prints its own.
        """
        rows = [
            [b.language, b.options.get("file"), b.options.get("run"), "shown" in b.options]
            + [b.path if b.language in RECORDED else b.text]
            + [b.options.get("arch")] * ("arch" in b.options)
            + [list(o) for o in sorted(b.options.items()) if o[0] not in HASHED]
            for b in self.blocks
        ]
        return digest(json.dumps(rows, ensure_ascii=False))
