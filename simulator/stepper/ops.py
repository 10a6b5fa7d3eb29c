"""Arithmetic that Python does otherwise than a GPU: rounding, wrapping, division by zero, bits.

Numbers are Python's own: an int, a float, a bool. A float32 is the float of the same value, and is
rounded after every operation; for + - * / and sqrt that gives the bits of the hardware's result,
because float64 has more than twice the digits. Integers are wrapped to 64 bits where they could
leave them.
"""

import cmath
import math
import struct
from operator import setitem

M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

# One float32 in memory: storing rounds (to nearest even, beyond the largest to infinity) and
# reading gives the rounded value. ``setitem(F32, 0, x) or F32[0]`` is the fastest rounding that
# plain Python has and is written out in generated code; it needs no NumPy.
F32 = memoryview(bytearray(4)).cast("f")


def round32(x):
    """``x`` rounded to float32."""
    return setitem(F32, 0, x) or F32[0]


def round16(x):
    """``x`` rounded to float16."""
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits16(x):
    """The 16 bits of the float16 nearest to ``x``."""
    try:
        return int.from_bytes(struct.pack("<e", x), "little")
    except OverflowError:
        return 0x7C00 if x > 0 else 0xFC00


def wrap(x, size, signed):
    """``x`` modulo 2**(8 * size), as a signed or an unsigned integer."""
    x &= (1 << 8 * size) - 1
    return x - (1 << 8 * size) if signed and x >> (8 * size - 1) else x


def wrap64(x):
    """``x`` as int64 holds it."""
    x &= M64
    return x - (1 << 64) if x >> 63 else x


def wrap32(x):
    """``x`` as int32 holds it."""
    x &= M32
    return x - (1 << 32) if x >> 31 else x


def float_to_int(x, size, signed):
    """Truncate towards zero; beyond the range to its end, NaN to 0, as the GPU converts."""
    if x != x:
        return 0
    lo, hi = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
    return lo if x <= lo else hi if x >= hi else int(x)


def divide(a, b):
    """``a / b`` by IEEE 754: a division by zero gives infinity or NaN."""
    if b:
        return a / b
    if a != a or a == 0 or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floor_divide(a, b):
    """``a // b`` of floats; by zero like ``/``."""
    if not b:
        return divide(a, b)
    return math.nan if math.isinf(a) or a != a or b != b else a // b


def modulo(a, b):
    """``a % b`` of floats, with the sign of ``b``; NaN by zero."""
    if not b or math.isinf(a) or a != a or b != b:
        return math.nan
    return a % b


def shift_left(a, n):
    """``a << n`` for any count: counts past the width give 0, as the GPU's shift does."""
    return a << n if 0 <= n < 64 else 0


def shift_right(a, n):
    """``a >> n`` for any count: counts past the width leave only the sign."""
    return a >> n if 0 <= n < 64 else (-1 if a < 0 else 0)


def integer_power(a, n, size, signed):
    """``a ** n`` of integers, wrapped; a negative exponent gives 0 unless ``a`` is 1 or -1."""
    if n < 0:
        if a == 0:
            return wrap(1 << 8 * size - 1, size, signed)
        return a if a == 1 or (a == -1 and n & 1) else 1 if a == -1 else 0
    return wrap(pow(a, n, 1 << 8 * size), size, signed)


def constant_power(a, n, single):
    """``a ** n`` for a constant integer ``n``: multiplied out by squaring, as Numba does."""
    result, e = None, abs(n)
    while e:
        if e & 1:
            result = a if result is None else result * a
            result = round32(result) if single else result
        e >>= 1
        a = round32(a * a) if single else a * a
    result = 1.0 if result is None else result
    return divide(1.0, result) if n < 0 else result


def power(a, b):
    """``a ** b`` of floats: where Python raises, IEEE 754's infinity or NaN."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        if a == 0:  # zero to a negative power
            return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
        return math.nan


def quiet(function, overflow=math.inf, pole=math.nan):
    """``function`` of math, with IEEE results in place of OverflowError and ValueError."""

    def call(*args):
        try:
            return function(*args)
        except OverflowError:
            return overflow
        except ValueError:
            return pole if args[0] == 0 and pole == pole else math.nan

    call.__name__ = function.__name__
    return call


def _sinh(x):
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _floor(function):
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x  # ceil(-0.5) is -0.0


def _gamma(x):
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _atanh(x):
    return math.copysign(math.inf, x) if abs(x) == 1 else quiet(math.atanh)(x)


def cbrt(x):
    """The cube root, also of negative numbers."""
    if not math.isfinite(x) or x == 0:
        return x
    if hasattr(math, "cbrt"):
        return math.cbrt(x)
    root = math.copysign(abs(x) ** (1 / 3), x)
    return root - (root * root * root - x) / (3 * root * root)


def exp2(x):
    """2 ** x."""
    return power(2.0, x)


def rint(x):
    """The nearest whole number, halves to the even one."""
    return math.copysign(round(x), x) if math.isfinite(x) else x


def round_to_int(x):
    """``round(x)``: the nearest integer, halves to the even one."""
    return float_to_int(rint(x), 8, True)


def sign(x):
    """-1, 0 or 1."""
    return x if x != x else (x > 0) - (x < 0)


_log = quiet(math.log, pole=-math.inf)
# One-argument functions of floats: name -> (function, kind of instruction)
MATH = {
    **{n: quiet(getattr(math, n)) for n in ("acos", "asin", "atan", "acosh", "asinh", "sqrt")},
    **{n: quiet(getattr(math, n)) for n in ("cos", "sin", "tan", "tanh", "cosh", "exp", "expm1")},
    **{n: quiet(getattr(math, n)) for n in ("erf", "erfc", "degrees", "radians", "fabs")},
    **{"log": _log, "log2": quiet(math.log2, pole=-math.inf)},
    **{"log10": quiet(math.log10, pole=-math.inf), "log1p": quiet(math.log1p)},
    **{"lgamma": quiet(math.lgamma, pole=math.inf), "gamma": _gamma, "sinh": _sinh},
    **{"floor": _floor(math.floor), "ceil": _floor(math.ceil), "trunc": _floor(math.trunc)},
    **{"atanh": _atanh, "exp2": exp2},
}
MATH2 = {
    **{n: quiet(getattr(math, n)) for n in ("atan2", "copysign", "fmod", "hypot", "remainder")},
    **{"pow": power},
}
# What NumPy calls them; the rest has the same name.
NUMPY = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh"},
    **{"arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "power": "pow"},
}


def fma(a, b, c, single):
    """``a * b + c`` rounded once."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        near = exact.numerator / exact.denominator  # rounded to float64, to nearest
    except OverflowError:
        return math.copysign(math.inf, exact)
    if not single:
        return near
    # Rounding twice can go wrong where the first rounding made a tie of the second: rounding the
    # first to odd instead keeps the information that it was not exact.
    if Fraction(near) != exact:
        bits = struct.unpack("<q", struct.pack("<d", near))[0]
        if not bits & 1:
            away = (Fraction(near) < exact) == (near > 0)
            bits += 1 if away else -1
            near = struct.unpack("<d", struct.pack("<q", bits))[0]
    return round32(near)


