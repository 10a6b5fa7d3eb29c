"""Worked numbers whose inputs are measured: they are keys, and the site computes the number.

``[[worked:# %; {bench:a.us} / {bench:b.us} − 1]]``: the braces hold keys, and the ``#`` stand for
the digits of what the formula comes to, in the unit behind them. When a benchmark runs again, the
number and its reason change with the key beside them. Words, such as "a third", stay words and
are held to the formula. A typed input that a key of the same page prints, or once printed, is
refused: that copy would stay when the key changes.
"""

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from lockstep import figures, numbers, worked
from lockstep.block import Page
from lockstep.evidence import Evidence
from lockstep.evidence.records import FIGURES
from lockstep.mistakes import Mistake
from lockstep.worked import INPUT, Amount

DIGITS = re.compile(r"(?P<sign>[-−]?)#(?:,?#)*(?:\.(?P<after>#+))?")
# What stands between the numbers of a formula. A remark comes behind a comma.
_SIGNS = {
    "×": "*",
    "*": "*",
    "·": "*",
    "times": "*",
    "x": "*",
    "/": "/",
    "÷": "/",
    "over": "/",
    "of": "/",
}
_SIGNS |= {"at": "/", "in": "/", "−": "-", "–": "-", "-": "-", "less": "-", "minus": "-", "+": "+"}
_SIGNS |= {"plus": "+", "(": "(", ")": ")"}
_WORD = sorted((sign for sign in _SIGNS if sign.isalpha()), key=len, reverse=True)
_SIGN = re.compile(rf"[×*·/÷−–+()-]|(?:{'|'.join(_WORD)})(?!\w)")
_OPERATIONS = re.compile(r"(?<=\b[kMGT])op/s")
_REMARK = re.compile(r",\s+(?=[^\W\d])")
_MORE = re.compile(r"(?:[×*·/÷−+]|\b(?:times|over|less|minus|plus)\b)\s*[\d{(]")
_NOUN = re.compile(r"\s*(?!(?:and|to|for|with)\b)[a-z][\w-]*")
_PARTS = re.compile(r"\s+and\s+|;\s*")
_ENDS = re.compile(rf"{worked.OPEN.pattern}|\s*[×*·+)]", re.VERBOSE)
_ALIKE = re.compile(r"\s*(?:[−–+-]|\b(?:of|to|less|minus|plus|for)\b)\s*")
_COUNTED = re.compile(r"\)\s*([a-z]\w+)")
_SUM = re.compile(r"[\d\s.,+−–-]+")
_RARE = {"B/s", "kB/s", "FLOP/s", "MFLOP/s", "PFLOP/s"}
_LEAST = 3  # significant digits of a typed number that is told from a constant without its unit
_WORDS = 0.15  # how far off a number in words may be


class Uncomputed(ValueError):
    """A formula that this cannot compute, and why."""


def amount(value: float, unit: str | None) -> Amount:
    """Return a measured number in plain units; a share is the fraction that its record has."""
    found = worked.AMOUNT.fullmatch(f"1 {_OPERATIONS.sub('FLOP/s', unit or '')}")
    if found and not found["share"]:
        scale, *of = worked.amount(found)
        return Amount(value * scale, *of)
    return Amount(value, 0, -1 if (unit or "").endswith("/s") else 0)


def _figure(records: Evidence, key: re.Match) -> tuple[dict, str]:
    row, name = records.figure(key["kind"], key["key"])
    if isinstance(row.get(name), tuple):
        raise Uncomputed(f"has two numbers in {key[0]}: use a field that is one")
    return row, name


def computed(how: str, read: Callable[[re.Match], Amount]) -> Amount:
    """Return what a formula comes to. ``read`` gives a key's value. Raises ``Uncomputed``."""
    tokens: list[Amount | str] = []
    how, *remark = _REMARK.split(_OPERATIONS.sub("FLOP/s", how.strip()), maxsplit=1)
    if remark and _MORE.search(remark[0]):
        raise Uncomputed("has an operation behind a comma, where it is not computed")
    at = 0
    while at < len(how):
        if how[at].isspace():
            at += 1
        elif key := INPUT.match(how, at):
            tokens.append(read(key))
            at = key.end()
        elif sign := _SIGN.match(how, at):
            tokens.append(_SIGNS[sign[0]])
            at = sign.end()
        elif (part := worked.AMOUNT.match(how, at)) and not part["word"]:
            tokens.append(worked.amount(part))
            at = part.end()
            while (noun := _NOUN.match(how, at)) and noun[0].strip() not in _SIGNS:
                at = noun.end()  # what is counted: 132 multiprocessors
        else:
            raise Uncomputed(f"cannot be computed from {how[at:]!r} on")
    tokens.append("")
    value, rest = _sum(tokens, 0)
    if tokens[rest]:
        raise Uncomputed("lacks an operation between two numbers")
    return value


