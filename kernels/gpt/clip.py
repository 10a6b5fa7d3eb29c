"""The exercise of the page on GPT-2: bound the length of the whole gradient."""

import numpy as np


# --8<-- [start:clip]
def clip(gradients, limit):
    """Scale a flat array down to a length of ``limit``, if it is longer. Return its length."""
    length = float(np.sqrt((gradients * gradients).sum()))
    gradients *= min(1.0, limit / length) if length else 1.0
    return length


# --8<-- [end:clip]


def examples():
    """
    --8<-- [start:example]
    >>> for gradients in (np.array([3.0, 4.0]), np.array([0.3, 0.4]), np.zeros(2)):
    ...     length = clip(gradients, limit=1.0)
    ...     print(round(length, 3), gradients.round(3).tolist())
    5.0 [0.6, 0.8]
    0.5 [0.3, 0.4]
    0.0 [0.0, 0.0]

    --8<-- [end:example]
    """
