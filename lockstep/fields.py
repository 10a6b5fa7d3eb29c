"""Fields of a record against the words beside them, and the keys inside of formulas.

A record has figures of its own, of a reference, and of a copy. Whoever writes one of those for
another writes the right name and the wrong side. So a field of the reference has the reference's
name in its row or the head of its column, and a share says of what. In a column of formulas each
row's takes its numbers from the same cells as those of the other rows do. A quotient of two keys
is of two that differ in one word, where the records have those.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator

from lockstep import figures, numbers, tabled, worked
from lockstep.block import Page
from lockstep.english import SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import stems
from lockstep.mistakes import Mistake
from lockstep.nearest import NOT, TURN, Key, in_place, keys_of, knows, named, variant

MEND = "use the field of what its row, its column or its words name, or name what the key has"
_SIDE = re.compile(r"(?P<side>reference|copy|cublas|cufft)_(?!share|spread|error)\w+$|reference$")
_OTHERS = re.compile(r"\.(?:reference|copy_|cublas_|cufft_)")
# What names a side, whatever the record calls it.
_SIDES = {
    "reference": re.compile(r"(?i)\b(?:theirs?|librar(?:y|ies)|references?|its own|against)\b"),
    "copy": re.compile(r"(?i)\bcop(?:y|ies|ied)\b|memory|bandwidth|limit|\bpar\b"),
    "cublas": re.compile(r"(?i)cublas"),
    "cufft": re.compile(r"(?i)cufft"),
}


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield the keys of a page whose field, or whose place in a formula, is another's."""
    if "[[" not in page.body:
        return
    inside = False
    table: list[tuple[int, str]] = []
    title = ""  # of the box that a line stands in
    for number, line in enumerate([*page.body.split("\n"), ""], start=page.body_line):
        start = line.lstrip()[:3]
        inside ^= start == "```"
        if start[:1] == "|" and not inside:
            table.append((number, line))
            continue
        if table and any(_OTHERS.search(row) or "{" in row for _, row in table):
            for at, what in _table(table, str(page.meta.get("title")), records):
                yield Mistake(page.path, page.at(at), what, MEND)
        table = []
        if start and line[0] != " ":
            title = line if start == "???" else ""
        if "[[" in line and not inside:
            for what in _prose(line, title, records):
                yield Mistake(page.path, page.at(number), what, MEND)


# ---------------------------------------------------------------- tables


def _table(rows: list[tuple[int, str]], title: str, records: Evidence) -> Iterator[tuple[int, str]]:
    """``title``: of the page, which may be on the reference."""
    cells = [tabled.cells(row) for _, row in rows]
    heads = cells[0]
    for (at, _), row in zip(rows[2:], cells[2:], strict=True):
        label = " ".join(cell for cell in row if "[[" not in cell)
        for head, cell in zip(heads, row, strict=False):
            for key in keys_of(cell, records) if "[[" in cell else ():
                if what := _other_side(key, f"{label} {head} {figures.KEY.sub('', cell)} {title}"):
                    yield at, what
    if any("{" in row for _, row in rows):
        yield from _formulas(rows, cells)


def _other_side(key: Key, words: str) -> str | None:
    """Return what is wrong with a field of a side that neither its row nor its column names."""
    found = _SIDE.match(key.field)
    if not found:
        return None
    side = found["side"] or "reference"
    name = str(key.row.get("reference_name", "")) if side == "reference" else side
    if (
        not name
        or _SIDES[side].search(words)
        or any(knows(key.row, key.field, said) for said in named(words))
    ):
        return None
    if any(word.startswith(tuple(stems(words))) for word in stems(name)):
        return None
    if any(word in words for word in re.findall(r"\b[A-Z]\w{3,}", name)):
        return None
    return f"{key.said} is of {name}, and neither its row nor its column names that"


_SLOT = re.compile(rf"{worked.INPUT.pattern}|(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.])")


def _formulas(rows: list[tuple[int, str]], cells: list[list[str]]) -> Iterator[tuple[int, str]]:
    """Yield the rows whose formula takes a number from elsewhere than those of the others do."""
    for column in range(max(map(len, cells), default=0)):
        shapes: dict[str, list[tuple[int, list[str], list[str]]]] = {}
        for (at, _), row in zip(rows[2:], cells[2:], strict=True):
            made = numbers.WORKED.search(row[column]) if column < len(row) else None
            if made and worked.INPUT.search(made["how"]):
                slots = [found[0] for found in _SLOT.finditer(made["how"])]
                others = [*row[:column], *row[column + 1 :]]
                shapes.setdefault(_SLOT.sub("#", made["how"]), []).append((at, slots, others))
        for alike in shapes.values():
            if len(alike) > 2:
                yield from _taken(alike)


def _taken(alike: list[tuple[int, list[str], list[str]]]) -> Iterator[tuple[int, str]]:
    """Yield the rows of which a slot is not from the cell where most of the others have it."""
    for slot in range(len(alike[0][1])):
        places: Counter[int] = Counter()
        for _, slots, others in alike:
            places.update(n for n, cell in enumerate(others) if _is(slots[slot], cell))
        place, count = places.most_common(1)[0] if places else (0, 0)
        if count < 2 or count < len(alike) - 1:
            continue
        for at, slots, others in alike:
            if not _is(slots[slot], others[place]):
                what = f"{slots[slot]} in the formula is not the {others[place]} of its row"
                yield at, f"{what}, from which the other rows take theirs"


def _is(slot: str, cell: str) -> bool:
    key = figures.KEY.fullmatch(cell.strip(" *"))
    return slot == (f"{{{key['kind']}:{key['key']}}}" if key else cell.strip(" *"))


