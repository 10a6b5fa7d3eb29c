"""Docstrings as they are read: what stands between two backticks there is code."""

import re

from lockstep.parts import Part

STRING = re.compile(r'<span class="sd">[^<]*``[^<]*</span>')
QUOTED = re.compile(r"``([^`]+)``")
TICKS = '<span class="tick">``</span>'


class DocstringPart(Part):
    """Hides the backticks of a docstring: who copies the block gets them."""

    name = "docstrings"

    def content(self, html: str) -> str:
        said = rf"{TICKS}<b>\1</b>{TICKS}"
        return STRING.sub(lambda at: QUOTED.sub(said, at[0]), html)
