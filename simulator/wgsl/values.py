"""What the compiler knows of a value: its Numba type, its WGSL text, its interval, how exact it is.

WGSL has 32-bit numbers. Numba's integers are mostly 64 bits wide (``i + 1`` is int64), so every
integer carries the interval that it lies in, and one of four states:

* ``fits``: the text is the value. The interval lies within int32 or uint32.
* ``mod``: the text is the value's low 32 bits. Sums, products and bits of it stay right modulo
  2**32, so it may be stored as 32 bits or index an array; it may not be compared or divided.
* ``sat``: a float made an integer; the text is the value, or the end of int32 that it lies beyond.
* ``index``: the text is the value if that lies within int32: good for an index, and nothing else.

A float64 value is ``exact`` where float32 holds it, and ``once`` where its text is the float32
nearest to what Numba computes in float64 (one operation on exact values, which is rounded alike
whether float64 comes between or not). Anything else is refused.
"""

import struct
from dataclasses import dataclass, field, replace

from ..stepper.types import Array, Scalar, Tuple, complex64, complex128, float16, float32

I32 = -(1 << 31), (1 << 31) - 1
U32 = 0, (1 << 32) - 1
MOST = 3.4028234663852886e38  # the largest float32
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

    @property
    def sizes(self):
        """Its sizes, from the outermost."""
        return self.shape or (self.size,)

    @property
    def bytes(self):
        """The bytes of an element."""
        return 2 if self.half else 4

    @property
    def rep(self):
        """The WGSL type of an element; narrow and wide integers are kept as 32 bits."""
        return {"f": "f32", "u": "u32", "b": "u32"}.get(self.dtype.kind, "i32")


@dataclass(frozen=True)
class View:
    """An array: a part of a buffer. Sizes and strides (in elements) are values or numbers."""

    buffer: Buffer
    shape: tuple  # Values
    strides: tuple  # numbers
    offset: Value
    pair: bool = False  # of complex numbers: two elements of the buffer each, the real part first

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


def rep_of(type, lo=None, hi=None, prefer=""):
    """(WGSL type, state) for a number of this type within lo and hi."""
    if type.kind == "f":
        return "f32", "fits" if type in (float32, float16) else "exact"
    if type.kind == "b":
        return "bool", "fits"
    if type.kind == "c":
        return "vec2f", "exact"
    inside = I32[0] <= lo and hi <= I32[1]
    unsigned = lo >= 0 and hi <= U32[1]
    if type.size <= 4:
        return ("u32" if type.kind == "u" else "i32"), "fits"
    if prefer == "u32" and unsigned or not inside and unsigned:
        return "u32", "fits"
    return "i32", "fits" if inside else "mod"


def lettered(name):
    """A name that begins with no digit, of one that had underscores before it."""
    return f"value_{name}" if name[0].isdigit() else name


def literal(rep, number):
    """The text of an integer constant."""
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
