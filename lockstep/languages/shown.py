"""Languages that are not run by themselves, and what a run printed."""

from collections.abc import Iterator

from lockstep.block import RECORDED
from lockstep.languages.base import Complaint, Header, Language


class Shown(Language):
    """Text, settings, commands: written to a file for a later block, or shown with a reason."""


class ShownLikeC(Shown):
    """The same, for a language with the comments and conditions of C."""

    like_c = True


class Output(Language):
    """What the block before it printed, from a file that runs alone write."""

    name = "output"
    lexer = "text"
    needs_file = False

    def check_header(self, header: Header) -> Iterator[Complaint]:
        return iter(())


assert Output.name in RECORDED
