"""The reasons of numbers that are worked out: one that claims a measurement is none.

And where a reason is arithmetic of plain numbers, the number follows from it or is refused.
"""

import ast
import itertools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

INPUT = re.compile(r"\{(?P<kind>bench|micro):(?P<key>[^\s{}]+)\}")  # see lockstep.bound
CARDS = r"[ABGHL]B?\d{2,3}s?|MI\d{3}\w*|V100|RTX|GeForce"
_DEVICE = rf"(?:{CARDS}|GPUs?|cards?|machines?|laptop|hardware)\b"
_CLAIMED = re.compile(
    r"(?i)\b(?:observed|benchmarked|profiled|clocked|timed|seen|experiments?|empirical\w*)\b"
    r"|\b(?:fastest|slowest|median|best)\ of\b|\b(?:comes?|came|turned)\ out\b"
    r"|\b(?:our|its|the)\ (?:results?|runs?|tests?|trials?)\b"
    r"|\b(?:profiler|tool|clock|timer|log)\ (?:says|said|shows|gives)\b"
    rf"|\b(?:on|with|by)\ (?:(?:an?|one|two|our|my|this|that|the|some|real)\ )*(?:\w+\ )?{_DEVICE}"
    r"|\b(?:we|I|was|were|as)\ (?:have\ )?(?:measured|timed|clocked|benchmarked)"
    r"|\b(?:counters?|nvidia-smi|Nsight|notebook|stopwatch)\b|\bread\ off\b|^\s*rounded\b"
    r"|\b(?:check|try|see)\ (?:it\ )?(?:for\ )?yourself\b"
    r"|^\s*(?:measured|timed|benchmarked|clocked|profiled)\b"
)
# What the words around a worked number, or a source's, may not say: that somebody here measured it.
_TIMED = r"(?:measured|timed|clocked|benchmarked|profiled|recorded|observed)"
OURS = re.compile(
    rf"""(?ix)\b(?:we|I|ourselves|us|colleagues?|maintainers?|authors?|somebody|someone|readers?)
      \ (?:(?!not\b|never\b)\w+\ ){{0,2}}?(?:{_TIMED}|saw|seen)\b(?!\ (?:none|nothing|neither|no)\b)
    | (?<!not\ )(?<!never\ )\b{_TIMED}\ (?:it|them|this|that|by\ (?:us|hand)|here
      |twice|ourselves|on|with|in)\b
    | \b(?:was|were|been|is|are|as)\ (?:(?!not\b|never\b)\w+\ )?{_TIMED}\b
    | \b(?:our|my)\ (?:\w+\ )?(?:tests?|runs?|trials?|experiments?|measurements?|benchmarks?
      |profiles?|profilers?|timers?|stopwatch|clock|counters?|traces?)\b"""
)
_INVENTED = re.compile(r"(?i)\b(?:invent\w*|made[\ -]up|imagin\w+|fictional|examples?)\b")
_ON_IT = re.compile(
    rf"(?i)\b(?:on|with)\ (?:our|my)\ (?:\w+\ )?{_DEVICE}"
    rf"|\b(?:on|with)\ an?\ (?:NVIDIA\ )?(?-i:{CARDS})\b"
)


def ours(sentence: str, how: str = "") -> str | None:
    """Return words of a sentence that claim a measurement. ``how``: the reason of its number."""
    found = OURS.search(sentence) or (_INVENTED.search(how) and _ON_IT.search(sentence))
    return found[0] if found else None


