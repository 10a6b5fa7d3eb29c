"""Count the bank conflicts of one warp's access to shared memory: arithmetic, no GPU.

Source: https://docs.nvidia.com/cuda/cuda-programming-guide/02-basics/writing-cuda-kernels.html
"""

# --8<-- [start:imports]
from collections import defaultdict

# --8<-- [end:imports]


# --8<-- [start:host]
def passes(words, banks=32):
    """Return how many passes shared memory needs for one access of a warp.

    ``words`` are the 4-byte words that its lanes ask for. Word i lies in bank i % banks, and a
    bank serves one word in a pass, to as many lanes as want that word.
    """
    asked = defaultdict(set)
    for word in words:
        asked[word % banks].add(word)
    return max(len(different) for different in asked.values())


# --8<-- [end:host]


def examples():
    """Rows, columns and the way out.

    --8<-- [start:example]
    >>> lanes = range(32)
    >>> passes(lane for lane in lanes)  # a row of a tile: 32 banks
    1
    >>> passes(32 * lane for lane in lanes)  # a column of a tile 32 wide: one bank
    32
    >>> passes(33 * lane for lane in lanes)  # a column of a tile 33 wide
    1
    >>> passes(2 * lane for lane in lanes)  # every second word
    2
    >>> passes(0 for lane in lanes)  # all want one word
    1

    --8<-- [end:example]
    """
