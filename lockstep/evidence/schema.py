"""What a record may hold: the one place where a file of evidence is looked at before it is used.

``parse`` reads JSON strictly, ``hold`` compares it with its shape and says what does not fit and
where it stands, so that nothing behind this meets a text where it counts, or a number that is none.
"""

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Place = tuple[str | int, ...]  # the keys and the indices that lead to a value
Check = Callable[[Any], Iterator[tuple[Place, str]]]
LONGEST = 60  # characters of a value in a message


class Malformed(ValueError):
    """This is no record, and why. ``place`` is where, ``line`` the line where the text has one."""

    def __init__(self, what: str, place: Place = (), line: int | None = None):
        super().__init__(what)
        self.what, self.place, self.line = what, place, line


# ---------------------------------------------------------------- JSON


def parse(text: str) -> Any:
    """Return what a text of JSON says. Raises ``Malformed``."""

    def once(pairs: list[tuple[str, Any]]) -> dict:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            key = re.escape(json.dumps(next(k for k in keys if keys.count(k) > 1))[1:-1])
            both = rf'"{key}"\s*:[^{{}}]*"{key}"\s*:'
            raise Malformed(f"the key {key} is there twice", line=line(both))
        return found

    def no_number(name: str) -> float:
        raise Malformed(f"{name} is no number", line=line(re.escape(name)))

    def number(digits: str) -> float:
        return float(digits) if abs(float(digits)) < math.inf else no_number(digits)

    def line(words: str) -> int:
        found = re.search(words, text)
        return text.count("\n", 0, found.end()) + 1 if found else 1

    try:
        found = json.loads(
            text, object_pairs_hook=once, parse_constant=no_number, parse_float=number
        )
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError as error:
        raise Malformed(f"this is not JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise Malformed("half of a character", line=line(r"\\ud[89a-f]")) from None


def line_of(text: str, place: Place) -> int:
    """Return the line of a text of JSON that a value stands in; of a missing one, its parent's."""
    at, decoder = _skip(text, 0), json.JSONDecoder()
    try:
        for key in place:
            at = _inside(text, at, key, decoder)
    except (ValueError, LookupError):
        pass  # it is not there
    return text.count("\n", 0, at) + 1


def _skip(text: str, at: int) -> int:
    match = re.compile(r"[\s,:]*").match(text, at)
    return match.end() if match else at


def _inside(text: str, at: int, wanted: str | int, decoder: json.JSONDecoder) -> int:
    """Return where a value of the object or the list at a place begins."""
    opened, number = text[at], 0
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        key: str | int = number
        if opened == "{":
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
        if key == wanted:
            return at
        at = _skip(text, decoder.raw_decode(text, at)[1])
        number += 1
    raise LookupError(wanted)


# ---------------------------------------------------------------- shapes


def _one(what: str, holds: Callable[[Any], bool]) -> Check:
    def check(value: Any) -> Iterator[tuple[Place, str]]:
        if not holds(value):
            said = json.dumps(value, ensure_ascii=False)
            said = f"{said[:LONGEST]}..." if len(said) > LONGEST else said
            yield (), f"{said} is not {what}"

    return check


LIST = _one("a list", lambda value: isinstance(value, list))
OBJECT = _one("an object", lambda value: isinstance(value, dict))


def _all(whole: Check, inside: Callable[[Any], Iterable[tuple]], of: Check) -> Check:
    """A value, and all that is inside of it."""

    def check(value: Any) -> Iterator[tuple[Place, str]]:
        wrong = [*whole(value)]
        yield from wrong
        for key, inner in () if wrong else inside(value):
            yield from (((key, *place), what) for place, what in of(inner))

    return check


def _each(of: Check) -> Check:
    return _all(LIST, enumerate, of)


def _named(of: Check) -> Check:
    return _all(OBJECT, dict.items, of)


def _has(needs: dict[str, Check], may: dict[str, Check], others: bool = False) -> Check:
    """An object with some keys. ``others``: and whatever else."""
    known = needs | may

    def check(value: Any) -> Iterator[tuple[Place, str]]:
        if wrong := [*OBJECT(value)]:
            yield from wrong
            return
        for key in needs.keys() - value.keys():
            yield (), f"it has no {key}"
        for key, inner in value.items():
            if key in known:
                yield from (((key, *place), what) for place, what in known[key](inner))
            elif not others:
                yield (key,), f"{key} is no key of it"

    return check


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _date(value: Any) -> bool:
    try:
        return datetime.date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False


def _ran_of(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_count, value))


