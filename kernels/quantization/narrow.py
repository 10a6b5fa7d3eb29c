"""Narrow floats and code books: FP8, NF4, and the MX formats with a scale of one byte."""

# --8<-- [start:imports]
from statistics import NormalDist

import numpy as np

# --8<-- [end:imports]

# --8<-- [start:float]
FORMATS = {  # bits of the mantissa, least exponent of a normal number, largest number
    "e4m3": (3, -6, 448),
    "e5m2": (2, -14, 57344),
    "e2m1": (1, 0, 6),
}


def to_float(x, name):
    """Round to the nearest number of a narrow format; what is larger becomes the largest."""
    mantissa, least, largest = FORMATS[name]
    exponent = np.floor(np.log2(np.maximum(np.abs(x), 2.0**least)))
    step = 2.0 ** (exponent - mantissa)
    return np.clip(np.rint(x / step) * step, -largest, largest)


def scaled(x, name, block=None):
    """Round x / scale, with a scale for all, or one for each block of a row or square block.

    ``block``: None, a number of neighbors, or two numbers: rows and columns.
    """
    rows, columns = (1, block) if isinstance(block, int) else block or x.shape
    parts = x.reshape(len(x) // rows, rows, -1, columns)
    scale = np.abs(parts).max(axis=(1, 3), keepdims=True) / FORMATS[name][2]
    scale = np.where(scale == 0, 1, scale)
    return (to_float(parts / scale, name) * scale).reshape(x.shape)


# --8<-- [end:float]


# --8<-- [start:delayed]
def delayed(steps, name="e4m3", history=4):
    """Round each tensor with a scale from the largest numbers of those before it."""
    seen, out = [np.abs(steps[0]).max()], []
    for x in steps:
        scale = max(seen[-history:]) / FORMATS[name][2]
        out.append(to_float(x / scale, name) * scale)
        seen.append(np.abs(x).max())  # known when x is written: no second pass over it
    return out


# --8<-- [end:delayed]


# --8<-- [start:books]
def nf4_book():
    """Return the 16 levels of NF4: quantiles of a normal distribution, exact at 0 and at 1."""
    below = [NormalDist().inv_cdf(p) for p in np.linspace(1 - 0.9677083, 0.5, 8)]
    above = [NormalDist().inv_cdf(p) for p in np.linspace(0.5, 0.9677083, 9)[1:]]
    return np.array(below + above) / above[-1]


def by_book(x, book, block=64):
    """Round each number to the nearest level, times the largest of its block."""
    parts = x.reshape(-1, block)
    scale = np.abs(parts).max(axis=1, keepdims=True)
    scale = np.where(scale == 0, 1, scale)
    between = (book[1:] + book[:-1]) / 2
    return (book[np.searchsorted(between, parts / scale)] * scale).reshape(x.shape)


def to_mx(x, name, block=32):
    """Round as the MX formats do: a power of two, kept in one byte, for each 32 numbers."""
    largest = np.floor(np.log2(FORMATS[name][2]))  # the exponent of the largest number
    parts = x.reshape(-1, block)
    top = np.abs(parts).max(axis=1, keepdims=True)
    scale = 2.0 ** (np.floor(np.log2(np.where(top == 0, 1, top))) - largest)
    return (to_float(parts / scale, name) * scale).reshape(x.shape)


# --8<-- [end:books]


def examples():
    """The examples.

    --8<-- [start:float_example]
    >>> to_float(np.array([17, 17.5, 449, 0.0009, 0.001]), "e4m3").tolist()
    [16.0, 18.0, 448.0, 0.0, 0.001953125]
    >>> to_float(np.array([17, 449, 70000]), "e5m2").tolist()
    [16.0, 448.0, 57344.0]

    --8<-- [end:float_example]

    --8<-- [start:scaled_example]
    >>> random = np.random.default_rng(7)
    >>> x = random.standard_normal((256, 512)) * np.exp(3 * random.standard_normal((256, 1)))
    >>> for name in ("e4m3", "e5m2"):
    ...     for block in (None, (128, 128), 128):
    ...         off = np.linalg.norm(scaled(x, name, block) - x, axis=1)
    ...         off /= np.linalg.norm(x, axis=1)
    ...         print(name, f"{str(block):10}", f"{np.median(off):.3f} {off.max():.3f}")
    e4m3 None       0.085 1.000
    e4m3 (128, 128) 0.028 1.000
    e4m3 128        0.026 0.029
    e5m2 None       0.053 0.062
    e5m2 (128, 128) 0.053 0.059
    e5m2 128        0.052 0.056

    --8<-- [end:scaled_example]

    --8<-- [start:delayed_example]
    >>> steps = [random.standard_normal(10_000) * size for size in (1, 1, 1, 10, 10)]
    >>> [round(float(error(got, x)), 3) for got, x in zip(delayed(steps), steps, strict=True)]
    [0.027, 0.026, 0.026, 0.702, 0.027]

    --8<-- [end:delayed_example]

    --8<-- [start:books_example]
    >>> nf4_book().round(3)[:9].tolist()
    [-1.0, -0.696, -0.525, -0.395, -0.284, -0.185, -0.091, 0.0, 0.08]
    >>> x = random.standard_normal((256, 512))
    >>> round(float(error(by_book(x, nf4_book()), x)), 3)  # NF4, blocks of 64
    0.092
    >>> round(float(error(by_book(x, np.linspace(-1, 1, 16)), x)), 3)  # 16 equal steps
    0.1
    >>> round(float(error(to_mx(x, "e2m1"), x)), 3)  # MXFP4, blocks of 32
    0.115

    --8<-- [end:books_example]
    """
