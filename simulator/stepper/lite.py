"""The part of NumPy that scripts with kernels use on the host, in plain Python.

It stands in for NumPy where there is none, as in a browser without its packages: arrays with views
and broadcasting, the usual ways to make them, arithmetic, reductions, ``repr`` as NumPy writes it,
``numpy.testing`` and the random numbers of ``default_rng`` bit for bit. It is slow, and it is
small: what it lacks is an AttributeError that says so. Sums are rounded once, NumPy's a few times,
so the last digit of a float sum can differ.
"""

import builtins
import contextlib
import dis
import itertools
import math
import operator
import struct
import sys
import types as pytypes
from decimal import Decimal

from . import ops
from .faults import MissingAttribute, MissingName
from .types import SCALARS, mix

__name__ = "numpy"  # kernels look names up in it as they do in NumPy
__version__ = "0 (the stepper's stand-in)"
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None

# ---------------------------------------------------------------- types


class dtype:  # noqa: N801 - NumPy's name
    """A number type, or a record of named ones."""

    def __new__(cls, spec):
        if isinstance(spec, dtype):
            return spec
        if isinstance(spec, list):
            self = super().__new__(cls)
            self.fields, offset = {}, 0
            for name, kind in spec:
                kind = dtype(kind)
                self.fields[name] = (kind, offset)
                offset += kind.itemsize
            self.name, self.itemsize, self.kind = f"void{8 * offset}", offset, "V"
            self.scalar = self.type = None
            self.names = tuple(self.fields)
            return self
        from .types import as_dtype

        scalar = as_dtype(spec)
        if scalar is None or scalar.name not in SCALARS or scalar.kind == "c":
            raise TypeError(f"the stand-in for NumPy has no dtype {spec!r}")
        if scalar.name not in _DTYPES:
            self = _DTYPES[scalar.name] = super().__new__(cls)
            self.scalar, self.name, self.itemsize = scalar, scalar.name, scalar.size
            self.kind, self.fields, self.names = scalar.kind, None, None
            self.type = globals()["bool_" if scalar.kind == "b" else scalar.name]
        return _DTYPES[scalar.name]

    def __eq__(self, other):
        try:
            return self is dtype(other)
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


_DTYPES = {}


class generic:  # noqa: N801
    """A number of a certain type: what an array's element is."""

    shape = ()
    ndim = 0
    size = 1

    @property
    def dtype(self):
        return dtype(type(self))

    def item(self):
        """The number as Python's own."""
        if self.dtype.kind == "b":
            return builtins.bool(self)
        return int(self) if isinstance(self, int) else float(self)

    tolist = item

    def astype(self, kind):
        return dtype(kind).type(self)

    def __repr__(self):
        return f"np.{type(self).__name__}({self!s})"

    def __str__(self):
        kind = self.dtype
        if kind.kind != "f":
            return str(self.item())
        x = float(self)
        text = _shortest(x, kind)
        limit = {2: 1e3, 4: 1e6, 8: 1e16}[kind.itemsize]  # from here on with an exponent
        if not math.isfinite(x):
            return text
        if x == 0 or 1e-4 <= builtins.abs(x) < limit:
            text = format(Decimal(text), "f")
            return text if "." in text else text + ".0"
        digits = len(Decimal(text).normalize().as_tuple().digits)
        return f"{float(text):.{digits - 1}e}"

    __format__ = lambda self, spec: format(self.item(), spec)  # noqa: E731


def _make_scalar(scalar):
    base = float if scalar.kind == "f" else int

    def new(cls, value=0):
        if isinstance(value, list | tuple | ndarray):
            return array(value, scalar.name)
        return base.__new__(cls, _fit(value, scalar))

    body = {"__new__": new, "__hash__": base.__hash__}
    for name in _BINARY:
        body[f"__{name}__"] = _scalar_operator(name, base, False)
        body[f"__r{name}__"] = _scalar_operator(name, base, True)
    for name in _COMPARE:
        compare = getattr(operator, name)
        body[f"__{name}__"] = lambda a, b, f=compare: (
            NotImplemented if isinstance(b, ndarray) else f(a.item(), _item(b))
        )
    body["__neg__"] = lambda a: type(a)(-a.item())
    body["__abs__"] = lambda a: type(a)(builtins.abs(a.item()))
    return type("bool_" if scalar.kind == "b" else scalar.name, (generic, base), body)


def _item(x):
    return x.item() if isinstance(x, generic) else x


def _fit(value, scalar):
    """A number rounded or wrapped to a type."""
    value = _item(value)
    if scalar.kind == "f":
        return {2: ops.round16, 4: ops.round32, 8: float}[scalar.size](float(value))
    if scalar.kind == "b":
        return builtins.bool(value)
    return ops.wrap(int(value), scalar.size, scalar.kind == "i")


_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
_BINARY += ("lshift", "rshift")
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


def _scalar_operator(name, base, swapped):
    def run(a, b):
        if isinstance(b, ndarray) or not isinstance(b, int | float):
            return NotImplemented
        kind = _common(name, _kind_of(a), _kind_of(b))
        x, y = (b, a) if swapped else (a, b)
        return kind.type(_apply(name, _item(x), _item(y)))

    return run


def _kind_of(x):
    """The dtype of an operand; a plain Python number is only "int", "float" or "bool"."""
    if isinstance(x, ndarray | generic):
        return x.dtype
    return {bool: "bool", int: "int", float: "float"}[type(x)]


def _common(name, a, b):
    """The dtype of the result of an operation; Python's own numbers give way to arrays."""
    weak = [k for k in (a, b) if isinstance(k, str)]
    strong = [k for k in (a, b) if not isinstance(k, str)]
    if not strong:
        kind = dtype("float64" if "float" in weak else "int64")
    elif weak:
        kind = strong[0]
        if weak[0] == "float" and kind.kind != "f":
            kind = dtype("float64")
        elif weak[0] == "int" and kind.kind == "b":
            kind = dtype("int64")
    else:
        kind = dtype(mix(strong[0].scalar, strong[1].scalar, unify=True))
    if name == "truediv" and kind.kind != "f":
        kind = dtype("float64")
    if name not in ("and", "or", "xor") and kind.kind == "b":
        kind = dtype("int8") if name != "add" and name != "mul" else kind
    return kind


