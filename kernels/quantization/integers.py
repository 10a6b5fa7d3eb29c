"""Weights and activations as small integers: one scale for all, for a row, for a group."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:round]
def quantize(w, bits=8, group=None):
    """Return integers and scales of a matrix, symmetric around zero.

    ``group``: None for one scale for the whole matrix, 0 for one for each row, otherwise one for
    so many neighbors of a row.
    """
    highest = 2 ** (bits - 1) - 1
    parts = w.reshape(1, 1, -1) if group is None else w.reshape(len(w), -1, group or w.shape[1])
    scales = np.abs(parts).max(axis=2, keepdims=True) / highest
    q = np.rint(parts / np.where(scales == 0, 1, scales))
    return q.astype(np.int8).reshape(w.shape), scales


def restore(q, scales):
    """Return the numbers that the integers stand for."""
    return (q.reshape(*scales.shape[:2], -1) * scales).reshape(q.shape)


def error(got, right):
    return np.linalg.norm(got - right) / np.linalg.norm(right)


# --8<-- [end:round]


# --8<-- [start:product]
def int8_linear(x, q_w, scales_w):
    """Return x @ w.T by integers: activations in int8, a scale for each row, sums in int32."""
    q_x, scales_x = quantize(x, 8, 0)
    sums = q_x.astype(np.int32) @ q_w.astype(np.int32).T
    return sums * scales_x[:, :, 0] * scales_w[:, :, 0].T


# --8<-- [end:product]


# --8<-- [start:smooth]
def smooth(x, w, alpha=0.5):
    """Return x and w with each input channel's size shared between the two."""
    s = np.abs(x).max(axis=0) ** alpha / np.abs(w).max(axis=0) ** (1 - alpha)
    return x / s, w * s


# --8<-- [end:smooth]


def examples():
    """The examples.

    --8<-- [start:example]
    >>> random = np.random.default_rng(7)
    >>> w = random.standard_normal((256, 512)) * random.lognormal(0, 1, (256, 1))
    >>> for name, group in (("matrix", None), ("row", 0), ("group of 32", 32)):
    ...     print(f"a scale for each {name:11}", f"{error(restore(*quantize(w, 8, group)), w):.4f}")
    a scale for each matrix      0.0655
    a scale for each row         0.0072
    a scale for each group of 32 0.0054

    --8<-- [end:example]

    --8<-- [start:smooth_example]
    >>> x = random.standard_normal((64, 512))
    >>> w = random.standard_normal((256, 512))
    >>> float(round(error(int8_linear(x, *quantize(w, 8, 0)), x @ w.T), 3))
    0.01
    >>> x[:, 100] *= 60  # one channel is large, for every token
    >>> w[:, 100] /= 60  # and its weights make up for it
    >>> float(round(error(int8_linear(x, *quantize(w, 8, 0)), x @ w.T), 3))
    0.126
    >>> smooth_x, smooth_w = smooth(x, w)
    >>> np.allclose(smooth_x @ smooth_w.T, x @ w.T)
    True
    >>> float(round(error(int8_linear(smooth_x, *quantize(smooth_w, 8, 0)), x @ w.T), 3))
    0.01

    --8<-- [end:smooth_example]
    """