# ---------------------------------------------------------------- prose

_OF = re.compile(r"[\s\u00a0*_]*(?:of|to)\s+(?P<what>[^.,;:()\ufffc|]{2,60})")
_ITS = re.compile(r"(?i)^(?:it|that|this|them|what|which|those|these|the (?:time|whole|sum))\b")
_COPY = re.compile(
    r"(?i)cop(?:y|ies|ied)|memory|bandwidth|HBM|limit|hardware|reads?\b|device|par\b"
)


def _prose(line: str, title: str, records: Evidence) -> Iterator[str]:
    """``title``: of the box that a line stands in, and which its first number answers."""
    sentences = SENTENCE.split(line) if _ASKS.search(line) else []
    for label, sentence in zip([title, *sentences], sentences, strict=False):
        if not _ASKS.search(sentence):
            continue
        text = in_place(sentence)
        for key in keys_of(sentence, records):
            if what := _of_what(key, text):
                yield what
        made = [w for w in numbers.WORKED.finditer(sentence) if "{" in w["how"]]
        inputs = [(found, _inputs(found, records)) for found in made]
        said = {k.rpartition(".")[0] or k for _, k in figures.KEY.findall(sentence)}
        said |= {str(key.row["id"]) for _, keys in inputs for key in keys}
        for found, keys in inputs:
            if what := _crossed(found, [str(key.row["id"]) for key in keys], records):
                yield what
            before = text[: found.start()]
            if not re.search(r"[A-Za-z]{3}", before) and (label is title or label.endswith(":")):
                before = _PAUSE.sub(" ", label.partition(": ")[0])
                for key in keys:
                    yield from variant(key, before, "", said, records)
            if what := _another(found, before, said, records):
                yield what


_ASKS = re.compile(r"_share\]\]|\.spread\]\]|\{(?:bench|micro):")


_PAUSE = re.compile(r"[:;()]")


def _of_what(key: Key, text: str) -> str | None:
    """Return what is wrong with what a share is said to be of."""
    found = _OF.match(text, key.end)
    if not found or _ITS.match(found["what"]):
        return None
    what, name = found["what"], str(key.row.get("reference_name", ""))
    if key.field == "copy_share" and not (
        _COPY.search(what) or re.search(r"(?i)\bcop(?:y|ies)\b", text[: key.start])
    ):
        return f"{key.said} is a share of a copy's rate, and the words behind it say of {what!r}"
    if key.field == "reference_share" and re.match(r"(?:a|the|its|our) (?:device )?copy\b", what):
        if "cop" not in name.lower():
            return f"{key.said} is a share of {name}, and the words behind it say of {what!r}"
    if key.field.endswith("spread"):
        return f"{key.said} says how far runs lay apart, and the words behind it say of {what!r}"
    return None


def _inputs(found: re.Match, records: Evidence) -> list[Key]:
    keys = []
    for one in worked.INPUT.finditer(found["how"]):
        try:
            row, name = records.figure(one["kind"], one["key"])
        except KeyError:
            continue  # whoever reads the page says so
        if "planned" not in row:
            keys.append(Key(one[0], row, name, found.start(), found.end()))
    return keys


@functools.lru_cache(maxsize=4)
def _names(records: Evidence) -> frozenset[str]:
    kinds = ("benchmarks", "microbenchmarks")
    return frozenset(str(row["id"]) for kind in kinds for row in records.every(kind))


_QUOTIENT = re.compile(
    rf"\s*(?:#[\s\S]*?;)?\s*{worked.INPUT.pattern}\s*(?:/|over|÷)\s*"
    rf"{worked.INPUT.pattern.replace('?P<kind>', '').replace('?P<key>', '')}"
)


def _crossed(found: re.Match, names: list[str], records: Evidence) -> str | None:
    """Return what is wrong with a quotient of two that differ in two words at once.

    Where the records have both ways of changing one word alone, one of them was meant.
    """
    if len(names) != 2 or not _QUOTIENT.match(found["how"]):
        return None
    one, other = (name.split("-") for name in names)
    if one[0] == other[0]:
        return None
    known = _names(records)
    here, there = "-".join([one[0], *other[1:]]), "-".join([other[0], *one[1:]])
    if one[1:] == other[1:] or not {here, there} <= known:
        return None
    return f"{found[0]} divides {names[0]} by {names[1]}, which differ in two things"


@functools.lru_cache(maxsize=4)
def _families(records: Evidence) -> dict[str, frozenset[str]]:
    """Return for each name what others begin with that go on as it does: gather-, scatter-."""
    rest: dict[str, set[str]] = {}
    for name in _names(records):
        first, _, more = name.partition("-")
        rest.setdefault(more, set()).add(first)
    return {
        f"{first}-{more}": frozenset(firsts - {first})
        for more, firsts in rest.items()
        if more
        for first in firsts
    }


def _another(found: re.Match, before: str, said: set[str], records: Evidence) -> str | None:
    """Return what is wrong where the words before a formula name another family than its keys."""
    names = {one["key"].rpartition(".")[0] or one["key"]
             for one in worked.INPUT.finditer(found["how"])}  # fmt: skip
    last = TURN.split(before)[-1]
    words = stems(NOT.sub(" ", last))
    own = {first for name in said for first in name.split("-")}
    for name in sorted(names):
        for other in sorted(_families(records).get(name, ())):
            if other not in own and len(other) > 3 and stems(other) and stems(other) <= words:
                if not stems(name.partition("-")[0]) & stems(before):
                    return f"{found[0]} is of {name}, and the words before it say {other}"
    return None
