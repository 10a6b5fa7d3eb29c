"""The recurrence of a state space layer, step by step and as a scan that halves its length."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:scan]
def step_by_step(a, b):
    """Return every state of h = a[t] * h + b[t], starting from 0."""
    h, states = 0.0, []
    for keep, add in zip(a, b, strict=True):
        h = keep * h + add
        states.append(h)
    return np.array(states)


def as_scan(a, b):
    """Return the same in log2(n) rounds over all elements at once.

    Two steps in a row are one step: keep a1 * a2, add a2 * b1 + b2.
    """
    a, b, distance = a.copy(), b.copy(), 1
    while distance < len(a):
        b[distance:] += a[distance:] * b[:-distance]
        a[distance:] = a[distance:] * a[:-distance]
        distance *= 2
    return b


# --8<-- [end:scan]


def examples():
    """Eight inputs. A factor of 0 forgets everything, a factor of 1 keeps it.

    --8<-- [start:example]
    >>> a = np.array([1, 1, 0.5, 1, 0, 1, 1, 0.5])
    >>> b = np.array([4, 2, 0, 1, 3, 0, 1, 2.0])
    >>> step_by_step(a, b)
    array([4., 6., 3., 4., 3., 3., 4., 4.])
    >>> as_scan(a, b)
    array([4., 6., 3., 4., 3., 3., 4., 4.])

    --8<-- [end:example]
    """
