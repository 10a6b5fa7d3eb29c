"""The languages of fences. A project adds its own where it registers (``lockstep.project``)."""

from lockstep.languages.base import Failed, Header, Language, Setting
from lockstep.languages.bash import Bash
from lockstep.languages.names import names_bound, names_read
from lockstep.languages.python import Pycon, Python
from lockstep.languages.shown import Output, Shown, ShownLikeC

__all__ = [
    "Bash", "Failed", "Header", "Language", "Output", "Pycon", "Python", "Setting", "Shown",
    "common", "names_bound", "names_read",
]  # fmt: skip

# Shown with a reason, or written to a file that a later block reads.
SHOWN = "console toml yaml json text make markdown ini".split()
LIKE_C = "cpp c swift objective-c".split()


def common() -> list[Language]:
    """Return the languages that every project has."""
    return [Python(), Pycon(), Bash(), Output(), *map(Shown, SHOWN), *map(ShownLikeC, LIKE_C)]
