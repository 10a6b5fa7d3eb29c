"""What replaces a proof where you cannot give one: check an index, a derivative, a rounding."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:index]
def is_a_shuffle(place, n):
    """Whether a formula sends 0 ... n - 1 to n different places from 0 to n - 1."""
    return sorted(place(i) for i in range(n)) == list(range(n))


def swizzled(i):
    """Where element i of a tile of 32 x 32 goes, so that no two rows meet in a bank."""
    row, column = divmod(i, 32)
    return row * 32 + (column ^ row)


def mistyped(i):
    row, column = divmod(i, 32)
    return row * 32 + (column ^ row // 2 * 3)


# --8<-- [end:index]


# --8<-- [start:slope]
def slope(function, x, step=1e-6):
    """Return the derivative of a sum of outputs for each input, by trying."""
    found = np.empty_like(x)
    for i in range(x.size):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        found[i] = (function(up) - function(down)) / (2 * step)
    return found


# --8<-- [end:slope]


# --8<-- [start:softmax]
def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def softmax_backward(x, gradient):
    """What the papers give, taken on trust: y * (g - sum(y * g))."""
    y = softmax(x)
    return y * (gradient - np.sum(y * gradient))


# --8<-- [end:softmax]


def example():
    """Three checks.

    --8<-- [start:index_example]
    >>> is_a_shuffle(swizzled, 1024), is_a_shuffle(mistyped, 1024)
    (True, False)

    --8<-- [end:index_example]

    --8<-- [start:slope_example]
    >>> rng = np.random.default_rng(2)
    >>> scores, gradient = rng.normal(size=(2, 7))
    >>> tried = slope(lambda x: np.sum(gradient * softmax(x)), scores)
    >>> np.allclose(tried, softmax_backward(scores, gradient), atol=1e-8)
    True

    --8<-- [end:slope_example]

    --8<-- [start:rounding]
    >>> x = np.full(2**14, 0.1, np.float16)
    >>> one_by_one = np.float16(0)
    >>> for value in x:
    ...     one_by_one += value
    >>> float(one_by_one), float(x.astype(np.float32).sum().round())
    (256.0, 1638.0)

    --8<-- [end:rounding]
    """