def _added(value: Amount, other: Amount, sign: int) -> Amount:
    if value[1:] != other[1:]:
        raise Uncomputed("adds what has different units")
    return value._replace(value=value.value + sign * other.value)


def _sum(tokens: list[Amount | str], at: int) -> tuple[Amount, int]:
    value, at = _product(tokens, at)
    while tokens[at] in ("+", "-"):
        more, end = _product(tokens, at + 1)
        value, at = _added(value, more, 1 if tokens[at] == "+" else -1), end
    return value, at


def _product(tokens: list[Amount | str], at: int) -> tuple[Amount, int]:
    value, at = _one(tokens, at)
    while tokens[at] in ("*", "/"):
        more, end = _one(tokens, at + 1)
        if tokens[at] == "/" and not more.value:
            raise Uncomputed("divides by zero")
        value, at = value.times(more, 1 if tokens[at] == "*" else -1), end
    return value, at


def _one(tokens: list[Amount | str], at: int) -> tuple[Amount, int]:
    token = tokens[at]
    if isinstance(token, Amount):
        return token, at + 1
    if token != "(":
        raise Uncomputed("lacks a number beside an operation")
    value, at = _sum(tokens, at + 1)
    if tokens[at] != ")":
        raise Uncomputed("lacks a bracket")
    return value, at + 1


def _filled(number: str, how: str, read: Callable[[re.Match], Amount]) -> str:
    """Return a number with digits in the place of each ``#``. Raises ``Uncomputed``."""
    patterns = list(DIGITS.finditer(number))
    formulas = _PARTS.split(how.strip()) if len(patterns) > 1 else [how]
    if len(formulas) < len(patterns):
        raise Uncomputed(f"has {len(patterns)} numbers to fill, and {len(formulas)} formulas")
    said, last = "", 0
    ends = [*(pattern.start() for pattern in patterns[1:]), len(number)]
    for n, (pattern, formula, end) in enumerate(zip(patterns, formulas, ends, strict=False)):
        value = computed(formula, read)
        behind = number[pattern.end() : end]
        for m in range(n + 1, len(patterns)):  # 5 to 6 %: the unit comes with the last one
            if not _unit(behind):
                behind = number[patterns[m].end() :]
        unit = _unit(behind)
        plain = worked.amount(unit) if unit else Amount(1.0)
        if value[1:] != plain[1:]:
            raise Uncomputed("comes to another quantity than the unit behind #")
        figure = value.value / plain.value * (-1 if pattern["sign"] else 1)
        text = f"{figure:,.{len(pattern['after'] or '')}f}"
        if figure < 0:
            raise Uncomputed(f"comes to {text}, below zero: what the sentence says no longer holds")
        if not text.strip("0.") and figure:
            raise Uncomputed(f"comes to {figure:.2g}, and {pattern[0]} has no digit for it")
        said += number[last : pattern.start()] + pattern["sign"] + text
        last = pattern.end()
    return said + number[last:]


def _unit(behind: str) -> re.Match | None:
    found = worked.AMOUNT.match("1" + behind)
    return (
        found
        if found and (found["of"] or found["span"] or found["share"] or found["rate"])
        else None
    )


