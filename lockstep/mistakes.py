"""What is wrong, where, and how to mend it: the one shape of every refusal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong, where, and how to mend it."""

    path: str
    line: int
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}. To mend: {self.mend}."


class PageError(Exception):
    """Something breaks the promise. ``mistakes`` says where and how to mend it."""

    def __init__(self, mistakes: list[Mistake]):
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


class Failed(Exception):
    """A block did not do what the page says; the text names file, line and what happened."""
