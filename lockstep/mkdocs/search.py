"""The index of the site's search: made at build time, read by web/search-worker.js.

Material's own worker fetches every text of the site on every first visit and builds an index of it
in the browser, which takes seconds at 300 pages. This one is fetched when the search is opened, and
needs no building. It knows words of code: ``cuda.syncthreads`` is found by its whole name and by
each of its parts, and so are ``simd_shuffle_down`` and ``RawKernel``.

The index is one object::

    pages     [location, title, weight, other names]
    docs      [number of its page, anchor, title, start of the text, 1 for a row of a table]: what a
              result can be, a page's head first, then its sections and the rows of their tables;
              the anchor is 0 where it is that of the doc before
    terms     every word, sorted, so that the words with one beginning stand together: a blank
              between them, and in place of the letters that one shares with the one before
              their number
    postings  for each term "<delta><weight>...": the docs that have it, each as the difference from
              the one before, base 36 and left out where it is 1, and a weight, A to Z
    asked     for each doc of which we know what people type to find it "<delta> <phrase>,<phrase>":
              a phrase is the numbers of its terms, base 36, with points between them
    synonyms  lists of words and phrases that ask for the same

Words tell what a page says and not what a reader knows before it is read: a symptom, a message, the
word of another library or language. The files of ``search_asked`` have these, for each page and its
sections, as people type them. They are never shown. ``search_words`` has what words mean, as
numbers: by these the worker finds phrases and sections that say the same in other words.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from lockstep.mistakes import Mistake, PageError
from lockstep.mkdocs.sections import Section, line, sections
from lockstep.project import LOADER

TEASER, ROW = 136, 90  # characters of a section, and of a row, that its result shows
HEAVIEST = 26  # one letter
IN_TITLE, IN_NAMES, IN_ROW_TITLE, IN_CELL, DEFINED, DESCRIBED, OFTEN = 10, 11, 7, 5, 8, 4, 6
IN_ASKED = 5
ASIDE = 0.5  # of a page that weighs less than this the rows are no results of their own
REPEATED = 8  # pages have this heading, such as Sources: no result where nothing is below it

# The worker splits a question in the same way: keep the two together.
WORD = re.compile(r"\w+(?:\.\w+)*")
# The id of a measurement, such as vector-add-numba, is found by its parts, and best as a whole.
COMPOUND = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+){2,}(?![\w-])")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What a block of code defines: functions, classes, kernels of CUDA, HIP and Metal
DEFINES = re.compile(
    r"^[ \t]*(?:async )?(?:def|class)[ \t]+(\w+)|(?:__global__|\bkernel)[ \t]+void[ \t]+(\w+)",
    re.MULTILINE,
)
# The names that code gives to its own objects: assigned, of a loop, parameters of a function
ASSIGNED = re.compile(r"^[ \t]*(\w+)(?:, \w+)* = |\bfor (\w+)(?:, \w+)* in\b", re.MULTILINE)
PARAMETERS = re.compile(r"\bdef \w+\(([^()]*)")
PARAMETER = re.compile(r"(?:^|,)\s*\*{0,2}(\w+)")
OF_OBJECT = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.(?=[A-Za-z_])")
# Words that a question has and an answer need not. The index tells them to the script.
ASKING = """
a about actually after allowed almost already also always am an and another any anyone anything
are as at away be because become becomes been before being best better between both but by came
can cannot check choose choosing chose chosen come comes correctly could couldn create decide
did didn difference differences do does doesn doing don done during each easily either
enough ever every everything exactly explain explained explains few find for from get gets
give given gives go goes going good got greater had happen happened happening happens has have
help here how i if in inside instead into is isn it its just keep keeps kind know learn let lets
like likely little look looking looks lot made make makes making many may maybe me mean means
might much must my myself necessary need needed needs never next not nothing now of often ok on
only or other our out people per pick please possible problem problems properly put quite rather
really recommended required right say says see seem seems several shall should show shows simply
since so some someone something sometimes soon still such suddenly support supported supports
take takes tell than that the their them then there these they thing things think this those
though through to too took tried try trying unable understand until up us use used using usually
versus via view vs want wants was wasn way we well went were what whatever when where whether
which while who whole whose why will with won wondering work works would write yes yet you your
а без более бы быть в вам ваш во вообще все всех вы где делать для до его ее если есть еще же за
зачем и из или им их к как какая какие какое какой какую когда кто ли лучше между меня мне можно мой
мы на надо нам нас не нет ни но нужен нужна нужно о об объясните он она они от отличается
отличаются отличие по под получить помогите понять потом почему при про работает работают
разница с сделать сколько со так такая также такое там то тоже только у чего чем через что чтобы
это этот я
"""
ASKED = frozenset(ASKING.split())  # in a title or a name alone are they worth their place
# Those of them that a question and a heading share for nothing. The worker has the same list.
IDLE = frozenset(
    "a an and are as at be by for from in into is it its of on or the to was with".split()
)
# A number that a program takes or prints, and one with three places: nobody asks for them.
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
EXACT = re.compile(r"(?<![\w.])\d+\.\d{3,}(?![\w.])")
POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")  # AMD's is AMD, for the worker too
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass
class Entry:
    """A page as the search knows it: its text is HTML."""

    location: str
    title: str
    html: str
    description: str = ""
    names: list[str] = field(default_factory=list)
    weight: float = 1


@dataclass
class Asked:
    """What people type to find an address, and the file and line that say so."""

    phrases: list[str]
    path: str = ""
    line: int = 1


def words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word of a text in lower case, and the parts of a compound one, and which it is."""
    for match in WORD.finditer(POSSESSIVE.sub("", THOUSANDS.sub("", text))):
        yield from _names(match[0])


