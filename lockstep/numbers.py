"""Numbers that somebody measured, or could have: found in text, so that none is typed.

A number with a unit of performance, a ratio, a percentage, or words for one ("twice as fast")
stands on a page in one of three ways:

* as a key, ``[[bench:ID.FIELD]]`` or ``[[micro:ID]]``: this site measured it;
* as the text of a link to another site: somebody else gives it, the link is the source, and a sign
  says so (``lockstep.given``);
* as ``[[worked:NUMBER; how]]``: it follows from what stands there, or is made up for an example.

The reader sees which. Lengths, sizes and counts are no such numbers: "256 threads", "4 KB".
"""

import functools
import html
import re
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from lockstep import rendered

WORKED = re.compile(r"\[\[worked:(?P<number>[^\[\];]+);(?P<how>[^\[\]]+)\]\]")
MEND = (
    "pull it by key, [[bench:ID.FIELD]] or [[micro:ID]]; or make it the text of a link to the "
    "source that gives it; or write [[worked:NUMBER; how it follows]]"
)

_WORDS = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty "
    "sixty eighty ninety hundred thousand million"
)
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_WORD = rf"(?i:(?:{'|'.join(_WORDS.split())})(?:-(?:{_ONES}))?)"
_DIGITS = (
    r"(?<!\w\ -\ )(?<![\w.,/-])[~<>≈]?-?(?:\d+(?:[.,]\d+)*|\.\d+)"
    r"(?:e[+-]?\d+|k(?=\ ))?(?:\ ?(?:million|billion|trillion))?"
)
_NUMBER = rf"(?:{_DIGITS}|\b{_WORD})"
_THING = (
    r"(?:[kMGTPE]i?)?(?:B|b|Bytes?|Bits?|bytes?|bits?|FLOPs?|OPs?|Hz)"
    r"|(?:kilo|mega|giga|tera|peta)?(?:bytes?|bits?|flops?|hertz)"
    r"|tokens?|elements?|rows|words|messages|requests|operations|instructions|launches|frames"
    r"|images|samples|steps|iterations|points|[kMG]?pixels|loads|transactions"
)
_TIME = (
    r"(?:ns|us|µs|μs|ms|s|sec|seconds?|milliseconds?|microseconds?|nanoseconds?|minutes?|hours?)"
)
_COMPARED = (
    r"fast|slow|quick|short|long|speed|time|throughput|bandwidth|rate|performance|latency|cheap"
)
_FRACTION = (
    r"(?:two|three|four|five|six|seven|eight|nine)\ (?:thirds|quarters|fifths|tenths|eighths)"
)
UNIT = rf"""(?:
    (?:{_THING})\ ?(?:/\ ?(?:s|sec|second|ms|µs|μs|us|ns|cycle|clock|clk)\b
                     |\ ?[·⋅*]?\ ?s\ ?\^?-1(?!\d)
                     |\ (?:per|a|each|every)
                      \ (?:sec|second|millisecond|microsecond|cycle|clock)\b)
  | gigs?\ (?:per|a)\ second\b | [GMk]?LUPS\b | fps\b | qps\b | [kMGTP]\ flops\b
  | (?:kilo|mega|giga|tera|peta)FLOPS?\b | millis\b | (?:pct|p\.c)\b
  | [kKMGTPE]i?(?:Bps|bps|FLOPS|flops|FLOPs|OPS)\b | (?:FLOPS|TOPS)\b | [MG]Hz\b
  | (?:ns|us|µs|μs|ms|secs?)\b | s\b(?![(\w]) | (?:milli|micro|nano|pico)?seconds?\b
  | minutes?\b
  | (?:clock\ )?cycles?\b | clock\ ticks\b
  | [mkM]?W\b(?!\ ?[=×*]) | [mk]?watts?\b | joules?\b
  | %(?!\w|\ ?[\d(]) | percent(?:age)?\b | per\ cent\b
  | -?fold\b
  | (?:times|x|×)\ (?:as\ |the\ |its\ |more\ |less\ |in\ )?(?:{_COMPARED})
)"""
# Read with case: "2 s" is a time, "2 S" is a length of the text's own.
TYPED = re.compile(
    rf"""(?P<plain>(?:{_DIGITS}[\ -]?|\b{_WORD}[\ -]){UNIT})
  | (?P<ratio>{_DIGITS}\ ?(?:×|x)(?!\ ?[\w(\[{{"'`\\\ufffc]))
  | (?i:\bfactor\ of\ (?:about\ |over\ |nearly\ |some\ )?(?:{_NUMBER}|a\ \w+))
  | (?i:\b(?:twice|thrice|half|double|triple|quadruple|a\ third|a\ quarter|a\ fifth|a\ tenth)
        \ (?:as\ (?:fast|slow|quick|long)\b
           |of\ the\ (?:speed|time|throughput|bandwidth|performance|latency|peak)\b
           |(?:the\ |its\ )(?:speed|time|throughput|bandwidth|performance|latency)\b))
  | (?i:\b(?:doubl|halv|tripl)(?:es|ed|ing)\ (?:the\ |its\ |in\ )?
        (?:speed|throughput|bandwidth|performance|latency)\b)
  | (?i:\b(?:two|three|four|five)fold\b)
  | (?i:\b(?:half\ a|a\ dozen|a\ few|a\ hundred)\ (?:milli|micro|nano)seconds?\b)
  | (?i:\b(?:{_FRACTION}|\d\ ?/\ ?\d+|0\.\d+)\ of\ (?:the\ |its\ |their\ |a\ )?
        (?:peak|{_COMPARED}|copy(?:'s)?)\b)
  | (?i:\bspeed-?\ ?ups?\ (?:is\ |of\ |by\ )(?:about\ )?{_DIGITS})
  | (?i:\b(?:faster|slower)\ by\ (?:a\ factor\ of\ )?{_DIGITS})
  | (?i:{_DIGITS}\ (?:faster|slower)\b) | (?i:\b(?:a\ third|a\ quarter|half)\ (?:faster|slower)\b)
  | (?i:\bIPC\ (?:of\ |is\ ){_DIGITS}) | (?i:\b\d+\ (?:in|out\ of)\ (?:a\ )?(?:100|hundred)\b)
  | (?:(?:{_THING})/s|[µm]s|%):\ ?(?!0\ to\b){_DIGITS}
  | (?i:\b(?:an\ |{_WORD}\ )?orders?\ of\ magnitude\ (?:as\ |more\ |less\ )?(?:fast|slow|quick))
    """,
    re.VERBOSE,
)
# The head of a column whose bare numbers are measured.
HEAD = re.compile(
    rf"""(?<![\w/])(?:{_THING}|[kMGTP]?FLOPS?)\ ?(?:/\ ?(?:s|sec|second|cycle)\b|\ per\ second)
  | \b(?:GBps|TFLOPS|GFLOPS|TOPS|GHz|MHz)\b
  | [(\[,]\ ?(?:ns|us|µs|μs|ms|s|seconds|cycles|%)\ ?[)\]]
  | \bin\ (?:ns|µs|μs|us|ms|seconds|cycles|%)
  | ^(?:ns|us|µs|μs|ms|seconds|cycles|%|×)$
  | (?i:speed-?\ ?up|slow-?down|\btimes\ (?:as\ )?(?:fast|slow)|throughput)
    """,
    re.VERBOSE,
)
# A cell that is a unit, and words before a list or a table that give one to its numbers.
ALONE = re.compile(rf"(?:{_THING})/(?:s|sec|second|cycle)|[num]s|µs|us|%|[kMGT]?FLOPS?|[MG]Hz")
PROMISE = re.compile(
    rf"\b[Ii]n\ (?:(?:{_THING})/s|ns|us|µs|ms|milliseconds|microseconds|cycles|percent|%)"
    r"(?:\W[^.]*)?:$"
)
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BARE = re.compile(r"(?<![\w.-])\d[\d.,]*(?!\w)")
_LOOKS: dict = str.maketrans(
    {"⁄": "/", "∕": "/", "٪": "%", "％": "%", "✕": "×", "⨯": "×", "‰": "%"}
)
# Letters of other scripts that read as those of a unit.
_LOOKS |= str.maketrans("АВЕКМНОРСТХаеорсхуіѕΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEKMHOPCTXaeopcxyisABEZHIKMNOPTX")
_SPACES = re.compile(r"\s+")


