"""Prose that the rules of numbers cannot read: in another language, or another alphabet.

The rules know English. A claim of speed in another language would pass all of them, so a sentence
that is not English is refused. A project whose pages are in another language says so
(``language = "de"`` in ``[tool.lockstep]``); of its numbers those are then found that have a unit.
"""

import re
import unicodedata

# Where the next sentence begins: behind a colon and in the next cell of a table, too.
SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z\[`*])|\|")
# What of a line is no word: markup, and where its links lead.
TAG = re.compile(r"</?\w[^>]*>|[*_`]|\[(?=[^\]]*\]\()|\]\([^)]*\)")
# Few English sentences have none of these; sentences of other languages have none or a chance one.
COMMON = frozenset(
    """the an of to and is it that for on with as are this by from or at be not one each all its
    which no than then so if but has have was were does do can what how where when who why they
    their them you your we our more most less same other two every any only into over after before
    between without there here these those also may must will would could should about above across
    against along among around away because below both down during either few first found full given
    got him her his itself keep keeps last let like made make makes many much my neither next nor
    none now off often once out own part per rather second see seen several show shows since some
    still such take takes things through too three four five ten under until up upon use used uses
    using very want way well what while whose within yes yet new times time work works write read
    never always alone plain six seven eight nine hundred together ours theirs""".split()
)
# Words of other languages, too: one of them alone says nothing.
SHARED = frozenset("a an all as at in is last made me no on over so time to under was were".split())
ENGLISH = COMMON - SHARED
ACCENTS = re.compile(r"(?<!\w)[a-z]*[ß-öø-ž][a-zß-öø-ž]*(?!\w)")
_LETTERS = r"[^\W\d_]"
WORD = re.compile(rf"(?<![\w`'.-]){_LETTERS}+(?![\w(])")
ROW = re.compile(rf"(?<![\w`'./(-])(?:(?:{_LETTERS}{{2,}}|\d+)\ ){{3,}}{_LETTERS}{{2,}}(?![\w(])")
# Function words of other languages in the same letters, and none of them an English word, a name or
# a sign. Two different ones in a text are a sentence of that language, also beside English ones.
FOREIGN = frozenset(
    """auf unser unsere unserer unserem unseren ist das dem ein eine einen einer einem nur wie
    nicht auch mit und oder für zu zum zur bei nach aus als sind wird werden wurde hat haben
    sich schneller langsamer doppelt halb mehr weniger gleich diese dieser dieses jede jeder ohne
    gegen über durch noch sehr hier dort wenn weil aber kein keine karte wir sie
    notre nos sur dans avec est sont les des une aux cette ces moins que qui fois deux
    pas très rapide lente aussi même nous vous ils elle être avoir fait vers chez leur leurs
    nuestra nuestro nuestras nuestros esta este estas estos está están los una unas para
    por más menos que muy pero como según sin sobre entre cuando también rápida rápido veces tarjeta
    nostra nostro nostri nostre sulla sulle sullo sugli della delle dello degli dei nella nelle
    questo questa questi queste più meno volte veloce lento molto anche senza che quando sono viene
    nossa nosso nossas nossos placa muito também não uma umas com são está pelo pela nesta neste
    onze deze dit het een niet ook voor naar wordt zijn snel sneller langzamer maar zonder
    naszej nasza jest się tylko szybciej wolniej niż który która oraz przez dla nie
    naše naší jsou pouze rychlejší vår våra är inte bara snabbare långsammare och""".split()
)
LONG = 6  # words of a heading or a cell, which may name a thing in few that are all nouns
FRAGMENTS = {"h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "li", "dt", "dd", "title", None}
NAMED = 2  # words of another alphabet that may stand in a row: a name
WIDE = 4  # letters of one without blanks
# Alphabets and signs of formulas, by the beginnings of their letters' names.
OURS = tuple(
    "LATIN GREEK MICRO OHM ANGSTROM KELVIN FEMININE MASCULINE MATH DOUBLE SCRIPT BLACK FULLWIDTH"
    " MODIFIER ALEF PLANCK EULER".split()
)


def foreign(text: str, closed: str | None = None) -> str | None:
    """Return the words of a block of prose that are not English, or None.

    ``closed``: the element that it fills.
    """
    if not text.isascii():
        if said := _alphabet(text):
            return said
        if (accented := ACCENTS.search(text)) and _DIGIT.search(text):
            return accented[0]
    words = text.lower().split()
    if len(others := FOREIGN.intersection(words)) > 1:
        return min(others, key=words.index)
    if not ENGLISH.isdisjoint(words):  # the quick look, which most sentences pass
        return None
    if not (row := ROW.search(text)) or len(WORD.findall(row[0])) < 4:
        return None
    known = [word.lower() for word in WORD.findall(text) if word.lower() in COMMON | SHARED]
    if len(known) > 1 or not SHARED.issuperset(known):
        return None
    short = closed in FRAGMENTS and row[0].isascii() and row[0].count(" ") < LONG - 1
    return None if short else row[0]


def _alphabet(text: str) -> str | None:
    """Return words of another alphabet: beside a number, or more of them than a name has."""
    row: list[str] = []
    for word in re.findall(rf"{_LETTERS}+|[.!?]", text):
        row = [*row, word] if _other(word) else []
        if len(row) > NAMED or (row and (len(word) > WIDE and _wide(word) or _DIGIT.search(text))):
            return " ".join(row)
    return None


_DIGIT = re.compile(r"\d")


def _other(word: str) -> bool:
    return not word.isascii() and any(
        letter.isalpha() and not unicodedata.name(letter, OURS[0]).startswith(OURS)
        for letter in word
    )


def _wide(word: str) -> bool:
    """Whether a word is of an alphabet without blanks."""
    return any(unicodedata.east_asian_width(letter) == "W" for letter in word)
