"""Narrow floating-point formats, from their numbers of bits."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:limits]
def limits(exponent_bits, fraction_bits):
    """Return the largest and the smallest normal number, and the step above 1.

    As in IEEE 754: the largest exponent is kept for infinity and NaN.
    """
    bias = 2 ** (exponent_bits - 1) - 1
    step = 2.0**-fraction_bits
    return (2 - step) * 2.0**bias, 2.0 ** (1 - bias), step


# --8<-- [end:limits]


# --8<-- [start:round]
def round_fraction(x, fraction_bits):
    """Return ``x`` rounded to so many bits after the leading one, to even at a tie."""
    fraction, exponent = np.frexp(np.asarray(x, dtype=np.float64))
    scale = 2.0 ** (fraction_bits + 1)
    return np.ldexp(np.rint(fraction * scale) / scale, exponent)


# --8<-- [end:round]


def examples():
    """Limits and rounding.

    --8<-- [start:bfloat16]
    >>> limits(exponent_bits=8, fraction_bits=7)  # bfloat16
    (3.3895313892515355e+38, 1.1754943508222875e-38, 0.0078125)
    >>> limits(exponent_bits=5, fraction_bits=10)  # float16
    (65504.0, 6.103515625e-05, 0.0009765625)
    >>> round_fraction([1.001, 3.14159, 1000.5], fraction_bits=7)
    array([   1.      ,    3.140625, 1000.      ])

    --8<-- [end:bfloat16]

    --8<-- [start:tf32]
    >>> round_fraction([1.001, 3.14159, 1000.4], fraction_bits=10)
    array([   1.00097656,    3.140625  , 1000.5       ])

    --8<-- [end:tf32]

    --8<-- [start:fp8]
    >>> limits(exponent_bits=5, fraction_bits=2)  # E5M2 keeps IEEE's rules
    (57344.0, 6.103515625e-05, 0.25)
    >>> round_fraction([0.9, 1.1, 3.14159, 100], fraction_bits=3)  # the steps of E4M3
    array([ 0.875,  1.125,  3.25 , 96.   ])

    --8<-- [end:fp8]
    """