LEVEL = re.compile(r"\[\[proof:(\w+)\]\]")


# What stands for a number or a word inside of a sentence.
INLINE = re.compile(
    r"\[\[(?:bench|micro):[^\s\[\]]+\]\]|\[\[proof:(?P<level>\w+)\]\]|"
    + re.sub(r"\?P<\w+>", "", WORKED.pattern)
)


def unmarked(text: str) -> str:
    """Return a line of prose with the numbers alone, where nothing can show how they came about."""
    return LEVEL.sub(r"\1", WORKED.sub(lambda found: found["number"].strip(), text))


_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_TEX = (
    (re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}"), r"\1/\2"),
    (re.compile(r"\\cdot"), "·"),
    (re.compile(r"\^\{?-1\}?"), "-1"),
    (re.compile(r"\\(?:text\w*|math\w+|operatorname)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\[,;:!> ]|~"), " "),
    (re.compile(r"\\times"), "×"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"[{}]"), ""),
)  # fmt: skip


def formula(text: str) -> str:
    """Return the text of a formula as it reads: units without the commands around them."""
    for pattern, instead in _TEX:
        text = pattern.sub(instead, text)
    return text


@functools.cache
def _unseen() -> dict[int, None]:
    """Return the characters that nobody sees, such as a blank of no width."""
    return dict.fromkeys(c for c in range(sys.maxunicode) if unicodedata.category(chr(c)) == "Cf")