@functools.cache
def _names(word: str) -> tuple[tuple[str, bool], ...]:
    word = word.strip("_.").replace("ё", "е").replace("Ё", "Е")
    whole = word.lower()
    if not word or word.replace(".", "").isdigit():  # 3.14 is no 14
        return ((whole, True),) if word else ()
    parts = [part for part in re.split(r"[._]+", word) if part]
    pieces = {piece.lower() for part in parts for piece in (part, *HUMP.split(part))}
    # From each dot on, so that jit.fastmath is found in cuda.jit.fastmath.
    dotted = whole.split(".")
    pieces |= {".".join(dotted[i:]).strip("_") for i in range(1, len(dotted))}
    return ((whole, True), *((piece, False) for piece in sorted(pieces - {whole, ""})))


def synonyms(file: Path, root: Path) -> list[list[str]]:
    """Return the lists of a file of synonyms. Raises ``PageError`` where it is something else."""
    path, known = file.relative_to(root).as_posix(), []
    mend = "write one list of two or more words or phrases in each line: - [install, setup]"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    try:
        groups = yaml.load(text, Loader=yaml.BaseLoader) or []
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.line + 1 if error.problem_mark else 1
        raise PageError([Mistake(path, at, f"it cannot be read: {error.problem}", mend)]) from None
    lines = [n for n, said in enumerate(text.splitlines(), 1) if said.startswith("-")]
    for line_of, group in zip(lines, groups, strict=False):
        if not isinstance(group, list) or len(group) < 2 or not all(map(_said, group)):
            raise PageError([Mistake(path, line_of, f"{group!r} is no list of synonyms", mend)])
        known.append([" ".join(WORD.findall(said.lower())) for said in group])
    return known


TYPED = "write an address, such as glossary/warp/:, and below it lines of what people type"


def _said(text) -> bool:
    return isinstance(text, str) and bool(WORD.search(text))


def asked(folder: Path, root: Path) -> dict[str, Asked]:
    """Return what people type to find each address, from the files of a folder.

    Raises ``PageError`` where a file is something else, or has two answers to one question.
    """
    known: dict[str, Asked] = {}
    first: dict[frozenset[str], str] = {}
    mistakes: list[Mistake] = []
    for file in sorted(folder.glob("*.yml")):
        path, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
        try:
            tree = yaml.compose(text, LOADER)
        except yaml.MarkedYAMLError as error:
            at = error.problem_mark.line + 1 if error.problem_mark else 1
            raise PageError(
                [Mistake(path, at, f"it cannot be read: {error.problem}", TYPED)]
            ) from None
        for key, phrases in tree.value if tree else ():
            said = known.setdefault(key.value, Asked([], path, key.start_mark.line + 1))
            if not isinstance(phrases.value, list):
                mistakes.append(Mistake(path, said.line, f"{key.value} has no list", TYPED))
                continue
            for phrase in phrases.value:
                at, told = phrase.start_mark.line + 1, frozenset(_telling(phrase.value))
                if not told:
                    what = f"{phrase.value!r} has no word that tells anything"
                    mistakes.append(Mistake(path, at, what, "say what it is about"))
                elif told in first:
                    what = f"{phrase.value!r} leads to {first[told]} already"
                    mistakes.append(Mistake(path, at, what, "leave it to one of the two"))
                else:
                    first[told] = key.value
                    said.phrases.append(phrase.value)
    if mistakes:
        raise PageError(mistakes)
    return known


