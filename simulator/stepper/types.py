"""The types of a kernel's values, and Numba's rules for what an operation returns.

Numba types every variable before it compiles, and the results depend on it: ``float32 * 2.0`` is
float64 because the literal is float64, ``int32 + int32`` is int64, ``uint32 + uint32`` is uint64,
``float32 + int32`` is float64. The rules below are those of numba-cuda 0.30; a test compares them
with Numba's own typing context, pair by pair. Source of the integer rules: Numba Enhancement
Proposal 1, https://numba.readthedocs.io/en/stable/proposals/integer-typing.html
"""

import math
import re
from dataclasses import dataclass
from typing import ClassVar

from .faults import Unsupported


@dataclass(frozen=True, eq=False)
class Scalar:
    """A number type. ``kind``: b (boolean), i (signed), u (unsigned), f (float), c (complex)."""

    name: str
    kind: str
    size: int  # bytes
    format: str  # of a memoryview over its elements; float16 is kept as its 16 bits

    @property
    def lo(self):
        """Smallest integer of this type (0 for a float, which has no interval)."""
        return -(1 << (8 * self.size - 1)) if self.kind == "i" else 0

    @property
    def hi(self):
        """Largest integer of this type."""
        if self.kind == "b":
            return 1
        return (1 << (8 * self.size - (self.kind == "i"))) - 1 if self.kind in "iu" else 0

    @property
    def whole(self):
        """Whether it is an integer or a boolean."""
        return self.kind in "biu"

    @property
    def part(self):
        """The float type of a complex number's two parts."""
        return float32 if self.size == 8 else float64

    def __getitem__(self, key):
        """``float32[:, ::1]`` in a signature: an array of two dimensions."""
        return array_of(self, key)

    numpy: ClassVar = None  # where the types of its numbers are: host.py says

    def __call__(self, *args):
        """``float32(x)`` on the host converts; ``float32(int32)`` is a signature."""
        if args and not isinstance(args[0], TYPES):
            if self.kind in "bc":
                return (bool if self.kind == "b" else complex)(args[0])
            if self.numpy is None:
                return {"f": float}.get(self.kind, int)(args[0])
            return getattr(self.numpy, self.name)(args[0])
        return Signature(args, self)

    def __repr__(self):
        return self.name


