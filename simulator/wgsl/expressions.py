"""Expressions of a kernel as WGSL: names, constants, elements of arrays, conditions."""

import ast
import enum
from dataclasses import replace

from ..stepper.compiler import (
    Intrinsic,
    Method,
    NumpyName,
    is_array,
    is_cuda,
    is_device_array,
    is_numpy,
)
from ..stepper.types import (
    NONE,
    SCALARS,
    STATIC,
    Scalar,
    Tuple,
    as_dtype,
    boolean,
    complex128,
    float32,
    float64,
    int64,
    mix,
    uint64,
)
from .arithmetic import Arithmetic
from .values import (
    ATOM,
    I32,
    LOOSE,
    MODES,
    PLUS,
    TIMES,
    U32,
    UNARY,
    WIDE,
    Buffer,
    Value,
    View,
    beside,
    exact32,
    keeps,
    number,
    packed,
    real_text,
    rep_of,
    spanned,
    unequal,
    wide_literal,
)


def proved(kind, a, b):
    """What the intervals of two integers say of a comparison, or None."""
    if a.lo is None or b.lo is None or {a.state, b.state} != {"fits"}:
        return None
    less, more = a.hi < b.lo, a.lo > b.hi
    if kind in ("Lt", "GtE") and (less or a.lo >= b.hi):
        return less == (kind == "Lt")
    if kind in ("Gt", "LtE") and (more or a.hi <= b.lo):
        return more == (kind == "Gt")
    if kind in ("Eq", "NotEq") and (less or more):
        return kind == "NotEq"
    return None


MIRROR = {"Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}  # with the sides exchanged
SIGNS = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}


def apart(part):
    """The length of a slice ``a[i : i + 5]``, whatever ``i`` is; else None."""
    match part.upper:
        case ast.BinOp(left, ast.Add(), ast.Constant(value=int(n))) if n >= 0:
            pure = not any(isinstance(x, ast.Call) for x in ast.walk(left))
            if pure and part.lower is not None and ast.dump(left) == ast.dump(part.lower):
                return number(int64, n)
    return None


