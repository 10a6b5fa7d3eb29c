"""How often a tiled matrix product reads its inputs from memory."""


# --8<-- [start:loads]
def loads(n, tile):
    """Return how many numbers an (n, n) @ (n, n) product reads from memory, in all.

    Each tile x tile block of the result reads a strip of ``tile`` rows of the first matrix and
    one of ``tile`` columns of the second, once. ``n`` is a multiple of ``tile``.
    """
    blocks = (n // tile) ** 2
    return blocks * 2 * tile * n


# --8<-- [end:loads]


def examples():
    """One number at a time, then tiles of 16 and of 128.

    --8<-- [start:example]
    >>> [loads(4096, tile) // 4096**2 for tile in (1, 16, 128)]  # times each input is read, twice
    [8192, 512, 64]

    --8<-- [end:example]
    """
