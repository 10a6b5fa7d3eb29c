"""Blocks of 4-bit floats that share a scale: MXFP4 and NVFP4."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:e2m1]
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # all that three bits beside the sign can say


def to_e2m1(x):
    """Return each number's nearest E2M1 value."""
    nearest = np.abs(np.abs(x)[..., None] - E2M1).argmin(axis=-1)
    return np.sign(x) * E2M1[nearest]


# --8<-- [end:e2m1]


# --8<-- [start:mx]
def mxfp4(block):
    """Return a block of 32 numbers as MXFP4 keeps it: one power of two as scale."""
    scale = 2.0 ** (np.floor(np.log2(np.abs(block).max())) - 2)  # 2 is the exponent of 4 and 6
    return to_e2m1(block / scale) * scale


# --8<-- [end:mx]


# --8<-- [start:nv]
def nvfp4(block):
    """Return a block of 16 numbers as NVFP4 keeps it: a scale with three bits of fraction.

    The range of the scale's exponent, which a second scale for the whole tensor keeps in bounds,
    is left out here.
    """
    scale = np.abs(block).max() / 6
    fraction, exponent = np.frexp(scale)
    scale = np.ldexp(np.rint(fraction * 16) / 16, exponent)  # E4M3: one leading bit and three more
    return to_e2m1(block / scale) * scale


# --8<-- [end:nv]


# --8<-- [start:error]
def error(keep, size, x):
    """Return the relative error of ``x`` kept in blocks of ``size``."""
    kept = np.concatenate([keep(block) for block in np.split(x, len(x) // size)])
    return np.linalg.norm(kept - x) / np.linalg.norm(x)


# --8<-- [end:error]


def examples():
    """Normal random numbers.

    --8<-- [start:mx-example]
    >>> mxfp4(np.array([0.1, -0.7, 3.1, 11.0]))
    array([ 0., -1.,  3., 12.])
    >>> x = np.random.default_rng(6).normal(size=4096)
    >>> f"{error(mxfp4, 32, x):.3f}"
    '0.115'

    --8<-- [end:mx-example]

    --8<-- [start:nv-example]
    >>> x = np.random.default_rng(6).normal(size=4096)
    >>> f"{error(nvfp4, 16, x):.3f}"
    '0.096'

    --8<-- [end:nv-example]
    """