class Expressions(Arithmetic):
    """The part of a function's compiler that is about values."""

    def expr(self, node):
        outer, self.node = self.node, node if hasattr(node, "lineno") else self.node
        write = getattr(self, "visit_" + type(node).__name__, None)
        if write is None:
            self.refuse(f"`{ast.unparse(node)}` ({type(node).__name__}) in a kernel", node)
        value = write(node)
        self.node = outer
        return value

    # ------------------------------------------------------------ constants

    def literal(self, value):
        if isinstance(value, bool):
            return number(boolean, value)
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 64:
                self.refuse(f"the integer {value} does not fit into 64 bits")
            return number(int64 if value < 1 << 63 else uint64, value)
        return self.real(value, float64)

    def real(self, value, type):
        """A constant float."""
        state = "fits"
        if type is float64 and MODES["emulated"]:
            known = float(value) if value - value == 0 else None  # else a text alone
            return Value(type, wide_literal("float64", value), "float64", state="exact",
                         const=known, uniform=True)  # fmt: skip
        if type is float64:
            state = "exact" if value != value or exact32(value) else "once"
        if value != value:
            return Value(type, self.module.param("nan"), "f32", state=state, uniform=True)
        if self.module.single and 3.4e38 < abs(value) < float("inf"):
            self.refuse(f"the number {value} is beyond float32", kind="float64")
        if value in (float("inf"), float("-inf")) or abs(value) > 3.4028235e38:
            sign = "-" if value < 0 else ""
            self.module.param("infinity")
            return Value(type, sign + "params.infinity", "f32", state=state, uniform=True,
                         prec=UNARY if sign else ATOM)  # fmt: skip
        if 0 < abs(value) < 1.1754944e-38:
            self.refuse(f"the number {value}: WGSL may take it for 0", kind="subnormal")
        return Value(type, real_text(value), "f32", state=state, const=float(value), uniform=True,
                     prec=ATOM if value >= 0 else UNARY)  # fmt: skip

    def complex_constant(self, z, node):
        """A constant complex number."""
        parts = ", ".join(self.real(x, float64).code for x in (z.real, z.imag))
        rep, _ = rep_of(complex128)
        value = Value(complex128, f"{rep}({parts})", rep, state="exact", uniform=True)
        return self.allowed(value, node)

    def constant(self, obj, what, node):
        """The value of a Python object found by name."""
        if isinstance(obj, Value):
            return obj
        if type(obj) in (bool, int, float):
            v = self.literal(obj)
            if type(obj) is int and v.state == "fits" and what.isidentifier() and what.isupper():
                known = self.module.constants.get(what)
                if known == (v.rep, v.code) or known is None and self.module.names.claim(what):
                    self.module.constant(what, v.code, v.rep)
                    return v.but(code=what, prec=ATOM)
            return v
        if isinstance(obj, enum.IntEnum):
            return self.literal(int(obj))
        scalar = SCALARS.get(type(obj).__name__.rstrip("_"))
        if scalar is not None and not isinstance(obj, Scalar | type):
            if scalar.kind == "c":
                return self.cast(self.complex_constant(complex(obj), node), scalar)
            return number(scalar, int(obj)) if scalar.whole else self.real(float(obj), scalar)
        if obj is None:
            return Value(NONE)
        if isinstance(obj, complex):
            return self.complex_constant(obj, node)
        if isinstance(obj, tuple):
            items = tuple(self.constant(o, what, node) for o in obj)
            return Value(Tuple(tuple(i.type for i in items)), items=items)
        if is_device_array(obj):
            self.refuse(f"`{what}`, a device array from outside the kernel: pass it", node)
        if is_array(obj):
            return self.constant_array(obj, what, node)
        return Value(STATIC, const=obj)

    def constant_array(self, array, name, node):
        """A NumPy array from outside: constants of the module."""
        made = self.module.arrays.get(id(array))
        if made is None:
            dtype = as_dtype(array.dtype)
            wide = dtype is float64 and not (self.module.single or MODES["emulated"])
            if not isinstance(dtype, Scalar) or dtype.kind == "c" or wide:
                self.refuse(f"`{name}`, an array of {array.dtype}", node, "float64")
            data = array.reshape(-1).tolist()
            small = not keeps(dtype)
            if dtype.whole and small and any(not -(1 << 31) <= int(x) < 1 << 31 for x in data):
                self.refuse(f"`{name}`: its numbers do not fit 32 bits", node, "int64")
            if not data or len(data) > 4096:
                self.refuse(f"`{name}`: a constant array of {len(data)} elements", node)
            if dtype.kind == "f" and small and any(x - x != 0 for x in data):
                self.refuse(f"`{name}`: NaN or infinity in a constant array", node)
            buffer = Buffer(self.module.fresh(name), dtype, "const", len(data), data=tuple(data),
                            wide=not small)  # fmt: skip
            buffer.lo, buffer.hi = (min(data), max(data)) if dtype.whole else (None, None)
            self.module.buffers.append(buffer)
            shape = tuple(number(int64, n) for n in array.shape)
            made = array, View(buffer, shape, packed(array.shape), number(int64, 0))
            self.module.arrays[id(array)] = made
        return Value(made[1].type(), view=made[1])

    def visit_Constant(self, node):
        if isinstance(node.value, complex):
            return self.complex_constant(node.value, node)
        if node.value is None:
            return Value(NONE)
        if isinstance(node.value, bool | int | float):
            return self.literal(node.value)
        return Value(STATIC, const=node.value)

    def visit_Name(self, node):
        value = self.env.get(node.id)
        if value is not None:
            if value.type == "conflict":
                self.refuse(f"`{node.id}` has one type on one path and another on another", node)
            return value
        found, obj = self.source.lookup(node.id)
        if not found:
            self.refuse(f"the name `{node.id}` is not defined here", node)
        return self.constant(obj, node.id, node)

    def visit_Tuple(self, node):
        items = tuple(self.ordered(node.elts))
        return Value(Tuple(tuple(i.type for i in items)), items=items)

    def visit_Attribute(self, node):
        from . import intrinsics

        base, name = self.expr(node.value), node.attr
        if base.type is STATIC:
            obj = base.const
            if is_cuda(obj):
                return intrinsics.value(self, Intrinsic(name), node)
            if isinstance(obj, Intrinsic):
                return intrinsics.value(self, Intrinsic(f"{obj.path}.{name}"), node)
            if not hasattr(obj, name):
                self.refuse(f"`{ast.unparse(node)}` does not exist", node)
            found = getattr(obj, name)
            if is_numpy(obj) and as_dtype(found) is None and not isinstance(found, float):
                return Value(STATIC, const=NumpyName(name))
            if callable(found) or isinstance(found, type):
                return Value(STATIC, const=found)
            return self.constant(found, name, node)
        if base.view is not None:
            return self.of_array(base, name, node)
        if isinstance(base.type, Scalar) and base.type.kind == "c":
            if name in ("real", "imag"):
                parts, rep = ("xy", "zw"), "float64"
                if base.rep == "vec2f":
                    parts, rep = "xy", "f32"
                code = f"{base.at(ATOM)}.{parts[name == 'imag']}"
                return Value(base.type.part, code, rep, state="exact", uniform=base.uniform)
            if name == "conjugate":
                return Value(STATIC, const=Method(base, name))
        elif isinstance(base.type, Scalar) and name == "real":
            return base
        return self.refuse(f"`{ast.unparse(node)}` in a kernel", node)

    def of_array(self, value, name, node):
        view = value.view
        if name == "ndim":
            return self.literal(len(view.shape))
        if name == "dtype":
            return Value(STATIC, const=view.dtype)
        if name == "itemsize":
            return self.literal(view.dtype.size)
        if name == "shape":
            return Value(Tuple((int64,) * len(view.shape)), items=view.shape)
        if name == "size":
            total = view.shape[0] if view.shape else self.literal(1)
            for n in view.shape[1:]:
                total = self.operate("Mult", total, n, node)
            return total
        if name == "nbytes":
            size = self.literal(view.dtype.size)
            return self.operate("Mult", self.of_array(value, "size", node), size, node)
        if name == "T":
            turned = replace(view, shape=view.shape[::-1], strides=view.strides[::-1])
            return Value(turned.type(), view=turned)
        if view.states and name not in ("ndim", "shape", "size"):
            self.refuse(f"`.{name}` of random states", node, "random")
        if view.pair and name in ("real", "imag"):
            at = view.offset if name == "real" else self.position(
                "+", view.offset, number(int64, 1))  # fmt: skip
            half = replace(view, offset=at, pair=False)
            return Value(half.type(), view=half)
        if view.pair and name not in ("ndim", "shape", "size"):
            self.refuse(f"`.{name}` of an array of complex numbers", node, "complex")
        if name in ("reshape", "ravel", "transpose", "sum", "max", "min", "mean", "fill", "view"):
            return Value(STATIC, const=Method(value, name))
        return self.refuse(f"`.{name}` of an array", node)

    # ------------------------------------------------------------ elements of arrays

    def subject(self, node):
        """(array value, index parts) of a subscript; ``a[i][j]`` is one access."""
        array = self.expr(node.value)
        mark = len(self.lines)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        values = iter(self.ordered([p for p in parts if not isinstance(p, ast.Slice)], False))
        index = []
        for part in parts:
            if isinstance(part, ast.Slice):
                index.append(part)
                continue
            value = next(values)
            index += value.items if isinstance(value.type, Tuple) else [value]
        array = self.before(mark, array)
        if array.view is not None:
            dots = [k for k, i in enumerate(index) if getattr(i, "const", 0) is Ellipsis]
            if dots:
                k = dots[0]
                index[k : k + 1] = [ast.Slice()] * (len(array.view.shape) - len(index) + 1)
        return array, index

    def place(self, node, hold=False, copy=False):
        """(view, flat index) of an element that is assigned to."""
        if not isinstance(node, ast.Subscript):
            self.refuse(f"assigning to `{ast.unparse(node)}`", node)
        array, index = self.subject(node)
        if copy:
            index = [i if isinstance(i, ast.Slice) else self.copied(i) for i in index]
        return self.element(array, index, node, hold)

    def element(self, array, index, node, hold=False):
        """(view, flat index) of an element."""
        if array.view is None:
            self.refuse(f"`{ast.unparse(node.value)}` has no elements", node)
        if any(isinstance(i, ast.Slice) for i in index) or len(index) < len(array.view.shape):
            self.refuse(f"assigning to the slice `{ast.unparse(node)}`: write a loop", node)
        flat = self.flat(array.view, index, node, hold)
        return array.view, flat

    def flat(self, view, index, node, hold=False):
        """The number of an element in its buffer, or its indices where that is made of arrays.

        ``hold``: as a text that may be repeated.
        """
        if len(index) != len(view.shape):
            self.refuse(f"`{ast.unparse(node)}`: the array has {len(view.shape)} dimensions", node)
        if view.buffer.shape:
            if self.own_shape(view):
                return self.indices(view, index, node, hold)
            self.module.flat.add(view.buffer.name)  # for the next pass
        total = None if view.offset.const == 0 and view.offset.known else view.offset
        for value, size, stride in zip(index, view.shape, view.strides, strict=True):
            value = self.from_start(value, size, node)
            if stride == 0 or (size.const == 1 and value.known and value.const == 0):
                continue
            step = number(int64, stride)
            if isinstance(stride, Value):
                step = stride
            elif name := self.module.sizes.get((id(view.buffer), stride)):
                step = step.but(code=name)
            term = value if stride == 1 else self.position("*", value, step)
            total = term if total is None else self.position("+", total, term)
        total = total or number(int64, 0)
        return self.hold(total, "at") if hold else total

    def from_start(self, index, size, node):
        """An index along an axis, counted from its start: a negative one counts from its end."""
        index = self.integer(index, node)
        if index.lo < 0 and index.known:
            return self.operate("Add", size, index, node)
        if index.lo < 0:
            code = f"{self.module.helper('from_start')}({self.to_rep(index, 'i32').code}, "
            code += f"{self.to_rep(size, 'i32').code})"
            return Value(int64, code, "i32", 0, max(index.hi, 0), "index", None, index.uniform)
        if index.rep in WIDE:
            return self.to_rep(index, "i32").but(state="index")
        return index.but(state="index") if index.state == "sat" else index

    def own_shape(self, view):
        """Whether a view is the whole of its buffer, which is made of arrays."""
        shape = view.buffer.shape
        whole = view.offset.known and view.offset.const == 0
        return whole and view.strides == packed(shape) and tuple(
            n.const for n in view.shape) == shape  # fmt: skip

    def indices(self, view, index, node, hold):
        """The indices of an element: a driver checks each, and those that are constant never."""
        made, uniform = [], True
        for value, size in zip(index, view.shape, strict=True):
            value = self.to_rep(self.from_start(value, size, node), "i32")
            value = self.hold(value, "at") if hold else value
            uniform = uniform and value.uniform
            made.append(value.code)
        return Value(int64, "][".join(made), "i32", 0, 0, "index", None, uniform, LOOSE)

    def position(self, sign, a, b):
        """Index arithmetic, right wherever the element is inside its array."""
        lo = hi = 0
        if sign == "+":
            lo, hi = a.lo + b.lo, a.hi + b.hi
        else:
            found = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            lo, hi = min(found), max(found)
        if a.known and b.known:
            return number(int64, a.const * b.const if sign == "*" else a.const + b.const)
        a, b = self.to_rep(a, "i32"), self.to_rep(b, "i32")
        least = PLUS if sign == "+" else TIMES
        uniform = a.uniform and b.uniform
        return Value(int64, f"{a.at(least)} {sign} {b.at(least + 1)}", "i32", lo, hi, "index",
                     None, uniform, least)  # fmt: skip

    def load(self, view, index, node=None):
        """The value of an element."""
        if view.states:
            self.refuse(f"`{ast.unparse(node or self.node)}`: a record", node, "states")
        if view.pair:
            parts = [self.load(replace(view, pair=False), i, node) for i in self.both(index)]
            rep, _ = rep_of(view.dtype)
            code = f"{rep}({', '.join(v.code for v in parts)})"
            return Value(view.dtype, code, rep, state="exact", uniform=parts[0].uniform)
        buffer = view.buffer
        dtype = buffer.dtype
        buffer.read = True
        self.uses.add(buffer.name)
        code = f"{buffer.name}[{index.code}]"
        if buffer.atomic:
            code = f"atomicLoad(&{code})"
            if dtype.kind == "f":
                code = f"bitcast<f32>({code})"
        uniform = index.uniform and not buffer.written and buffer.space in ("storage", "const")
        if buffer.wide and dtype.kind == "f":
            return Value(dtype, code, "float64", state="exact", uniform=uniform)
        if buffer.wide:
            lo, hi = dtype.lo, dtype.hi
            if buffer.lo is not None and not buffer.written:
                lo, hi = buffer.lo, buffer.hi
            value = Value(dtype, code, buffer.rep, lo, hi, "fits", None, uniform)
            return self.to_rep(value, rep_of(dtype, lo, hi)[0])
        if dtype.kind == "f":
            state = "exact" if dtype is float64 else "fits"
            if buffer.half:
                code = f"f32({code})"
                self.module.halves.add(code)
            return Value(dtype, code, "f32", state=state, uniform=uniform)
        if dtype.kind == "b":
            return Value(boolean, f"{code} != 0u", "bool", 0, 1, "fits", None, uniform, LOOSE)
        lo, hi = (buffer.lo, buffer.hi) if buffer.lo is not None and not buffer.written else (
            max(dtype.lo, I32[0]), min(dtype.hi, U32[1] if dtype.kind == "u" else I32[1])
        )  # fmt: skip
        return Value(dtype, code, buffer.rep, lo, hi, "fits", None, uniform)

    def both(self, index):
        """The places of a complex number's two parts."""
        index = self.hold(index, "at")
        return index, self.position("+", index, number(int64, 1))

    def put(self, view, index, value, node):
        """Write an element."""
        if view.states:
            self.refuse(f"`{ast.unparse(node)}`: a record", node, "states")
        if view.pair:
            value = self.copied(self.cast(self.number(value, node), view.dtype, node))
            half = replace(view, pair=False)
            names, rep = ("xy", "f32") if value.rep == "vec2f" else (("xy", "zw"), "float64")
            for at, part in zip(self.both(index), names, strict=True):
                code = f"{value.code}.{part}"
                self.put(half, at, Value(half.dtype, code, rep, state="exact"), node)
            return
        buffer = view.buffer
        if buffer.space == "const":
            self.refuse(f"`{ast.unparse(node)}`: a constant array cannot be written", node)
        buffer.written = True
        self.uses.add(buffer.name)
        text = self.stored(self.number(value, node), buffer, node)
        target = f"{buffer.name}[{index.code}]"
        if buffer.atomic:
            text = f"bitcast<u32>({text})" if buffer.dtype.kind == "f" else text
            self.emit(f"atomicStore(&{target}, {text});")
        else:
            self.emit(f"{target} = {text};")

    def stored(self, value, buffer, node):
        """The text of a value as an element of a buffer."""
        dtype = buffer.dtype
        if dtype.kind == "b":
            truth = self.truth(value)
            return f"select(0u, 1u, {truth.code})"
        v = self.cast(value, dtype, node)
        if buffer.wide:
            return self.to_rep(v, buffer.rep).code
        if dtype.size == 8 and dtype.whole:
            v = self.fitting(v, node, f"what is stored in `{buffer.name}` ({dtype.name})")
            if v.rep != buffer.rep and not (I32[0] <= v.lo and v.hi <= I32[1]):
                self.refuse(f"what is stored in `{buffer.name}` may leave int32", node, "int64")
        if dtype is float64 and v.state != "exact" and not self.module.single:
            self.refuse(f"`{ast.unparse(node)}` stores float64", node, "float64")
        code = self.to_rep(v, buffer.rep).code
        if buffer.half:  # a float16 already: this rounds nothing
            return code[4:-1] if code in self.module.halves else f"f16({code})"
        return code

    def visit_Subscript(self, node):
        array, index = self.subject(node)
        if isinstance(array.type, Tuple):
            if len(index) == 1 and isinstance(index[0], ast.Slice):
                part = index[0]
                ends = [None if b is None else self.expr(b).const
                        for b in (part.lower, part.upper, part.step)]  # fmt: skip
                items = array.items[slice(*ends)]
                return Value(Tuple(tuple(i.type for i in items)), items=items)
            k = index[0].const if len(index) == 1 else None
            if not isinstance(k, int) or not -len(array.items) <= k < len(array.items):
                self.refuse(f"`{ast.unparse(node)}`: the index of a tuple must be constant", node)
            return array.items[k]
        if array.view is None:
            self.refuse(f"`{ast.unparse(node)}` in a kernel", node)
        view = array.view
        if any(isinstance(i, ast.Slice) for i in index) or len(index) < len(view.shape):
            return self.part(view, index, node)
        return self.load(view, self.flat(view, index, node), node)

    def part(self, view, index, node):
        """``a[i]`` of a matrix, ``a[2:5]``: an array that shares the elements."""
        from .intrinsics import pair

        offset, shape, strides = view.offset, [], []
        mark = len(self.lines)
        index = [*index, *[ast.Slice()] * (len(view.shape) - len(index))]
        if len(index) > len(view.shape):
            self.refuse(f"`{ast.unparse(node)}`: too many indices", node)
        for part, size, stride in zip(index, view.shape, view.strides, strict=True):
            at = None
            if isinstance(part, ast.Slice):
                step = 1 if part.step is None else self.expr(part.step).const
                if not isinstance(step, int) or step < 1:
                    self.refuse(f"`{ast.unparse(node)}`: a step that is no positive constant", node)
                lower = self.literal(0) if part.lower is None else self.expr(part.lower)
                upper = size if part.upper is None else self.expr(part.upper)
                lower, upper = self.integer(lower, node), self.integer(upper, node)
                if not size.known or lower.lo < 0 or upper.lo < 0:
                    self.refuse(f"`{ast.unparse(node)}`: bounds that may lie outside", node)
                inside = lower.hi <= size.const and upper.hi <= size.const
                length = apart(part) if inside else None
                if length is None:  # a slice ends with the array, and may be empty
                    ends = [v if v.hi <= size.const else pair(self, "min", v, size, node)
                            for v in (upper, lower)]  # fmt: skip
                    length = self.operate("Sub", *ends, node)
                    if length.lo < 0:
                        length = pair(self, "max", length, self.literal(0), node)
                if step > 1:
                    last = self.operate("Add", length, self.literal(step - 1), node)
                    length = self.operate("FloorDiv", last, self.literal(step), node)
                shape.append(self.copied(length))
                strides.append(stride * step)
                at = lower
            else:
                at = self.from_start(part, size, node)
            if not (at.known and at.const == 0):
                term = at if stride == 1 else self.position("*", at, number(int64, stride))
                zero = offset.known and offset.const == 0
                offset = term if zero else self.position("+", offset, term)
        if self.writes(self.lines[mark:]):
            self.refuse(f"`{ast.unparse(node)}`: a call that writes in a slice's bounds", node)
        offset = self.hold(offset, "offset")
        new = replace(view, shape=tuple(shape), strides=tuple(strides), offset=offset)
        return Value(new.type(), view=new)

    # ------------------------------------------------------------ conditions

    def truth(self, value):
        """A value as a condition."""
        if value.type is NONE:
            return number(boolean, False)
        if value.type is STATIC and isinstance(value.const, bool):
            return number(boolean, value.const)
        if isinstance(value.type, Tuple):
            return number(boolean, bool(value.items))
        if not isinstance(value.type, Scalar):
            self.refuse("a condition that is no number")
        return self.cast(value, boolean)

    def chain(self, node):
        """``a < b < c`` where finding c does something: it is done if a < b, and b found once."""
        op, middle = type(node.ops[0]).__name__, node.comparators[0]
        a, b = self.ordered([node.left, middle])
        b = self.copied(b)
        first = self.compare(op, a, b, node)
        # Names that no variable has, as a refusal shows them.
        known = {f"({ast.unparse(n)})": v for n, v in ((middle, b), (node, first))}
        kept, self.env = self.env, {**self.env, **known}
        middle, first = (ast.copy_location(ast.Name(n, ast.Load()), middle) for n in known)
        rest = ast.Compare(middle, node.ops[1:], node.comparators[1:])
        both = ast.BoolOp(ast.And(), [first, ast.copy_location(rest, node)])
        value = self.condition(ast.copy_location(both, node))
        self.env = kept
        return value

    def visit_Compare(self, node):
        if any(isinstance(n, ast.Call) for c in node.comparators[1:] for n in ast.walk(c)):
            kept = len(self.lines), self.temps, self.deeds, set(self.taken)
            self.ordered(node.comparators[1:])
            mark, self.temps, self.deeds, self.taken = kept
            acts = self.writes(self.lines[mark:])
            del self.lines[mark:]
            if acts:
                return self.chain(node)
        values = self.ordered([node.left, *node.comparators])
        kinds = [type(op).__name__ for op in node.ops]
        if kinds[0] in ("In", "NotIn") and len(values) == 2 and isinstance(values[1].type, Tuple):
            tests = [self.compare("Eq", values[0], v, node) for v in values[1].items]
            return self.joined(tests, "||", kinds[0] == "NotIn")
        if kinds[0] in ("Is", "IsNot", "Eq", "NotEq") and len(values) == 2:
            a, b = values
            if a.type is NONE or b.type is NONE:
                return number(boolean, (a.type is b.type) == (kinds[0] in ("Is", "Eq")))
            if a.type is STATIC and b.type is STATIC:
                same = a.const is b.const or a.const == b.const
                return number(boolean, same == (kinds[0] in ("Is", "Eq")))
        if any(k not in SIGNS for k in kinds):
            self.refuse(f"`{ast.unparse(node)}`", node)
        pairs = zip(kinds, values, values[1:], strict=False)
        return self.joined([self.compare(k, a, b, node) for k, a, b in pairs], "&&")

    def joined(self, tests, sign, negate=False):
        """Conditions joined by && or ||."""
        decides = sign == "||"
        live = []
        for t in tests:
            if t.known and bool(t.const) == decides:
                return number(boolean, decides != negate)
            if not t.known:
                live.append(t)
        if not live:
            return number(boolean, (not decides) != negate)
        code = f" {sign} ".join(t.at(PLUS - 1) if len(live) > 1 else t.code for t in live)
        prec = LOOSE if len(live) > 1 else live[0].prec
        if negate:
            code, prec = f"!({code})", UNARY
        uniform = all(t.uniform for t in live)
        return Value(boolean, code, "bool", 0, 1, "fits", None, uniform, prec)

    def compare(self, kind, a, b, node):
        """``a kind b`` for two numbers."""
        a, b = self.number(a, node), self.number(b, node)
        if "c" in (a.type.kind, b.type.kind):
            self.refuse(f"`{ast.unparse(node)}` compares complex numbers", node, "complex")
        if a.known and b.known and a.type.whole and b.type.whole:
            x, y = a.const, b.const
            found = {"Lt": x < y, "LtE": x <= y, "Gt": x > y, "GtE": x >= y}
            return number(boolean, (found | {"Eq": x == y, "NotEq": x != y})[kind])
        if a.type is boolean and b.type is boolean and kind in ("Eq", "NotEq"):
            return self.relation(kind, a, b)
        if a.type.whole and b.type.whole:
            if a.type.kind != b.type.kind and (a.lo < 0 or b.lo < 0):
                if {a.type.size, b.type.size} == {8} and "u" in (a.type.kind, b.type.kind):
                    self.refuse(f"`{ast.unparse(node)}` compares int64 with uint64", node, "int64")
            a, b = (self.cast(v, int64) if v.type is boolean else v for v in (a, b))
            for x, y in ((a, b), (b, a)):
                inner = I32[0] < y.lo and y.hi < I32[1]
                if x.state == "sat" and y.state == "fits" and inner:
                    x, y = self.to_rep(a, "i32"), self.to_rep(b, "i32")
                    return self.relation(kind, x, y)
            a, b = self.fitting(a, node, wide=True), self.fitting(b, node, wide=True)
            for rep, (lo, hi) in (("i32", I32), ("u32", U32)):
                if all(lo <= v.lo and v.hi <= hi for v in (a, b)):
                    return self.relation(kind, self.to_rep(a, rep), self.to_rep(b, rep))
            if MODES["pairs"]:
                return self.relation_of_wide(kind, a, b)
            self.refuse(
                f"`{ast.unparse(node)}`: one side may be negative, the other beyond int32", node,
                "int64",
            )  # fmt: skip
        if MODES["emulated"] and mix(a.type, b.type) is float64:
            return self.relation_of_wide(kind, self.cast(a, float64), self.cast(b, float64))
        if kind in MIRROR and not self.module.single:
            for x, y, k in ((a, b, kind), (b, a, MIRROR[kind])):
                known = y.const if y.known else self.module.reals.get(y.code)
                if y.type is float64 and y.state == "once" and known is not None:
                    x = x if x.type.kind == "f" else self.cast(x, float64)
                    return self.between(k, self.exact(x, node), y, known)
        for v in (a, b):
            self.exact(v, node)
            if v.type.whole and not (-(1 << 24) <= v.lo and v.hi <= 1 << 24):
                other = b if v is a else a
                if not (other.known and abs(other.const) < 1 << 24 or v.known):
                    self.refuse(
                        f"`{ast.unparse(node)}` compares float64: an integer that float32 does not "
                        "hold exactly with a float", node, "float64",
                    )  # fmt: skip
        return self.relation(kind, self.cast(a, float32), self.cast(b, float32))

    def between(self, kind, x, limit, real):
        """``x kind limit`` of a float32 and a float64 that lies between two of them: ``real``."""
        low, high = beside(real)
        sign, bound = ("LtE", low) if kind in ("Lt", "LtE") else ("GtE", high)
        if 0 < abs(bound) < 1.1754944e-38:
            sign, bound = ("Lt", high) if sign == "LtE" else ("Gt", low)
        if limit.known:
            number = self.real(bound, float32)
        else:
            key = limit.code, bound
            if key not in self.module.hides:
                self.module.hides[key] = self.module.param(self.module.fresh("bound"), bound)
            number = Value(float32, self.module.hides[key], "f32", uniform=True)
        return self.relation(sign, self.cast(x, float32), number)

    def relation_of_wide(self, kind, a, b):
        """A comparison of two numbers of 64 bits."""
        if a.type.whole and (settled := proved(kind, a, b)) is not None:
            return number(boolean, settled)
        if kind in ("Gt", "GtE"):
            a, b, kind = b, a, MIRROR[kind]
        if a.type is float64:
            if a.known and b.known:
                x, y = a.const, b.const
                found = {"Lt": x < y, "LtE": x <= y, "Eq": x == y, "NotEq": x != y}[kind]
                return number(boolean, found)
            name = {"Lt": "f64_less", "LtE": "f64_at_most"}.get(kind, "f64_equal")
            test = self.helped(name, a, b, rep="bool")
            return test.but(code=f"!{test.code}", prec=UNARY) if kind == "NotEq" else test
        rep = "uint64" if a.lo >= 0 and b.lo >= 0 else "int64"
        if rep == "int64" and max(a.hi, b.hi) > int64.hi:
            self.refuse("a comparison of a negative number with a uint64", kind="int64")
        a, b = self.to_rep(a, rep), self.to_rep(b, rep)
        if kind in ("Eq", "NotEq"):
            sides = (v.at(PLUS) for v in (a, b))
            code = f"all({' == '.join(sides)})" if kind == "Eq" else f"any({' != '.join(sides)})"
            return Value(boolean, code, "bool", 0, 1, "fits", None, a.uniform and b.uniform)
        if kind == "LtE":
            a, b = b, a
        test = self.helped("u64_less" if rep == "uint64" else "i64_less", a, b, rep="bool")
        return test.but(code=f"!{test.code}", prec=UNARY) if kind == "LtE" else test

    def relation(self, kind, a, b):
        if self.module.unroll and (settled := proved(kind, a, b)) is not None:
            return number(boolean, settled)
        code, prec = f"{a.at(PLUS)} {SIGNS[kind]} {b.at(PLUS)}", PLUS - 1
        if a.rep == "f32" and kind in ("Eq", "NotEq"):
            if a.code == b.code:  # what is no NaN equals itself
                code, prec = f"{self.module.helper('is_nan')}({a.code})", ATOM
                if kind == "Eq":
                    code, prec = f"!{code}", UNARY
            elif kind == "NotEq":
                code, prec = unequal(a, b.at(PLUS)), UNARY
        return Value(boolean, code, "bool", 0, 1, "fits", None, a.uniform and b.uniform, prec)

    def condition(self, node):
        """An expression as a condition."""
        if isinstance(node, ast.BoolOp):
            return self.visit_BoolOp(node, condition=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            test = self.condition(node.operand)
            if test.known:
                return number(boolean, not test.const)
            return test.but(code=f"!{test.at(ATOM)}", prec=UNARY)
        return self.truth(self.expr(node))

    def visit_BoolOp(self, node, condition=False):
        sign = "&&" if isinstance(node.op, ast.And) else "||"
        mark, env = len(self.lines), self.env
        tests, kept = [], None
        wrote = False
        for k, n in enumerate(node.values):
            if k and tests[-1].known and bool(tests[-1].const) == (sign == "||"):
                break  # it is settled
            before = len(self.lines)
            if condition:
                tests.append(self.condition(n))
            else:
                value = self.expr(n)
                if isinstance(value.type, Scalar) and value.type is not boolean:
                    self.maybe -= bool(k)
                    self.env = env
                    del self.lines[mark:]
                    return self.either(node)
                tests.append(self.truth(value))
            if k and len(self.lines) > before:
                tests[-1] = self.folded(before, tests[-1])
                wrote = True
            if not k:
                kept = len(self.lines)
                self.maybe += 1
            self.env = self.refined(self.env, n, sign == "&&")
        self.maybe -= 1
        self.env = env
        if len(self.lines) > kept or wrote and any(t.known for t in tests):
            del self.lines[mark:]  # what the later ones do must not be done for nothing
            joined = self.stepwise(node, sign)
            return joined if condition else self.settled_value(joined, node)
        joined = self.joined(tests, sign)
        joined = self.deed(joined) if wrote else joined
        return joined if condition else self.settled_value(joined, node)

    def either(self, node):
        """``a and b``, ``a or b`` of numbers: the one or the other, whatever it is."""
        first, *rest = node.values
        other = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
        name = "first of " + ast.unparse(node)  # no name that a kernel can have
        if any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(first)):
            self.env[name] = self.hold(self.expr(first))  # it is called once
            first = ast.copy_location(ast.Name(name, ast.Load()), first)
        a, b = (other, first) if isinstance(node.op, ast.And) else (first, other)
        value = self.expr(ast.copy_location(ast.IfExp(first, a, b), node))
        self.env.pop(name, None)
        return value

    def stepwise(self, node, sign):
        """``a and b`` where computing b takes statements."""
        test = self.condition(node.values[0])
        name = self.temp("test")
        self.emit(test.code, name, "bool")
        uniform = test.uniform
        for n in node.values[1:]:
            if self.collective(n):
                self.refuse(f"`{ast.unparse(node)}`: a barrier in a condition", node, "barrier")
            self.emit(f"if ({name if sign == '&&' else '!' + name}) {{")
            self.indent += 1
            value = self.condition(n)
            self.emit(value.code, name, "bool")
            uniform = uniform and value.uniform
            self.indent -= 1
            self.emit("}")
        return Value(boolean, name, "bool", 0, 1, "fits", None, uniform)

    def visit_IfExp(self, node):
        test = self.condition(node.test)
        if test.known:
            return self.settled_value(self.expr(node.body if test.const else node.orelse), node)
        mark, env = len(self.lines), self.env
        self.maybe += 1
        self.env = self.refined(env, node.test, True)
        a = self.expr(node.body)
        self.env = self.refined(env, node.test, False)
        b = self.expr(node.orelse)
        self.maybe -= 1
        self.env = env
        if isinstance(a.type, Tuple) or a.view is not None or not isinstance(a.type, Scalar):
            self.refuse(f"`{ast.unparse(node)}`: only numbers", node)
        type = mix(a.type, b.type, unify=True)
        a, b = self.cast(a, type), self.cast(b, type)
        lo = hi = None
        if type.whole:
            lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        rep, state = rep_of(type, lo, hi, a.rep if a.rep == b.rep else "")
        states = {a.state, b.state}
        for s in ("near", "once", "index", "mod", "sat"):
            if s in states:
                state = s if states <= {s, "fits", "exact", "once"} else "index"
                break
        texts = a.code + b.code
        span = None if type.kind not in "f" else spanned("Join", a, b)
        effects = len(self.lines) > mark or "atomic" in texts or "checked_i32" in texts
        effects = effects or self.module.acts_in(texts)
        uniform = test.uniform and a.uniform and b.uniform
        if not effects:
            a, b = self.to_rep(a, rep), self.to_rep(b, rep)
            code = f"select({b.code}, {a.code}, {test.code})"
            return Value(type, code, rep, lo, hi, state, None, uniform, span=span)
        del self.lines[mark:]
        if self.collective([node.body, node.orelse]):
            self.refuse(f"`{ast.unparse(node)}`: a barrier in a branch", node, "barrier")
        name = self.temp()
        self.emit(f"if ({test.code}) {{")
        for k, part in enumerate((node.body, node.orelse)):
            self.indent += 1
            self.env = self.refined(env, node.test, not k)
            value = self.to_rep(self.cast(self.expr(part), type), rep)
            self.emit(value.code, name, rep)
            self.indent -= 1
            self.emit("} else {" if not k else "}")
        self.env = env
        return Value(type, name, rep, lo, hi, state, None, uniform, span=span)

    def visit_Call(self, node):
        from . import intrinsics

        function = self.expr(node.func)
        if function.type is not STATIC:
            self.refuse(f"`{ast.unparse(node.func)}` is not a function", node)
        return intrinsics.call(self, function.const, node)
