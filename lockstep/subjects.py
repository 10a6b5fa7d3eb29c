"""The subject of a figure is of the record's own words, whatever they are.

``fitting`` and ``nearest`` know libraries, variants and types. Here no list of subjects is needed:
of the words before the verb that leads to a figure, each is in its record or the code that it
measured, elsewhere on the page, or one of the words of every text. "A matrix of complex numbers
takes" is refused, because nothing near the figure knows of anything complex. So are two rows of one
table with the same figures, where a word of one label is in no record.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from lockstep import figures, tabled
from lockstep.block import Page
from lockstep.english import COMMON, SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import ENDING
from lockstep.mistakes import Mistake
from lockstep.nearest import LABEL, TURN, Key, around, in_place, keys_of
from lockstep.qualified import source_of, words_of

MEND = "use the key of what the sentence names, or name what was measured"
# What leads from a subject to its figure.
LEADS = re.compile(
    r"\b(?:needs?|takes?|took|needed|runs?|ran|reach(?:es|ed)?|does|did|gets?|got|manages?|is"
    r"|are|was|were"
    r"|moves?|moved|sustains?|costs?|delivers?|comes?\ to|came\ to|has|have|had|goes|go|went"
    r"|cross(?:es|ed)?"
    r"|stays?|stayed|spends?|wants?|asks?|gives?|gave|brings?|brought|makes?|made|passes|flows?"
    r"|streams?"
    r"|travels?|finish\w*|ends?|lasts?|demands?|requires?|achieves?)\b"
    r"(?:\ (?:\w+ly|about|only|just|some|at|in|for|over|through|the|a|an|its|swizzled|tile|to"
    r"|around|still|also|no|more|less"
    r"|than|by|within|memory|data|bytes|of|same|[a-z]+)){0,6}?[\W_]*$"
)
ANY_LEADS = re.compile(
    r"(?<=s)\ [a-z]{3,}\ (?:in|at|within)\ [*_]*$"
)  # whatever they do: "merge in"
_WORD = re.compile(r"[a-z]{4,}")
# What the subject is said not to be, and the unit of an amount, which ``nearest`` reads.
_ASIDE = re.compile(
    r"\b(?:not|unlike|instead\ of|rather\ than)\ [^,;:()]*"
    r"|\b(?:kilo|mega|giga|tera|kibi|mebi|gibi|milli|micro|nano)(?:bytes?|bits?|seconds?)\b"
)
# Words of every text, which name no subject.
_EMPTY = COMMON | frozenset(
    """large small single whole relative such full still rate hand pure busy numbers nearly ordinary
    limit short page becomes fall rise down both among well singly moment growing place half
    separate correctly explicit spread example plain comparison table trip step size sizes speed
    usual usually little longer shorter less fewer lower higher great greater dozen loss gain share
    part parts total overall average mean median worst best fastest slowest slow fast quick quicker
    slower faster near nearest close closer further back behind ahead again already almost always
    everything something anything nothing nobody somebody itself themselves itself ourselves machine
    record measured compare original next last later earlier former latter newer older different
    similar alike exact exactly row rows column columns line lines figure figures number question
    answer case cases point points thing things kind kinds form forms sort side sides hour minute
    week month year years lesson section chapter site card cards device devices system design
    version versions variant rung rungs loop kernel kernels code program programs function call
    launch launches thread threads block blocks warp warps lane lanes memory element elements value
    values array arrays byte bytes time times rates result results test scale rest special highest
    lowest twentieth sixteen eighth fifth sixth seventh ninth tenth hundred thousand million billion
    typical innermost additional ceiling attempt frame version's once twice first second third
    idle resident shared global local host calls ladder fourth beside enough rival rivals quote
    doing burden chain
    correlation tall reader writer promised
    operating crosses largest smallest context""".split()
)
_KNOWN_ELSEWHERE = re.compile(
    r"(?i)^(?:pcie|nvlink|infiniband|ethernet"
    r"|network)$"
)  # of ``qualified``


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield the keys of a page whose subject has a word that nothing near them knows."""
    if page.meta.get("sources") or "[[" not in page.body:
        return
    lines = page.body.split("\n")
    known: dict[str, int] | None = None
    code = ""
    table: list[tuple[int, str]] = []
    inside = False
    for number, line in enumerate([*lines, ""], start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        row = line.lstrip().startswith("|") and not inside
        if row:
            table.append((number, line))
            continue
        for at, what in _twice(table, records) if len(table) > 3 else ():
            yield Mistake(page.path, page.at(at), what, MEND)
        table = []
        if inside or ("[[bench:" not in line and "[[micro:" not in line):
            continue
        for sentence in SENTENCE.split(line):
            for key, words in _subjects(sentence, records):
                said = f"{told_of(key.row, page.root)} {key.said.lower()}"
                missing = [w for w in words if not _has(said, w)]
                if not missing:
                    continue
                if known is None:
                    known = _counts(page)
                    code = " ".join(block.text for block in page.blocks).lower()
                own = _WORD.findall(sentence.lower())
                missing = [w for w in missing if known.get(_stem(w), 0) <= own.count(w)]
                missing = [w for w in missing if not _has(code, w)]
                if missing:
                    what = f"{key.said} knows nothing of {missing[0]!r}, of which the sentence is"
                    yield Mistake(page.path, page.at(number), what, MEND)


def _stem(word: str) -> str:
    return ENDING.sub("", word)[:7]


def _has(text: str, word: str) -> bool:
    return _stem(word) in text


@functools.lru_cache(maxsize=4096)
def _texts(said: str, root: Path, *files: str) -> str:
    return " ".join([said, *(source_of(root, name) for name in files)])


def told_of(row: dict, root: Path) -> str:
    """Return the words of a record and of the code that it measured."""
    return _texts(words_of(row), root, str(row.get("kernel", "")), str(row.get("script", "")))


def _counts(page: Page) -> dict[str, int]:
    """Return how often each word is on a page, but in addresses."""
    found: dict[str, int] = {}
    for word in _WORD.findall(re.sub(r"\]\([^)]*\)", " ", page.body.lower())):
        found[_stem(word)] = found.get(_stem(word), 0) + 1
    return found


def _subjects(sentence: str, records: Evidence) -> Iterator[tuple[Key, list[str]]]:
    """Yield each key of a sentence with the words of its subject that name something."""
    if "[[bench:" not in sentence and "[[micro:" not in sentence:
        return
    text = in_place(sentence)
    for key in keys_of(sentence, records):
        before, _ = around(text, key)
        clause = TURN.split(LABEL.sub("", before))[-1]
        if not (verb := LEADS.search(clause) or ANY_LEADS.search(clause)):
            continue
        said = re.sub(r"\ufffc|`", " ", clause[: verb.start()])
        words = [w for w in _WORD.findall(_ASIDE.sub(" ", said.lower())) if w not in _EMPTY]
        words = [w for w in words if not _KNOWN_ELSEWHERE.match(w)]
        if words:
            yield key, words


def _twice(rows: list[tuple[int, str]], records: Evidence) -> Iterator[tuple[int, str]]:
    """Yield the rows of a table that have another's figures, and a label of which no record is."""
    seen: dict[tuple[str, ...], set[str]] = {}
    for number, row in rows[2:]:
        keys = tuple(found[0] for found in figures.KEY.finditer(row))
        label = " ".join(c for c in tabled.cells(row) if "[[" not in c).lower()
        words = {w for w in re.findall(r"[a-z][\w+-]{2,}", label) if w not in _EMPTY}
        if keys and keys in seen:
            known = " ".join(words_of(row) for _, row, _ in figures.measured(records, row))
            for word in sorted(words - seen[keys]):
                if _stem(word) not in known:
                    yield number, f"{keys[0]} stands in a row above, and knows nothing of {word!r}"
                    break
        seen.setdefault(keys, set()).update(words)
