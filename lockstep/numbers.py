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
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from lockstep import claims, english, rendered, tabled
from lockstep.asking import Asking
from lockstep.worked import PREFIX, SECONDS, ours

WORKED = re.compile(r"\[\[worked:(?P<number>[^\[\];]+);(?P<how>[^\[\]]+)\]\]")
KEY = "\ufffc"  # in the place of a number that has its proof
MEND = (
    "pull it by key, [[bench:ID.FIELD]] or [[micro:ID]]; or make it the text of a link to the "
    "source that gives it; or write [[worked:NUMBER; how it follows]]"
)

_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand million billion dozen"
)
_ONES = "one|two|three|four|five|six|seven|eight|nine|odd"
_WORD = rf"(?i:(?:{'|'.join(_WORDS.split())})(?:-(?:{_ONES}))?)"
_DIGITS = (
    r"(?<!\w\ -\ )(?<![\w.,/-])[~<>≈]?-?(?:\d+(?:[.,]\d+)*|\.\d+)"
    r"(?:[eE][+-]?\d+|\ ?[×x·⋅*]\ ?10\^?-?\d+|k(?=\ ))?"
    r"(?:\ ?(?:million|billion|trillion|(?:Mio|Mrd|bn|mn)\b\.?))?"
)
_NUMBER = rf"(?:{_DIGITS}|\b{_WORD})"
_THING = (
    r"(?:[kMGTPE]i?)?(?:B|b|Bytes?|Bits?|bytes?|bits?|FLOPs?|OPs?|Hz)"
    r"|(?:kilo|mega|giga|tera|peta)?(?:bytes?|bits?|flops?|hertz)"
    r"|tok(?:en)?s?|elements?|rows|words|messages|requests|operations|instructions|launches|frames"
    r"|images|samples|steps|iterations|points|[kMG]?pixels|loads|transactions"
    r"|[kMGTPE]?flops?"
)
_TIME = (
    r"(?:ns|us|µs|μs|ms|s|sec|seconds?|milliseconds?|microseconds?|nanoseconds?|minutes?|hours?)"
)
_COMPARED = (
    r"fast|slow|quick|short|long|speed|time|throughput|bandwidth|rate|performance|latency|cheap"
    r"|pace|better|worse|run-?time"
)
# What a half, a third or twice of is a measurement.
_PACE = r"(?:run-?time|time|cycles|clocks|speed|rate|pace|throughput|bandwidth|performance|latency)"
_PART = (
    r"(?:twice|thrice|half|double|triple|quadruple|a\ third|a\ quarter|a\ fifth|a\ tenth"
    r"|two\ thirds|three\ quarters|nine\ tenths)"
)
_FRACTION = (
    r"(?:two|three|four|five|six|seven|eight|nine)\ (?:thirds|quarters|fifths|tenths|eighths)"
)
UNIT = rf"""(?:
    (?:{_THING})[\ -]?(?:/\ ?(?:s|sec|second|ms|µs|μs|us|ns|cycle|clock|clk)\b
                     |\ ?[·⋅*]?\ ?s\ ?\^?-1(?!\d)
                     |[\ -]?(?:per|an?|(?:for\ )?(?:each|every)|in\ (?:a|one|each|every))
                      [\ -](?:s|sec|second|ms|millisecond|microsecond|cycle|clock)\b)
  | [A-Za-z]+/(?:s|sec|second)\b | gigs?\ (?:per|a)\ second\b | [GMk]?LUPS\b | (?i:fps|qps|tps)\b
  | [kMGTP]\ flops\b | (?:milli|micro|nano|pico)secs?\b
  | (?i:kilo|mega|giga|tera|peta)(?i:flops?)\b | (?:milli|micro|nano)s\b | (?:pct|p\.c)\b
  | [kKMGTPE]i?(?:Bps|bps|FLOPS|flops|FLOPs|OPS)\b | (?:FLOPS|TOPS)\b | [kMGT]?Hz\b
  | (?:ns|us|µs|μs|ms|[mnuµμ]?secs?)\b | s\b(?![(\w]) | (?:milli|micro|nano|pico)?seconds?\b
  | mins?\b | minutes?\b | hrs?\b
  | (?:clock\ )?cycles?\b | (?:clock\ )?ticks\b
  | [mkM]?W\b(?!\ ?[=×*]) | [mk]?[Ww]atts?\b | [mkM]?J\b(?!\ ?[=×*]) | [Jj]oules?\b | °C\b
  | %(?!\w|\ ?[\d(]) | percent(?:age)?\b | per[\ -](?:cent|mille)\b
  | -?fold\b
  | (?:times|x|×)\ (?:as\ |the\ |its\ |more\ |less\ |in\ )?(?:{_COMPARED})
)"""
# A unit in the words before a number, or behind them: GB/s of the copy: 42. 42 for the copy, GB/s.
_RATED = (
    rf"(?:{_THING})(?:/(?:s|sec|second|cycle)\b|\ (?:per|a|each|every)\ (?:second|cycle|clock)\b)"
)
_TIMED = r"in\ (?:[mµn]s|milliseconds|microseconds|nanoseconds|cycles|clocks)\b"
_GAP = r"[^.;:?(\ufffc]"
# Read with case: "2 s" is a time, "2 S" is a length of the text's own. What begins with a figure, a
# word or a unit is apart, so that a search looks at few of them at each place.
TYPED = rf"""(?=[\d.~<>≈-])(?:
    {_DIGITS}[\ -]?{UNIT}
  | \d+\ ?/\ ?\d+[\ -]?{UNIT} | \b0x[0-9a-fA-F]+\ ?{UNIT}
  | {_DIGITS},?\ (?:\((?:in\ )?(?:{_TIME}|(?:{_THING})/s|%)\)
      |(?:measured\ )?in\ (?:[mµμn]s|(?:{_THING})/s)(?!\w))
  | {_DIGITS}\ ?clocks\b | (?i:{_DIGITS}\ (?:faster|slower)\b)
  | (?i:{_DIGITS}\ (?:for|by|on|with|of)\ (?:(?!\d){_GAP}){{0,30}},\ (?:in\ )?{_RATED})
  | {_DIGITS}-x\b(?!\ ?\d) | {_DIGITS}\ ?(?:×|x)(?!\ ?[\w(\[{{"'`\\\ufffc])
  | (?<!from\ )(?<![\w.,])\d+\ to\ (?:1(?![\w,.:]*\d)\b|one\ (?:against|over))
  | (?<![\d:])\d+:1(?![\d:])
  | (?<![\d.])\d+\ ?/\ ?100(?!\d|\w) | (?i:\b\d+\ (?:in|out\ of)\ (?:a\ )?(?:100|hundred)\b)
  | (?:\d\ ?/\ ?\d+|0\.\d+)\ of\ (?:the\ |its\ |their\ |a\ )?(?:peak|roof|{_COMPARED}|copy)
  | \d+\ orders?\ of\ magnitude\b
    )
  | {_DIGITS}[×x](?=\ (?:on|in|with|here|there|over|win|gain|speed-?ups?|improvement|boost)\b)
  | (?i:(?:faster|slower|quicker)\ [×x]\ ?\d)
  | \b(?=[A-Za-z])(?:
    (?i:(?:{_RATED}|{_TIMED}){_GAP}{{0,40}}:\ (?:about\ )?{_DIGITS}(?!\ ?[\w×*/+(-]))
  | {_WORD}[\ -]{UNIT} | (?i:{_WORD}(?:fold|\ to\ one)\b)
  | (?i:(?:takes|took|needs|needed|runs|ran|lasts|within|after)\ (?:about\ |only\ )?
        (?:{_NUMBER})[\ -]?(?:h|hours?|days?)\b)
  | (?i:(?:an?|one)\ (?:kilo|mega|giga|tera|peta)?(?:byte|flop)\ (?:per|a|each|every)\ second\b)
  | (?i:one\ (?:milli|micro|nano)second\b | (?:milli|micro|nano)?second\ and\ a\ half\b)
  | (?i:(?:half\ a|a\ few)\ (?:milli|micro|nano)seconds?\b)
  | (?i:(?:half\ an?|(?:an?|one|three)\ quarters?\ of\ an?|a\ quarter)\ (?:second|minute|hour)\b)
  | (?i:(?:an?|one|{_WORD})\ (?:second|minute|hour)s?\ and\ (?:an?\ (?:half|quarter)|{_NUMBER})\b)
  | (?i:the\ (?:blink|wink|twinkling)\ of\ an\ eye\b)
  | (?i:(?:every|each|per|in\ (?:a|one))\ second\b[^.;:]{{0,25}}?\ {_DIGITS}\ ?
        (?:[kMGTP]?i?B|[kMGTP]?FLOPs?|bytes)\b)
  | (?:is|was|by|of|gives|a)\ ×\ ?\d+(?:\.\d+)?(?!\ ?[\w×*])
  | (?i:in\ (?:milli|micro|nano)seconds\b[^.;:]{{0,30}}?\ {_DIGITS})
  | (?i:(?:bandwidth|throughput|latency|run-?time|efficiency|utilization|IPC|speed-?\ ?ups?)
        (?::|\ (?:is|was|of|by))\ (?:about\ |an?\ )?(?:{_DIGITS}(?!\ ?[\w×*/])|\b{_WORD}\b))
  | (?i:(?:an?|{_WORD})\ orders?\ of\ magnitude\b)
  | (?i:orders?\ of\ magnitude\ (?:as\ |more\ |less\ )?(?:fast|slow|quick|ahead|better))
  | (?i:{_PART}\ (?:as\ (?:fast|slow|quick|long)\b|(?:faster|slower)\b
        |(?:of\ )?(?:(?:the|its|their|as\ (?:many|much))\ )(?:{_PACE}|peak|roof)\b))
  | (?i:(?:doubl|halv|tripl|quadrupl)(?:es|ed|ing)\ (?:the\ |its\ |in\ )?{_PACE}\b)
  | (?i:(?:run-?time|time|latency|cycles|clocks)\ (?:in\ half|by\ (?:half|two|three|a\ third))\b)
  | (?i:factor\ of\ (?:about\ |over\ |nearly\ |some\ )?(?:{_NUMBER}|a\ \w+|π))
  | (?i:{_FRACTION}\ of\ (?:the\ |its\ |their\ |a\ )?(?:peak|roof|{_COMPARED}|copy))
  | (?i:(?:faster|slower)\ by\ (?:a\ factor\ of\ )?{_DIGITS})
  | (?:(?:{_THING})/s|ms):?\ ?(?!0\ to\b){_DIGITS}(?![\w×])
    )
  | (?<![\w/])(?:%:|[µμ]s:?)\ ?(?!0\ to\b){_DIGITS}(?![\w×])
    """


