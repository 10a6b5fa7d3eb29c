"""The index of the site's search: made at build time, read by docs/assets/js/search-worker.js.

Material's own worker fetches every text of the site on every first visit and builds an index of it
in the browser, which takes seconds at 300 pages. This one is fetched when the search is opened, and
needs no building. It knows words of code: ``cuda.syncthreads`` is found by its whole name and by
each of its parts, and so are ``simd_shuffle_down`` and ``RawKernel``.

The index is one object::

    docs      [location, title, start of the text, other names]: a section of a page
    terms     every word, sorted, so that the words with one beginning stand together
    postings  for each term "<delta><weight> ...", base 36: the sections that have it, each as the
              difference from the one before, and one digit of weight
"""

import functools
import html
import math
import re
from collections.abc import Iterator

TEASER = 160  # characters of a section that its result shows
HEAVIEST = 35  # one digit of base 36
IN_TITLE, IN_NAMES, OFTEN = 12, 24, 8

# Code that touches a word stood behind a line break, which MkDocs' search has dropped.
BREAK = re.compile(
    r"</?(?:p|pre|li|ol|ul|br|td|th|tr)\b[^>]*>|(?<=\w)(?=<code>)|(?<=</code>)(?=\w)"
)
TAG = re.compile(r"<[^>]*>")
# The worker splits a question in the same way: keep the two together.
WORD = re.compile(r"\w+(?:\.\w+)*")
# The id of a measurement, such as vector-add-numba, is found by its parts, and best as a whole.
COMPOUND = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+){2,}(?![\w-])")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word of a text in lower case, and the parts of a compound one, and which it is."""
    for match in WORD.finditer(THOUSANDS.sub("", text)):
        yield from _names(match[0])


@functools.cache
def _names(word: str) -> tuple[tuple[str, bool], ...]:
    word = word.strip("_.")
    whole = word.lower()
    if not word or word.replace(".", "").isdigit():  # 3.14 is no 14
        return ((whole, True),) if word else ()
    parts = [part for part in re.split(r"[._]+", word) if part]
    pieces = {piece.lower() for part in parts for piece in (part, *HUMP.split(part))}
    # From each dot on, so that jit.fastmath is found in cuda.jit.fastmath.
    dotted = whole.split(".")
    pieces |= {".".join(dotted[i:]).strip("_") for i in range(1, len(dotted))}
    return ((whole, True), *((piece, False) for piece in sorted(pieces - {whole, ""})))


def plain(text: str) -> str:
    """Return the text of a piece of HTML, on one line."""
    text = html.unescape(TAG.sub("", BREAK.sub(" ", text)))
    return " ".join(re.sub(r"\\[()\[\]]", " ", text).split())  # less the marks of formulas


def index(entries: list[dict]) -> dict:
    """Return the index of the entries of MkDocs' search: location, title, text and tags of each."""
    docs: list[list] = []
    found: dict[str, list[tuple[int, int]]] = {}
    for number, entry in enumerate(entries):
        # Other names belong to the page: its sections do not answer to them.
        tags = [] if "#" in entry["location"] else [str(tag) for tag in entry.get("tags") or []]
        title, teaser, weights = _section(entry["title"], entry["text"], tuple(tags))
        docs.append([entry["location"], title, teaser, tags])
        for term, weight in weights.items():
            found.setdefault(term, []).append((number, weight))
    terms = sorted(found)
    return {
        "docs": docs,
        "terms": terms,
        "postings": [_packed(found[term]) for term in terms],
    }


@functools.cache  # a preview asks again for all the sections that have not changed
def _section(title: str, text: str, names: tuple[str, ...]) -> tuple[str, str, dict[str, int]]:
    """Return the plain title of a section, the start of its text, and the weights of its words."""
    title, text = plain(title), plain(text)
    return title, _teaser(text), _weights(title, text, names)


def _weights(title: str, text: str, names: tuple[str, ...]) -> dict[str, int]:
    """Return how much each word of a section says of it, from 1 to 35."""
    weights: dict[str, float] = {}
    counts: dict[str, float] = {}
    for word, whole in words(text):
        counts[word] = counts.get(word, 0) + (1 if whole else 0.5)
    for word in COMPOUND.findall(text):
        counts[word] = counts.get(word, 0) + 1
    for word, count in counts.items():
        weights[word] = min(OFTEN, 1 + 2 * math.log2(max(1, count)))
    for source, weight in ((title, IN_TITLE), *((name, IN_NAMES) for name in names)):
        for word, whole in words(source):
            weights[word] = weights.get(word, 0) + (weight if whole else weight / 2)
    return {word: max(1, min(HEAVIEST, round(weight))) for word, weight in weights.items()}


def _teaser(text: str) -> str:
    if len(text) <= TEASER:
        return text
    return text[: TEASER + 1].rsplit(" ", 1)[0].rstrip(" .,;:") + " …"


def _packed(postings: list[tuple[int, int]]) -> str:
    last, parts = 0, []
    for number, weight in postings:
        parts.append(_base36(number - last) + DIGITS[weight])
        last = number
    return " ".join(parts)


def _base36(number: int) -> str:
    text = ""
    while number or not text:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text