_EMPTY = {"yes", "true", "known", "see above"}
# What a number is made up of: other numbers, in figures or words.
_ONES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|thirty-two"
_COUNTS = re.compile(
    rf"(?i)\d|\b(?:zero|{_ONES}|half|halve[sd]?|twice|double[sd]?|third|quarter|tenth|dozen|hundred"
    r"|thousand|[mb]illion|square[sd]?|each|every|both|equal|all\ of)\b"
)
# It is made up, agreed on, or stands in code by its name.
_SET = re.compile(
    r"(?i)\b(?:made\ up|examples?|round\ (?:figures?|rates?|numbers?)|definitions?|assum\w+"
    r"|chosen|set\ by|tolerance|thresholds?|formula|makes\ them|question)\b|\boutputs?\b"
    r"|(?-i:\b[A-Z][A-Z_]{2,}\ in\ the\ code|\btimes\ [A-Z]{3,}\b)"
)
# What leads elsewhere, and is no number of the sum: see section 2, in two steps, as above.
_AWAY = re.compile(
    r"(?i)\b(?:sections?|tables?|figures?|equations?|steps?|pages?|chapters?|versions?)\ \d+"
    rf"|\b(?:\d+|{_ONES})\ (?:steps?|passes|parts|ways|tables?|pages?|sections?|sources)\b"
)
_THERE = re.compile(r"(?i)(?<!code )\b(?:above|below|before|elsewhere|earlier|later)\b")
PRINTED = re.compile(r"(?i)\boutputs?\b")
# Arithmetic as prose writes it.
_SIGNS = (
    (r"(?<=\d),(?=\d{3})", ""),
    (r"[×·]|\btimes\b", "*"),
    (r"÷|\bover\b", "/"),
    (r"[−–]|\b(?:less|minus)\b", "-"),
    (r"\bplus\b", "+"),
    ("²", "**2"),
    ("³", "**3"),
)
_SUM = re.compile(r"[\d\s.*/+()-]*\d\s*[*/+-]+\s*[(\d][\d\s.*/+()-]*")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_NEAR = 0.06  # of rounded numbers, and of what they are made of


def unfounded(number: str, how: str) -> str | None:
    """Return what is wrong with the reason of a worked number, or None."""
    if not re.search(r"\d|[^\W\d_]{3}", how) or how.strip().lower() in _EMPTY:
        return "no reason"
    if _CLAIMED.search(how):
        return "a reason that claims a measurement"
    told = _AWAY.sub("", how)
    elsewhere = _THERE.search(told) and not PRINTED.search(told)
    if not (_COUNTS.search(told) or (_SET.search(told) and not elsewhere)):
        return "a reason without the numbers that it follows from"
    if what := otherwise(number, how):
        return what
    said = _FIGURE.findall(number)
    value = _value(how)
    if value is None or len(said) != 1:
        return None
    if {*_FIGURE.findall(how)} <= {said[0], "0", "1"}:
        return "a reason that says the number again"
    figure = float(re.sub(r",(?=\d{3})", "", said[0]).replace(",", "."))
    if not any(
        _same(figure, of) for of in (value, value - 1, 1 - value, 1 / value if value else 0)
    ):
        return f"a reason that gives another number, {value:.4g},"
    return None