def _lines(value: Any) -> bool:
    whole = isinstance(value, list) and value and all(map(_count, value))
    return bool(whole) and value[0] > 0 and value == sorted(set(value))


def _part(value: Any) -> bool:
    pair = isinstance(value, list) and len(value) == 2
    return pair and _count(value[0]) and value[0] > 0 and isinstance(value[1], str)


# One word, or one per another: no number, no blank and no markup, which would be part of a figure.
UNIT = _one(
    "a unit, such as GB/s or us",
    lambda value: (
        isinstance(value, str)
        and re.fullmatch(r"|%|°C|[A-Za-zµμ]{1,12}(?:/[A-Za-zµμ]{1,12})?", value) is not None
    ),
)
TEXT = _one("a text", lambda value: isinstance(value, str))
MAYBE = _one("a text", lambda value: value is None or isinstance(value, str))
NUMBER = _one("a number", _number)
COUNT = _one("a count", _count)
DATE = _one("a date such as 2026-01-31", _date)
RAN_OF = _one("two counts: how many ran, and of how many", _ran_of)
LINES = _one("a list of the block's lines, in order and each once", _lines)
PART = _one("a line of the block and a text", _part)
BOOL = _one("true or false", lambda value: isinstance(value, bool))
OUTCOMES = "passed compiled stand-in read written shown recorded".split() + ["not run"]
OUTCOME = _one(f"one of {', '.join(OUTCOMES)}", lambda value: value in OUTCOMES)

DEVICE = _has({"name": TEXT}, {"count": COUNT}, others=True)
ENVIRONMENT = {"device": DEVICE, "packages": _named(TEXT), "python": TEXT}
UNDER = _has(ENVIRONMENT, {})
# Of a block in a run. ``not_run`` and ``idle`` are in lines of the block, whose hash is beside
# them: those of the file move when somebody writes above them.
BLOCK = {"source": TEXT, "section": MAYBE, "language": MAYBE, "sha256": TEXT}
RAN: dict[str, Check] = {
    "seconds": NUMBER, "lines": RAN_OF, "not_run": LINES, "parts": RAN_OF, "idle": _each(PART),
    "kernels": _named(BOOL), "reason": TEXT, "for": _each(TEXT),
}  # fmt: skip
_RAN = {"outcome": OUTCOME}
_HASHED = {"language": MAYBE, "sha256": TEXT}
_ROW = _has(_HASHED | {"runs": _named(_has(_RAN, RAN | BLOCK))}, BLOCK)
RUN = {"outcome": TEXT, "date": DATE}
NOTED = {"outputs": _named(TEXT), "machine": TEXT}
HEAD = {"page": TEXT, "sha256": TEXT, "schema": COUNT}
_RUN = _has(RUN | {"environment": TEXT}, NOTED)
PAGE = _has(HEAD | {"runs": _named(_RUN), "blocks": _each(_ROW)}, {"date": DATE, "seal": TEXT})
# Of the format before, which repeated the environment in each run.
_BLOCKS = _each(_has(_HASHED | _RAN, RAN | BLOCK))
_OLD_RUN = _has(RUN | ENVIRONMENT | {"target": TEXT, "blocks": _BLOCKS}, NOTED)
OLD_PAGE = _has(HEAD | {"runs": _each(_OLD_RUN)}, {"date": DATE})

FIGURES = {"ours": NUMBER, "reference": NUMBER, "value": NUMBER}
AGAIN = _has({}, FIGURES | {"date": DATE, "spread": NUMBER}, others=True)
ROW = _has(
    {"id": TEXT, "kernel": TEXT, "sha256": TEXT, "unit": UNIT},
    FIGURES
    | {key: TEXT for key in "what title method reference_name dtype".split()}
    | {key: NUMBER for key in "ratio us gbps tflops bytes flops repeats spread".split()}
    | {"terms": _each(TEXT), "again": _each(AGAIN), "history": _each(AGAIN)},
    others=True,
)
CODE = {"kernel": TEXT, "sha256": TEXT}  # what the first points do not say
POINT = _has({"id": TEXT, "unit": UNIT, "date": DATE}, FIGURES | CODE, others=True)
SOURCES = {"schema": COUNT, "sources": _named(TEXT), "date": DATE} | ENVIRONMENT
RECORD = _has(SOURCES, {}, others=True)
MEASURED = _has(SOURCES | {"script": TEXT, "rows": _each(ROW)}, {}, others=True)


def hold(record: Any, check: Check) -> None:
    """Raise ``Malformed`` for the first thing of a record that is not as it must be."""
    for place, what in check(record):
        said = ".".join(str(key) for key in place)
        raise Malformed(f"{said}: {what}" if said else what, place)
