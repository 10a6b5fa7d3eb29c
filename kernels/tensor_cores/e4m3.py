"""FP8 e4m3 in NumPy: bits in uint8, rounding to nearest."""

import numpy as np

# --8<-- [start:format]
LARGEST = 448.0  # of e4m3: 4 bits of exponent, 3 of mantissa, no infinity


def to_e4m3(x):
    """Return numbers rounded to FP8 e4m3, halves to even, as uint8; NaN becomes 0x7F.

    Numbers beyond 448 become 448 with their sign: scale the data first.
    """
    x = np.asarray(x, dtype=np.float32)
    size = np.minimum(np.abs(np.nan_to_num(x)), np.float32(LARGEST))
    exponent = np.maximum(np.floor(np.log2(np.maximum(size, 2.0**-30))), -6)  # below: subnormal
    steps = np.rint(size * 2.0 ** (3 - exponent))  # in eighths of the power of two
    carry = steps == 16
    exponent, steps = np.where(carry, exponent + 1, exponent), np.where(carry, 8, steps)
    bits = np.where(steps < 8, steps, (exponent + 7) * 8 + steps - 8).astype(np.uint8)
    return np.where(np.isnan(x), 0x7F, bits | np.signbit(x) * np.uint8(0x80)).astype(np.uint8)


def from_e4m3(bits):
    """Return FP8 e4m3 numbers, given as uint8, as float32."""
    bits = np.asarray(bits, dtype=np.uint8).astype(np.int32)
    exponent, eighths = bits >> 3 & 15, bits & 7
    size = np.where(exponent, (8 + eighths) * 2.0 ** (exponent - 10), eighths * 2.0**-9)
    size = np.where((bits & 0x7F) == 0x7F, np.nan, size)
    return np.where(bits & 0x80, -size, size).astype(np.float32)


# --8<-- [end:format]


def _example():
    """
    --8<-- [start:example]
    >>> from_e4m3(to_e4m3([1, 1.06, 1.07, 17.1, 1000]))
    array([  1.   ,   1.   ,   1.125,  18.   , 448.   ], dtype=float32)

    --8<-- [end:example]
    """


# --8<-- [start:exercise]
def spacing(x):
    """Return the distance from one e4m3 number to the next around x, for 0 <= x < 448."""
    return float(2.0 ** (max(np.floor(np.log2(x)), -6) - 3)) if x else 2.0**-9


# --8<-- [end:exercise]


def _exercise():
    """
    --8<-- [start:exercise_example]
    >>> [spacing(x) for x in (0, 0.001, 1, 17, 300)]
    [0.001953125, 0.001953125, 0.125, 2.0, 32.0]
    >>> numbers = from_e4m3(np.arange(0x7F))  # all that are not negative
    >>> all(spacing(a) == b - a for a, b in zip(numbers[:-1], numbers[1:], strict=True))
    True

    --8<-- [end:exercise_example]
    """