def _telling(phrase: str) -> list[str]:
    """Return the words of a phrase that tell something, once each."""
    said = dict.fromkeys(word for word, whole in words(phrase) if whole)
    return [word for word in said if word not in ASKED]


def _plain(location: str) -> str:
    """Return a page's address as a site with a server has it: read from files it ends in a name."""
    return re.sub(r"(^|/)index\.html$", r"\1", location)


def index(
    entries: list[Entry],
    synonyms: list[list[str]] | None = None,
    asked: dict[str, Asked] | None = None,
    whole: bool = True,
) -> dict:
    """Return the index of a site's pages. Raises ``PageError`` where people are led nowhere.

    ``whole``: each page is here with all its headings. A preview's first build has some of them.
    """
    pages: list[list] = []
    docs: list[list] = []
    found: dict[str, list[tuple[int, int]]] = {}
    typed: dict[int, list[str]] = {}  # by the number of the doc
    # Of pages that this build has: a preview or another project of the core has some of them.
    here = {_plain(entry.location) for entry in entries}
    waiting = {k: said for k, said in (asked or {}).items() if k.partition("#")[0] in here}
    at = ""  # the anchor of the last doc
    read = [_parts(e.title, e.html, e.description, tuple(e.names), e.weight) for e in entries]
    empty = Counter(title for parts in read for _, title, text, _, _ in parts if not text)
    for number, (entry, parts) in enumerate(zip(entries, read, strict=True)):
        pages.append([entry.location, line(entry.title), entry.weight, entry.names])
        for anchor, title, text, row, weights in parts:
            if not text and anchor and empty[title] >= REPEATED:
                continue
            if said := waiting.pop(f"{_plain(entry.location)}#{anchor}".rstrip("#"), None):
                typed[len(docs)] = said.phrases
                weights = _with(weights, said.phrases)
            for term, weight in weights.items():
                found.setdefault(term, []).append((len(docs), weight))
            same = docs and docs[-1][0] == number and anchor == at
            docs.append([number, 0 if same else anchor, title, text, *[1][: int(row)]])
            at = anchor
    if waiting and whole:
        mend = "correct the address, or drop it"
        raise PageError(
            [
                Mistake(said.path, said.line, f"{address} is no page, and no heading of one", mend)
                for address, said in waiting.items()
            ]
        )
    terms = sorted(found)
    return {
        "pages": pages,
        "docs": docs,
        "terms": _shortened(terms),
        "postings": [_packed(found[term]) for term in terms],
        "asked": _numbered(typed, {term: n for n, term in enumerate(terms)}),
        "synonyms": synonyms or [],
        "asking": " ".join(ASKING.split()),
    }


def _with(weights: dict[str, int], phrases: list[str]) -> dict[str, int]:
    """Return the weights of a doc with those of the words that people type to find it."""
    weights = dict(weights)
    for word in {word for phrase in phrases for word in _telling(phrase)}:
        weights[word] = _level(min(HEAVIEST, weights.get(word, 0) + IN_ASKED))
    return weights


def _numbered(typed: dict[int, list[str]], number: dict[str, int]) -> list[str]:
    last, packed = 0, []
    for doc, phrases in ((doc, phrases) for doc, phrases in typed.items() if phrases):
        said = (".".join(_base36(number[word]) for word in _telling(phrase)) for phrase in phrases)
        packed.append(f"{_base36(doc - last)} {','.join(said)}")
        last = doc
    return packed


Part = tuple[str, str, str, bool, dict[str, int]]  # anchor, title, teaser, is a row, weights


@functools.cache  # a preview asks again for all the pages that have not changed
def _parts(title: str, html: str, about: str, names: tuple[str, ...], weight: float) -> list[Part]:
    """Return what of a page can be a result: its head, its sections, the rows of its tables."""
    parts: list[Part] = []
    read = sections(html)
    own_objects = _objects(code for section in read for code in section.code)
    for n, section in enumerate(read):
        section.code = [_apart(code, own_objects) for code in section.code]
        head = n == 0
        own = line(title) if head else section.title
        rows = [row for row in section.rows if weight >= ASIDE and not row.points]
        # The others, of which those of a page that is set aside by their first cell alone
        others = (row for row in section.rows if weight < ASIDE or row.points)
        aside = [row.title if weight < ASIDE else row.text for row in others]
        about_it, named = (about, names) if head else ("", ())
        weights = _weights(own, section, aside, named, about_it)
        parts.append((section.anchor, own, _teaser(section, about_it), False, weights))
        for row in rows:
            bare = not re.search(r"[^\W\d]", row.title)  # a number, which its head explains
            name = f"{row.cells[0][0]} {row.title}" if bare else row.title
            text = _cut(" · ".join(f"{h}: {t}" if h else t for h, t in row.cells[1:] if t), ROW)
            alone = Section("", prose=[row.text], figures=row.figures)
            weights = _weights(name, alone, [], (), "", IN_ROW_TITLE)
            for _, cell in row.cells[1:]:  # a cell of a few words names something
                if len(cell.split()) <= 6:
                    for word, whole in (w for w in words(cell) if w[0] in weights):
                        weights[word] = max(weights[word], IN_CELL if whole else 1)
            parts.append((row.anchor or section.anchor, _cut(name, 80), text, True, weights))
    return parts


