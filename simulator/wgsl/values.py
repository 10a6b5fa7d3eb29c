"""What the compiler knows of a value: its Numba type, its WGSL text, its interval, how exact it is.

WGSL has 32-bit numbers. Numba's integers are mostly 64 bits wide (``i + 1`` is int64), so every
integer carries the interval that it lies in, and one of four states:

* ``fits``: the text is the value. The interval lies within int32 or uint32.
* ``mod``: the text is the value's low 32 bits. Sums, products and bits of it stay right modulo
  2**32, so it may be stored as 32 bits or index an array; it may not be compared or divided.
* ``sat``: a float made an integer; the text is the value, or the end of int32 that it lies beyond.
* ``index``: the text is the value if that lies within int32: good for an index, and nothing else.

A float64 value is ``exact`` where float32 holds it, and ``once`` where its text is the float32
nearest to what Numba computes in float64: one of + - * / and sqrt on exact values, rounded to
float64's 53 digits and then to float32's 24, is what rounding to 24 at once leaves, since
53 >= 2 * 24 + 2 (Figueroa, When is double rounding innocuous?, 1995; with subnormal results, Roux,
Innocuous double rounding of basic arithmetic operations, 2014). ``near`` is a value that takes an
approximation as well. Anything else is refused.

That a float is exact is also known by its ``span``: (g, m) says that it is k * 2**g for an integer
k with abs(k) <= m, and m is no larger than 2**24. An integer has one, and what + - * leave of such
numbers, as long as it has one: nothing is rounded there, in float32 or float64.
"""

import math
import struct
from dataclasses import dataclass, field, replace

from ..stepper.types import Array, Scalar, Tuple, complex64, complex128, float16, float32, float64
from .wide import WIDE, wide_literal

I32 = -(1 << 31), (1 << 31) - 1
U32 = 0, (1 << 32) - 1
MOST = 3.4028234663852886e38  # the largest float32
WHOLE = 1 << 24  # up to here float32 holds every integer
MODES = {"pairs": False, "emulated": False}  # of the module that is being compiled: see wide.py
BARRIER = "<barrier>"  # in a text, for the barrier of the whole block
ATOM, UNARY, TIMES, PLUS, LOOSE = 9, 5, 4, 3, 0  # how tightly a text holds together


class Refused(Exception):
    """What cannot be compiled, by name and line. It is never compiled wrong instead."""

    def __init__(self, what, line=None, filename=None, kind="other"):
        self.what, self.line, self.filename, self.kind = what, line, filename, kind
        super().__init__(f"line {line}: {what}" if line else what)


@dataclass(frozen=True)
class Value:
    """A value. ``rep``: its WGSL type; ``uniform``: the same for all threads of a workgroup."""

    type: object
    code: str = ""
    rep: str = ""
    lo: int | None = None
    hi: int | None = None
    state: str = "fits"
    const: object = None
    uniform: bool = False
    prec: int = ATOM
    items: tuple = ()
    view: object = None
    mask: bool = False  # the lanes that are active where it was asked for
    merges: str = ""  # "+" or "*": a driver may merge a further constant into these operations
    span: tuple | None = None  # of a float: see above

    @property
    def known(self):
        return self.const is not None

    def at(self, least):
        """The text, in brackets if it holds together less tightly than ``least``."""
        return self.code if self.prec >= least else f"({self.code})"

    def but(self, **changes):
        return replace(self, **changes)


@dataclass(eq=False)
class Buffer:
    """Memory: a storage buffer, workgroup memory, a thread's own array, or constants."""

    name: str
    dtype: Scalar
    space: str  # storage, workgroup, private, const
    size: int  # elements
    key: object = None  # of a storage buffer: which memory of the launch
    data: tuple = ()  # of constants
    read: bool = False
    written: bool = False
    atomic: bool = False
    lo: int | None = None  # of integers that no thread writes: what the host put there
    hi: int | None = None
    lines: list = field(default_factory=list)
    shape: tuple = ()  # of an array of arrays: its elements are named by as many indices
    half: bool = False  # float16 in two bytes; else such numbers are kept as float32
    wide: bool = False  # numbers of 64 bits as they are; else they are kept in 32

    @property
    def sizes(self):
        """Its sizes, from the outermost."""
        return self.shape or (self.size,)

    @property
    def bytes(self):
        """The bytes of an element."""
        return 8 if self.wide else 2 if self.half else 4

    @property
    def rep(self):
        """The WGSL type of an element; narrow and wide integers are kept as 32 bits."""
        if self.wide:
            return self.dtype.name
        return {"f": "f32", "u": "u32", "b": "u32"}.get(self.dtype.kind, "i32")