# What units are made of: bytes and seconds. 36 GB at 4 TB/s is a time; operations are a count.
PREFIX = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
PREFIX |= {f"{p}i": 1024.0**n for n, p in enumerate("KMGTP", start=1)}
PREFIX |= {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15}
SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9}
SECONDS |= {"min": 60.0, "minute": 60.0, "hour": 3600.0, "second": 1.0, "millisecond": 1e-3}
SECONDS |= {"microsecond": 1e-6, "nanosecond": 1e-9}
SECONDS |= {f"{word}s": size for word, size in SECONDS.items() if len(word) > 3}
SPAN = "|".join(sorted(SECONDS, key=len, reverse=True))
_MANY = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "M": 1e6, "k": 1e3}
_IN_WORDS = dict(zip(_ONES.split("|")[1:10], map(float, range(2, 11)), strict=True))
_IN_WORDS |= {"eleven": 11.0, "twelve": 12.0, "sixteen": 16.0, "thirty-two": 32.0, "dozen": 12.0}
_IN_WORDS |= {"half": 1 / 2, "halved": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5}
_IN_WORDS |= {"tenth": 1 / 10, "twice": 2.0, "double": 2.0, "doubled": 2.0, "both": 2.0}
_IN_WORDS |= {"hundred": 100.0, "thousand": 1e3, "seventh": 1 / 7, "eighth": 1 / 8}
AMOUNT = re.compile(
    rf"""(?<![\w.,^-])(?:
    (?P<figure>\d[\d,]*(?:\.\d+)?)(?:e(?P<ten>[+-]?\d{{1,2}}))?
    (?:\^(?P<power>\d{{1,2}})|(?P<small>[²³]))?
    (?:\ ?(?P<many>thousand|million|billion|trillion)\b|\ (?P<short>[Mk])(?![\w/]))?
    (?:[\ -]?(?:(?P<prefix>[kKMGTP]i?|(?:kilo|mega|giga|tera|peta)(?=[bf]))?
        (?P<of>B|[Bb]ytes?|[Bb]its?|b(?=/s)|FLOPS|FLOPs?|flops?|Hz)|(?P<span>{SPAN})
        |(?P<share>%|percent))(?!\w))?
    (?P<rate>\ (?:\w+\ )?(?:per|in\ an?|an?|each|every)\ (?P<word_span>{SPAN}|cycle|clock)\b
        |/(?P<sign_span>{SPAN})(?!\w))?
    | \b(?P<word>{"|".join(sorted(_IN_WORDS, key=len, reverse=True))})\b)""",
    re.VERBOSE,
)
_BY = {"at": -1, "over": -1, "/": -1, "÷": -1, "in": -1, "divided by": -1, "within": -1}
_BY |= {"×": 1, "*": 1, "·": 1, "times": 1, "for": 1, "during": 1}
_ABOUT = re.compile(r"^(?:[~≈<>]|about|under|over|nearly|almost|only|at (?:most|least)|some)\ ?")
# Of these a count says what somebody looked up, or a name stands for a number.
_LOOKED_UP = re.compile(
    r"(?i)\b(?:outputs?|printed|code|counted|table|predicted|figure|range|busiest|sum)\b"
    r"|(?-i:\b[A-Z]{3,}\b(?!/|\ ?[=)]))"
)
# What makes a product with one amount: another in words, or one of the text around.
_BESIDE = re.compile(r"\b(?:over|at|of|times|the same|an?|one|each) [a-z]")
# What follows a number whose unit comes with the next one: 385 − 131 µs, 44.5 over 405 TFLOP/s.
OPEN = re.compile(
    r",?\ ?(?:[-−–/÷,;]|(?:over|less|of|and|to|at|against|beside|or|for|in|a|by)\b|$)", re.VERBOSE
)
_GROUPED = re.compile(r"\(([\d\s.*/+-]+)\)")
_MOST = 6  # numbers of a reason of which every product is tried


class Amount(NamedTuple):
    """A value in plain units, with its powers of bytes and of seconds."""

    value: float
    bytes: int = 0
    seconds: int = 0

    def times(self, other: "Amount", power: int) -> "Amount":
        of = self.bytes + other.bytes * power, self.seconds + other.seconds * power
        return Amount(self.value * other.value**power, *of)


_ADDED = re.compile(r"[+−]|(?<=\d) - (?=\d)|\b(?:and|plus|less|minus|more|besides)\b")


class Said(NamedTuple):
    """The number that a reason must give."""

    amount: Amount
    near: float  # how far off it may be
    share: bool  # whether per cent are meant
    sums: bool  # whether the reason adds or takes off


def otherwise(number: str, how: str) -> str | None:
    """Return what is wrong where the amounts of a reason give another number than the one said.

    A product or a quotient of them has the unit of the number said, or the reason is no such one.
    """
    try:
        return _otherwise(number, how)
    except ArithmeticError:
        return "a reason with numbers that are too large"


