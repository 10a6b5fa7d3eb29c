"""Finding how much of a prompt's cache exists already, block by block."""


# --8<-- [start:match]
def matched_tokens(prompt, cached, block=4):
    """Return how many leading tokens of ``prompt`` are in the cache.

    ``cached`` holds the prefixes, as tuples, whose last block of keys and values is stored.
    """
    matched = 0
    while matched + block <= len(prompt) and tuple(prompt[: matched + block]) in cached:
        matched += block
    return matched


# --8<-- [end:match]


def examples():
    """Two prompts that begin alike; numbers stand for tokens.

    --8<-- [start:example]
    >>> first = [7, 3, 9, 1, 4, 4, 2, 8, 5, 6]
    >>> cached = {tuple(first[:n]) for n in (4, 8)}  # its two full blocks
    >>> matched_tokens([7, 3, 9, 1, 4, 4, 2, 8, 1, 1, 1, 1], cached)
    8
    >>> matched_tokens([0, 3, 9, 1, 4, 4, 2, 8], cached)  # the first token differs
    0

    --8<-- [end:example]
    """