def said(
    records: Evidence, number: str, how: str, usual: str | None = None
) -> tuple[str, str, bool]:
    """Return a worked number, its reason with the values of its keys, and whether all are fresh.

    The reason's values have as many digits as give the number again. Raises ``KeyError`` for a key
    that no row has, and ``Uncomputed``.
    """
    number, how = number.strip(), how.strip()
    keys = {key[0]: _figure(records, key) for key in INPUT.finditer(how)}
    if not all(row["fresh"] for row, _ in keys.values()):
        return figures.awaited(records), "", False

    def read(key: re.Match, digits: int = 17) -> Amount:
        row, name = keys[key[0]]
        value = row[name]
        rounded = value if isinstance(value, int) else float(f"{value:.{digits}g}")
        return amount(rounded, figures.unit_of(row, name))

    text, digits = number, figures.SIGNIFICANT
    if keys and DIGITS.search(number):
        text = _filled(number, how, read)
        while digits < 6 and text != _or_none(number, how, lambda key: read(key, digits)):  # noqa: B023
            digits += 1
    of = {figures.device(records, row, usual) for row, _ in keys.values()}

    def printed(key: re.Match) -> str:
        row, name = keys[key[0]]
        value = figures.quantity(row[name], figures.unit_of(row, name), digits)
        return value + figures.device(records, row, usual)

    if DIGITS.search(number):
        text += "".join(sorted(of))
    return text, INPUT.sub(printed, how), True


def _or_none(number: str, how: str, read: Callable[[re.Match], Amount]) -> str | None:
    try:
        return _filled(number, how, read)
    except Uncomputed:
        return None


def plain(records: Evidence, text: str, usual: str | None, draft: bool) -> str:
    """Return prose whose worked numbers are plain text. In a draft, one without its keys says so.

    Raises ``KeyError`` and ``Uncomputed``.
    """

    def number(found: re.Match) -> str:
        try:
            return said(records, found["number"], found["how"], usual)[0]
        except (KeyError, Uncomputed):
            if not draft:
                raise
            return f"⟨{found['number']}⟩ not measured"

    return numbers.WORKED.sub(number, text)


# ---------------------------------------------------------------- rules


