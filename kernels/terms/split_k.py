"""A matrix product split along its inner dimension."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:split]
def split_k(a, b, parts):
    """Return a @ b as a sum of products over parts of the inner dimension.

    Shapes: a (m, k), b (k, n), with k a multiple of ``parts``. Each part could run in blocks of
    its own; the sum at the end is the price.
    """
    pairs = zip(np.split(a, parts, axis=1), np.split(b, parts, axis=0), strict=True)
    return sum(left @ right for left, right in pairs)


# --8<-- [end:split]


def examples():
    """A small result with a long inner dimension.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(4)
    >>> a, b = rng.normal(size=(16, 4096)), rng.normal(size=(4096, 16))
    >>> np.allclose(split_k(a, b, parts=64), a @ b)
    True

    --8<-- [end:example]
    """