_SPECIAL = {
    "truediv": ops.divide,
    "floordiv": lambda a, b: (
        ops.floor_divide(a, b) if float in map(type, (a, b)) else a // b if b else 0
    ),
    "mod": lambda a, b: ops.modulo(a, b) if float in map(type, (a, b)) else a % b if b else 0,
    "pow": lambda a, b: ops.power(a, b) if float in map(type, (a, b)) else a**b,
    "and": operator.and_,
    "or": operator.or_,
}


def _apply(name, a, b):
    return (_SPECIAL.get(name) or getattr(operator, name))(a, b)


# ---------------------------------------------------------------- arrays


class Flags(dict):
    """``array.flags``."""

    c_contiguous = property(lambda self: self["C_CONTIGUOUS"])
    f_contiguous = property(lambda self: self["F_CONTIGUOUS"])


def _packed(shape):
    strides, n = [], 1
    for size in reversed(shape):
        strides.append(n)
        n *= size
    return tuple(reversed(strides))


class ndarray:  # noqa: N801
    """An array over bytes. ``_strides`` and ``_offset`` count elements (bytes for records)."""

    __hash__ = None

    def __init__(self, shape, dtype=float, buffer=None, offset=0, strides=None, order="C"):
        kind = globals()["dtype"](dtype)
        shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        size = math.prod(shape)
        buffer = bytearray(size * kind.itemsize) if buffer is None else buffer
        unit = kind.itemsize
        step = unit if kind.fields else 1
        if strides is None:
            strides = _packed(shape) if order != "F" else _packed(shape[::-1])[::-1]
            strides = tuple(s * unit for s in strides)
        self._init(
            memoryview(buffer).cast("B"),
            kind,
            shape,
            tuple(s // unit * step for s in strides),
            offset // unit * step,
        )

    def _init(self, data, kind, shape, strides, offset):
        self.dtype, self.shape, self._strides, self._offset = kind, shape, strides, offset
        if kind.fields is None and data.format == "B" and kind.scalar.format != "B":
            whole = len(data) // kind.itemsize * kind.itemsize
            data = data[:whole].cast(kind.scalar.format)
        self._data = data
        return self

    def _view(self, shape, strides, offset):
        return ndarray.__new__(ndarray)._init(self._data, self.dtype, shape, strides, offset)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise MissingAttribute(f"`.{name}` of an array", "the stand-in for NumPy")

    # one element, by its number in _data
    def _get(self, at):
        kind = self.dtype
        if kind.fields:
            return tuple(
                struct.unpack_from(k.scalar.format, self._data, at + o)[0]
                for k, o in kind.fields.values()
            )
        value = self._data[at]
        return struct.unpack("e", struct.pack("H", value))[0] if kind.name == "float16" else value

    def _set(self, at, value):
        kind = self.dtype
        if kind.fields:
            for (k, o), v in zip(kind.fields.values(), value, strict=True):
                struct.pack_into(k.scalar.format, self._data, at + o, _fit(v, k.scalar))
        elif kind.name == "float16":
            self._data[at] = ops.bits16(float(value))
        else:
            self._data[at] = _fit(value, kind.scalar)

    def _places(self):
        """The number of every element, row by row."""
        if not self.shape:
            return [self._offset]
        if self._strides == _packed(self.shape) and not self.dtype.fields:
            return range(self._offset, self._offset + self.size)
        axes = [
            range(0, n * s, s) if s else [0] * n
            for n, s in zip(self.shape, self._strides, strict=True)
        ]
        return [self._offset + builtins.sum(p) for p in itertools.product(*axes)]

    def _values(self):
        return [self._get(at) for at in self._places()]

    size = property(lambda self: math.prod(self.shape))
    ndim = property(lambda self: len(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    T = property(lambda self: self.transpose())
    flat = property(lambda self: iter(self.ravel()))

    @property
    def strides(self):
        step = 1 if self.dtype.fields else self.dtype.itemsize
        return tuple(s * step for s in self._strides)

    @property
    def flags(self):
        unit = self.dtype.itemsize if self.dtype.fields else 1
        packed = lambda shape, strides: builtins.all(  # noqa: E731
            s == p * unit or n == 1 for n, s, p in zip(shape, strides, _packed(shape), strict=True)
        )
        return Flags(
            C_CONTIGUOUS=packed(self.shape, self._strides),
            F_CONTIGUOUS=packed(self.shape[::-1], self._strides[::-1]),
        )

    # ------------------------------------------------------------ indexing

    def _pick(self, key):
        """(view, True if it is one element) for an index of numbers and slices."""
        keys = list(key) if isinstance(key, tuple) else [key]
        if Ellipsis in [k for k in keys if not isinstance(k, ndarray)]:
            at = next(n for n, k in enumerate(keys) if k is Ellipsis)
            used = builtins.sum(k is not None and k is not Ellipsis for k in keys)
            keys[at : at + 1] = [slice(None)] * (self.ndim - used)
        offset, shape, strides, axis = self._offset, [], [], 0
        for k in keys:
            if k is None:
                shape.append(1)
                strides.append(0)
                continue
            if axis >= self.ndim:
                raise IndexError(f"too many indices for array: {self.ndim} dimensions")
            n, s = self.shape[axis], self._strides[axis]
            if isinstance(k, slice):
                start, stop, step = k.indices(n)
                picked = range(start, stop, step)
                offset += (start if len(picked) else 0) * s
                shape.append(len(picked))
                strides.append(s * step)
            else:
                k = operator.index(_item(k))
                if not -n <= k < n:
                    raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
                offset += (k % n) * s
            axis += 1
        shape += self.shape[axis:]
        strides += self._strides[axis:]
        return self._view(tuple(shape), tuple(strides), offset), not shape

    def __getitem__(self, key):
        if isinstance(key, str):
            kind, offset = self.dtype.fields[key]
            if builtins.any(s % kind.itemsize for s in (*self._strides, offset)):
                raise TypeError("the stand-in for NumPy cannot view this field of the records")
            data = self._data.cast("B").cast(kind.scalar.format)
            unit = kind.itemsize
            return ndarray.__new__(ndarray)._init(
                data,
                kind,
                self.shape,
                tuple(s // unit for s in self._strides),
                (self._offset + offset) // unit,
            )
        if isinstance(key, list):
            key = array(key)
        if isinstance(key, ndarray):
            if key.dtype.kind == "b":
                picked = [v for v, k in zip(self._values(), key._values(), strict=True) if k]
                return array(picked, self.dtype) if picked else empty(0, self.dtype)
            rows = [self[k] for k in key._values()]
            return (stack(rows) if self.ndim > 1 else array(rows, self.dtype)).reshape(
                key.shape + self.shape[1:]
            )
        if isinstance(key, tuple) and key and builtins.all(isinstance(k, ndarray) for k in key):
            places = zip(*(k._values() for k in key), strict=True)
            return array([self[place] for place in places], self.dtype)
        view, one = self._pick(key)
        if one:
            value = view._get(view._offset)
            return value if self.dtype.fields else self.dtype.type(value)
        return view

    def __setitem__(self, key, value):
        if isinstance(key, str):
            self[key][...] = value
            return
        if isinstance(key, ndarray):
            places = list(self._places())
            chosen = (
                [p for p, k in zip(places, key._values(), strict=True) if k]
                if key.dtype.kind == "b"
                else [places[k] for k in key._values()]
            )
            values = value._values() if isinstance(value, ndarray) else [value] * len(chosen)
            for p, v in zip(chosen, values, strict=True):
                self._set(p, v)
            return
        view, one = self._pick(key)
        if one:
            view._set(view._offset, value)
            return
        copyto(view, value)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __contains__(self, value):
        return value in self._values()

    # ------------------------------------------------------------ shapes and types

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        if -1 in shape:
            known = -math.prod(shape)
            shape = tuple(self.size // known if n == -1 else n for n in shape)
        if math.prod(shape) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
        source = self if self.flags.c_contiguous else self.copy()
        unit = self.dtype.itemsize if self.dtype.fields else 1
        return source._view(shape, tuple(s * unit for s in _packed(shape)), source._offset)

    def ravel(self, order="C"):
        return self.reshape(-1) if self.size else self.reshape(0)

    def flatten(self):
        return self.copy().ravel()

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        axes = tuple(axes) if axes and axes != (None,) and axes is not None else ()
        axes = axes or tuple(range(self.ndim))[::-1]
        return self._view(
            tuple(self.shape[a] for a in axes), tuple(self._strides[a] for a in axes), self._offset
        )

    def squeeze(self):
        kept = [a for a in range(self.ndim) if self.shape[a] != 1]
        return self._view(
            tuple(self.shape[a] for a in kept), tuple(self._strides[a] for a in kept), self._offset
        )

    def copy(self, order="C"):
        flags = self.flags
        fortran = order == "F" or order == "A" and flags.f_contiguous and not flags.c_contiguous
        new = ndarray(self.shape, self.dtype, order="F" if fortran else "C")
        copyto(new, self)
        return new

    def astype(self, kind, copy=True):
        new = ndarray(self.shape, kind)
        copyto(new, self)
        return new

    def view(self, kind=None):
        if isinstance(kind, type) and issubclass(kind, ndarray):
            made = kind.__new__(kind)
            return made._init(self._data, self.dtype, self.shape, self._strides, self._offset)
        if kind is None or dtype(kind) is self.dtype:
            return self._view(self.shape, self._strides, self._offset)
        kind = dtype(kind)
        if not self.flags.c_contiguous or kind.itemsize != self.dtype.itemsize:
            raise TypeError("the stand-in for NumPy views packed arrays as a type of the same size")
        data = self._data.cast("B")
        return ndarray.__new__(ndarray)._init(data, kind, self.shape, self._strides, self._offset)

    def fill(self, value):
        copyto(self, value)

    def tolist(self):
        if not self.shape:
            return self._get(self._offset)
        if self.ndim == 1:
            return self._values()
        return [row.tolist() for row in self]

    def item(self, *key):
        if key:
            return self[key].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._values()[0]

    def tobytes(self):
        source = self.copy()
        return source._data.tobytes()

    def sort(self):
        places = list(self._places())
        for p, v in zip(places, sorted(self._values()), strict=True):
            self._set(p, v)

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return builtins.bool(self._values()[0])

    __float__ = lambda self: float(self.item())  # noqa: E731
    __int__ = lambda self: int(self.item())  # noqa: E731
    __index__ = lambda self: operator.index(self.item())  # noqa: E731

    # ------------------------------------------------------------ arithmetic

    def __neg__(self):
        return _unary(self, operator.neg)

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return _unary(self, builtins.abs)

    def __invert__(self):
        flip = operator.not_ if self.dtype.kind == "b" else operator.invert
        return _unary(self, flip)

    def __matmul__(self, other):
        return matmul(self, other)

    def __repr__(self):
        text = _text(self, ", ", "array(")
        extras = [f"shape={self.shape}"] if self.size > 1000 else []
        if self.dtype.name not in ("int64", "float64", "bool") or not self.size:
            extras.append(f"dtype={self.dtype})")
        if not extras:
            return f"array({text})"
        end = ", ".join(extras).removesuffix(")" if extras[-1].startswith("dtype") else "") + ")"
        start = f"array({text},"
        gap = "\n      " if len(start) - (start.rfind("\n") + 1) + len(end) + 1 > 75 else " "
        return start + gap + end

    def __str__(self):
        return _text(self, " ", "")


def _binary(name, a, b):
    """``a op b`` element by element, with broadcasting."""
    kind = _common(name, _kind_of(a), _kind_of(b))
    return _each(kind, lambda x, y: _apply(name, x, y), a, b)


def _each(kind, f, *args):
    """``f`` of the elements of arrays and numbers that are broadcast to one shape."""
    shape = broadcast_shapes(*(a.shape for a in args if isinstance(a, ndarray)))
    columns = [
        broadcast_to(a, shape)._values() if isinstance(a, ndarray) else itertools.repeat(_item(a))
        for a in args
    ]
    out = ndarray(shape, kind)
    for at, row in enumerate(zip(*columns, strict=False) if out.size else []):
        out._set(at, f(*row))
    return out if shape else out[()]


def _unary(a, f, kind=None):
    if not isinstance(a, ndarray):
        return (kind or dtype(_kind_of(a))).type(f(_item(a)))
    return _each(kind or a.dtype, f, a)


def _install_operators():
    for name in _BINARY:

        def forward(self, other, name=name):
            other = array(other) if isinstance(other, list | tuple) else other
            return _binary(name, self, other)

        def backward(self, other, name=name):
            other = array(other) if isinstance(other, list | tuple) else other
            return _binary(name, other, self)

        def inplace(self, other, name=name):
            result = _binary(name, self, other)
            if result.dtype.kind == "f" and self.dtype.kind != "f":
                raise TypeError(f"cannot put {result.dtype} into {self.dtype}")
            copyto(self, result)
            return self

        setattr(ndarray, f"__{name}__", forward)
        setattr(ndarray, f"__r{name}__", backward)
        setattr(ndarray, f"__i{name}__", inplace)
    for name in _COMPARE:

        def compare(self, other, name=name):
            other = array(other) if isinstance(other, list | tuple) else other
            return _each(dtype("bool"), getattr(operator, name), self, other)

        setattr(ndarray, f"__{name}__", compare)


_install_operators()
float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_ = (
    _make_scalar(SCALARS[n])
    for n in (
        *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
        *("uint8", "uint16", "uint32", "uint64", "bool"),
    )
)
half, single, double, intc, int_, byte, ubyte = float16, float32, float64, int32, int64, int8, uint8
intp, longlong, uintc, uint, ulonglong, short, ushort = (
    *(int64, int64, uint32, uint64, uint64, int16, uint16),
)


def broadcast_shapes(*shapes):
    """The shape that all of these fit."""
    result = []
    for sizes in itertools.zip_longest(*(s[::-1] for s in shapes), fillvalue=1):
        n = next((k for k in sizes if k != 1), 1)
        if builtins.any(k not in (1, n) for k in sizes):
            raise ValueError(
                "operands could not be broadcast together with shapes "
                + " ".join(str(s).replace(" ", "") for s in shapes)
            )
        result.append(n)
    return tuple(reversed(result))


def broadcast_to(a, shape):
    """A view of an array with another shape."""
    if a.shape == tuple(shape):
        return a
    more = len(shape) - a.ndim
    if more < 0 or broadcast_shapes(a.shape, tuple(shape)) != tuple(shape):
        raise ValueError(f"could not broadcast input array from shape {a.shape} into shape {shape}")
    strides = [0 if n == 1 else s for n, s in zip(a.shape, a._strides, strict=True)]
    return a._view(tuple(shape), tuple([0] * more + strides), a._offset)


def copyto(to, source):
    """Put a number, a list or an array into an array."""
    if isinstance(source, list | tuple) and not to.dtype.fields:
        source = array(source)
    if isinstance(source, ndarray):
        while source.ndim > to.ndim and source.shape[0] == 1:
            source = source[0]
        values = broadcast_to(source, to.shape)._values()
    else:
        values = [source] * to.size
    for at, value in zip(to._places(), values, strict=True):
        to._set(at, value)


# ---------------------------------------------------------------- making arrays


def empty(shape, dtype=float, order="C"):
    """An array; here of zeros."""
    return ndarray(shape, dtype, order=order)


def zeros(shape, dtype=float, order="C"):
    """An array of zeros."""
    return ndarray(shape, dtype, order=order)


def ones(shape, dtype=float, order="C"):
    """An array of ones."""
    return full(shape, 1, dtype, order)


def full(shape, fill_value, dtype=None, order="C"):
    """An array of one value."""
    if dtype is None:
        kind = _kind_of(fill_value)
        dtype = kind if not isinstance(kind, str) else {"int": "int64"}.get(kind, kind)
        dtype = "float64" if dtype == "float" else dtype
    new = ndarray(shape, dtype, order=order)
    copyto(new, fill_value)
    return new


def empty_like(a, dtype=None):
    """An array of the shape and type of another."""
    return ndarray(a.shape, dtype or a.dtype)


zeros_like = empty_like


def ones_like(a, dtype=None):
    """Ones in the shape of another array."""
    return full(a.shape, 1, dtype or a.dtype)


def full_like(a, fill_value, dtype=None):
    """One value in the shape of another array."""
    return full(a.shape, fill_value, dtype or a.dtype)


def arange(start, stop=None, step=1, dtype=None):
    """Numbers at equal steps."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = _item(start), _item(stop), _item(step)
    n = builtins.max(0, math.ceil((stop - start) / step))
    if dtype is None:
        dtype = "float64" if float in map(type, (start, stop, step)) else "int64"
    new = ndarray(n, dtype)
    for k in range(n):
        new._set(k, start + k * step)
    return new


def linspace(start, stop, num=50, dtype=None):
    """``num`` numbers from start to stop, both included."""
    new = ndarray(num, dtype or "float64")
    step = (stop - start) / (num - 1) if num > 1 else 0.0
    for k in range(num):
        new._set(k, stop if k == num - 1 and num > 1 else start + k * step)
    return new


def array(obj, dtype=None, copy=True, order="K"):
    """An array of a number, of nested lists, or a copy of an array."""
    if hasattr(obj, "copy_to_host"):
        obj = obj.copy_to_host()
    if isinstance(obj, ndarray):
        return obj.copy() if dtype is None else obj.astype(dtype)
    shape, rows = [], obj
    while isinstance(rows, list | tuple | range | ndarray):
        shape.append(len(rows))
        if not len(rows):
            break
        rows = rows[0]

    def leaves(x, depth):
        if depth == len(shape):
            yield x
            return
        if len(x) != shape[depth]:
            raise ValueError("the lists of an array must have equal lengths")
        for y in x:
            yield from leaves(y, depth + 1)

    values = list(leaves(obj, 0)) if 0 not in shape else []
    if dtype is None:
        kinds = [_kind_of(v) for v in values] or ["float"]
        kind = kinds[0]
        for other in set(map(str, kinds)):
            other = next(k for k in kinds if str(k) == other)
            if isinstance(kind, str) and isinstance(other, str):
                order_ = ["bool", "int", "float"]
                kind = order_[builtins.max(order_.index(kind), order_.index(other))]
            else:
                kind = _common("add", kind, other)
        dtype = (
            {"bool": "bool", "int": "int64", "float": "float64"}[kind]
            if (isinstance(kind, str))
            else kind
        )
    new = ndarray(tuple(shape), dtype)
    unit = new.dtype.itemsize if new.dtype.fields else 1
    for at, value in enumerate(values):
        new._set(at * unit, value)
    return new


def asarray(obj, dtype=None):
    """The array itself, if it has the type; else a new one."""
    kind = None if dtype is None else globals()["dtype"](dtype)
    if isinstance(obj, ndarray) and kind in (None, obj.dtype):
        return obj
    return array(obj, dtype)


def ascontiguousarray(a, dtype=None):
    """The array, packed row by row."""
    a = asarray(a, dtype)
    return a if a.flags.c_contiguous else a.copy()


def asfortranarray(a):
    """The array, packed column by column."""
    return a.copy("F")


def eye(n, m=None, dtype=float):
    """Ones on the diagonal."""
    new = zeros((n, m or n), dtype)
    for k in range(builtins.min(new.shape)):
        new[k, k] = 1
    return new


def concatenate(arrays, axis=0):
    """Arrays one after the other."""
    arrays = [asarray(a) for a in arrays]
    kind = arrays[0].dtype
    for a in arrays[1:]:
        kind = _common("add", kind, a.dtype)
    shape = list(arrays[0].shape)
    shape[axis] = builtins.sum(a.shape[axis] for a in arrays)
    new, at = ndarray(tuple(shape), kind), 0
    for a in arrays:
        key = [slice(None)] * len(shape)
        key[axis] = slice(at, at + a.shape[axis])
        new[tuple(key)] = a
        at += a.shape[axis]
    return new


def stack(arrays, axis=0):
    """Arrays next to each other along a new axis."""
    arrays = [asarray(a) for a in arrays]
    return concatenate([a[(slice(None),) * axis + (None,)] for a in arrays], axis)


def array_split(a, sections):
    """An array in nearly equal pieces."""
    n, k = divmod(len(a), sections)
    ends = [0, *itertools.accumulate([n + 1] * k + [n] * (sections - k))]
    return [a[p:q] for p, q in itertools.pairwise(ends)]


def tril_indices(n):
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    return tuple(array([place[axis] for place in places], int) for axis in (0, 1))


def meshgrid(x, y):
    """Two arrays with the coordinates of a grid."""
    shape = (len(y), len(x))
    return [broadcast_to(x, shape).copy(), broadcast_to(y[:, None], shape).copy()]


# ---------------------------------------------------------------- functions of elements


def _float_kind(a):
    kind = _kind_of(a)
    return kind if not isinstance(kind, str) and kind.kind == "f" else dtype("float64")


def _elementwise(name, f):
    def run(a, dtype=None):
        a = array(a) if isinstance(a, list | tuple) else a
        return _unary(a, lambda x: f(float(x)), _float_kind(a))

    run.__name__ = name
    return run


for _name in ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "floor"):
    globals()[_name] = _elementwise(_name, ops.MATH[_name])
for _name in ("ceil", "trunc", "sinh", "cosh", "exp2", "expm1", "fabs"):
    globals()[_name] = _elementwise(_name, ops.MATH[_name])
for _name in ("arcsin", "arccos", "arctan"):
    globals()[_name] = _elementwise(_name, ops.MATH[ops.NUMPY[_name]])
rint, cbrt = _elementwise("rint", ops.rint), _elementwise("cbrt", ops.cbrt)


def abs(a):  # noqa: A001
    """Without the sign."""
    return builtins.abs(array(a) if isinstance(a, list | tuple) else a)


absolute = abs


def round(a, decimals=0):  # noqa: A001
    """Rounded to so many decimals."""
    if isinstance(a, ndarray) and a.dtype.kind != "f":
        return a.copy()
    return _unary(a, lambda x: builtins.round(x, decimals), _float_kind(a))


ndarray.round = round


class iinfo:  # noqa: N801
    """The limits of a type of whole numbers."""

    def __init__(self, kind):
        self.dtype = dtype(kind)
        self.bits = 8 * self.dtype.itemsize
        signed = self.dtype.kind == "i"
        self.min = -(1 << (self.bits - 1)) if signed else 0
        self.max = (1 << (self.bits - signed)) - 1


class finfo:  # noqa: N801
    """The limits of a floating-point type."""

    def __init__(self, kind):
        self.dtype = dtype(kind)
        self.bits = 8 * self.dtype.itemsize
        digits, most = {16: (10, 15), 32: (23, 127), 64: (52, 1023)}[self.bits]
        number = self.dtype.type
        self.eps = number(2.0**-digits)
        self.max = number((2.0 - 2.0**-digits) * 2.0**most)
        self.min = -self.max
        self.tiny = self.smallest_normal = number(2.0 ** (1 - most))


def isnan(a):
    """Where it is not a number."""
    return _unary(a, lambda x: x != x, dtype("bool"))


def isinf(a):
    """Where it is infinite."""
    return _unary(a, lambda x: math.isinf(x), dtype("bool"))


def isfinite(a):
    """Where it is a finite number."""
    return _unary(a, lambda x: math.isfinite(x), dtype("bool"))


def _pairwise(name, f):
    def run(a, b):
        a, b = (array(x) if isinstance(x, list | tuple) else x for x in (a, b))
        kind = _common("add", _kind_of(a), _kind_of(b))
        if not isinstance(a, ndarray) and not isinstance(b, ndarray):
            return kind.type(f(_item(a), _item(b)))
        return _each(kind, f, a, b)

    run.__name__ = name
    return run


maximum = _pairwise("maximum", lambda a, b: a if a != a or a > b else b)
minimum = _pairwise("minimum", lambda a, b: a if a != a or a < b else b)
for _name, _op in {
    **{"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv"},
    **{"power": "pow", "mod": "mod", "floor_divide": "floordiv"},
}.items():
    globals()[_name] = lambda a, b, op=_op: _binary(
        op, *(array(x) if isinstance(x, list | tuple) else x for x in (a, b))
    )


def where(condition, a, b):
    """``a`` where the condition holds, else ``b``."""
    return _each(_common("add", _kind_of(a), _kind_of(b)), lambda c, x, y: x if c else y,
                 condition, a, b)  # fmt: skip


def clip(a, low, high):
    """Kept between two bounds."""
    return minimum(maximum(a, low), high)


# ---------------------------------------------------------------- reductions


def _reduction(name, f, kind):
    """A function that makes one number of many, or one along an axis."""

    def run(a, axis=None, dtype=None, keepdims=False):
        a = asarray(a)
        to = globals()["dtype"](dtype) if dtype is not None else kind(a.dtype)
        if axis is None:
            return to.type(f(a._values()))
        axis %= a.ndim
        rest = a.transpose(tuple(k for k in range(a.ndim) if k != axis) + (axis,))
        shape = rest.shape[:-1]
        new = ndarray(shape, to)
        for at, key in enumerate(itertools.product(*(range(n) for n in shape))):
            new._set(at, f(rest[key]._values()))
        if keepdims:
            return new[(slice(None),) * axis + (None,)]
        return new if shape else new[()]

    run.__name__ = name
    setattr(ndarray, name, run)
    return run


def _sum(values):
    if builtins.any(isinstance(v, float) for v in values):
        return (
            math.fsum(values) if builtins.all(map(math.isfinite, values)) else builtins.sum(values)
        )
    return builtins.sum(values)


def _wide(kind):
    return kind if kind.kind == "f" else dtype("uint64" if kind.kind == "u" else "int64")


def _mean(values):
    return _sum(values) / len(values) if values else math.nan


def _real(kind):
    return kind if kind.kind == "f" else dtype("float64")


def _first(f):
    return lambda values: values.index(f(values))


sum = _reduction("sum", _sum, _wide)  # noqa: A001
prod = _reduction("prod", math.prod, _wide)
mean = _reduction("mean", _mean, _real)
max = _reduction(
    "max", lambda v: math.nan if builtins.any(x != x for x in v) else builtins.max(v), lambda k: k
)  # noqa: A001, E501
min = _reduction(
    "min", lambda v: math.nan if builtins.any(x != x for x in v) else builtins.min(v), lambda k: k
)  # noqa: A001, E501
all = _reduction("all", lambda v: builtins.all(v), lambda k: dtype("bool"))  # noqa: A001
any = _reduction("any", lambda v: builtins.any(v), lambda k: dtype("bool"))  # noqa: A001
argmax = _reduction("argmax", _first(builtins.max), lambda k: dtype("int64"))
argmin = _reduction("argmin", _first(builtins.min), lambda k: dtype("int64"))
var = _reduction("var", lambda v: _sum([(x - _mean(v)) ** 2 for x in v]) / len(v), _real)
std = _reduction("std", lambda v: math.sqrt(_sum([(x - _mean(v)) ** 2 for x in v]) / len(v)), _real)
median = _reduction(
    "median",
    lambda v: (sorted(v)[(len(v) - 1) // 2] + sorted(v)[len(v) // 2]) / 2,
    _real,
)
amax, amin = max, min


def count_nonzero(a):
    """How many are not zero."""
    return builtins.sum(1 for v in asarray(a)._values() if v)


def cumsum(a, dtype=None):
    """Running sums."""
    a = asarray(a)
    kind = globals()["dtype"](dtype) if dtype is not None else _wide(a.dtype)
    new, total = ndarray(a.size, kind), 0
    for at, value in enumerate(a._values()):
        new._set(at, total + value)
        total = new._get(at)
    return new


ndarray.cumsum = cumsum


def sort(a):
    """In order."""
    new = asarray(a).copy()
    new.sort()
    return new


def unique(a):
    """The different values, in order."""
    a = asarray(a)
    return array(sorted(set(a._values())), a.dtype)


def bincount(a, minlength=0):
    """How often each of 0, 1, 2 ... occurs."""
    values = asarray(a)._values()
    new = zeros(builtins.max([minlength, *(v + 1 for v in values)]), "int64")
    for v in values:
        new._data[v] += 1
    return new


def matmul(a, b):
    """The product of two matrices, or of a matrix and a vector; of each pair in two stacks."""
    a, b = asarray(a), asarray(b)
    if a.ndim > 2 or b.ndim > 2:
        pairs = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = broadcast_to(a, pairs + a.shape[-2:]), broadcast_to(b, pairs + b.shape[-2:])
        return stack([matmul(x, y) for x, y in zip(a, b, strict=True)])
    rows = a.reshape(1, -1) if a.ndim == 1 else a
    columns = b.reshape(-1, 1) if b.ndim == 1 else b
    if rows.ndim != 2 or columns.ndim != 2 or rows.shape[1] != columns.shape[0]:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit")
    new = ndarray((rows.shape[0], columns.shape[1]), _common("mul", a.dtype, b.dtype))
    left = [r._values() for r in rows]
    right = [c._values() for c in columns.T]
    for at, (r, c) in enumerate(itertools.product(left, right)):
        new._set(at, _sum([x * y for x, y in zip(r, c, strict=True)]))
    shape = (rows.shape[:1] if a.ndim == 2 else ()) + (columns.shape[1:] if b.ndim == 2 else ())
    return new.reshape(shape) if shape else new.reshape(1)[0]


dot = matmul
ndarray.dot = matmul


def vdot(a, b):
    """The sum of the products."""
    return matmul(asarray(a).ravel(), asarray(b).ravel())


def outer(a, b):
    """Every element times every other."""
    return asarray(a).ravel()[:, None] * asarray(b).ravel()[None, :]


# ---------------------------------------------------------------- comparisons


def isclose(a, b, rtol=1e-5, atol=1e-8):
    """Where two arrays are nearly equal."""
    return _each(
        dtype("bool"),
        lambda x, y: x == y or builtins.abs(x - y) <= atol + rtol * builtins.abs(y),
        asarray(a),
        asarray(b),
    )


def allclose(a, b, rtol=1e-5, atol=1e-8):
    """Whether two arrays are nearly equal."""
    return builtins.bool(asarray(isclose(a, b, rtol, atol)).all())


def array_equal(a, b):
    """Whether two arrays have the same shape and elements."""
    a, b = asarray(a), asarray(b)
    return a.shape == b.shape and a._values() == b._values()


def shape(a):
    """The shape of an array or of nested lists."""
    return asarray(a).shape


@contextlib.contextmanager
def errstate(**kwargs):
    """Nothing warns here anyway."""
    yield


# ---------------------------------------------------------------- text


def _shortest(x, kind, positional=True):
    """The fewest digits that name a float of this type."""
    if x != x or math.isinf(x):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    digits = {"float16": 5, "float32": 9}.get(kind.name)
    if digits:
        text = next(
            t for p in range(1, digits + 1) if _fit(float(t := f"{x:.{p}g}"), kind.scalar) == x
        )
        x = float(text)
    return repr(x)


def _decimals(x, kind):
    """(whole part, fraction) of a float, in at most 8 decimals and without zeros at the end."""
    text = _shortest(x, kind)
    text = format(Decimal(text), "f")
    if "." in text and len(text.split(".")[1]) > 8:
        text = format(Decimal(text).quantize(Decimal("1e-8")), "f")
    whole, _, fraction = text.partition(".")
    return whole, fraction.rstrip("0")


def _formatter(values, kind):
    """The function that writes the elements of one array, all equally wide."""
    if kind.fields:
        return lambda v: "(" + ", ".join(str(x) for x in v) + ")"
    if kind.kind == "b":
        width = builtins.max((len(str(v)) for v in values), default=0)
        return lambda v: str(builtins.bool(v)).rjust(width)
    if kind.kind != "f":
        width = builtins.max((len(str(v)) for v in values), default=0)
        return lambda v: str(v).rjust(width)
    finite = [v for v in values if math.isfinite(v)]
    sizes = [builtins.abs(v) for v in finite if v]
    large = sizes and (
        builtins.max(sizes) >= 1e8
        or builtins.min(sizes) < 1e-4
        or builtins.max(sizes) / builtins.min(sizes) > 1000
    )
    if large:
        parts = []
        for v in finite:
            mantissa, _, exponent = f"{float(_shortest(v, kind)):.8e}".partition("e")
            parts.append((mantissa.rstrip("0").rstrip("."), exponent))
        places = builtins.max((len(m.partition(".")[2]) for m, _ in parts), default=0)

        def write(v):
            if not math.isfinite(v):
                return _shortest(v, kind)
            text = f"{v:.{places}e}"
            return text if places else text.replace("e", ".e")

    else:
        parts = [_decimals(v, kind) for v in finite]
        places = builtins.max((len(f) for _, f in parts), default=0)

        def write(v):
            if not math.isfinite(v):
                return _shortest(v, kind)
            whole, fraction = _decimals(v, kind)
            return f"{whole}.{fraction.ljust(places)}"

    width = builtins.max((len(write(v)) for v in values), default=0)
    if not large:
        width = builtins.max(
            [len(w) + 1 + places for w, _ in parts] + [len(write(v)) for v in values] + [0]
        )
    return lambda v: write(v).rjust(width)


def _text(a, separator, prefix):
    """An array as NumPy prints it."""
    if not a.shape:
        return _formatter(a._values(), a.dtype)(a._values()[0])
    short = a.size > 1000
    kept = [v for v in _edges(a)] if short else a._values()
    write = _formatter(kept, a.dtype)
    width = 75 - 1

    def rows(x, depth):
        n = len(x)
        picked = list(range(n)) if not short or n <= 6 else [0, 1, 2, None, n - 3, n - 2, n - 1]
        indent = " " * (len(prefix) + depth + 1)
        if x.ndim == 1:
            values = x._values()
            words = ["..." if k is None else write(values[k]) for k in picked]
            lines, line = [], ""
            for k, word in enumerate(words):
                end = separator if k < len(words) - 1 else ""
                room = width - len(indent) - (0 if end else 1)
                if line and len(line) + len(word) + len(end.rstrip()) > room:
                    lines.append(line.rstrip())
                    line = ""
                line += word + end
            lines.append(line)
            return "[" + ("\n" + indent).join(lines) + "]"
        gap = separator.rstrip() + "\n" * (x.ndim - 1) + indent
        return "[" + gap.join("..." if k is None else rows(x[k], depth + 1) for k in picked) + "]"

    return rows(a, 0) if a.size else "[]"


def _edges(a):
    """The elements that a long array shows."""
    if a.ndim == 1:
        values = a._values()
        return values if len(values) <= 6 else values[:3] + values[-3:]
    rows = range(len(a)) if len(a) <= 6 else [0, 1, 2, *range(len(a) - 3, len(a))]
    return [v for k in rows for v in _edges(a[k])]


# ---------------------------------------------------------------- random numbers


class Generator:
    """The numbers of ``np.random.default_rng(seed)``.

    PCG64 seeded by SeedSequence. Sources: Melissa O'Neill, https://www.pcg-random.org (PCG XSL RR
    128/64 and seed_seq), and NumPy's documentation of both,
    https://numpy.org/doc/stable/reference/random/bit_generators/pcg64.html
    """

    MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645

    def __init__(self, seed=None):
        if seed is None:
            import secrets

            seed = secrets.randbits(128)
        words = _seed_words(seed, 8)
        joined = [words[k] | words[k + 1] << 32 for k in range(0, 8, 2)]
        state, stream = joined[0] << 64 | joined[1], joined[2] << 64 | joined[3]
        self.increment = (stream << 1 | 1) & _M128
        self.state = (self.increment + state) & _M128
        self.state = (self.state * self.MULTIPLIER + self.increment) & _M128
        self.half = None

    def _next64(self):
        self.state = (self.state * self.MULTIPLIER + self.increment) & _M128
        x, turn = (self.state >> 64 ^ self.state) & ops.M64, self.state >> 122
        return (x >> turn | x << (64 - turn)) & ops.M64

    def _next32(self):
        if self.half is not None:
            value, self.half = self.half, None
            return value
        value = self._next64()
        self.half = value >> 32
        return value & ops.M32

    def _many(self, draw, size, kind):
        if size is None:
            return draw()
        new = ndarray(size, kind)
        for at in range(new.size):
            new._set(at, draw())
        return new

    def random(self, size=None, dtype=float):
        """Uniform in [0, 1)."""
        if globals()["dtype"](dtype).name == "float32":
            return self._many(lambda: (self._next32() >> 8) * 2.0**-24, size, dtype)
        return self._many(lambda: (self._next64() >> 11) * 2.0**-53, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform in [low, high)."""
        return self._many(lambda: low + (high - low) * self.random(), size, float)

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        """Uniform whole numbers from low up to, not including, high."""
        kind = globals()["dtype"](dtype)
        if kind.itemsize < 4:
            raise TypeError("the stand-in for NumPy draws 32-bit and 64-bit integers only")
        low, high = (0, low) if high is None else (low, high)
        top = int(high) - int(low) - (not endpoint)
        if top < 0:
            raise ValueError("low >= high")

        def draw():
            if top == 0:
                return low
            bits, step = (32, self._next32) if top <= ops.M32 else (64, self._next64)
            mask = (1 << bits) - 1
            if top == mask:
                return low + step()
            n = top + 1  # the method of Lemire, https://arxiv.org/abs/1805.10941
            product = step() * n
            if product & mask < n:
                least = (mask - top) % n
                while product & mask < least:
                    product = step() * n
            return low + (product >> bits)

        return self._many(draw, size, kind)

    def __getattr__(self, name):
        raise MissingAttribute(f"`.{name}` of a random generator", "the stand-in for NumPy")


_M128 = (1 << 128) - 1


def _seed_words(seed, count):
    """``count`` 32-bit words from a seed, as NumPy's SeedSequence makes them."""
    entropy = [
        seed >> 32 * k & ops.M32 for k in range(builtins.max(1, -(-seed.bit_length() // 32)))
    ]
    factor = 0x43B0D7E5

    def scramble(value):
        nonlocal factor
        value ^= factor
        factor = factor * 0x931E8875 & ops.M32
        value = value * factor & ops.M32
        return value ^ value >> 16

    def blend(x, y):
        result = (0xCA01F9DD * x - 0x4973F715 * y) & ops.M32
        return result ^ result >> 16

    pool = [scramble(entropy[k] if k < len(entropy) else 0) for k in range(4)]
    for source, to in itertools.permutations(range(4), 2):
        pool[to] = blend(pool[to], scramble(pool[source]))
    for extra in entropy[4:]:
        for to in range(4):
            pool[to] = blend(pool[to], scramble(extra))
    factor, words = 0x8B51F9DD, []
    for k in range(count):
        value = pool[k % 4] ^ factor
        factor = factor * 0x58F38DED & ops.M32
        value = value * factor & ops.M32
        words.append(value ^ value >> 16)
    return words


# ---------------------------------------------------------------- modules


IMPORT_FROM = dis.opmap["IMPORT_FROM"]


class Module(pytypes.ModuleType):
    """A module of the stand-in."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        frame = sys._getframe(1)
        if frame.f_code.co_code[frame.f_lasti] == IMPORT_FROM:
            raise MissingName(self.__name__, name, frame.f_lineno, frame.f_code.co_filename)
        whole = f"{self.__name__}.{name}".replace("numpy", "np", 1)
        raise MissingAttribute(f"`{whole}`", "the stand-in for NumPy")


def _fail(what, a, b):
    raise AssertionError(f"\n{what}\n ACTUAL: {a!r}\n DESIRED: {b!r}")


def assert_array_equal(actual, desired, err_msg=""):
    """Raise unless two arrays are equal; NaN equals NaN."""
    a, b = asarray(actual), asarray(desired)
    if b.ndim and a.shape != b.shape:
        _fail(f"Arrays are not equal (shapes {a.shape}, {b.shape}) {err_msg}", a, b)
    same = _each(dtype("bool"), lambda x, y: x == y or x != x and y != y, a, b)
    if not asarray(same).all():
        _fail(f"Arrays are not equal {err_msg}", a, b)


def assert_allclose(actual, desired, rtol=1e-7, atol=0, err_msg=""):
    """Raise unless two arrays are nearly equal."""
    a, b = asarray(actual), asarray(desired)
    near = _each(
        dtype("bool"),
        lambda x, y: (
            x == y or x != x and y != y or builtins.abs(x - y) <= atol + rtol * builtins.abs(y)
        ),
        a,
        b,
    )
    if not asarray(near).all():
        _fail(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g} {err_msg}", a, b)


def modules():
    """The modules to put into sys.modules in NumPy's place."""
    numpy, testing, random = Module("numpy"), Module("numpy.testing"), Module("numpy.random")
    for name, thing in globals().items():
        if not name.startswith("_") and name not in _PRIVATE:
            setattr(numpy, name, thing)
    numpy.bool = bool_
    testing.assert_allclose, testing.assert_array_equal = assert_allclose, assert_array_equal
    testing.assert_equal = assert_array_equal
    random.default_rng, random.Generator = Generator, Generator
    numpy.testing, numpy.random, numpy.__path__ = testing, random, []
    numpy.__version__ = __version__
    return {"numpy": numpy, "numpy.testing": testing, "numpy.random": random}


_PRIVATE = {
    "Decimal",
    "builtins",
    "contextlib",
    "itertools",
    "math",
    "operator",
    "struct",
    "pytypes",
}
_PRIVATE |= {"dis", "sys", "IMPORT_FROM", "MissingAttribute", "MissingName"}
_PRIVATE |= {"ops", "SCALARS", "mix", "Module", "Flags", "modules", "assert_allclose"}
_PRIVATE |= {"assert_array_equal", "Generator"}
