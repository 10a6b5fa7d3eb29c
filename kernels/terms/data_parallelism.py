"""Data parallelism: the mean of the shards' gradients is the gradient of the whole batch."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:gradient]
def gradient(weights, x, y):
    """Return the gradient of the mean squared error of ``x @ weights`` against ``y``.

    Shapes: weights (features,), x (samples, features), y (samples,).
    """
    return 2 * np.mean((x @ weights - y)[:, None] * x, axis=0)


# --8<-- [end:gradient]


def examples():
    """Four ranks with equal shards.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(7)
    >>> x, y, weights = rng.normal(size=(32, 3)), rng.normal(size=32), np.zeros(3)
    >>> shards = zip(np.split(x, 4), np.split(y, 4))  # rank r sees eight of the 32 samples
    >>> local = [gradient(weights, x_r, y_r) for x_r, y_r in shards]
    >>> averaged = np.mean(local, axis=0)  # what the all-reduce gives every rank
    >>> np.allclose(averaged, gradient(weights, x, y))
    True

    --8<-- [end:example]
    """
