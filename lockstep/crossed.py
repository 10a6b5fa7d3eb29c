"""Keys at each other's place: two figures of a table or a sentence, and the words say it otherwise.

Every rule of ``fitting`` looks at one key and its words, so two keys of one kernel that were
exchanged, or a row that was copied with its key, fit. Here two keys of one unit are looked at
together. What one's name has and the other's lacks tells them apart: "padded" of
``transpose-padded`` and ``transpose-naive``. Where the head of the other's row, or its words in the
sentence, say that, and its own don't, they are exchanged.
"""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from lockstep import figures, numbers, tabled
from lockstep.block import Page
from lockstep.english import SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import ENDING, HEADING, names_of, quantity, read_by_eye, stems
from lockstep.mistakes import Mistake
from lockstep.worked import INPUT

MEND = "use the key of what its row, its column or its words name"
# What is named to say that it is not there, or is another: without the padding, unlike the naive.
_NOT = re.compile(r"(?i)\b(?:without|no|not|unlike|than|from)\s+(?:(?:the|a|an|any)\s+)?[\w-]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
# What the first version is called, before anything is done to it.
_FIRST = frozenset("naive direct plain baseline serial sequential untuned unfused".split())
_VARIANT = re.compile(rf"\b{tabled.VARIANT}\b")
_LINKED = re.compile(r"\]\([^)]*\)")
# Another form of a word that keys have.
_FORMS = {"wrote": "write", "written": "write", "sent": "send", "not": "no", "without": "no"}
_FORMED = re.compile(rf"(?i)\b(?:{'|'.join(_FORMS)})\b")


class _Key(NamedTuple):
    text: str  # as it stands on the page
    name: str
    whose: str  # the name, and the reference's where it is that one's
    field: str  # as ours is called
    unit: str | None
    title: str  # of its row


def _every(text: str) -> set[str]:
    """Return all words of a text, those that many keys have and numbers, too."""
    return {ENDING.sub("", word)[:5] for word in re.findall(r"[a-z]+|\d+", text.lower())}


def _formed(text: str) -> str:
    return _FORMED.sub(lambda said: _FORMS[said[0].lower()], text)


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield the keys of a page that stand at the place of another one."""
    table: list[tuple[int, str]] = []
    inside = False
    titles: dict[int, str] = {}
    above = ""  # the line in front that is not empty
    for number, line in enumerate([*page.body.split("\n"), ""], start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        at = page.at(number)
        if not inside and (title := HEADING.match(line)):
            level = len(title[1])
            titles = {n: t for n, t in titles.items() if n < level} | {level: title[2]}
        if "[[" in line and not inside:
            around = titles[max(titles)] if titles else ""
            for what in _beside_inputs(line, records) if "[[worked:" in line else ():
                yield Mistake(page.path, at, what, MEND)
            for what in _opposite(
                line, around if max(titles, default=0) > 1 else "", above, records
            ):
                yield Mistake(page.path, at, what, MEND)
        above = line if line.strip() else above
        if line.lstrip().startswith("|") and not inside:
            table.append((at, line))
            continue
        if len(table) > 2:
            for where, what in _table(table, records):
                yield Mistake(page.path, where, what, MEND)
        table = []
        if line.count("[[") > 1 and not inside:
            for sentence in SENTENCE.split(line):
                for what in _sentence(sentence, records):
                    yield Mistake(page.path, at, what, MEND)


@functools.lru_cache(maxsize=4)
def _siblings(records: Evidence) -> dict[str, dict[str, str]]:
    """Return for each name that has a variant's word the words of its siblings, and its own."""
    names: dict[str, set[str]] = {}
    for kind in ("benchmarks", "microbenchmarks"):
        for row in records.every(kind):
            parts = str(row["id"]).split("-")
            for n, part in enumerate(parts):
                if _VARIANT.fullmatch(part):
                    names.setdefault("-".join([*parts[:n], "*", *parts[n + 1 :]]), set()).add(part)
    found: dict[str, dict[str, str]] = {}
    for name, words in names.items():
        for own in words if len(words) > 1 else ():
            whole = name.replace("*", own)
            found.setdefault(whole, {}).update(dict.fromkeys(words - {own}, own))
    return found


def _opposite(line: str, title: str, above: str, records: Evidence) -> Iterator[str]:
    """Yield the keys of one variant that stand where the words name another one alone."""
    row = line.lstrip().startswith("|")
    sentences = [line] if row else SENTENCE.split(line)
    for before, sentence in zip([above, *sentences], sentences, strict=False):
        for found in figures.KEY.finditer(sentence):
            name = found["key"].rpartition(".")[0] or found["key"]
            others = _siblings(records).get(name)
            if not others:
                continue
            near = _NOT.sub(" ", f"{read_by_eye(sentence)} {'' if row else title}").lower()
            named = set().union(*(stems(said[0]) for said in _VARIANT.finditer(near)))
            every = _every(f"{read_by_eye(sentence)} {before} {title}")
            beside = {
                word for key in figures.KEY.findall(line) for word in _VARIANT.findall(key[1])
            }
            for other, own in others.items():
                if other in beside or _FIRST.issuperset({own, other}):  # each its own, or one thing
                    continue
                if stems(other) & named and not _every(own) & every:
                    yield f"{found[0]} is of {own!r}, and the words here name {other!r}"
                    break


def _beside_inputs(line: str, records: Evidence) -> Iterator[str]:
    """Yield the worked numbers of a sentence that names a variant which none of its keys is of."""
    for sentence in SENTENCE.split(line):
        made = [m for m in numbers.WORKED.finditer(sentence) if INPUT.search(m["how"])]
        keys = {key["key"] for m in made for key in INPUT.finditer(m["how"])}
        keys |= {key["key"] for key in figures.KEY.finditer(sentence)}
        names = {key.rpartition(".")[0] or key for key in keys}
        said = _NOT.sub(" ", read_by_eye(sentence)).lower()
        subject = _DOER.search(said) if made else None
        if subject is None:
            continue
        of = {word for name in names for word in _siblings(records).get(name, ())}
        for word in of:
            if stems(word) & stems(subject[1]) and not any(word in name for name in names):
                yield f"{made[0][0]} is of {' and '.join(sorted(names))}, and not of {word!r}"
                break


# The padded kernel gains, a tiled version is: who does it, before the verb.
_DOER = re.compile(
    rf"\b(?:the|our|this|its|a)\ ({tabled.VARIANT})\ (?:kernel|version|tile|one|code|loop|rung)\b"
    r"[^,;:]{0,20}?\ (?:gains?|is|takes?|needs?|moves?|runs?|has|loses?|saves?|brings?|wins?"
    r"|gets?)\b"
)


def _key(found: re.Match, records: Evidence) -> _Key | None:
    try:
        row, name = records.figure(found["kind"], found["key"])
    except KeyError:
        return None
    if "planned" in row:
        return None
    field = re.sub(r"^(?:reference_|reference$|ours$)", "", name)
    of = str(row.get("reference_name", "")) if name.startswith("reference") else ""
    unit = quantity(figures.unit_of(row, name))
    title = str(row.get("title") or row.get("what") or "")
    return _Key(found[0], found["key"], f"{found['key']} {of}", field, unit, title)


def _table(rows: list[tuple[int, str]], records: Evidence) -> Iterator[tuple[int, str]]:
    """Yield (line, what) of a table's cells that hold one key each."""
    cells = [tabled.cells(row) for _, row in rows]
    heads = [_Words(head) for head in cells[0]]
    labels = [_Words(" ".join(c for c in row if not figures.KEY.search(c))) for row in cells]
    grid: dict[tuple[int, int], _Key] = {}
    for row, column in ((r, c) for r in range(2, len(rows)) for c in range(len(cells[r]))):
        found = list(figures.KEY.finditer(cells[row][column]))
        if len(found) == 1 and not figures.KEY.sub("", cells[row][column]).strip(" *~"):
            if key := _key(found[0], records):
                grid[row, column] = key
    for (one, key), (two, other) in itertools.combinations(grid.items(), 2):
        if one[1] == two[1]:
            here, there = labels[one[0]], labels[two[0]]
        elif one[0] == two[0] and max(one[1], two[1]) < len(heads):
            here, there = heads[one[1]], heads[two[1]]
        else:
            continue
        if key.name == other.name:
            for place, near, far in ((one, here, there), (two, there, here)):
                if stems(key.name) & (far.named - near.named) - near.every:
                    yield rows[place[0]][0], f"{key.text} is of another row or column of its table"
        elif key.field == other.field and _exchanged(key.whose, other.whose, here, there):
            yield rows[one[0]][0], f"{key.text} and {other.text} stand at each other's place"


class _Words:
    """The words of a row's or a column's head."""

    def __init__(self, text: str):
        text = read_by_eye(text)
        self.every, self.named = _every(_formed(text)), stems(_formed(_NOT.sub(" ", text)))


def _exchanged(key: str, other: str, here: _Words, there: _Words) -> bool:
    crossed = (stems(key) - stems(other)) & (there.named - here.named)
    crossed |= (stems(other) - stems(key)) & (here.named - there.named)
    fits = (_every(key) - _every(other)) & (here.every - there.every)
    fits |= (_every(other) - _every(key)) & (there.every - here.every)
    return bool(crossed and not fits)


def _sentence(sentence: str, records: Evidence) -> Iterator[str]:
    """Yield what is wrong with the order of a sentence's keys and of what it names them by."""
    found = list(figures.KEY.finditer(sentence))
    keys = [(span, key) for span in found if (key := _key(span, records))]
    pairs = [pair for pair in itertools.combinations(keys, 2) if _alike(pair[0][1], pair[1][1])]
    text = _read_in_place(sentence) if pairs else ""
    places: dict[str, list[int]] = {}
    for word in _WORD.finditer(text):
        for one in stems(_formed(word[0])):
            places.setdefault(one, []).append(word.start())
    for (first, key), (second, other) in pairs:
        named, beside = (names_of(f"{one.name} {one.title}") for one in (key, other))
        own, its = _found(named - beside, places), _found(beside - named, places)
        if own and its and max(its) < min(own):
            if max(its) < second.start() and min(own) > first.end():
                yield f"{key.text} and {other.text} stand at each other's place"


def _alike(key: _Key, other: _Key) -> bool:
    if key.name == other.name:
        return False
    return key.unit == other.unit if key.unit else key.field == other.field


def _found(some: frozenset[str], places: dict[str, list[int]]) -> list[int]:
    return [place for word in some for place in places.get(word, ())]


def _read_in_place(text: str) -> str:
    """Return the words of a sentence where they stand, and blanks for all else."""
    for pattern in (numbers.WORKED, figures.KEY, _LINKED, _NOT):
        text = pattern.sub(lambda said: " " * len(said[0]), text)
    return text
