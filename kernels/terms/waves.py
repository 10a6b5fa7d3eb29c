"""How much of the last round of blocks is used."""


# --8<-- [start:waves]
def waves(blocks, multiprocessors, blocks_each):
    """Return the rounds that a grid takes, and the share of all places that hold a block."""
    places = multiprocessors * blocks_each
    rounds = -(-blocks // places)
    return rounds, blocks / (rounds * places)


# --8<-- [end:waves]


def examples():
    """An H200 has 132 multiprocessors; each holds two of these blocks.

    --8<-- [start:example]
    >>> waves(264, multiprocessors=132, blocks_each=2)
    (1, 1.0)
    >>> waves(265, multiprocessors=132, blocks_each=2)  # one block more
    (2, 0.5018939393939394)
    >>> waves(2641, multiprocessors=132, blocks_each=2)  # one block more than ten rounds
    (11, 0.9094352617079889)

    --8<-- [end:example]
    """