@dataclass(frozen=True)
class View:
    """An array: a part of a buffer. Sizes and strides (in elements) are values or numbers."""

    buffer: Buffer
    shape: tuple  # Values
    strides: tuple  # numbers
    offset: Value
    pair: bool = False  # of complex numbers: two elements of the buffer each, the real part first
    states: bool = False  # of random states: two elements of the buffer each

    @property
    def dtype(self):
        """The Numba type of its elements."""
        whole = complex128 if self.buffer.dtype.size == 8 else complex64
        return whole if self.pair else self.buffer.dtype

    def type(self):
        step, layout = 1 + self.pair, "C"
        for n, s in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if s != step and n.const != 1:
                layout = "A"
            step *= n.const if n.known else 0
        return Array(self.dtype, len(self.shape), layout)


def exact32(x):
    """Whether float32 holds the number ``x``."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0] == x
    except OverflowError:
        return False


def bounded(g, m):
    """The span of k * 2**g with abs(k) <= m, or None where float32 may not hold all of them."""
    return (g, m) if m <= WHOLE and -126 <= g and g + m.bit_length() <= 127 else None


def span_of(v):
    """The span of a number, or None."""
    if v.type.whole:
        return bounded(0, max(abs(v.lo), abs(v.hi)))
    if not v.known or v.const - v.const != 0:
        return v.span
    n, d = v.const.as_integer_ratio()
    zeros = (n & -n).bit_length() - 1 if n else 0
    return bounded(zeros + 1 - d.bit_length(), abs(n) >> zeros)


def spanned(op, a, b):
    """The span of ``a op b`` of two floats that have one; "Join": of the one or the other."""
    s, t = span_of(a), span_of(b)
    if s is None or t is None or op == "Div":  # a driver's quotient need not be the nearest
        return None
    if op == "Mult":
        return bounded(s[0] + t[0], s[1] * t[1])
    g = min(s[0], t[0])
    m, n = s[1] << s[0] - g, t[1] << t[0] - g
    return bounded(g, max(m, n) if op == "Join" else m + n)


def beside(x):
    """The largest float32 below the number ``x``, which is none, and the smallest above it."""
    (near,) = struct.unpack("f", struct.pack("f", x))
    (bits,) = struct.unpack("i", struct.pack("f", abs(near)))
    away = (near > x) == (near > 0) if near else False
    bits += -1 if away else 1
    (other,) = struct.unpack("f", struct.pack("i", bits))
    other = math.copysign(other, near or x)
    return min(near, other), max(near, other)


def rep_of(type, lo=None, hi=None, prefer=""):
    """(WGSL type, state) for a number of this type within lo and hi."""
    if type.kind == "f":
        if type is float64 and MODES["emulated"]:
            return "float64", "exact"
        return "f32", "fits" if type in (float32, float16) else "exact"
    if type.kind == "b":
        return "bool", "fits"
    if type.kind == "c":
        wide = type is complex128 and MODES["emulated"]
        return "complex128" if wide else "vec2f", "exact"
    inside = I32[0] <= lo and hi <= I32[1]
    unsigned = lo >= 0 and hi <= U32[1]
    if type.size <= 4:
        return ("u32" if type.kind == "u" else "i32"), "fits"
    if prefer == "u32" and unsigned or not inside and unsigned:
        return "u32", "fits"
    if MODES["pairs"] and not inside:
        return ("int64" if type.kind == "i" else "uint64"), "fits"
    return "i32", "fits" if inside else "mod"


def keeps(dtype):
    """Whether a buffer has elements of this type in 64 bits."""
    if dtype.size != 8 or dtype.kind not in "iuf":
        return False
    return MODES["emulated" if dtype.kind == "f" else "pairs"]


def literal(rep, number):
    """The text of an integer constant."""
    if rep in WIDE:
        return wide_literal(rep, number)
    number &= 0xFFFFFFFF
    if rep == "u32":
        return f"{number}u"
    number -= (number >> 31) << 32
    return str(number) if number >= 0 else f"i32({number})"


def number(type, const, uniform=True):
    """A constant integer or boolean as a value of ``type``."""
    if type.kind == "b":
        return Value(type, "true" if const else "false", "bool", int(const), int(const), "fits",
                     bool(const), True)  # fmt: skip
    rep, state = rep_of(type, const, const)
    return Value(type, literal(rep, const), rep, const, const, state, const, uniform)


def unequal(a, text):
    """``a != text`` of floats. A NaN is unequal to all; of ``!=`` some drivers say it is not."""
    return f"!({a.at(PLUS)} == {text})"


def real_text(x):
    """The text of a finite float constant as float32."""
    x = struct.unpack("f", struct.pack("f", x))[0]
    for digits in (6, 7, 8, 9, 17):  # 17: the largest float32, which no shorter text stays below
        text = f"{x:.{digits}g}"
        if abs(float(text)) <= MOST and struct.unpack("f", struct.pack("f", float(text)))[0] == x:
            break
    return text if any(c in text for c in ".e") else text + ".0"


def flat(items):
    """The scalar values of nested tuples."""
    for v in items:
        yield from flat(v.items) if isinstance(v.type, Tuple) else (v,)


def packed(shape):
    """Strides, in elements, of an array that is packed row by row."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)