def popcount(x, size):
    """How many bits are set."""
    return (x & ((1 << 8 * size) - 1)).bit_count()


def leading_zeros(x, size):
    """How many of the highest bits are 0."""
    return 8 * size - (x & ((1 << 8 * size) - 1)).bit_length()


def first_set(x, size):
    """The place of the lowest bit that is set, counted from 1; 0 if none is."""
    x &= (1 << 8 * size) - 1
    return (x & -x).bit_length()


def reverse_bits(x, size):
    """The bits in the opposite order."""
    return int(format(x & ((1 << 8 * size) - 1), f"0{8 * size}b")[::-1], 2)


def round_to(x, digits):
    """``round(x, digits)`` as Numba computes it: scaled, rounded half to even, scaled back."""
    if not math.isfinite(x):
        return x
    if digits >= 0:
        one, two = (10.0 ** (digits - 22), 1e22) if digits > 22 else (10.0**digits, 1.0)
        y = x * one * two
        if not math.isfinite(y):
            return x
    else:
        one, two = 10.0**-digits, 1.0
        y = x / one
    z = float(math.floor(abs(y) + 0.5))
    if abs(abs(y) - z) == 0.5:
        z = 2.0 * rint(abs(y) / 2.0)
    z = math.copysign(z, y)
    return z / two / one if digits >= 0 else z * one


def next_after(x, y, single):
    """The next float from ``x`` in the direction of ``y``."""
    if not single:
        return math.nextafter(x, y)
    if x != x or y != y:
        return math.nan
    if x == y:
        return y
    if x == 0:
        return math.copysign(2.0**-149, y)
    (bits,) = struct.unpack("<i", struct.pack("<f", x))
    bits += 1 if (y > x) == (x > 0) else -1
    return struct.unpack("<f", struct.pack("<i", bits))[0]


# ---------------------------------------------------------------- complex numbers


def complex32(z):
    """A complex number with both parts rounded to float32."""
    return complex(round32(z.real), round32(z.imag))


def complex_divide(a, b):
    """``a / b``; by zero, NaN in both parts or what the parts give."""
    try:
        return a / b
    except ZeroDivisionError:
        a = complex(a)
        return complex(divide(a.real, 0.0), divide(a.imag, 0.0))
    except OverflowError:
        return complex(math.inf, math.inf)


def complex_power(a, b):
    """``a ** b`` of complex numbers."""
    try:
        return complex(a) ** b
    except (ZeroDivisionError, OverflowError):
        return complex(math.nan, math.nan)


def load_complex(elements, at):
    """The complex number whose parts are the items ``at`` and ``at + 1``."""
    return complex(elements[at], elements[at + 1])


def magnitude(z):
    """``abs(z)``, infinite where it overflows."""
    return math.hypot(z.real, z.imag)


def _quiet_complex(function):
    def call(z):
        try:
            return function(z)
        except (ValueError, OverflowError, ZeroDivisionError):
            return complex(math.nan, math.nan)

    return call


COMPLEX = {
    n: _quiet_complex(getattr(cmath, n))
    for n in (
        *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin"),
        *("acos", "atan", "asinh", "acosh", "atanh", "phase", "polar", "isnan", "isinf"),
        "isfinite",
    )
}

# ---------------------------------------------------------------- atomics
# Each takes the old value, the operand and (size, signed) for wrapping; returns the new value.


def nan_max(a, b):
    """The larger of two numbers, of which either may be NaN: then the other."""
    return b if a != a else a if b != b else max(a, b)


def nan_min(a, b):
    """The smaller of two numbers, of which either may be NaN: then the other."""
    return b if a != a else a if b != b else min(a, b)


ATOMICS = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    # Neither replaces a NaN, and neither lets one in: no comparison with NaN holds.
    "max": lambda old, v: v if v > old else old,
    "min": lambda old, v: v if v < old else old,
    "nanmax": nan_max,
    "nanmin": nan_min,
    "and_": lambda old, v: old & v,
    "or_": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v,
    "inc": lambda old, v: 0 if old >= v else old + 1,
    "dec": lambda old, v: v if old == 0 or old > v else old - 1,
    "exch": lambda old, v: v,
}
