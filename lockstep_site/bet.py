"""Bets: the reader sets a guess before a measured figure is shown.

A bet is a box whose title ends with the range of a slider, and whose text begins with the answer::

    ??? bet "What share of the copy's rate does it reach? (%: 0 to 100)"
        [[bench:transpose-direct.ratio]]. Its writes go down columns: ...

The answer is the first measured figure of the text, or else its first bold number. Without
JavaScript the box folds open; with it, ``docs/assets/js/bet.js`` asks first, and keeps the guess.

What follows in the same section and names the answer's key is folded into ``details.told``, which
the script closes until the bet is made, or the reader opens it. Without JavaScript it stands open.

Where the figure is of a kernel that the page "My GPU" runs on the reader's own card, the box says
which one in ``data-card``. Once the bet is open, the script adds what that card reached.
"""

import re
from xml.etree.ElementTree import Element, SubElement

from markdown.treeprocessors import Treeprocessor

from lockstep import numbers, rendered
from lockstep.block import Block
from lockstep.parts import Part, Wrong
from lockstep.source import digest

BOX = re.compile(r'(?P<indent>[ \t]*)\?{3}\+? ?bet(?: +"(?P<title>.*)")? *')
RANGE = re.compile(
    r"(?P<question>.+) \((?:(?P<unit>[^():]+): )?(?P<low>[\d.,]+) to (?P<high>[\d.,]+)\)"
)
# The H200's rows that "My GPU" has a kernel of: by them bet.js finds what the card reached.
CARD = ("vector-add-numba", "sum-warps", "naive-matmul-4096", "sgemm-tiled")
FIGURE = re.compile(rf"\[\[bench:({'|'.join(CARD)})\b")
KEY = re.compile(r"\[\[(?:bench|micro):[^\s\[\]]+\]\]")
PROSE = {"p", "ul", "ol", "table", "blockquote"}  # what can be folded; code is there to be run
SECTION = re.compile("h[1-6]")
ANSWER = re.compile(r"\[\[(?:bench|micro|worked):|\*\*[\d.,]+")

BOLD = re.compile(r"\*\*([\d.,]+)")
KEYED = re.compile(r"\[\[(?:bench|micro|worked):")
CLAIMED = re.compile(
    r"(?i)\b(?:measured|timed|clocked|profiler|we\ (?:saw|found|got|counted)|our\ run)\b"
)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def key(title: str) -> str:
    """The name of a bet in a reader's browser: another wording is another bet."""
    return digest(title)[:8]


def read(body: str, first: int, wrong: Wrong = lambda *_: None) -> list[str]:
    """Return the titles of a page's bets. ``wrong`` is called for each mistake."""
    titles, lines = [], body.splitlines()
    for at, line in enumerate(lines):
        if not (opening := BOX.fullmatch(line)):
            continue
        title = opening["title"] or ""
        inside = []
        for text in lines[at + 1 :]:
            if text.strip() and not text.startswith("    "):
                break
            inside.append(text)
        scale = RANGE.fullmatch(title)
        if opening["indent"]:
            wrong(first + at, "a bet inside something else", "move it to the left margin")
        elif not scale:
            mend = 'end its title with the range of the slider: ??? bet "How fast? (TB/s: 0 to 5)"'
            wrong(first + at, "a bet without a range", mend)
        elif number(scale["low"]) >= number(scale["high"]):
            wrong(first + at, "a bet whose range is empty", "write the smaller number first")
        elif not ANSWER.search("\n".join(inside)):
            mend = "begin its text with a measured figure, [[bench:ID.FIELD]], or a bold number"
            wrong(first + at, "a bet without an answer", mend)
        else:
            titles.append(title)
            said = "\n".join(inside)
            if (bold := BOLD.search(said)) and not KEYED.search(said):
                unit = scale["unit"] or ""
                if number(bold[1].strip(".,")) and (
                    numbers.typed(f"{bold[1]} {unit}") or CLAIMED.search(said)
                ):
                    mend = "say it by key, [[bench:ID.FIELD]], or as [[worked:NUMBER; how]]"
                    wrong(first + at, f"a bet on {bold[1]} {unit}, which is typed", mend)
    return titles


class Bets(Treeprocessor):
    """Takes the range off the titles, and gives it to the script."""

    def run(self, root: Element) -> None:
        for box in root.iter("details"):
            if box.get("class") != "bet":
                continue
            summary = box.find("summary")
            title = summary.text or ""
            if scale := RANGE.fullmatch(title):
                summary.text = scale["question"]
                box.set("data-bet", key(title))
                box.set("data-low", f"{number(scale['low']):g}")
                box.set("data-high", f"{number(scale['high']):g}")
                box.set("data-unit", scale["unit"] or "")
                if card := FIGURE.search("".join(box.itertext())):
                    box.set("data-card", card[1])
                box.set(rendered.MARK, rendered.MADE)


class Told(Treeprocessor):
    """Folds what tells the answer of a bet above it in the same section."""

    def run(self, root: Element) -> None:
        asked: dict[str, list[str]] = {}  # key of a figure: the bets that ask for it
        box, opened = None, False  # the box directly above, and whether more may go into it
        for element in list(root):
            text = "".join(element.itertext())
            if element.get("data-bet"):
                if key := KEY.search(text):
                    asked.setdefault(key[0], []).append(element.get("data-bet", ""))
            elif SECTION.fullmatch(element.tag):
                asked = {}
            elif text.strip() in {rendered.BEGIN, rendered.END}:
                opened = False  # of what a program made: no box reaches across
                continue
            elif element.tag in PROSE:
                bets = " ".join(bet for key, of in asked.items() if key in text for bet in of)
                if bets:
                    same = box is not None and box.get("data-told") == bets
                    if box is None or not (same and opened):
                        box, opened = _fold(bets, more=same), True
                        root.insert(list(root).index(element), box)
                    root.remove(element)
                    box.append(element)
                    continue
            box = None


def _fold(bets: str, more: bool) -> Element:
    """Return an open box. ``more``: one for the same bets stands directly above."""
    box = Element("details", {"class": "told told--more" if more else "told", "open": "open"})
    box.set("data-told", bets)
    box.tail = "\n"
    SubElement(box, "summary").text = "The answer, folded until you bet"
    return box


class BetPart(Part):
    """Guesses before figures."""

    name = "bet"

    def check(self, body: str, first: int, blocks: list[Block], wrong: Wrong) -> None:
        read(body, first, wrong)

    def extend(self, md, state, stopping) -> None:
        md.treeprocessors.register(Bets(md), "lockstep-bet", 28)
        md.treeprocessors.register(Told(md), "lockstep-told", 27)