class Printed(NamedTuple):
    """A key of a page: what it prints, and the values that it has and had, in each unit."""

    key: str
    text: str
    now: list[tuple[float, str]]
    before: list[tuple[str, list[tuple[float, str]]]]


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield what is wrong with the worked numbers of a page and their inputs."""
    keys: dict[str, Printed] | None = None
    inside = False
    for number, line in enumerate(page.body.split("\n"), start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        if inside or "[[worked:" not in line:
            continue
        at = page.at(number)
        for piece, is_prose in figures.outside_code(line):
            for mark in numbers.WORKED.finditer(piece) if is_prose else ():
                if keys is None:
                    keys = _keys(page.body, records) | _computed(page.body, records)
                typed = [*_inputs(mark, keys.values()), *_factors(mark, page)]
                for what, mend in [*typed, *_bound(mark, records)]:
                    yield Mistake(page.path, at, f"{what}, in {mark[0]}", mend)


# A share or a factor of one digit or two, which no unit and no noun follows: 0.9, 1.4, 0.02.
_FACTOR = re.compile(r"(?<![\w.,^-])(?P<figure>0?\.0*\d{1,2}|\d\.\d)(?![\w.,])(?!\s*[a-zA-Zµ%])")


def _factors(mark: re.Match, page: Page) -> Iterator[tuple[str, str]]:
    """Find a factor that somebody chose, among measured numbers: nothing on the page gives it."""
    formula = _REMARK.split(mark["how"], maxsplit=1)[0]
    if not INPUT.search(formula):
        return
    factors = [*_FACTOR.finditer(INPUT.sub(lambda key: "k" * len(key[0]), formula))]
    if not factors:
        return
    around = numbers.WORKED.sub(lambda other: f" {other['number']} ", page.body)
    shown = [block.text for block in page.blocks]
    for found in factors:
        figure = found["figure"]
        said = "|".join((re.escape(figure), rf"{float(figure) * 100:g}\s?%"))
        if not any(re.search(rf"(?<![\d.])(?:{said})(?!\d)", text) for text in (around, *shown)):
            what = f"{figure!r} is a factor that nothing on this page gives"
            yield what, "make it a key, {bench:ID.FIELD}, or show what it follows from"


def _bound(mark: re.Match, records: Evidence) -> Iterator[tuple[str, str]]:
    """Find a key that is none, a number that cannot be computed, and words that say another."""
    digits = DIGITS.search(mark["number"])
    if not INPUT.search(mark["how"]):
        if digits:
            yield "# stands for digits, and no key says which", "write {bench:ID.FIELD} there"
        return
    try:
        text, how, fresh = said(records, mark["number"], mark["how"])
    except KeyError:
        return  # figures.unknown says so
    except Uncomputed as error:
        yield f"the formula {error}", "write it as arithmetic, and remarks behind a comma"
        return
    if not fresh or digits:
        return
    if re.search(r"\d", text):
        mend = "write # for each of its digits, as in #.# %: the site computes it"
        yield f"{text!r} is typed, and follows from measured numbers", mend
        return
    words = worked.in_words(text)
    try:
        value, *of = computed(mark["how"], lambda key: amount_of(records, key))
    except Uncomputed:
        words = None
    if words is not None and (span := re.search(rf"\b({worked.SPAN})\b", text)):  # a third of a ms
        words, of = words * worked.SECONDS[span[1]], [0, 0] if of == [0, 1] else of
    if words is not None and of == [0, 0]:
        ones = (value, value - 1, 1 - value, 1 / value if value else 0)
        if not any(abs(one - words) <= _WORDS * words for one in ones):
            yield f"{text!r} is said, and the formula comes to {value:.3g}", "say what it comes to"
    elif what := worked.unfounded(text, how):
        yield what, "say how the number follows, or measure it and pull it by key"


def amount_of(records: Evidence, key: re.Match) -> Amount:
    row, name = _figure(records, key)
    return amount(row[name], figures.unit_of(row, name))


def _inputs(mark: re.Match, keys: Collection[Printed]) -> Iterator[tuple[str, str]]:
    """Find typed inputs that a key of the page prints, or printed before it ran again."""
    if worked.PRINTED.search(mark["how"]):  # of a block's output, which stands on the page
        return
    how = INPUT.sub(lambda key: " " * len(key[0]), mark["how"])
    parts = [part for part in worked.AMOUNT.finditer(how) if not part["word"]]
    own = _formula(mark)
    for n, part in enumerate(parts):
        if part["ten"] or part["power"] or part["small"] or part["many"]:
            continue
        if not (typed := _typed(mark["number"], how, parts[n:])):
            continue
        now = [key for key in keys if typed.same(key.text, key.now)]
        if now := [key for key in now if key.key[0] != "(" or (typed.units and key.key != own)]:
            named = " or ".join(f"{{{k.key}}}" if k.key[0] != "(" else k.key for k in now[:3])
            what = f"{part[0].strip()!r} is typed, and a key of this page prints it"
            yield what, f"write {named} in its place, and # for each digit of the number"
            continue
        for key in keys:
            if old := next((text for text, had in key.before if typed.same(text, had)), None):
                what = f"{part[0].strip()!r} is out of date: {key.key} printed {old} before"
                yield f"{what}, and prints {key.text} now", f"write {{{key.key}}} in its place"
                break


class Typed(NamedTuple):
    """A typed input that may be a measured number."""

    value: float
    near: float  # how far off it may be rounded
    told: bool  # or it may be a constant, and only what a key prints is one
    looks: str  # as a key would print it
    units: set[str]  # that it may have; empty: any

    def same(self, text: str, values: list[tuple[float, str]]) -> bool:
        return (self.told or text == self.looks) and any(
            abs(value - self.value) <= self.near
            and (
                not self.units or unit in self.units or f"/{unit.rpartition('/')[2]}" in self.units
            )
            for value, unit in values
        )


def _typed(number: str, how: str, parts: list[re.Match]) -> Typed | None:
    """Return what the first of some numbers of a reason may be, or None for a constant."""
    part = parts[0]
    figure, unit = part["figure"].replace(",", ""), _unit_of(part)
    after = len(figure.partition(".")[2])
    value = float(figure)
    told = len(figure.replace(".", "").lstrip("0") if after else figure.strip("0")) >= _LEAST
    if not after and value > 0 and math.log2(value).is_integer():  # as sizes are
        return None
    if not unit and not (told and _ENDS.match(how, part.end())):  # 132 multiprocessors
        return None
    units = {unit} if unit else _shared(number, how, parts, not after)
    looks = f"{part['figure']}{figures.SPACE}{unit}"
    return Typed(value, 0.5000001 * 10.0**-after, told, looks, units)


def _shared(number: str, how: str, parts: list[re.Match], whole: bool) -> set[str]:
    """Return the units that a number without one may have, or an empty set for any.

    385 of 385 − 131 µs is a time, and 832 of 832 of 1,856 cycles a count. A sum has the unit of
    what it makes, and so has a whole number that is multiplied, or it is a count.
    """
    told = re.search(r"\d[\d.,]*\s*(?P<unit>[^\s\d,]+)?$", number.strip())
    made = {told["unit"] or ""} if told else set()
    made |= {""} if "%" in made else set()
    first = parts[0]
    if (noun := _COUNTED.match(how, first.end())) and noun[1] not in _SIGNS:
        return {noun[1]}
    before, behind = how[: first.start()].rstrip()[-1:], how[first.end() :].lstrip()[:1]
    if whole and ({before, behind} & {*"×*·"}):
        return made or {""}
    for part, following in itertools.pairwise(parts):
        if not _ALIKE.fullmatch(how[part.end() : following.start()]):
            break
        noun = _NOUN.match(how, following.end())
        if unit := _unit_of(following) or (noun[0].strip() if noun else ""):
            if unit not in _SIGNS:
                return {unit}
    if _SUM.fullmatch(how):
        return made
    units = {_unit_of(found) for found in worked.AMOUNT.finditer(f"{number}; {how}")} - {"", "%"}
    scales = [scale for scale in figures.SCALES if units & scale.keys()]
    if units and units <= set().union(*scales):  # 4.24 over 4.8 TB/s is no latency in cycles
        return {"", "%"}.union(*scales)
    return set()


def _unit_of(part: re.Match) -> str:
    """Return the unit of a typed number as a key prints it, or "" for none."""
    unit = part["share"] or f"{part['prefix'] or ''}{part['of'] or part['span'] or ''}"
    if span := part["sign_span"] or part["word_span"]:
        unit += f"/{'s' if span == 'second' else span}"
    return {"us": "µs", "μs": "µs", "percent": "%"}.get(unit, unit.replace("FLOPS", "FLOP/s"))


def _keys(body: str, records: Evidence) -> dict[str, Printed]:
    """Return the keys of a page with a unit, or that are no whole number: those are counts."""
    found: dict[str, Printed] = {}
    for pattern in (figures.KEY, INPUT):
        for key in pattern.finditer(body):
            name = f"{key['kind']}:{key['key']}"
            if name in found:
                continue
            try:
                row, field = _figure(records, key)
            except (KeyError, Uncomputed):
                continue
            unit = None if "planned" in row else figures.unit_of(row, field)
            if "planned" in row or (not unit and isinstance(row[field], int)):
                continue
            had = [
                (figures.quantity(value, unit), _scaled(value, unit))
                for point in row.get("history", ())
                for figure in FIGURES
                if figure in point and (figure == field or row.get(figure) == row[field])
                for value in [point[figure]]
            ]
            text = figures.quantity(row[field], unit)
            found[name] = Printed(name, text, _scaled(row[field], unit), had)
    return found


def _formula(mark: re.Match) -> str:
    """Return the formula of a worked number, in brackets, as another may hold it."""
    return f"({_REMARK.split(mark['how'].strip(), maxsplit=1)[0]})"


def _computed(body: str, records: Evidence) -> dict[str, Printed]:
    """Return what the worked numbers of a page come to, by their formula, where it has a unit."""
    found: dict[str, Printed] = {}
    for mark in numbers.WORKED.finditer(body) if "{" in body else ():
        if not (INPUT.search(mark["how"]) and DIGITS.search(mark["number"])):
            continue
        try:
            text, _, fresh = said(records, mark["number"], mark["how"])
        except (KeyError, Uncomputed):
            continue
        part = worked.AMOUNT.search(text)
        if fresh and part and not part["word"] and (unit := _unit_of(part)) not in ("", "%"):
            how = _formula(mark)
            value = float(part["figure"].replace(",", ""))
            text = f"{part['figure']}{figures.SPACE}{unit}"
            found[how] = Printed(how, text, _scaled(value, unit), [])
    return found


def _scaled(value: float, unit: str | None) -> list[tuple[float, str]]:
    """Return a value in each unit that it may be written in."""
    unit = "µs" if unit == "us" else unit or ""
    for scale in figures.SCALES:
        if unit in scale:
            return [
                (value * scale[unit] / size, name)
                for name, size in scale.items()
                if name not in _RARE
            ]
    return [(100 * value, "%"), (value, "")] if unit in {"%", "", "ratio"} else [(value, unit)]