@functools.cache
def _typed() -> re.Pattern:
    """Return that pattern, which takes long to make: a process that runs a page needs none."""
    return re.compile(TYPED, re.VERBOSE)


# A text without a digit has one of these where ``TYPED`` finds something in it.
_WORDED = Asking(
    [
        "second minute hour blink wink twinkling magnitude twice thrice half halv doubl tripl"
        " quadrupl third quarter fifth tenth"
        " factor".split()
        + _WORDS.split()
    ]
)
# The head of a column whose bare numbers are measured.
HEAD = re.compile(
    rf"""(?<![\w/])(?:{_THING}|[kMGTP]?FLOPS?)\ ?(?:/\ ?(?:s|sec|second|cycle)\b|\ per\ second)
  | \b(?:GBps|TFLOPS|GFLOPS|TOPS|GHz|MHz)\b
  | [(\[,]\ ?(?:ns|us|µs|μs|ms|s|seconds|cycles|%)\ ?[)\]]
  | \bin\ (?:ns|µs|μs|us|ms|seconds|cycles|%) | ^(?:ns|us|µs|μs|ms)\ (?:a|per|each)\b
  | ^(?:ns|us|µs|μs|ms|seconds|cycles|%|×|[Pp]ercent)$ | ^(?:%|[Pp]ercent)\ of\b | ^[×x]\ [A-Za-z]
  | ^(?i:bandwidth|latency|run-?time|time|duration|elapsed|speed|wall\ clock|rate|performance|gain)$
  | ^(?i:relative\ to\ \w+|(?:times|over|vs\.?|versus)\ cu\w+)$
  | (?i:speed-?\ ?up|slow-?down|\btimes\ (?:as\ )?(?:fast|slow)|throughput)
    """,
    re.VERBOSE,
)
TERM = re.compile(r"(?:bandwidth|latency|run-?time|throughput|speed)\b", re.IGNORECASE)
# A cell that is a unit, and words before a list or a table that give one to its numbers.
ALONE = re.compile(rf"(?:{_THING})/(?:s|sec|second|cycle)|[num]s|µs|us|%|[kMGT]?FLOPS?|[MG]Hz")
BARS = re.compile(
    r"[\u2580-\u259f\u25a0-\u25ff\u2605\u2606\u2b1b\u2b1c\u2b24\u2801-\u28ff\U0001f7e0-\U0001f7eb]{3,}"
    r"|(?<!\S)([#|*=+oOxX•])\1{7,}(?!\S)"
)
RATE = re.compile(rf"(?:{_THING})/(?:s|sec|second|cycle)|[kMGT]?FLOPS?|milliseconds|[µn]s")
PROMISE = re.compile(
    rf"\b[Ii]n\ (?:(?:{_THING})/s|ns|us|µs|ms|milliseconds|microseconds|cycles|percent|%)"
    r"(?:\W[^.]*)?:$"
)
# A sentence that gives a unit to numbers of others, and a number that something came to.
ANNOUNCED = re.compile(
    rf"""\b(?i:figures?|numbers?|values?|results?|times?|rates?|scores?|units?|points?|clocks?
        |all|those|these|they|everything)\b[^.;:\d]{{0,40}}
        \b(?:in|are|is|mean|means|of|for\ each)\ (?:the\ |one\ )?
        (?:(?:{_THING})(?:/s|,?\ (?:a|per|each|every|in\ a|that\ \w+\ \w+\ in\ a)\ second)
        |[mnµ]s|(?:milli|micro|nano)seconds|cycles|percent|TFLOPS?)(?!\w)
    | \b[Ww]hat\ follows\ is\ (?:given\ )?in\ (?:(?:{_THING})/s|[mnµ]s|cycles|percent)(?!\w)
    | ^In\ (?:(?:{_THING})/s|[mnµ]s|cycles|percent)(?=[.,;]|$)
    | (?:(?:{_THING})/s|\b[mnµ]s)\ (?:is|are)\ the\ unit""",
    re.VERBOSE,
)
SCORE = re.compile(
    r"""(?:(?::|\b(?:is|was|has|had|took|takes|gets|got|one|gave|gives|makes|moves|draws
        |c[ao]mes?\ to))\ )(?:about\ )?
        (?<![\w.])(?:\d{2,}(?:[.,]\d+)*|\d[.,]\d+)(?=[.;)]?$|[.;)]\ |,\ |\ and\b|\ of\ them\b)""",
    re.VERBOSE,
)
# A number in words that fills an item or a cell, and one that something comes to.
SPELLED = re.compile(
    rf"(?i:(?:about\ |only\ |some\ |between\ |under\ |over\ )?(?:{claims.NUMBER}|{claims.FRACTION})"
    rf"(?:\ (?:and|to|or)\ {claims.NUMBER})?)[.;]?"
)
SPELLED_SCORE = re.compile(
    rf"(?i:\b(?:is|was|takes|took|gives|gave|gets|got|makes|reach(?:es|ed)|c[ao]mes?\ to|lies)\ "
    rf"(?:about\ |only\ |some\ |between\ |under\ |over\ )?{claims.NUMBER}"
    rf"(?:\ (?:and|to|or)\ {claims.NUMBER})?)(?=\W*$|[.,;:)]|\ (?:on|for|in|here|there|and|but)\b)"
)
# What names a quantity of time or rate for the list, the terms or the table below it.
TIMES = re.compile(
    r"""(?i)(?:\b(?:time|times|timings?|latency|latencies|throughput|bandwidth|rates?|speeds?
        |speed-?ups?|run-?times?|durations?|wall\ clock|elapsed)
        (?:\ (?:per|of|for|on|in|a|an|by|each)\ [\w\ ]{1,30}|,?\ measured[\w\ ]{0,20})?)\W*$""",
    re.VERBOSE,
)
# A heading that gives a unit to the list or the table below it.
OVER = re.compile(rf"(?:[,(:]\ ?|\bin\ )(?:(?:{_THING})/s|ns|us|µs|ms|milliseconds|cycles|%)\)?¶?$")
# A bare number under such a key of data is a measured quantity: bandwidth_gbs, latency-ns.
QUANTITY = re.compile(
    r"(?:^|[_-])(?:[gmtk]i?b(?:ps|s)|[gmt]?flop(?:s|_s)|t?ops|[numµ]s|[gm]hz|percent|watts?|cycles"
    r"|bandwidth|throughput|latency|runtime|speed-?up|seconds|[gmtk]b_per_s(?:ec(?:ond)?)?)$",
    re.IGNORECASE,
)
BARE = re.compile(r"(?<![\w.-])\d[\d.,]*(?!\w)")
_LOOKS: dict = str.maketrans(
    {"⁄": "/", "∕": "/", "÷": "/", "⧸": "/", "٪": "%", "％": "%", "✕": "×", "⨯": "×", "‰": "%"}
)
_LOOKS |= str.maketrans({"🔟": "10"})
# Letters of other scripts that read as those of a unit.
_LOOKS |= str.maketrans("АВЕКМНОРСТХаеорсхуіѕΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEKMHOPCTXaeopcxyisABEZHIKMNOPTX")
_SIGNS = re.compile(r"[~=]{2,}")
_SPACES = re.compile(r"\s+")
_DASHES = str.maketrans("−‑–", "---")
# Scripts whose letters are those of ours to the eye, and that no page is written in.
STRANGE = re.compile(
    r"[\u13a0-\u13ff\uab70-\uabbf\ua4d0-\ua4ff\u2c80-\u2cff\u1d00-\u1d2b\ua730\ua731"
    r"\u1680-\u16ff\u1400-\u167f\U00010280-\U000105ff]"
)