def plain(text: str) -> str:
    """Return a text as a reader sees it: compatible letters and blanks are one."""
    text = unicodedata.normalize("NFKC", text.translate(_LOOKS)).translate(_LOOKS)
    if not text.isascii():
        text = text.translate(_unseen())
    return _SPACES.sub(" ", text.replace("−", "-").replace("‑", "-").replace("–", "-"))


def typed(text: str) -> list[str]:
    """Return the numbers of a text that look measured, as they stand there."""
    return [match[0].strip() for match in TYPED.finditer(plain(text))]


# ---------------------------------------------------------------- in a page's HTML

BLOCKS = {
    *"p li td th h1 h2 h3 h4 h5 h6 summary dt dd figcaption caption legend label text".split(),
    *"div tr table ul ol dl details form fieldset option blockquote section figure".split(),
    *"title thead tbody".split(),
}
TOLD = ("title", "alt", "aria-label", "placeholder")  # attributes that a reader sees or hears
# Pictures that a script draws say in words what it computed: a test draws them again.
DRAWN = "/diagrams/"
KEY = "\ufffc"  # in the place of a number that has its proof
BESIDE = re.compile(
    rf"\w*\d[.,]?{KEY}|{KEY}[.,]?\d\w*|(?<![\w{KEY}])[-+±]{KEY}"
    rf"|\b(?:[Tt]wice|[Hh]alf(?:\ of)?|[Dd]ouble|[Tt]hrice|times)\ {KEY}"
)


def outside(attributes: Mapping[str, str]) -> bool:
    """Whether a link leads to another site."""
    return attributes.get("href", "").startswith(("http://", "https://"))


