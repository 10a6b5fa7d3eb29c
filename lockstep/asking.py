"""Which rules a text could concern, told by the words that each rule needs, before it searches.

Hundreds of words would have to be looked for in every sentence. A text has few of its own that no
text before it had, so what each of those asks for is kept.
"""

import re
from collections.abc import Sequence

WORD = re.compile(r"[a-z]+")


class Asking:
    """Knows for each rule the pieces of small letters of which a text must hold one."""

    def __init__(self, rules: Sequence[Sequence[str]]):
        self.known: dict[str, int] = {}  # word -> the rules that it asks for, as bits
        self.within: list[tuple[str, int]] = []  # what stands in one word
        self.across: list[tuple[str, int]] = []  # what does not
        bits: dict[str, int] = {}
        for number, pieces in enumerate(rules):
            for piece in pieces:
                bits[piece] = bits.get(piece, 0) | 1 << number
        for piece, rule in bits.items():
            words = WORD.findall(piece)
            if not words:
                self.across.append((piece, rule))
            else:
                self.within.append((max(words, key=len), rule))
        self.pieces = [tuple(pieces) for pieces in rules]
        self.loose = 0  # rules with a piece that a word alone does not make
        for piece, rule in bits.items():
            if WORD.findall(piece) and not WORD.fullmatch(piece):
                self.loose |= rule

    def rules(self, low: str) -> list[int]:
        """Return the numbers of the rules that a text in small letters could concern, in order."""
        found = 0
        known = self.known
        for word in set(WORD.findall(low)):
            asks = known.get(word)
            if asks is None:
                asks = known[word] = self._asks(word)
            found |= asks
        for piece, rule in self.across:
            if piece in low:
                found |= rule
        if not found:
            return []
        chosen = [n for n in range(found.bit_length()) if found >> n & 1]
        return [
            n
            for n in chosen
            if not self.loose >> n & 1 or any(map(low.__contains__, self.pieces[n]))
        ]

    def _asks(self, word: str) -> int:
        found = 0
        for piece, rule in self.within:
            if piece in word:
                found |= rule
        return found
