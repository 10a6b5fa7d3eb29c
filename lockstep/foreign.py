"""Words of other languages for a speed or its unit, as the English that the rules read.

A page is in English, and a claim in another language would be read by no rule. So the few words
that make one are put into English first. They stand here without accents, as ``numbers.plain``
leaves a text.
"""

import re

# Units of Cyrillic letters, some of which look like Latin ones.
UNITS = {
    "мкс": "µs", "мс": "ms", "нс": "ns", "сек": "s", "секунд": "seconds", "секунды": "seconds",
    "ГБ/с": "GB/s", "ТБ/с": "TB/s", "МБ/с": "MB/s", "Гб/с": "GB/s", "Тб/с": "TB/s",
    "Гбит/с": "Gbit/s", "ГФЛОПС": "GFLOPS", "ТФЛОПС": "TFLOPS", "ГГц": "GHz", "МГц": "MHz",
    "процентов": "percent", "процента": "percent", "раз": "times", "раза": "times",
    "быстрее": "faster", "медленнее": "slower", "вдвое": "twice", "втрое": "three times",
    "два": "two", "три": "three", "четыре": "four", "пять": "five", "десять": "ten",
    "половину": "half", "вполовину": "half", "на порядок": "an order of magnitude",
}  # fmt: skip
CYRILLIC = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})(?!\w)")
CHINESE = str.maketrans(
    {"倍": " times faster ", "快": " faster ", "慢": " slower ", "两": " two ", "了": " "}
)

# A text without one of these compares no speeds in a language of Latin letters.
STEMS = ("schnell", "langsam", "rapid", "plus vite", "veloc", "lent", "snel", "trager")
_FASTER = (
    "schneller|plus rapides?|plus vite|mas rapid[oa]s?|piu (?:veloc[ei]|rapid[oi])"
    "|mais rapid[oa]s?|sneller"
)
_SLOWER = "langsamer|plus lente?s?|mas lent[oa]s?|piu lent[oi]|mais lent[oa]s?|trager"
_NUMBERS = {
    "two": "zwei|deux|dos|due|dois|duas|twee",
    "three": "drei|trois|tres|tre|drie",
    "four": "vier|quatre|cuatro|quattro|quatro",
    "five": "funf|cinq|cinco|cinque|vijf",
    "ten": "zehn|dix|diez|dieci|dez|tien",
}
_TIMES = "mal|fois|veces|volte|vezes|keer"
LATIN = (
    (re.compile(rf"\b(?:{_FASTER})\b", re.IGNORECASE), "faster"),
    (re.compile(rf"\b(?:{_SLOWER})\b", re.IGNORECASE), "slower"),
    (re.compile(r"\b(?:so schnell|even snel)\b", re.IGNORECASE), "as fast"),
    (re.compile(r"\b(?:so langsam|even langzaam)\b", re.IGNORECASE), "as slow"),
    *(
        (re.compile(rf"\b(?:{words})\ ?(?=(?:{_TIMES})\b)", re.IGNORECASE), f"{n} ")
        for n, words in _NUMBERS.items()
    ),
    (re.compile(rf"(?<![A-Za-z])(?:{_TIMES})\b", re.IGNORECASE), "times"),
    (re.compile(r"\b(?:doppelt|doble|doppio|dobro|dubbel)(?: de)?\b", re.IGNORECASE), "twice"),
    (re.compile(r"\b(?:halb|moitie|mitad|meta|half)\b", re.IGNORECASE), "half"),
    (re.compile(r"\b(?:prozent|pour cent|por ciento|procent)\b", re.IGNORECASE), "percent"),
)


def english(text: str) -> str:
    """Return a plain text with such words of Latin letters in English."""
    low = text.lower()
    if any(stem in low for stem in STEMS):
        for pattern, word in LATIN:
            text = pattern.sub(word, text)
    return text


def letters(text: str) -> str:
    """Return a text, before its letters are compared, with such words of other letters in it."""
    if re.search(r"[\u0400-\u04ff]", text):
        text = CYRILLIC.sub(lambda found: UNITS[found[0]], text)
    return text.translate(CHINESE)
