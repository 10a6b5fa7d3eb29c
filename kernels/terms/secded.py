"""An extended Hamming code: four bits kept in eight, one flip corrected, two flips detected."""

# --8<-- [start:imports]
from functools import reduce
from operator import xor

# --8<-- [end:imports]


# --8<-- [start:code]
def encode(data):
    """Return eight bits: data in 3, 5, 6, 7, parities in 1, 2, 4, 0."""
    word = [0, 0, 0, data[0], 0, *data[1:]]
    for parity in (1, 2, 4):
        covered = [place for place in range(8) if place & parity]
        word[parity] = sum(word[place] for place in covered) % 2
    word[0] = sum(word) % 2  # makes the number of ones even
    return word


def decode(word):
    """Return (what was found, the data, or None if it is lost)."""
    flipped = reduce(xor, [i for i in range(8) if word[i]], 0)
    odd = sum(word) % 2
    if flipped and not odd:
        return "two flips", None
    word = [word[i] ^ (odd and i == flipped) for i in range(8)]
    found = "corrected" if odd else "clean"
    return found, [word[i] for i in (3, 5, 6, 7)]


# --8<-- [end:code]


def examples():
    """A word as it was written, with one bit flipped, and with two.

    --8<-- [start:example]
    >>> word = encode([1, 0, 1, 1])
    >>> word
    [0, 0, 1, 1, 0, 0, 1, 1]
    >>> decode(word)
    ('clean', [1, 0, 1, 1])
    >>> word[6] ^= 1
    >>> decode(word)
    ('corrected', [1, 0, 1, 1])
    >>> word[3] ^= 1
    >>> decode(word)
    ('two flips', None)

    --8<-- [end:example]
    """
