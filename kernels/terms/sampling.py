"""Choosing the next token: temperature, top-k and top-p, in NumPy."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:probabilities]
def probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    """Return the probability of each token, with zero for those that are cut off.

    Shape of logits: (tokens,). ``temperature`` is above zero.
    """
    p = np.exp((logits - logits.max()) / temperature)
    p /= p.sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]  # how much stands before each token, best first
    cut = order[before >= top_p]
    p[cut] = 0
    if top_k is not None:
        p[order[top_k:]] = 0
    return p / p.sum()


# --8<-- [end:probabilities]


def examples():
    """Four tokens.

    --8<-- [start:example]
    >>> logits = np.log([0.5, 0.3, 0.15, 0.05])
    >>> probabilities(logits).round(2)
    array([0.5 , 0.3 , 0.15, 0.05])
    >>> probabilities(logits, temperature=0.5).round(2)
    array([0.68, 0.25, 0.06, 0.01])
    >>> probabilities(logits, top_k=2).round(2)
    array([0.62, 0.37, 0.  , 0.  ])
    >>> probabilities(logits, top_p=0.9).round(2)
    array([0.53, 0.32, 0.16, 0.  ])

    --8<-- [end:example]
    """
