"""The mark of a number that somebody else measured: a link to where they say so, and a sign.

A link to another site whose text is such a number is the one way to write it. The sign shows that
it was not measured here; a listener hears its name.
"""

import re
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from lockstep import numbers, rendered

BARE = re.compile(r"[~≈<>]?\s?\d[\d.,\s]*")  # as in a cell below a unit
SIGN = "↗"
SAID = "given by this source, not measured here"


class Given(Treeprocessor):
    """Puts the sign after such a number, inside of its link."""

    def run(self, root):
        cells = {link for cell in root.iter("td") for link in cell.iter("a")}
        for link in root.iter("a"):
            text = "".join(link.itertext())
            bare = link in cells and BARE.fullmatch(text.strip())
            if numbers.outside(link.attrib) and (bare or numbers.typed(text)):
                _mark(link)


def _mark(link: Element) -> None:
    inner = Element("span", {"class": "given", rendered.MARK: rendered.MINE})
    inner.text, link.text = link.text, None
    for child in list(link):
        link.remove(child)
        inner.append(child)
    sign = Element("span", {"class": "given__sign", rendered.MARK: rendered.MADE})
    sign.set("role", "img")
    sign.set("aria-label", SAID)
    sign.text = SIGN
    inner.append(sign)
    link.append(inner)