class Reader:
    """Reads the pieces of a page's HTML as ``rendered.walk`` yields them, and finds numbers."""

    def __init__(self, wrong: Callable[[int, str, str], None]):
        self.wrong = wrong
        self.text: list[str] = []
        self.start = 0
        self.heads: list[bool] = []  # of the table that is read: whether a column's head is a unit
        self.settings: list[bool] = []  # whether its head is worked or given, and so its cells
        self.column = 0
        self.row = False  # whether the head of the row that is read is a unit
        self.promised = False  # whether the words before a list or a table say a unit
        self.bare: str | None = None  # a number of this row that stands alone in its cell

    def read(self, piece: str, start: int, stack: list, text: str) -> None:
        """Take the next piece; an empty one is a tag."""
        if piece:
            if not self.text:
                self.start = start
            self.text.append(_seen(piece, stack))
            return
        tag, closes = _tag(text, start)
        element = stack[-1] if stack and not closes else None
        if element:
            mine = element.made or rendered.MARK in element.attributes
            for name in TOLD if element.attributes and not mine and not _exempt(stack[:-1]) else ():
                if name == "alt" and DRAWN in element.attributes.get("src", ""):
                    continue
                for number in typed(element.attributes.get(name, "")):
                    self.wrong(start, f"{number!r} is typed, in a {name}", MEND)
        if tag in BLOCKS:
            self.flush(tag if closes else None, stack)
        if tag == "tr" and not closes:
            self.column, self.row, self.bare = 0, False, None
        elif tag == "table":
            self.heads, self.settings = [], []

    def flush(self, closed: str | None = None, stack: Sequence = ()) -> None:
        """A block of text has ended: look at it as a whole."""
        said, self.text = plain("".join(self.text)).strip(), []
        found = typed(said) if said else []
        if closed == "td" and self.column < len(self.settings) and self.settings[self.column]:
            found = []  # the head says how they come about
        for number in dict.fromkeys(found):
            self.wrong(self.start, f"{number!r} is typed", MEND)
        if beside := BESIDE.search(said):
            what = (
                f"{beside[0].replace(KEY, '[[...]]')!r}: a digit beside a key reads as one number"
            )
            self.wrong(self.start, what, "put a blank or a word between them")
        if closed == "p" and not any(element.tag == "li" for element in stack):
            self.promised = bool(PROMISE.search(said)) and KEY not in said
        elif closed in HEADINGS:
            self.promised = False
        elif closed == "li" and self.promised and not found and (bare := BARE.search(said)):
            self.wrong(self.start, f"{bare[0]!r} is typed, in a list of a measured quantity", MEND)
        if closed == "th":
            self.heads.append(bool(HEAD.search(said)) and KEY not in said)
            self.settings.append(KEY in said)
        elif closed == "td":
            of_unit = self.column < len(self.heads) and self.heads[self.column]
            if not self.column:
                self.row = bool(HEAD.search(said)) and KEY not in said
            of_unit = of_unit or self.row or (self.promised and self.column > 0)
            alone = BARE.fullmatch(said)
            self.bare = self.bare or (alone[0] if alone else None)
            if self.bare and ALONE.fullmatch(said):
                self.wrong(self.start, f"{self.bare!r} is typed, beside its unit {said!r}", MEND)
            if of_unit and not found and (bare := BARE.search(said)):
                what = f"{bare[0]!r} is typed, in a column of a measured quantity"
                self.wrong(self.start, what, MEND)
            self.column += 1


def _seen(piece: str, stack: list) -> str:
    """Return a piece of text, or the sign of a proved number where the core or a source says it."""
    if _exempt(stack):
        return KEY
    piece = html.unescape(piece)
    return formula(piece) if "\\" in piece else piece


def _exempt(stack: list) -> bool:
    """Whether the core or a program of the site says this, or gives it with its source."""
    return any(element.made or rendered.MARK in element.attributes for element in stack)


def _tag(text: str, start: int) -> tuple[str, bool]:
    token = rendered.TOKEN.match(text, start)
    assert token, "the caller has found one here"
    return (token["end"], True) if token["end"] else (token["tag"], False)
