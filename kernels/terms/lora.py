"""One batch, many adapters: the big product is shared, the thin ones are chosen by request."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:serve]
def serve(x, weights, down, up, adapter):
    """Return x W + (x A) B, where row i uses adapter[i].

    ``down`` has shape (adapters, inputs, rank), ``up``
    (adapters, rank, outputs).
    """
    shared = x @ weights
    thin = np.einsum("bi,bir->br", x, down[adapter])
    return shared + np.einsum("br,bro->bo", thin, up[adapter])


def merged(x, weights, down, up, adapter):
    """Return the same, with a whole matrix for each request."""
    own = [weights + down[a] @ up[a] for a in adapter]
    return np.stack([x[i] @ own[i] for i in range(len(x))])


# --8<-- [end:serve]


def examples():
    """Four requests, three adapters of rank 2, whole numbers.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(-2, 3, (4, 64))
    >>> weights = rng.integers(-2, 3, (64, 64))
    >>> down = rng.integers(-2, 3, (3, 64, 2))
    >>> up = rng.integers(-2, 3, (3, 2, 64))
    >>> adapter = np.array([0, 2, 2, 1])
    >>> args = x, weights, down, up, adapter
    >>> bool((serve(*args) == merged(*args)).all())
    True
    >>> weights.size, down[0].size + up[0].size  # shared, one adapter
    (4096, 256)

    --8<-- [end:example]
    """