LEVEL = re.compile(r"\[\[proof:(\w+)\]\]")


# What stands for a number or a word inside of a sentence.
INLINE = re.compile(
    r"\[\[(?:bench|micro):[^\s\[\]]+\]\]|\[\[proof:(?P<level>\w+)\]\]|"
    + re.sub(r"\?P<\w+>", "", WORKED.pattern)
)


def unmarked(text: str) -> str:
    """Return a line of prose with the numbers alone, where nothing can show how they came about."""
    return LEVEL.sub(r"\1", WORKED.sub(lambda found: found["number"].strip(), text))


_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_TEX = (
    (re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}"), r"\1/\2"),
    (re.compile(rf"\\(?:(?:over|under)set|stackrel)\s*{_GROUP}\s*{_GROUP}"), r"\2 \1"),
    (re.compile(r"\\[()\[\]!]"), ""),
    (re.compile(r"\\[,;:> ]|~|\\(?:q?quad|(?:thin|med|thick|en)space)\b"), " "),
    (re.compile(r"\\(?:up)?mu(?![A-Za-z])\s*"), "µ"),
    (re.compile(r"\\(?:[hvm]space|[hmv]?skip|kern|[hv]?phantom)\*?\s*\{[^{}]*\}"), " "),
    (re.compile(r"\\(?:textcolor|color|colorbox)\s*\{[^{}]*\}"), ""),
    (re.compile(r"\\over\b"), "/"),
    (re.compile(r"\\eta(?![A-Za-z])\s*"), "η "),
    (re.compile(r"\\cdot"), "·"),
    (re.compile(r"\\(?:approx|simeq|cong|doteq)(?![A-Za-z])\s*"), "≈ "),
    (re.compile(r"(?<=[\w)}])\s*=\s*(?=[\d.~≈-])"), " = "),
    (re.compile(r"\^\{?-1\}?"), "-1"),
    (re.compile(r"\\(?:text\w*|math\w+|operatorname|num|[mhf]box)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\times"), "×"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\[A-Za-z]+\*?"), " "),  # of another command what it is given alone
    (re.compile(r"[{}]"), ""),
)  # fmt: skip


def formula(text: str) -> str:
    """Return the text of a formula as it reads: units without the commands around them."""
    for pattern, instead in _TEX:
        text = pattern.sub(instead, text)
    return text


# Blanks and fillers that are letters or symbols to Unicode.
BLANKS = "\u2800\u3164\uffa0\u115f\u1160"


class _Unseen(dict[int, int | str | None]):
    """What reads as nothing, such as a blank of no width or an accent, and other digits.

    For ``str.translate``, which asks for one character after the other.
    """

    def __missing__(self, code: int) -> int | str | None:
        said: int | str | None = code
        character = chr(code)
        kind = unicodedata.category(character) if code >= 128 else ""
        if kind in {"Cf", "Mn", "Me"}:
            said = None
        elif kind in {"Nl", "No", "Nd", "Lo"}:
            value = unicodedata.numeric(character, -1)
            if 0 <= value < 1e6:
                said = f"{value:g}"
        self[code] = said
        return said


_UNSEEN = _Unseen({ord(blank): " " for blank in BLANKS})


# A number with letters that look like its digits, 4O ms; and one whose letters stand apart.
_MIXED = re.compile(r"(?<![\w.-])(?=[OolI]*\d)[\dOolI]+(?:[.,][\dOolI]+)*(?![\w.])")
_AS_DIGITS = str.maketrans("OolI", "0011")
_APART = re.compile(r"(?<!\w)\d(?:\ [\w/.])+\ \w(?!\w)")
# Two letters or more: one alone is a name, as the matrices X and V are.
_ROMAN = re.compile(r"\b[IVXL]{2,7}\b")
_CAPITALS = re.compile(r"[IVXL]{2}")
_DIGIT = re.compile(r"\d")


def _roman(found: re.Match) -> str:
    values = [{"I": 1, "V": 5, "X": 10, "L": 50}[letter] for letter in found[0]]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return str(sum(-here if here < there else here for here, there in pairs))


@functools.lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """Return a text as a reader sees it: compatible letters, digits and blanks are one."""
    if "&" in text:  # in front matter; HTML is read before it comes here
        text = html.unescape(text)
    if not text.isascii():
        text = text.translate(_LOOKS).translate(_UNSEEN)
        text = unicodedata.normalize("NFKD", text).translate(_LOOKS).translate(_UNSEEN)
        text = text.translate(_DASHES)
    if "~" in text or "=" in text:
        text = _SIGNS.sub("", text)
    text = _SPACES.sub(" ", text)
    if _CAPITALS.search(text):
        text = _ROMAN.sub(_roman, text)
    if _DIGIT.search(text):
        text = _MIXED.sub(lambda found: found[0].translate(_AS_DIGITS), text)
    return text


# What a person does takes minutes, too; and two lengths have a ratio.
_OURS = re.compile(
    r"(?:\b(?:[Rr]eaders?|[Ll]essons?|[Ee]xercises?|[Vv]ideo|[Tt]alk)"
    r"\ (?:needs?|takes?|wants?|lasts?)"
    r"|\b(?:[Rr]ead|[Ss]tudy|[Ss]kim)\b[^.;:]{0,40}?\ (?:in|for|within)"
    r"|\bratio\ of\ (?:rows|columns|widths?|heights?|lengths?|sizes?)\ to\ \w+\ is)\ (?:about\ )?$"
)


# What a reader is asked to do takes seconds; "wait 5 s for the kernel" says how long that takes.
_ASKED = re.compile(
    r"(?:(?:^|[.!?:]\ )(?:Then\ )?(?:Wait|Pause|Hold)|,\ then\ (?:wait|pause))"
    r"\ (?:for\ |about\ |at\ least\ )*$"
)
_FOR_IT = re.compile(r"\ (?:for|until|till|while|before)\ (?:the|it|its|this|that|an?|our)\b")
_HERTZ = re.compile(
    r"(?<![\w.,])(\d+(?:\.\d+)?)\ ?(?:([kMG]?)Hz\b|(?:frames|images|pictures)\ (?:a|per)\ second\b)"
)
_PERIOD = re.compile(r"(\d+(?:\.\d+)?)\ ?(ms|µs|μs|us|ns|s)\b")
# Rates that are agreed on, with what has them.
_AGREED = (
    (
        {8e3, 16e3, 22.05e3, 44.1e3, 48e3, 96e3, 192e3},
        r"(?i)\b(?:audio|sound|music|CD|speech|voice|song)",
    ),
    (
        {24, 25, 30, 50, 60, 72, 90, 120, 144, 240},
        r"(?i)\b(?:screen|display|monitor|mains|video|television|TV|(?:frame|image|picture)s?\b)",
    ),
)
# Who says at which rate something ran, or of which device it is.
_RAN = re.compile(
    r"(?i)\b(?:runs?|ran|reach\w*|gets?|got|hits?|sustain\w*|deliver\w*|render\w*|draws?|drew"
    r"|simulat\w*|manag\w*|achiev\w*|measur\w*|clocks|clocked|sees|saw|keeps?|kept|boost\w*"
    r"|does|did|finish\w*|our|kernels?|programs?|we)\b"
    r"|(?-i:\b[ABHGLTV]B?\d{2,3}\b|\bRTX\b|\bMI\d)"
)
_SUPPOSED = re.compile(
    r"^(?:At|With|Take|Assume|Suppose|Say|Imagine|Let|A\ (?:round|made-up)|If)\b"
    r"|\bfor\ example\b|\bsay\b"
)
_MAKES = re.compile(
    rf"^(?:,|:)?\ (?:leaves?|means?|makes?|gives?|is|are)\ (?:only\ |about\ )?(?:\d|{KEY})"
)


def _sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands in a sentence before and behind a place."""
    before = re.split(r"(?<=[.!?:;])\ ", text[max(0, start - 200) : start])[-1]
    return before, re.split(r"(?<=[.!?;])\ ", text[end : end + 200])[0]


def _rate(found: re.Match) -> bool:
    """Whether a frequency is a standard or supposed, and nobody says that something ran at it."""
    before, behind = _sentence(found.string, found.start(), found.end())
    hertz = float(found[1]) * PREFIX[found[2] or ""]
    said = before + found[0] + behind
    if any(hertz in rates and re.search(of, said) for rates, of in _AGREED):
        return not _RAN.search(before if found[2] is not None else before + behind)
    round_ = len(found[1].replace(".", "").strip("0")) <= 2
    supposed = _SUPPOSED.search(f"{before}{found[0]}{behind}") or (
        not before and _MAKES.match(behind)
    )
    return bool(round_ and supposed) and not _RAN.search(before + behind)


def _period(found: re.Match, time: re.Match) -> bool:
    """Whether a time is that of a supposed rate before it: 60 Hz leaves 16.7 ms."""
    before, _ = _sentence(found.string, found.start(), found.end())
    rates = [rate for rate in _HERTZ.finditer(found.string, 0, found.start()) if rate[0] in before]
    if not rates or not _rate(rates[-1]):
        return False
    unit = SECONDS[time[2]]
    away = abs(float(time[1]) * unit * float(rates[-1][1]) * PREFIX[rates[-1][2] or ""] - 1)
    digits = len(time[1].partition(".")[2])
    return away <= 0.5 * 10.0**-digits / float(time[1]) if float(time[1]) else False


# A share that a sentence supposes: if 90 % of the rows are empty. Of a pace nobody supposes one.
_IF = re.compile(
    r"(?:(?:^|[,;:.]\ |\b(?:and|but|so|even|only)\ )(?i:if|suppose(?:\ that)?|imagine(?:\ that)?"
    r"|assume(?:\ that)?|say\ that|when|where))\ (?:(?!\d)[^,;.:?]){0,40}$"
)
_SHARED = re.compile(
    r"\d[\d.,]*\ ?(?:%|percent\b)\ of\ (?:(?:the|all|its|your|our|their|these)\ )*(\w+)"
)
_PACED = re.compile(
    rf"(?i:{_COMPARED}|peak|roof|cop(?:y|ies)|cycles?|clocks?|slots?|what|limit|maximum|library"
    r"|ceiling|baseline|reference|cu[a-z]{3,})"
)


def _supposed(found: re.Match) -> bool:
    """Whether a number is the share of some data, in a clause that supposes it."""
    share = _SHARED.match(found.string, found.start())
    if not share or _PACED.match(share[1]):
        return False
    before, behind = _sentence(found.string, found.start(), found.end())
    clause = re.split(r"[,;:]", behind)[0]
    return bool(_IF.search(before)) and not _RAN.search(f"{before.rpartition(',')[2]} {clause}")


def _measured(found: re.Match) -> bool:
    if found[0].endswith(("%", "percent")) and _supposed(found):
        return False
    if rate := _HERTZ.match(found.string, found.start()):
        return not _rate(rate)
    if time := _PERIOD.match(found.string, found.start()):
        if _ASKED.search(found.string, max(0, found.start() - 40), found.start()):
            return _FOR_IT.match(found.string, time.end()) is not None
        return not _period(found, time)
    if _ASKED.search(found.string, max(0, found.start() - 40), found.start()):  # half a minute
        return _FOR_IT.match(found.string, found.end()) is not None
    unit = found[0].rstrip("s").endswith(("minute", "hour", "to 1", "and a half"))
    return not (unit and _OURS.search(found.string, max(0, found.start() - 60), found.start()))


def typed(text: str) -> list[str]:
    """Return the numbers of a text that look measured, as they stand there."""
    return list(_found(text))


@functools.lru_cache(maxsize=1 << 15)
def _found(text: str) -> tuple[str, ...]:
    text = plain(text)
    found: list[str] = []
    figures = _DIGIT.search(text) is not None
    if figures or _WORDED.rules(text.lower()):
        found += [match[0].strip() for match in _typed().finditer(text) if _measured(match)]
    for apart in _APART.finditer(text) if figures else ():
        found += [row for row in [apart[0].replace(" ", "")] if _typed().search(row) and "/" in row]
    agreed = {rate[0] for rate in _HERTZ.finditer(text) if _rate(rate)} if figures else set()
    more = (
        claim
        for claim in claims.find(text)
        if claim not in agreed and not any(n in claim for n in found)
    )
    return (*found, *more)


# ---------------------------------------------------------------- in a page's HTML

BLOCKS = {
    *"p li td th h1 h2 h3 h4 h5 h6 summary dt dd figcaption caption legend label text".split(),
    *"div tr table ul ol dl details form fieldset option blockquote section figure".split(),
    *"title thead tbody".split(),
}
CELL = {"td", "th"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
TELLING = {*"ul ol td th p dt".split(), *HEADINGS}  # whose end says something without a word, too
NAMES = {"code", "a"}  # whose words are names of code and of sources
_NAME = re.compile(r"<(/?)([A-Za-z][\w-]*)")
# Drawings of scripts: the words for one may say a number that the drawing itself says.
DRAWN = "/diagrams/"
TOLD = ("title", "alt", "aria-label", "placeholder", "value")  # what a reader sees or hears
BESIDE = re.compile(
    rf"\w*\d[.,]?{KEY}|{KEY}[.,]?\d\w*|(?<![\w{KEY}])[-+±√]{KEY}"
    rf"|{KEY}\ (?:squared|cubed)|\b(?:ten|hundred|thousand|million)\ {KEY}"
    rf"|\b(?:[Tt]wice|[Hh]alf(?:\ of)?|[Dd]ouble|[Tt]hrice|times)\ {KEY}"
)
_SHARE = (
    rf"(?i:half|twice|double|thrice|triple|(?:an?|one)\ (?:half|third|quarter|fifth|tenth)"
    rf"|{_FRACTION})"
)
_SIGNS_OF_SUMS = r"(?:[/÷×*·]|times|plus|minus|(?:divided|multiplied|halved|cut)\ by)"
_IT = (
    r"(?:(?:it|them|those)\b|(?:that|this)\b(?!\ (?!(?:is|was|are|for|in|of|on|at|by|from|to|with"
    r"|and|but|or|which|goes|comes|here|there|alone)\b)[a-z]))"  # not: half of that ceiling
)
# What makes another number of a measured one: a sum, a share, a multiple.
CHANGED = re.compile(
    rf"{KEY}[)\]]?\ ?[(\[]?(?:{_SIGNS_OF_SUMS}|[+√^-](?=\ ?\d)|less(?=\ \d)"
    rf"|over(?=\ (?:two|three|four|2|3|4)\b))"
    rf"\ ?[(\[]?(?:\d|{_WORD}\b|π)"
    rf"|(?:\d|\b{_WORD}|\))\ ?(?:x\b|{_SIGNS_OF_SUMS})\ ?[(\[]?{KEY}"
    rf"|\d\ [+-]\ {KEY}|\b(?:log\d*|ln|sqrt|exp)\b\W?{KEY}"
    rf"|{KEY}\ (?:halved|doubled|tripled|quadrupled)\b"
    rf"|{KEY}\ and\ (?:an?|one)\ (?:half|third|quarter)(?=[.,;:)]|$)"
    rf"|\b{_SHARE}(?:\ of)?\ (?:the\ )?{KEY}"
    rf"|{KEY}\W{{0,3}}\b(?:(?:and|or|so|i\.e\.|that\ is|call\ it),?\ )?"
    rf"(?:{_SHARE}(?:\ of)?|(?:{_NUMBER})\ times)\ {_IT}"
    rf"|{KEY}\W{{0,3}}(?:\b(?:and|or)\ )?(?:"
    rf"(?:{_SHARE}|(?:{_NUMBER})\ times)\ as"
    r"\ (?:much|many)\b(?!\ as)|as\ (?:much|many)\ again\b)"
)


# A typed number beside a measured one, which can be of nothing but the same quantity.
_BARE = claims.BARE
_ONCE = r"(?:before|then|earlier|at\ first|previously|formerly|last\ (?:week|month|year))"
_DECIMAL = r"(?<![\w.,/-])(?:\d{2,}(?:[.,]\d+)*|\d[.,]\d+)"
_BARE_SCORE = (  # where no noun follows that it counts
    rf"(?:about\ |only\ |just\ )?{_DECIMAL}(?=\W*$|[.;)](?:[\s,.;]|$)|,\ (?!\d)|\ (?:now|today"
    rf"|there|here|once)\b)"
)
RIVAL = re.compile(
    rf"""{KEY}[)\]]?\W{{0,3}}(?:(?:and|but|or|where|while)\ )?(?:it\ )?
        (?:was|were|had\ been|used\ to\ be|down\ from|up\ from|instead\ of|rather\ than
        |in\ place\ of|versus|vs\.?|against|compared\ (?:to|with)|not|formerly|previously
        |after|earlier|once)\ (?:about\ |only\ |a\ )?{_BARE}
    | \b(?:was|were|had\ been)\ (?:about\ )?{claims.NUMBER}(?:\ {_ONCE})?,?\ (?:and\ |but\ )?
        (?:it\ )?(?:(?:is|was|are|now|today|became|fell\ to|rose\ to)\ )+{KEY}
    | \bfrom\ {claims.NUMBER}\ to\ {KEY} | \bnot\ {claims.NUMBER},?\ but\ {KEY}
    | (?<![\w.]){claims.NUMBER}\ (?:{_ONCE},?\ (?:and\ )?(?:now\ )?|became\ |(?:->|→|⇒|⟶)\ ?){KEY}
    | {KEY}\ ?(?:->|→|⇒|⟶|<-|←)\ ?{_DIGITS}(?!\ ?[\w×])
    | {KEY}\W{{0,3}}(?:\(|,\ )?{_DIGITS}\ {_ONCE}\b
    | {KEY}[^.{KEY}]{{0,30}}?\b(?:it|they)\ (?:was|were|used\ to\ be|had\ been)\ (?:about\ )?{_BARE}
    | {KEY}[^.;?{KEY}]{{0,60}}?(?:,|;|\band|\bbut|\bor)\ (?:about\ |only\ |some\ )?{_DECIMAL}
        \ (?:now|today|since|later|afterwards|meanwhile|these\ days|again|this\ time|by\ then
        |(?:with|without)\ (?:it|them|that)\b|elsewhere|at\ home)\b
    | {KEY}[^.;?{KEY}]{{0,60}}?\b(?:gets?|got|brings?|brought|pushe[sd]|makes|made|does|did
        |reache[sd]|takes|took|managed|manages)\ (?:it\ |them\ |this\ )?
        (?:to\ |at\ |in\ )?{_BARE_SCORE}
    | {KEY}[^.{KEY}]{{0,30}}?
        \b(?:theirs|the\ (?:old|older|other|previous|first|naive|library)(?:\ one)?)
        \ (?:\w+\ ){{0,2}}?{_BARE}""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE_FIGURE = r"(?:about |only )?(?:\d{2,}(?:[.,]\d+)*|\d\.\d+)"
_OF_EACH = r"(?:on|for|with|in|at|by|over|without|under|against) [\w`' -]{2,40}?"
FEW = 8  # blanks of a line that names what follows and is no sentence
_NAMED = re.compile(
    r"[^\d\ufffc]{2,40}?(?::|,|=|–|\ -|\bis|\bat|\btakes|\btook)\ ?"
    rf"((?i:\d[\d.,]*|{claims.NUMBER}))[.;]?"
)


PLACE = re.compile(r"https?://(?:[\w-]+\.)+(?P<top>[A-Za-z]{2,}|xn--[\w-]+)(?::\d+)?(?:[/?#]|$)")
RESERVED = re.compile(r"https?://(?:[\w-]+\.)*example\.(?:com|org|net)(?:[:/?#]|$)")
SEARCHES = re.compile(r"https?://(?:www\.)?(?:google|bing|duckduckgo|ecosia)\.[a-z]+/")
NOWHERE = {"invalid", "test", "example", "local", "localhost", "internal"}


# Of each project that this process has read: its own addresses, which are no source of its numbers.
OWN: dict[object, re.Pattern[str]] = {}


def elsewhere(address: str) -> bool:
    """Whether a text is an address, and none of the project's own."""
    return bool(PLACE.match(address)) and not any(own.match(address) for own in OWN.values())


def outside(attributes: Mapping[str, str]) -> bool:
    """Whether a link leads to another site, one that a reader can open."""
    place = PLACE.match(attributes.get("href", ""))
    if place is None or RESERVED.match(place[0].lower()):
        return False
    if not elsewhere(attributes["href"]):
        return False
    page = attributes["href"][place.end() - 1 :]  # what is behind the host: a site is no source
    if not re.match(r"/[^?#]", page) or SEARCHES.match(place[0]):
        return False
    return place["top"].lower() not in NOWHERE


class Reader:
    """Reads the pieces of a page's HTML as ``rendered.walk`` yields them, and finds numbers."""

    def __init__(
        self,
        wrong: Callable[[int, str, str], None],
        drawn: Callable[[str], str] = lambda src: "",
        language: str = "en",
    ):
        self.wrong = wrong
        self.language = language
        self.prose: list[str] = []  # the words of a text alone, without code and names of sources
        self.drawn = drawn  # what the drawing at an address says, as a script has written it
        self.text: list[str] = []
        self.start = 0
        self.heads: list[bool] = []  # of the table that is read: whether a column's head is a unit
        self.settings: list[bool] = []  # whether its head is worked or given, and so its cells
        self.column = 0
        self.row = False  # whether the head of the row that is read is a unit
        self.promised = False  # whether the words before a list or a table say a unit
        self.timed = False  # whether they name a time or a rate, without one
        self.under = ""  # the heading above, where it gives a unit
        self.bare: str | None = None  # a number of this row that stands alone in its cell
        self.tables: list[tabled.Table] = []  # that are open
        self.cell: list[str] = []  # the texts of the cell that is read
        self.columns = 1  # that it is wide
        self.term = False  # whether the term that is defined is a measured quantity
        self.measured = 0  # items of the list that is read that end with a key
        self.listed: list[tuple[int, str]] = []  # and those that end with a typed number
        self.before = ""  # the block of text before this one
        self.announced = ""  # the unit that a sentence without a number gives to others
        self.alone: list[tuple[int, str]] = []  # numbers that might have it

    def read(self, piece: str, start: int, stack: list, text: str) -> None:
        """Take the next piece; an empty one is a tag."""
        inner = stack[-1] if stack else rendered.NOTHING
        if piece:
            if not self.text:
                self.start = start
            self.text.append(KEY if inner.proved else _seen(piece))
            if not inner.made and NAMES.isdisjoint(inner.within):
                self.prose.append(html.unescape(piece))
            return
        tag, closes = _tag(text, start)
        element = inner if stack and not closes else None
        if element:
            told = [name for name in TOLD if name in element.attributes]
            for name in told if not element.proved else ():
                there = ""
                if name == "alt" and DRAWN in element.attributes.get("src", ""):
                    there = self.drawn(element.attributes["src"])
                for number in typed(element.attributes[name]):
                    digits = set(re.findall(r"\d[\d.]*", number))
                    if there and digits <= set(re.findall(r"\d[\d.]*", there)):
                        continue  # the script has computed it
                    self.wrong(start, f"{number!r} is typed, in a {name}", MEND)
            title = "" if element.proved else element.attributes.get("title", "")
            if element.tag == "a" and (claim := ours(title)):
                what = f"{claim!r}, in the title of a link, says that somebody measured it"
                self.wrong(start, what, MEND)
        box = element is not None and element.attributes.get("type") == "checkbox"
        if box and element is not None and "checked" in element.attributes and not element.made:
            self.wrong(
                start,
                "a ticked box, which looks like a check that passed",
                "write a list without boxes; a question with answers is a box ??? quiz",
            )
        if tag in BLOCKS:
            self.flush(tag if closes else None, stack)
        if tag == "tr" and not closes:
            self.column, self.row, self.bare = 0, False, None
        elif tag == "table":
            self.heads, self.settings = [], []
        if tag == "table" and not closes:
            self.tables.append(tabled.Table(_places, _unit, KEY))
        elif tag == "table" and self.tables:
            self._together(self.tables.pop())
        elif tag == "tr" and not closes and self.tables:
            self.tables[-1].row()
        elif tag in CELL and element:
            self.cell, span = [], element.attributes.get("colspan", "1")
            self.columns = int(span) if span.isdecimal() else 1

    def flush(self, closed: str | None = None, stack: Sequence = ()) -> None:
        """A block of text has ended: look at it as a whole."""
        raw, self.text = "".join(self.text), []
        words, self.prose = "".join(self.prose), []
        if closed not in TELLING and not f"{raw}{words}".strip(" \n"):
            return  # nothing is said, and of no part of a list or a table
        if self.language == "en" and (other := english.foreign(_SPACES.sub(" ", words), closed)):
            what = f"{other[:60]!r} is not English, and no rule of numbers reads it"
            self.wrong(self.start, what, "write it in English; a title may be the text of a link")
        if not raw.isascii() and (strange := STRANGE.search(raw)):
            what = (
                f"the letter {unicodedata.name(strange[0], strange[0])}, which looks like another"
            )
            self.wrong(self.start, what, "write it with the letters of the alphabet")
        if bars := BARS.search(raw):
            self.wrong(self.start, f"{bars[0]!r} is a chart that is typed", "have a script draw it")
        said = plain(raw).strip()
        found = [*typed(said), *claims.errors(said)] if said else []
        if closed == "td" and self.column < len(self.settings) and self.settings[self.column]:
            found = []  # the head says how they come about
        for number in dict.fromkeys(found):
            self.wrong(self.start, f"{number!r} is typed", MEND)
        if KEY in said and (beside := BESIDE.search(said)):
            words = beside[0].replace(KEY, "[[...]]")
            what = f"{words!r}: what stands beside a key makes another number"
            mend = (
                "put a blank or a word between them; what follows from a key has a key of its own,"
                " or is [[worked:NUMBER; how it follows]]"
            )
            self.wrong(self.start, what, mend)
        if closed == "li":
            self.measured += said.rstrip(".;").endswith(KEY)
            if bare := _NAMED.fullmatch(said):
                self.listed.append((self.start, bare[1]))
                if self.timed and not found:
                    self.wrong(
                        self.start, f"{bare[1]!r} is typed, in a list of times or rates", MEND
                    )
        elif closed in {"ul", "ol"}:
            for start, number in self.listed if self.measured else ():
                self.wrong(start, f"{number!r} is typed, in a list of measured figures", MEND)
            self.measured, self.listed = 0, []
        self.cell.append(said)
        if closed in CELL and self.tables:
            said = " ".join(filter(None, self.cell))  # of its paragraphs, too
            self.tables[-1].add(tabled.Cell(said, self.start, closed == "th"), self.columns)
        elif said and not self.tables:
            if not self.announced and KEY not in said and (unit := ANNOUNCED.search(said)):
                self.announced = unit[0]
            for comes in (SCORE, SPELLED_SCORE):
                self.alone += [(self.start, number[0]) for number in comes.finditer(said)]
            if RATE.fullmatch(said.rstrip("¶↩\ufe0e ")):
                self.wrong(self.start, f"{said!r} is a unit without its number", MEND)
            if tabled.FIGURE.fullmatch(self.before) or ALONE.fullmatch(said):
                if tabled.crosses(self.before, said, _places):
                    what = f"{self.before[-40:]!r} is typed, and {said[:40]!r} after it is its unit"
                    self.wrong(self.start, what, MEND)
            self.before = said.removesuffix("¶").rstrip()  # the link of a heading to itself
        if closed == "p" and not any(element.tag == "li" for element in stack):
            self.promised = bool(PROMISE.search(said)) and KEY not in said
            self.timed = bool(TIMES.search(said)) and KEY not in said
            self.timed = self.timed and (said.endswith(":") or said.count(" ") < FEW)
        elif closed in HEADINGS:
            self.timed = bool(TIMES.search(said.removesuffix("¶")))
            self.promised = bool(OVER.search(said)) and KEY not in said
            self.under = said.removesuffix("¶").rstrip() if self.promised else ""
        elif closed == "li" and self.promised and not found and (bare := BARE.search(said)):
            self.wrong(self.start, f"{bare[0]!r} is typed, in a list of a measured quantity", MEND)
        if self.under and closed in {"p", "li"} and not found and (score := SCORE.search(said)):
            what = f"{score[0]!r} is typed, and the heading above gives it a unit: {self.under}"
            self.wrong(self.start, what, MEND)
        if closed == "dt":
            self.term = bool(HEAD.search(said) or TERM.match(said) or ALONE.fullmatch(said))
            self.term = self.term or tabled.VERSION.fullmatch(said) is not None
            self.term = self.term or tabled.COMPILED.fullmatch(said) is not None
            self.term = self.term or tabled.RESOURCE.search(said) is not None
        elif closed == "dd" and (self.term or self.timed) and _alone(said):
            self.wrong(self.start, f"{said!r} is typed, under a measured quantity", MEND)
        if closed in {"dd", "li", "td", "p"} and (row := _SCORES.fullmatch(said)) and not found:
            self.wrong(self.start, f"{row[0]!r} is a row of figures without a unit", MEND)
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
            if alone and self.column:
                self.alone.append((self.start, alone[0]))
            if self.bare and ALONE.fullmatch(said):
                self.wrong(self.start, f"{self.bare!r} is typed, beside its unit {said!r}", MEND)
            bare = BARE.search(said) or SPELLED.fullmatch(said) if of_unit else None
            if bare and not found:
                what = f"{bare[0]!r} is typed, in a column of a measured quantity"
                self.wrong(self.start, what, MEND)
            self.column += 1

    def end(self) -> None:
        """The page has ended: no number of it may have its unit in another sentence."""
        self.flush()
        for start, number in self.alone if self.announced else ():
            what = f"{number!r} is typed, and words elsewhere give it a unit: {self.announced}"
            self.wrong(start, what, MEND)

    def _together(self, table: tabled.Table) -> None:
        """Look at a table as a whole."""
        for number, unit in table.wrong():
            what = (
                f"{number.said!r} is typed, in a table where {unit.said!r} makes it a measured one"
            )
            self.wrong(number.start, what, MEND)


# Figures of several things, one after the other, and nothing says of what: 41 on the grid, 38 here.
_SCORES = re.compile(
    rf"(?:[A-Za-z][\w ]{{0,30}}: )?{_BARE_FIGURE} {_OF_EACH}"
    rf"(?:(?:,|;| and|, and) {_BARE_FIGURE} {_OF_EACH})+[.;]?"
    rf"|[A-Za-z][\w -]{{1,30}}(?:: | - | = ){_BARE_FIGURE}"
    rf"(?:[,;] [A-Za-z][\w -]{{1,30}}(?:: | - | = )"
    rf"{_BARE_FIGURE})+[.;]?"
)


def _alone(said: str) -> bool:
    """Whether a text is a number, in figures or in words."""
    return bool(tabled.FIGURE.fullmatch(said) or SPELLED.fullmatch(said))


def _places(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _typed().finditer(text)]


def _unit(said: str) -> bool:
    return HEAD.search(said) is not None or ALONE.fullmatch(said) is not None


def _seen(piece: str) -> str:
    """Return a piece of text as a reader sees it."""
    piece = html.unescape(piece)
    return formula(piece) if "\\" in piece else piece


def _tag(text: str, start: int) -> tuple[str, bool]:
    token = _NAME.match(text, start)
    assert token, "the caller has found one here"
    return token[2], bool(token[1])
