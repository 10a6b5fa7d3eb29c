"""Two matrices split over ranks so that one all-reduce is enough for both."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:split]
def parallel_mlp(x, first, second, ranks):
    """Return ``relu(x @ first) @ second``, worked out in parts, one part for each rank.

    Shapes: x (tokens, d), first (d, h), second (h, d), with h a multiple of ``ranks``.
    """
    columns = np.split(first, ranks, axis=1)  # rank r holds some columns of the first matrix
    rows = np.split(second, ranks, axis=0)  # and the matching rows of the second
    partial = [np.maximum(x @ a, 0) @ b for a, b in zip(columns, rows, strict=True)]
    return sum(partial)  # the all-reduce


# --8<-- [end:split]


def examples():
    """Four ranks give what one would.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(3)
    >>> x = rng.normal(size=(5, 8))
    >>> first, second = rng.normal(size=(8, 32)), rng.normal(size=(32, 8))
    >>> whole = np.maximum(x @ first, 0) @ second
    >>> np.allclose(parallel_mlp(x, first, second, ranks=4), whole)
    True

    --8<-- [end:example]
    """
