"""How many tokens each rank sends to each other when experts live on different ranks."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:traffic]
def traffic(choices, experts_per_rank):
    """Return counts[source][target]: the tokens that rank ``source`` sends to rank ``target``.

    ``choices`` has shape (ranks, tokens): the expert that each rank's tokens were routed to.
    """
    ranks = len(choices)
    return np.stack([np.bincount(own // experts_per_rank, minlength=ranks) for own in choices])


# --8<-- [end:traffic]


def examples():
    """Three ranks with two experts each.

    --8<-- [start:example]
    >>> choices = np.array([[0, 5, 5, 1], [2, 4, 5, 5], [5, 4, 3, 0]])
    >>> counts = traffic(choices, experts_per_rank=2)
    >>> counts
    array([[2, 0, 2],
           [0, 1, 3],
           [1, 1, 2]])
    >>> counts.sum(axis=0)  # tokens that each rank has to work on
    array([3, 2, 7])

    --8<-- [end:example]
    """