def _objects(blocks: Iterable[str]) -> set[str]:
    """Return the names that blocks of code give to objects of their own."""
    found = {"self"}
    for code in blocks:
        found.update(one or other for one, other in ASSIGNED.findall(code))
        for inside in PARAMETERS.findall(code):
            found.update(PARAMETER.findall(inside))
    return found


def _apart(code: str, objects: set[str]) -> str:
    """Return code with ``d_out.copy_to_host`` as two words: nobody asks for the first of them.

    A question that has the whole name finds both of its parts; ``cuda.syncthreads`` stays whole.
    """
    return OF_OBJECT.sub(lambda at: f"{at[1]} " if at[1] in objects else at[0], code)


def _weights(
    title: str, section: Section, more: list[str], names: tuple, about: str, in_title=IN_TITLE
) -> dict[str, int]:
    """Return how much each word of a section says of it, from 1 to 26."""
    weights: dict[str, float] = {}
    counts: dict[str, float] = {}
    code = (DECIMAL.sub(" ", code) for code in section.code)
    text = EXACT.sub(" ", "\n".join([*section.prose, *code, *more]))
    for word, whole in words(text):
        counts[word] = counts.get(word, 0) + (1 if whole else 0.5)
    # Nobody asks for a number that was measured: it is another one after the next run.
    for word, _ in words("\n".join(section.figures)):
        if re.fullmatch(r"[\d.]+", word) and word in counts:
            counts[word] -= 1
    counts = {word: count for word, count in counts.items() if count > 0 and word not in ASKED}
    for word in COMPOUND.findall(text):
        counts[word] = counts.get(word, 0) + 1
    for word, count in counts.items():
        weights[word] = min(OFTEN, 1 + 2 * math.log2(max(1, count)))
    defined = [a or b for code in section.code for a, b in DEFINES.findall(code)]
    # Many names, or a word that stands twice in one, say no more than one.
    for sources, weight in (
        ([title], in_title),
        ([about], DESCRIBED),
        (names, IN_NAMES),
        (defined, DEFINED),
    ):
        said: dict[str, float] = {}
        for word, whole in (pair for source in sources for pair in words(source)):
            said[word] = max(said.get(word, 0), weight if whole else weight / 2)
        for word, added in said.items():
            weights[word] = weights.get(word, 0) + added
    return {word: _level(weight) for word, weight in weights.items()}


def _level(weight: float) -> int:
    """Return a weight on fewer levels the higher it is: the index packs the better."""
    step = 1 if weight < 4 else 2 if weight < 10 else 4
    return max(1, min(HEAVIEST, step * round(weight / step)))


def _teaser(section: Section, about: str) -> str:
    """Return how a section begins: its prose, or what there is in its place."""
    if section.prose:
        return _cut(section.prose[0])
    if about:
        return _cut(about)
    if section.rows:
        return _cut(", ".join(dict.fromkeys(row.title for row in section.rows)))
    return _cut(line(section.code[0])) if section.code else ""


def _cut(text: str, most: int = TEASER) -> str:
    if len(text) <= most:
        return text
    return text[: most + 1].rsplit(" ", 1)[0].rstrip(" .,;:·") + " …"


def _shortened(terms: list[str]) -> str:
    last, told = "", []
    for term in terms:
        shared = 0
        for mine, other in zip(term[: len(DIGITS) - 1], last, strict=False):
            if mine != other or mine > "\uffff":  # which a browser counts as two letters
                break
            shared += 1
        told.append(DIGITS[shared] + term[shared:])
        last = term
    return " ".join(told)


def _packed(postings: list[tuple[int, int]]) -> str:
    last, text = 0, ""
    for number, weight in postings:
        delta = number - last
        text += ("" if delta == 1 else _base36(delta)) + chr(64 + weight)
        last = number
    return text


def _base36(number: int) -> str:
    text = ""
    while number or not text:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text
