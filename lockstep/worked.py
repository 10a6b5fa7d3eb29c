"""The reasons of numbers that are worked out: one that claims a measurement is none.

And where a reason is arithmetic of plain numbers, the number follows from it or is refused.
"""

import ast
import math
import re

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


# What units are made of: bytes, operations and seconds. 36 GB at 4 TB/s is a time.
_PREFIX = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_PREFIX |= {f"{p}i": 1024.0**n for n, p in enumerate("KMGTP", start=1)}
_PREFIX |= {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12}
_SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9}
_SECONDS |= {"second": 1.0, "seconds": 1.0, "minutes": 60.0, "min": 60.0, "hours": 3600.0}
_SPAN = "|".join(sorted(_SECONDS, key=len, reverse=True))
_WITH = re.compile(
    rf"(?P<figure>\d[\d.,]*(?<![.,])(?:e\d+)?)\ ?"
    r"(?P<unit>(?P<prefix>[kKMGTP]i?|(?:kilo|mega|giga|tera)(?=b))?(?P<of>B|bytes?|FLOPs?)"
    r"(?P<rate>/s|\ (?:per|a|each)\ second)?"
    rf"|(?P<span>{_SPAN}))(?![\w/])"
)
_BY = {"at": -1, "over": -1, "/": -1, "÷": -1, "in": -1, "divided by": -1, "within": -1}
_BY |= {"×": 1, "*": 1, "·": 1, "times": 1, "for": 1, "during": 1}


def otherwise(number: str, how: str) -> str | None:
    """Return what is wrong where an amount and a rate, or a time, give another number."""
    parts = list(_WITH.finditer(how))
    said = _WITH.fullmatch(re.sub(r"^(?:[~≈]|about)\ ?", "", number.strip()))
    if len(parts) != 2 or said is None:
        return None
    first, second = parts
    by = _BY.get(how[first.end() : second.start()].strip())
    rest = how[: first.start()] + how[second.end() :]
    if by is None or re.search(r"\d|[×*·/÷]|\b(?:times|twice|each|half|of)\b", rest):
        return None
    (here, *left), (there, *right) = _plain(first), _plain(second)
    value, of = here * there**by, [a + by * b for a, b in zip(left, right, strict=True)]
    figure, *wanted = _plain(said)
    if of != wanted:
        return "a reason that gives another quantity"
    unit = figure / _figure(said)
    last = unit * 10.0 ** -len(said["figure"].partition(".")[2])  # of the last digit
    if abs(value - figure) > max(_NEAR * figure, last / 2):
        return f"a reason that gives another number, {value / unit:.3g} {said['unit']},"
    return None


def _figure(part: re.Match) -> float:
    return float(re.sub(r",(?=\d{3})", "", part["figure"]).replace(",", "."))


def _plain(part: re.Match) -> tuple[float, int, int, int]:
    """Return a number in plain units, and its powers of bytes, operations and seconds."""
    if part["span"]:
        return _figure(part) * _SECONDS[part["span"]], 0, 0, 1
    prefix, flops = part["prefix"] or "", "F" in part["of"]
    return _figure(part) * _PREFIX[prefix], not flops, flops, -1 if part["rate"] else 0


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