boolean = Scalar("bool", "b", 1, "?")
int8, int16, int32, int64 = (
    Scalar(f"int{8 * n}", "i", n, f) for n, f in ((1, "b"), (2, "h"), (4, "i"), (8, "q"))
)
uint8, uint16, uint32, uint64 = (
    Scalar(f"uint{8 * n}", "u", n, f) for n, f in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
)
float16, float32, float64 = (
    Scalar(f"float{8 * n}", "f", n, f) for n, f in ((2, "H"), (4, "f"), (8, "d"))
)
# A complex number lies in memory as two floats, the real part first.
complex64, complex128 = Scalar("complex64", "c", 8, "f"), Scalar("complex128", "c", 16, "d")
SCALARS = {
    t.name: t
    for t in (
        *(boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
        *(float16, float32, float64, complex64, complex128),
    )
}
ALIASES = {
    **SCALARS,
    **{"boolean": boolean, "bool_": boolean, "b1": boolean, "intp": int64, "uintp": uint64},
    **{f"i{t.size}": t for t in (int8, int16, int32, int64)},
    **{f"u{t.size}": t for t in (uint8, uint16, uint32, uint64)},
    **{"f2": float16, "f4": float32, "f8": float64, "float": float64, "int": int64},
    **{"c8": complex64, "c16": complex128, "complex": complex128},
    **{"half": float16, "single": float32, "double": float64},
    **{"char": int8, "uchar": uint8, "short": int16, "ushort": uint16, "uint": uint32},
    **{"long_": int64, "ulong": uint64, "longlong": int64, "ulonglong": uint64, "float_": float32},
    **{"size_t": uint64, "ssize_t": int64},
    **{"byte": int8, "ubyte": uint8, "intc": int32, "uintc": uint32, "int_": int64},
}


@dataclass(frozen=True)
class Nested:
    """An array within a record: ``dtype`` (Scalar or Record) and its shape, packed row by row."""

    dtype: object
    shape: tuple

    @property
    def size(self):
        return self.dtype.size * math.prod(self.shape)

    @property
    def name(self):
        return f"{self.dtype.name}{list(self.shape)}"

    __repr__ = name.fget


@dataclass(frozen=True)
class Field:
    name: str
    type: object  # a Scalar, a Record or a Nested array
    offset: int  # bytes from the start of its record


@dataclass(frozen=True)
class Record:
    """A structured dtype: named fields at byte offsets."""

    fields: tuple
    size: int
    format = "B"
    kind = "r"

    def __getitem__(self, key):
        """``from_dtype(...)[::1]`` in a signature."""
        return array_of(self, key)

    def field(self, name):
        """The field called ``name``, or None."""
        return next((f for f in self.fields if f.name == name), None)

    def leaves(self, start=0):
        """Every number in it, as fields at their offsets from the start of the whole."""
        for f in self.fields:
            yield from leaves(f.type, f.name, start + f.offset)

    @property
    def name(self):
        return "record(" + ", ".join(f"{f.name} {f.type}" for f in self.fields) + ")"

    __repr__ = name.fget


def array_of(type, key):
    """The type of an array, by the slices behind its elements' type."""
    return Array(type, len(key) if isinstance(key, tuple) else 1, "A")


def leaves(type, name, offset):
    """The numbers in a field's type, as fields."""
    if isinstance(type, Record):
        yield from type.leaves(offset)
    elif isinstance(type, Nested):
        for k in range(math.prod(type.shape)):
            yield from leaves(type.dtype, f"{name}[{k}]", offset + k * type.dtype.size)
    else:
        yield Field(name, type, offset)


def unit_of(dtype):
    """How many memoryview items an element takes: 1, 2 if complex, its bytes if a record."""
    return dtype.size if isinstance(dtype, Record) else 2 if dtype.kind == "c" else 1


@dataclass(frozen=True)
class Array:
    """An array of ``dtype`` (Scalar or Record). ``layout``: C (rows packed) or A (any strides)."""

    dtype: object
    ndim: int
    layout: str = "C"

    @property
    def name(self):
        return f"array({self.dtype.name}, {self.ndim}d, {self.layout})"


@dataclass(frozen=True)
class RecordRef:
    """One element of an array of records, by reference."""

    record: Record
    name = "record"


@dataclass(frozen=True)
class Tuple:
    """``names`` are those of a named tuple's items; ``maker`` is its class."""

    items: tuple
    names: tuple = ()
    maker: object = None

    @property
    def name(self):
        return "(" + ", ".join(t.name for t in self.items) + ")"


@dataclass(frozen=True)
class Vector:
    """A CUDA vector type such as float32x4: up to four numbers, x, y, z and w."""

    base: Scalar
    count: int

    @property
    def name(self):
        return f"{self.base.name}x{self.count}"


@dataclass(frozen=True)
class Static:
    """A value known when the kernel is compiled that is no number: a module, a function, a type."""

    name = "static"


class Known:
    """The type of an argument that is no number but known: a function, a dtype, an enum's member.

    Two are equal if they stand for the same object, so that a function is compiled for each.
    """

    name = "static"

    def __init__(self, const):
        self.const = const

    def __eq__(self, other):
        return isinstance(other, Known) and (self.const is other.const or self.const == other.const)

    def __hash__(self):
        try:
            return hash(self.const)
        except TypeError:
            return id(self.const)


@dataclass(frozen=True)
class NoneType:
    name = "none"


@dataclass(frozen=True)
class Optional:
    """A number or None: what paths with the one and the other give."""

    of: object

    @property
    def name(self):
        return f"{self.of.name} or None"


@dataclass(frozen=True)
class Conflict:
    """A variable that two paths give types which do not mix; using it is refused."""

    first: object
    second: object
    name = "conflict"


STATIC, NONE = Static(), NoneType()
TYPES = Scalar | Record | Array | Tuple | Vector | NoneType


@dataclass(frozen=True)
class Signature:
    """The argument types that a kernel was declared with, and its result's."""

    args: tuple
    result: object = None


void = type("void", (), {"__call__": lambda self, *a: Signature(a), "__repr__": lambda s: "void"})()

_LETTERS = {"char": int8, "uchar": uint8, "short": int16, "ushort": uint16, "int": int32}
_LETTERS |= {"uint": uint32, "long": int64, "ulong": uint64, "longlong": int64}
_LETTERS |= {"ulonglong": uint64, "float": float32, "double": float64}
VECTORS = {
    f"{name}{'x' if name in SCALARS else ''}{count}": Vector(base, count)
    for name, base in [
        *((t.name, t) for t in SCALARS.values() if t not in (boolean, float16)),
        *_LETTERS.items(),
    ]
    for count in (1, 2, 3, 4)
}


def as_dtype(obj):
    """Turn what a script calls a dtype into a Scalar or a Record.

    Takes NumPy's scalar types and dtypes, this package's own, Numba's types and names as text,
    recognized by name, so that no NumPy is needed. Returns None for anything else.
    """
    if isinstance(obj, Scalar | Record | Vector):
        return obj
    if obj is float:
        return float64
    if obj is int:
        return int64
    if obj is bool:
        return boolean
    if hasattr(getattr(obj, "fields", None), "items"):
        fields = []
        if not hasattr(obj, "itemsize"):  # Numba's own record type
            return as_dtype(getattr(obj, "dtype", None))
        for name, (dtype, offset, *_) in obj.fields.items():
            kind = as_dtype(dtype)
            if kind is None:
                return None
            fields.append(Field(name, kind, offset))
        return Record(tuple(fields), obj.itemsize)
    if getattr(obj, "subdtype", None):
        inner, shape = obj.subdtype
        inner = as_dtype(inner)
        return None if inner is None else Nested(inner, tuple(shape))
    name = obj if isinstance(obj, str) else None
    if name is None and isinstance(obj, type):
        name = obj.__name__
    # Numba's types are called to convert a number; its boolean says no width
    if name is None and not callable(obj) or hasattr(obj, "cast_python_value"):
        name = getattr(obj, "name", None)
    return ALIASES.get(name.lstrip("<=|")) if isinstance(name, str) else None


def array_type(dtype, shape, strides):
    """The type of an array: layout C when it is packed row by row, A otherwise.

    ``strides`` are in elements (in bytes for records, whose elements are bytes).
    """
    step = unit_of(dtype)
    layout = "C"
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and s != step:
            layout = "A"
        step *= n
    return Array(dtype, len(shape), layout if strides else "C")


def parse_signature(text):
    """Read ``"void(float32[:], int32)"`` or ``"(f4[:], f4)"`` into a Signature."""
    inside = text[text.index("(") + 1 : text.rindex(")")] if "(" in text else text
    args, depth, start = [], 0, 0
    for k, c in enumerate(inside + ","):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            if word := inside[start:k].strip():
                args.append(parse_type(word))
            start = k + 1
    return Signature(tuple(args), ALIASES.get(text.partition("(")[0].strip()))


def parse_type(word):
    """Read one type of a signature: ``float32``, ``f4[:, ::1]``, or Numba's ``Array(...)``."""
    if full := re.fullmatch(r"[Aa]rray\((\w+), (\d+)d?, .*\)", word.strip()):
        name, dims = full[1], "," * (int(full[2]) - 1)
        bracket = int(full[2]) > 0
    else:
        name, bracket, dims = word.strip().removeprefix("types.").partition("[")
    scalar = ALIASES.get(name.strip())
    if scalar is None:
        raise Unsupported(f"the type {word!r} in a signature")
    return Array(scalar, dims.count(",") + 1, "A") if bracket else scalar


def result_of(obj):
    """(argument types, result's type or None) of a signature: ``float32(float32)``."""
    if isinstance(obj, str):
        name = obj[: obj.index("(")].strip()
        return parse_signature(obj).args, parse_type(name) if name else None
    if isinstance(obj, tuple):
        return from_numba(obj).args, None
    if isinstance(obj, Signature):
        return obj.args, obj.result
    return from_numba(obj).args, from_numba(obj.return_type)


def from_numba(obj):
    """What a signature or one of its types, of Numba or as text, is here; None stays None."""
    if obj is None or isinstance(obj, TYPES | Signature):
        return obj
    if isinstance(obj, str):
        return parse_signature(obj) if "(" in obj else parse_type(obj)
    if isinstance(obj, tuple):
        return Signature(tuple(from_numba(a) for a in obj))
    if hasattr(obj, "return_type") and hasattr(obj, "args"):
        return Signature(tuple(from_numba(a) for a in obj.args), as_dtype(obj.return_type))
    if hasattr(obj, "layout") and hasattr(obj, "ndim"):
        dtype = as_dtype(obj.dtype)
        if dtype is not None:
            return Array(dtype, obj.ndim, "A")
    if hasattr(obj, "types"):
        return Tuple(tuple(from_numba(t) for t in obj.types))
    if hasattr(obj, "count") and hasattr(obj, "dtype"):
        return Tuple((from_numba(obj.dtype),) * obj.count)
    if as_dtype(obj) is not None:
        return as_dtype(obj)
    return parse_type(str(obj))


# ---------------------------------------------------------------- what an operation returns


def mix(a, b, *, unify=False):
    """The type that holds both a number of type ``a`` and one of type ``b``.

    With ``unify`` the rule for a variable that has one or the other (and for min and max), else
    the rule for the operands of + - and *; they differ for integers, and for float with uint16.
    """
    if a is b and (unify or a.kind in "fc"):
        return a
    if "c" in (a.kind, b.kind):
        real = mix(*(t.part if t.kind == "c" else t for t in (a, b)), unify=unify)
        return complex128 if real is float64 else complex64
    if a.kind == "f" or b.kind == "f":
        if a.kind == b.kind:
            return a if a.size > b.size else b
        real, other = (a, b) if a.kind == "f" else (b, a)
        bits = 0 if other.kind == "b" else 8 * other.size + (other.kind == "u" and not unify)
        # A float holds an integer that has half its bits or fewer.
        if real is float16:
            return float16 if bits <= 8 else float32 if bits <= 16 else float64
        return real if real is float64 or bits <= 16 else float64
    if not unify:
        return uint64 if a.kind == b.kind == "u" else int64
    if "b" in (a.kind, b.kind):
        return b if a.kind == "b" else a
    if a.kind == b.kind:
        return a if a.size >= b.size else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.size > unsigned.size:
        return signed
    return {1: int16, 2: int32, 4: int64, 8: float64}[unsigned.size]


def binary(op, a, b):
    """The type of ``a op b`` for two number types, or None where Numba has no such operation.

    ``op``: the class name of the node in Python's ast, such as "Add" or "FloorDiv".
    """
    if op in ("Add", "Sub", "Mult"):
        return mix(a, b)
    if op == "Div":
        return float64 if a.whole and b.whole else mix(a, b)
    if "c" in (a.kind, b.kind):
        return mix(a, b) if op == "Pow" else None
    if op in ("FloorDiv", "Mod"):
        both = mix(a, b)
        return float32 if both is float16 else both
    if op == "Pow":
        if a.kind == "f" and b.whole:
            return float32 if a is float16 else a
        both = mix(a, b)
        return float32 if both is float16 else both
    if op in ("BitAnd", "BitOr", "BitXor"):
        if a is boolean and b is boolean:
            return boolean
        return mix(a, b) if a.whole and b.whole else None
    if op in ("LShift", "RShift"):
        return (uint64 if a.kind == "u" else int64) if a.whole and b.whole else None
    return None


def unary(op, a):
    """The type of ``op a``: "UAdd", "USub", "Invert" or "Not"."""
    if op == "Not" or (op == "Invert" and a is boolean):
        return boolean
    if a.kind in "fc":
        return None if op == "Invert" else a
    return uint64 if a.kind == "u" else int64


# ---------------------------------------------------------------- atomic operations

_ALL = ("float64", "float32", "int32", "uint32", "int64", "uint64")
ATOMIC_TYPES = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), _ALL),
    **dict.fromkeys(("and_", "or_", "xor", "exch", "cas", "compare_and_swap"), _ALL[2:]),
    **dict.fromkeys(("inc", "dec"), ("uint32", "uint64")),
}


def wider(dtype, op):
    """The closest type that an atomic operation takes in place of ``dtype``, or None."""
    if dtype.kind == "c" or dtype.kind == "f" and "float32" not in ATOMIC_TYPES[op]:
        return None
    return {"f": float32, "u": uint32}.get(dtype.kind, int32)