def _otherwise(number: str, how: str) -> str | None:
    said = _ABOUT.sub("", number.strip())
    first = AMOUNT.match(said)
    if first is None or first["word"] or len(AMOUNT.findall(said)) != 1 or _value(how) is not None:
        return None
    if "√" in how or re.search(r"\^\d*\.\d", how) or not _figure(first):
        return None
    for written, sign in _SIGNS[:1] + _SIGNS[-2:]:  # of a group in brackets, as Python has them
        how = re.sub(written, sign, how) if "(" in how else how
    how = _GROUPED.sub(lambda group: f"{_value(group[1]) or group[1]}", how)
    parts = [part for part in AMOUNT.finditer(how) if _figure(part)]
    wanted, plain = amount(first), [amount(part) for part in parts]
    figure = wanted[0]
    unit = figure / _figure(first)
    near = max(_NEAR * figure, unit * 10.0 ** -len(first["figure"].partition(".")[2]) / 2)
    bare = wanted[1:] == (0, 0)
    if not bare and len(parts) == 2 and all(part["of"] or part["span"] for part in parts):
        said_by = how[parts[0].end() : parts[1].start()].strip()
        rest = how[: parts[0].start()] + how[parts[1].end() :]
        if said_by in _BY and not re.search(r"\d|[×*·/÷]|\b(?:times|each|of)\b", rest):
            signs = {1, -1} if said_by == "at" else {_BY[said_by]}
            if not any(_product(plain, (1, sign))[1:] == wanted[1:] for sign in signs):
                return "a reason that gives another quantity"
    if not bare and len(parts) == 1 and plain[0][1:] not in {(0, 0), wanted[1:]}:
        inverse = tuple(-power for power in wanted[1:])
        if plain[0][1:] != inverse and not (_LOOKED_UP.search(how) or _BESIDE.search(how)):
            return "a reason that gives another quantity"
    if not 2 <= len(parts) <= _MOST or (bare and _LOOKED_UP.search(how)):
        return None
    shares = re.search(r"%|percent|points", number + how) is not None
    told = Said(wanted, near, shares, _ADDED.search(how) is not None)
    found = list(_products(plain, wanted[1:]))
    if not found or _fits(plain, told):
        return None
    if any(_fits(given, told) for given in _shared(how, parts, plain, wanted)):
        return None
    return _another(min(found, key=lambda value: abs(math.log(value / figure))) / unit, first)


def _another(value: float, said: re.Match) -> str:
    word = said["of"] or said["span"] or ""
    word = f"{said['prefix'] or ''}{word}{said['rate'] or ''}{said['share'] or ''}"
    told = f", {f'{value:.3g} {word}'.strip()}," if 1e-3 < value / _figure(said) < 1e3 else ""
    return f"a reason that gives another number{told}"


_FRACTIONS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7}
_FRACTIONS |= {
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twelfth": 12,
    "sixteenth": 16,
    "twentieth": 20,
}
_SHARE = re.compile(
    rf"(?i)(?<![\w-])(?:(?P<over>{_ONES})[\ -])?(?P<under>{'|'.join(_FRACTIONS)}|halve)s?\b"
)


def in_words(number: str) -> float | None:
    """Return the number that words say, such as two thirds, where they say one alone."""
    if re.search(r"\d", number):
        return None
    if shares := list(_SHARE.finditer(number)):
        over = _IN_WORDS.get((shares[0]["over"] or "").lower(), 1.0)
        under = _FRACTIONS.get(shares[0]["under"].lower(), 2)
        return over / under if len(shares) == 1 else None
    found = re.findall(rf"(?i)(?<![\w-])({'|'.join(_IN_WORDS)})\b", number)
    return _IN_WORDS[found[0].lower()] if len(found) == 1 else None


def _figure(part: re.Match) -> float:
    if part["word"]:
        return _IN_WORDS[part["word"]]
    return float(part["figure"].replace(",", ""))


def amount(part: re.Match) -> Amount:
    """Return an amount in plain units, and its powers of bytes and seconds."""
    value, bytes_, seconds = _figure(part), 0, 0
    if part["word"]:
        return Amount(value)
    value *= 10.0 ** int(part["ten"] or 0)
    value **= int(part["power"] or {"²": 2, "³": 3}.get(part["small"], 1))
    value *= _MANY.get(part["many"] or part["short"], 1)
    if part["of"]:
        value *= PREFIX[part["prefix"] or ""]
        bytes_, seconds = int(part["of"][0] in "Bb"), -int(part["of"] in {"Hz", "FLOPS"})
        value /= 8 if part["of"].rstrip("s").lower() == "bit" or part["of"] == "b" else 1
    elif part["span"]:
        value, seconds = value * SECONDS[part["span"]], 1
    elif part["share"]:
        value /= 100
    if (span := part["word_span"] or part["sign_span"]) in SECONDS:
        value, seconds = value / SECONDS[span], seconds - 1
    return Amount(value, bytes_, seconds)


def _product(amounts: list[Amount], powers: tuple[int, ...]) -> Amount:
    made = Amount(1.0)
    for amount, power in zip(amounts, powers, strict=True):
        made = made.times(amount, power)
    return made


def _products(amounts: list[Amount], wanted: tuple[int, ...]) -> Iterator[float]:
    """Yield the products of two or more amounts that have the wanted powers."""
    for powers in itertools.product((1, -1, 0), repeat=len(amounts)):
        used = len(powers) - powers.count(0)
        if used > 1:
            value, *of = _product(amounts, powers)
            # Of a count, all that is there may be used, as operations over bytes are.
            if tuple(of) == wanted or (wanted == (0, 0) and used == len(amounts)):
                yield value


def _fits(amounts: list[Amount], said: Said) -> bool:
    """Whether the number said is one of the products, or a sum or difference with its unit."""
    figure, *of = said.amount
    alike = [size for size, *its in amounts if its == of]
    values = [*_products(amounts, said.amount[1:]), *alike]
    if said.sums:
        values += [a + b * sign for a in values for b in alike for sign in (1, -1)]
    if of == [0, 0]:
        ones = [size for size, *_ in amounts]
        values += [abs(a - b) / c for a, b, c in itertools.permutations(ones, 3)]
        values += [a / b - 1 for a, b in itertools.permutations(ones, 2)]
        values += [value * by for value in values if said.share for by in (100, 0.01)]
    return any(abs(abs(value) - figure) <= said.near for value in values)


def _shared(
    how: str, parts: list[re.Match], amounts: list[Amount], wanted: Amount
) -> Iterator[list[Amount]]:
    """Yield the amounts with a unit for those that have none: 385 and 131 of 385 − 131 µs."""
    units: set[Amount] = set()
    bare = []
    for n, (part, (size, bytes_, span)) in enumerate(zip(parts, amounts, strict=True)):
        units.add(Amount(size / _figure(part), bytes_, span))
        if (bytes_, span) == (0, 0) and OPEN.match(how, part.end()):
            bare.append(n)
    units.add(Amount(10.0 ** (3 * (math.log10(wanted[0]) // 3)), *wanted[1:]))
    units |= {
        Amount(size, of) for size, of, span in units if span < 0
    }  # its amount, without a rate
    bare = bare[:2] if len(units) > 1 else []
    for chosen in itertools.product(sorted(units), repeat=len(bare)):
        given = list(amounts)
        for n, (scale, bytes_, span) in zip(bare, chosen, strict=True):
            given[n] = Amount(given[n].value * scale, bytes_, span)
        yield given


def _value(how: str) -> float | None:
    """Return what the arithmetic of a reason comes to, or None where it has more than that."""
    for written, sign in _SIGNS:
        how = re.sub(written, sign, how)
    how = re.sub(r"/\s*(\d+/\d+)", r"/(\1)", how)  # over three quarters
    if not _SUM.fullmatch(how.strip()) or len(how) > 200:
        return None
    try:
        tree = ast.parse(how.strip(), mode="eval")
        if any(isinstance(n, ast.Pow) for n in ast.walk(tree)) and re.search(r"\*\*\s*[^23]", how):
            return None
        return float(eval(compile(tree, "", "eval"), {"__builtins__": {}}))
    except (SyntaxError, ArithmeticError, TypeError, ValueError):
        return None


def _same(figure: float, value: float) -> bool:
    """Whether two numbers have the same digits: units and percentages move the point."""
    if figure <= 0 or value <= 0:
        return figure == value
    away = math.log10(figure / value) % 1
    return min(away, 1 - away) < math.log10(1 + _NEAR)
