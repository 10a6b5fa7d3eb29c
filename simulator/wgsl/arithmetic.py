"""Numbers of a kernel as WGSL: conversions, and arithmetic by CUDA's rules."""

import ast
import enum
import operator

from ..stepper import ops
from ..stepper.compiler import UNKNOWN as NO_FOLD
from ..stepper.compiler import (
    folded_as_python,
)
from ..stepper.types import (
    STATIC,
    Scalar,
    Tuple,
    binary,
    boolean,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint32,
    unary,
)
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
    Value,
    literal,
    number,
    rep_of,
    span_of,
    spanned,
    unequal,
)

SHORT = {"int64": "i64", "uint64": "u64"}  # as the helpers of wide.py are named
LIMITS = {
    "mod": "may leave 32 bits",
    "sat": "is a float made an integer, which may leave 32 bits",
    "index": "is a float made an integer, which may leave 32 bits",
}


FLOATS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": ops.divide,
    "Pow": ops.power,
}


class Arithmetic:
    """The part of a function's compiler that computes."""

    # ------------------------------------------------------------ numbers

    def number(self, value, node=None):
        if isinstance(value.type, Scalar):
            return self.allowed(value, node)
        if value.type is STATIC and isinstance(value.const, enum.Enum):
            return self.constant(value.const.value, "", node)
        return self.refuse(f"a number is needed in `{ast.unparse(node)}`", node)

    def allowed(self, value, node):
        """``value``, which is no complex number, but where float32 may stand for float64."""
        if value.type.kind == "c" and not (self.module.single or MODES["emulated"]):
            self.refuse("complex numbers", node, "complex")
        return value

    def integer(self, value, node):
        value = self.number(value, node)
        if not value.type.whole:
            self.refuse(f"`{ast.unparse(node)}` needs an integer, not {value.type.name}", node)
        return self.cast(value, int64) if value.type is boolean else value

    def fitting(self, value, node, what="", wide=False):
        """``value``, an integer whose text is its value: in 32 bits, or in 64 where ``wide``."""
        if value.rep in WIDE and value.type.whole and not wide:
            for rep, (lo, hi) in (("i32", I32), ("u32", U32)):
                if lo <= value.lo and value.hi <= hi:
                    return self.to_rep(value, rep)
            self.refuse(f"`{what or ast.unparse(node)}` of 64 bits", node, "int64")
        if value.type.whole and value.state != "fits":
            self.refuse(
                f"`{what or ast.unparse(node)}`: an int64 that {LIMITS[value.state]}; make it "
                "np.int32(...) or np.uint32(...) if it fits", node, "int64",
            )  # fmt: skip
        return value

    def exact(self, value, node):
        """``value``, which is no float64 that float32 does not hold."""
        if value.type is float64 and value.state != "exact" and not self.module.single:
            # Emulated, all of them are exact.
            what = "the literal" if has_literal(node) else "its numbers"
            self.refuse(
                f"`{ast.unparse(node)}` is computed in float64, which WGSL does not have: make "
                f"{what} np.float32(...)", node, "float64",
            )  # fmt: skip
        return value

    def approximates(self, node):
        """Note a line that computes with a float64 rounded to float32, or by a function of it."""
        self.module.near.add(getattr(node or self.node, "lineno", 0))

    def to_rep(self, value, rep):
        """``value`` as the WGSL type ``rep``, bit by bit."""
        if value.rep == rep:
            return value
        if rep in WIDE or value.rep in WIDE or rep == "complex128":
            return self.to_wide(value, rep)
        if value.rep == "bool":
            if rep == "f32":
                return value.but(code=f"select(0.0, 1.0, {value.code})", rep=rep, prec=ATOM)
            zero, one = literal(rep, 0), literal(rep, 1)
            return value.but(code=f"select({zero}, {one}, {value.code})", rep=rep, prec=ATOM)
        if rep == "f32":
            far = value.rep == "u32" and not value.known and value.hi > 1 << 24
            name = self.module.helper("f32_of_u32") if far else "f32"
            return value.but(code=f"{name}({value.code})", rep=rep, prec=ATOM)
        if value.known and value.type.whole:
            return value.but(code=literal(rep, value.const), rep=rep, prec=ATOM)
        if rep == "i32" and value.code.startswith("u32(") and whole_call(value.code):
            inner = value.code[4:-1]  # made of an int32: back to it
            return value.but(code=inner, rep=rep, prec=ATOM if inner.isidentifier() else LOOSE)
        return value.but(code=f"{rep}({value.code})", rep=rep, prec=ATOM)

    def to_wide(self, value, rep):
        """``value`` as the WGSL type ``rep``, where one of them has 64 bits."""
        code = value.code
        if value.known:
            code = literal(rep, value.const) if rep in WIDE or value.type.whole else code
        elif rep == "complex128":
            code = f"{self.module.helper('c128_of')}({code})"
        elif rep == "f32" or "bool" in (rep, value.rep):
            one = rep in WIDE and value.rep == "bool"
            if not one:
                raise AssertionError(f"{value} as {rep}")  # a cast decides how that is done
            code = f"{rep}(select(0u, 1u, {code}), 0u)"
        elif value.rep == "float64" or rep == "float64":
            if value.rep != "f32":
                raise AssertionError(f"{value} as {rep}")
            code = f"{self.module.helper('f64_of_f32')}({code})"
        elif value.rep in WIDE and rep in WIDE:
            return value.but(rep=rep)
        elif rep in WIDE and value.rep == "i32":
            code = f"{self.module.helper('i64_of')}({code})"
        elif rep in WIDE:
            code = f"{rep}({code}, 0u)"
        else:
            code = f"{value.at(ATOM)}.x"
            code = code if rep == "u32" else f"bitcast<i32>({code})"
        return value.but(code=code, rep=rep, prec=ATOM)

    def shortened(self, value):
        """``value`` in 32 bits where it fits."""
        return self.to_rep(value, rep_of(value.type, value.lo, value.hi)[0])

    def helped(self, name, *values, type=None, rep="float64", prec=ATOM):
        """A value that a helper of wide.py makes of others."""
        code = f"{self.module.helper(name)}({', '.join(v.code for v in values)})"
        uniform = all(v.uniform for v in values)
        if rep == "bool":
            return Value(boolean, code, "bool", 0, 1, "fits", None, uniform)
        type = type or float64
        lo, hi = (type.lo, type.hi) if type.whole else (None, None)
        state = "exact" if type is float64 else "fits"
        return Value(type, code, rep, lo, hi, state, None, uniform)

    def cast(self, value, type, node=None):
        """``value`` as ``type``: what np.float32(x), an assignment or a call does."""
        node = node or self.node
        value = self.number(value, node)
        old = value.type
        if old is type:
            return value
        if "c" in (type.kind, old.kind):
            return self.cast_to_complex(value, type, node)
        if type is boolean:
            if value.known:
                return number(boolean, bool(value.const))
            if value.rep == "float64":
                zero = self.helped("f64_is_zero", value, rep="bool")
                return zero.but(code=f"!{zero.code}", prec=UNARY)
            if value.rep in WIDE:
                code = f"any({value.at(PLUS)} != vec2u())"
                return Value(boolean, code, "bool", 0, 1, "fits", None, value.uniform)
            if old.kind == "f":
                if value.state in ("once", "near"):
                    self.exact(value, node)
                return Value(boolean, unequal(value, "0.0"), "bool", 0, 1, "fits", None,
                             value.uniform, UNARY)  # fmt: skip
            v = value if value.state in ("fits", "sat") else self.fitting(value, node)
            code = f"{v.at(PLUS)} != {literal(v.rep, 0)}"
            return Value(boolean, code, "bool", 0, 1, "fits", None, value.uniform, PLUS - 1)
        if old.kind == "f" and type.kind == "f":
            return self.cast_real(value, type, node)
        if type.kind == "f":
            return self.cast_to_real(value, type, node)
        if old.kind == "f":
            return self.cast_to_whole(value, type, node)
        return self.cast_whole(value, type, node)

    def cast_to_complex(self, value, type, node):
        if type.kind != "c":
            self.refuse(f"a complex number made {type.name}: take its .real", node, "complex")
        self.allowed(value.but(type=type), node)
        rep, _ = rep_of(type)
        if MODES["emulated"] and value.type.kind == "c":
            made = value.but(type=type, merges="")
            if rep == "vec2f" and value.rep != rep:
                return made.but(code=f"{self.module.helper('c64_of')}({value.code})", rep=rep,
                                prec=ATOM)  # fmt: skip
            return self.to_rep(made, rep)
        if MODES["emulated"]:
            real = self.cast(value, float64 if rep == "complex128" else float32)
            code = f"{rep}({real.code}, {'0.0' if rep == 'vec2f' else 'vec2u()'})"
            return Value(type, code, rep, state="exact", uniform=value.uniform)
        if value.type.kind != "c":
            real = self.cast(value, float64)
            value = real.but(code=f"vec2f({real.code}, 0.0)", rep="vec2f", prec=ATOM, const=None)
        return value.but(type=type, state="exact", merges="")

    def complex_number(self, op, a, b, kind, node):
        """Arithmetic of complex numbers, by their parts."""
        a, b = self.cast(a, kind, node), self.cast(b, kind, node)
        uniform = a.uniform and b.uniform
        if a.rep == "complex128" and op in ("Add", "Sub", "Mult"):
            name = {"Add": "c128_add", "Sub": "c128_sub", "Mult": "c128_mul"}[op]
            code = f"{self.module.helper(name)}({a.code}, {b.code})"
            return Value(kind, code, a.rep, state="exact", uniform=uniform)
        if op == "Mult":
            code = f"{self.module.helper('complex_product')}({a.code}, {b.code})"
            return Value(kind, code, "vec2f", state="exact", uniform=uniform)
        sign = {"Add": "+", "Sub": "-"}.get(op)
        if sign is None:
            self.refuse(f"`{ast.unparse(node)}` of complex numbers", node, "complex")
        code = f"{a.at(PLUS)} {sign} {b.at(PLUS + 1)}"
        return Value(kind, code, "vec2f", state="exact", uniform=uniform, prec=PLUS)

    def cast_real(self, value, type, node):
        if value.rep == "float64" and not value.known:
            if type is float16:
                self.refuse(f"`{ast.unparse(node)}`: a float64 made float16", node, "float64")
            return self.helped("f32_of_f64", value, type=float32, rep="f32")
        if type is float64 and MODES["emulated"]:
            if value.known:
                return self.real(value.const, float64)
            return self.to_rep(value, "float64").but(type=type, state="exact", span=None)
        if type is float64:
            return value.but(type=type, state="exact")
        if type is float32:
            if value.known:
                return self.real(ops.round32(value.const), float32)
            return value.but(type=type, state="fits")
        if value.known:
            return self.real(ops.round16(value.const), float16)
        if value.type is float64 and value.state != "exact":
            self.exact(value, node)
        return self.halved(value.code, value.uniform)

    def halved(self, code, uniform):
        """A float16 result, kept as float32."""
        return Value(float16, f"{self.module.helper('float_to_half')}({code})", "f32",
                     uniform=uniform)  # fmt: skip

    def cast_to_real(self, value, type, node):
        if value.known:
            x = float(value.const)
            if type is float64:
                return self.real(x, type)
            return self.real(ops.round32(x) if type is float32 else ops.round16(x), type)
        if type is float64 and MODES["emulated"] or value.rep in WIDE:
            if type is float16:
                self.refuse("an int64 made float16", node, "int64")
            if type is float64 and not MODES["emulated"]:
                self.exact(Value(float64, state="near"), node)
                self.refuse(f"`{ast.unparse(node)}`: an int64 made float64", node, "float64")
            kind = SHORT["uint64" if value.rep in ("u32", "uint64") else "int64"]
            wide = self.to_rep(value, "uint64" if kind == "u64" else "int64")
            name = "f64_of" if type is float64 else "f32_of"
            rep = "float64" if type is float64 else "f32"
            return self.helped(f"{name}_{kind}", wide, type=type, rep=rep)
        value = self.fitting(value, node)
        small = -(1 << 24) <= value.lo and value.hi <= 1 << 24
        code = self.to_rep(value, "f32").code
        if type is float16:
            if not small:  # else it would be rounded twice
                self.refuse("an integer made float16 that may be above 2**24", node)
            if -2048 <= value.lo and value.hi <= 2048:
                return Value(type, code, "f32", uniform=value.uniform)
            return self.halved(code, value.uniform)
        state = "fits" if type is float32 else "exact" if small else "once"
        return Value(type, code, "f32", state=state, uniform=value.uniform, span=span_of(value))

    def cast_to_whole(self, value, type, node):
        if value.known:
            size, signed = type.size, type.kind == "i"
            return number(type, ops.float_to_int(value.const, size, signed))
        if value.rep == "float64" or type.size == 8 and MODES["pairs"]:
            if value.state in ("once", "near"):
                self.exact(value, node)
            return self.cast_to_wide(value, type)
        if value.state in ("once", "near"):
            self.exact(value, node)
        u = value.uniform
        if type is uint32:
            return Value(type, f"{self.module.helper('to_u32')}({value.code})", "u32", uniform=u,
                         lo=type.lo, hi=type.hi)  # fmt: skip
        if type.kind == "u" and type.size == 8:
            self.refuse("a float made uint64", node, "int64")
        code = f"{self.module.helper('to_i32')}({value.code})"
        if type.size == 8 and self.module.single:
            self.module.trapped()
            code = f"{self.module.helper('checked_i32')}({value.code})"
            return Value(type, code, "i32", -(1 << 30), 1 << 30, uniform=u)
        if type.size == 8:
            return Value(type, code, "i32", type.lo, type.hi, "sat", uniform=u)
        if type.size < 4:
            code = f"clamp({code}, {type.lo}, {type.hi})"
            rep = "u32" if type.kind == "u" else "i32"
            code = f"u32({code})" if rep == "u32" else code
            return Value(type, code, rep, type.lo, type.hi, uniform=u)
        return Value(type, code, "i32", type.lo, type.hi, uniform=u)

    def cast_to_wide(self, value, type):
        """A float made an integer, where one of them has 64 bits."""
        value = self.to_rep(value, "float64")
        if type.size == 8:
            name = "i64_of_f64" if type.kind == "i" else "u64_of_f64"
            return self.helped(name, value, type=type, rep=type.name)
        if type is uint32:
            return self.helped("u32_of_f64", value, type=type, rep="u32")
        made = self.helped("i32_of_f64", value, type=int32, rep="i32")
        if type.size < 4:
            code = f"clamp({made.code}, {type.lo}, {type.hi})"
            rep = "u32" if type.kind == "u" else "i32"
            code = f"u32({code})" if rep == "u32" else code
            return made.but(type=type, code=code, rep=rep, lo=type.lo, hi=type.hi)
        return made.but(type=type)

    def cast_whole(self, value, type, node):
        if value.known:
            wrapped = number(type, ops.wrap(int(value.const), type.size, type.kind == "i"))
            same = (wrapped.const, wrapped.rep) == (value.const, value.rep)
            return wrapped.but(code=value.code) if same and (
                value.code in self.module.constants) else wrapped  # fmt: skip
        lo, hi = value.lo, value.hi
        inside = type.lo <= lo and hi <= type.hi
        if type.size == 8:
            if inside:
                return value.but(type=type) if value.rep != "bool" else self.to_rep(
                    value, "i32").but(type=type)  # fmt: skip
            if value.state in ("sat", "index"):
                self.fitting(value, node)
            if MODES["pairs"]:
                return self.to_rep(value, type.name).but(type=type, lo=type.lo, hi=type.hi)
            v = self.to_rep(value, "i32" if type.kind == "i" else "u32")
            return v.but(type=type, lo=type.lo, hi=type.hi, state="mod")
        rep = "u32" if type.kind == "u" else "i32"
        value = self.low(value)
        if inside and value.state == "fits":
            return self.to_rep(value, rep).but(type=type)
        if value.state in ("sat", "index"):
            self.fitting(value, node)
        v = self.to_rep(value, rep)
        if type.size == 4:
            return v.but(type=type, lo=type.lo, hi=type.hi, state="fits")
        bits = 32 - 8 * type.size
        if rep == "u32":
            code, prec = f"{v.at(ATOM)} & {type.hi}u", LOOSE
        else:
            code, prec = f"({v.at(UNARY)} << {bits}u) >> {bits}u", LOOSE
        return Value(type, code, rep, type.lo, type.hi, "fits", None, v.uniform, prec)

    def low(self, value):
        """``value``, by its low 32 bits where it is a float made an integer and nothing more."""
        if value.state == "sat" and value.code.startswith("to_i32(") and whole_call(value.code):
            code = self.module.helper("low_bits") + value.code[6:]
            return value.but(code=code, state="mod")
        return value

    # ------------------------------------------------------------ arithmetic

    def visit_UnaryOp(self, node):
        if (folded := folded_as_python(node)) is not NO_FOLD and not isinstance(folded, complex):
            return self.literal(folded)
        op = type(node.op).__name__
        value = self.expr(node.operand)
        if op == "Not":
            test = self.truth(value)
            if test.known:
                return number(boolean, not test.const)
            return test.but(code=f"!{test.at(ATOM)}", prec=UNARY)
        value = self.number(value, node)
        result = unary(op, value.type)
        if result is None:
            self.refuse(f"`~` of {value.type.name}", node)
        if op == "UAdd":
            return self.cast(value, result)
        if result is boolean:
            if value.known:
                return number(boolean, not value.const)
            return value.but(code=f"!{value.at(ATOM)}", prec=UNARY)
        if result.kind in "fc":
            if value.known:
                return self.real(-value.const, result)
            if value.rep == "complex128":
                code = f"{self.module.helper('c128_neg')}({value.code})"
                return value.but(code=code, prec=ATOM)
            if value.rep == "float64":
                return self.helped("f64_neg", value)
            return value.but(code=f"-{value.at(ATOM)}", prec=UNARY)
        own = result if value.type is boolean else value.type
        value = self.low(self.cast(value, own))
        if value.state in ("sat", "index"):
            self.fitting(value, node)
        if value.known:
            flipped = -value.const if op == "USub" else ~value.const
            return self.cast(number(own, ops.wrap(flipped, own.size, own.kind == "i")), result)
        lo, hi = (-value.hi, -value.lo) if op == "USub" else (~value.hi, ~value.lo)
        v = self.result(own, "-" if op == "USub" else "~", [value], lo, hi, UNARY)
        return self.cast(v, result)

    def visit_BinOp(self, node):
        if (folded := folded_as_python(node)) is not NO_FOLD and not isinstance(folded, complex):
            return self.literal(folded)
        a, b = self.ordered([node.left, node.right])
        return self.operate(type(node.op).__name__, a, b, node)

    def operate(self, op, a, b, node):
        """``a op b``."""
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple) and op == "Add":
            items = a.items + b.items
            return Value(Tuple(tuple(i.type for i in items)), items=items)
        a, b = self.number(a, node), self.number(b, node)
        kind = binary(op, a.type, b.type)
        if kind is None:
            self.refuse(f"`{ast.unparse(node)}`: {a.type.name} and {b.type.name}", node)
        if kind.kind == "c":
            return self.complex_number(op, self.allowed(a, node), b, kind, node)
        if kind.kind == "f":
            return self.floating(op, a, b, kind, node)
        if a.known and b.known:
            found = self.fold(op, a, b, kind)
            if found is not None:
                return number(kind, found)
        return self.whole(op, a, b, kind, node)

    def fold(self, op, a, b, kind):
        """Two constants' result, wrapped as ``kind`` wraps; None if it is left to the GPU."""
        x, y = int(a.const), int(b.const)
        if kind is boolean:
            return {"BitAnd": x & y, "BitOr": x | y, "BitXor": x ^ y}.get(op)
        size, signed = kind.size, kind.kind == "i"
        x, y = ops.wrap(x, size, signed), ops.wrap(y, size, signed)
        if op in ("FloorDiv", "Mod"):
            return (x // y if op == "FloorDiv" else x % y) if y else 0
        if op == "Pow":
            return ops.integer_power(x, y, size, signed)
        if op in ("LShift", "RShift"):
            f = ops.shift_left if op == "LShift" else ops.shift_right
            return ops.wrap(f(x, y), size, signed)
        found = {"Add": x + y, "Sub": x - y, "Mult": x * y, "BitAnd": x & y, "BitOr": x | y,
                 "BitXor": x ^ y}[op]  # fmt: skip
        return ops.wrap(found, size, signed)

    def result(self, kind, sign, values, lo, hi, prec, state=None, least=None):
        """An integer result that lies between lo and hi before it wraps."""
        inside = kind.lo <= lo and hi <= kind.hi
        if not inside:
            lo, hi = kind.lo, kind.hi
        rep, natural = rep_of(kind, lo, hi, values[0].rep if all(
            v.rep == values[0].rep for v in values if not v.known) else "")  # fmt: skip
        if kind.size == 8 and natural == "mod":
            rep = "i32" if kind.kind == "i" else "u32"
        if natural == "fits" and kind.size == 8 and any(v.state != "fits" for v in values):
            natural = "mod"
        if kind.size < 4 and natural == "fits" and not inside:
            v = self.result(int64, sign, values, kind.lo * 4, kind.hi * 4, prec)
            return self.cast_whole(v.but(state="mod", lo=int64.lo, hi=int64.hi), kind, self.node)
        parts = [self.to_rep(v, rep) for v in values]
        uniform = all(v.uniform for v in values)
        if rep in WIDE and sign in "+-*":
            if len(parts) == 1:
                parts.insert(0, number(kind, 0).but(code="vec2u()"))
            name = {"+": "add64", "-": "sub64", "*": "mul64"}[sign]
            return self.helped(name, *parts, type=kind, rep=rep).but(lo=lo, hi=hi)
        if len(parts) == 1 and sign == "-" and rep == "u32":  # WGSL negates no u32
            code, prec = f"0u - {parts[0].at(TIMES)}", PLUS
        elif len(parts) == 1:
            code = f"{sign}{parts[0].at(ATOM)}"
        else:
            left, right = least or (prec, prec + 1)
            code = f"{parts[0].at(left)} {sign} {parts[1].at(right)}"
        return Value(kind, code, rep, lo, hi, state or natural, None, uniform, prec)

    def whole(self, op, a, b, kind, node):
        """Arithmetic of integers."""
        if kind is boolean:
            sign = {"BitAnd": "&", "BitOr": "|", "BitXor": "!="}[op]
            code = f"{a.at(ATOM)} {sign} {b.at(ATOM)}"
            return Value(boolean, code, "bool", 0, 1, "fits", None, a.uniform and b.uniform, LOOSE)
        a, b = self.cast(a, kind, node), self.cast(b, kind, node)
        if {a.state, b.state} & {"sat", "index"}:
            return self.loose(op, a, b, kind, node)
        if op in ("LShift", "RShift"):
            return self.shift(op, a, b, kind, node)
        if op == "Add":
            return self.result(kind, "+", [a, b], a.lo + b.lo, a.hi + b.hi, PLUS)
        if op == "Sub":
            return self.result(kind, "-", [a, b], a.lo - b.hi, a.hi - b.lo, PLUS)
        if op == "Mult":
            found = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return self.result(kind, "*", [a, b], min(found), max(found), TIMES)
        if op in ("FloorDiv", "Mod"):
            return self.divide(op, a, b, kind, node)
        if op == "Pow":
            if not (b.known and 0 <= b.const <= 8):
                return self.raised(a, b, kind, node)
            a = self.hold(a)
            total = number(kind, 1) if not b.const else a
            for _ in range(b.const - 1):
                total = self.whole("Mult", total, a, kind, node)
            return total
        sign = {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}[op]
        lo, hi, state = kind.lo, kind.hi, None
        if op == "BitAnd" and (a.lo >= 0 or b.lo >= 0):
            good = [v for v in (a, b) if v.lo >= 0]
            lo, hi = 0, min(v.hi for v in good)
            if hi <= U32[1]:
                state = "fits"
        elif a.lo >= 0 and b.lo >= 0:
            lo, hi = 0, (1 << max(a.hi.bit_length(), b.hi.bit_length())) - 1
        elif all(I32[0] <= v.lo and v.hi <= I32[1] for v in (a, b)):
            lo, hi = I32
        if MODES["pairs"]:
            state = None
        return self.result(kind, sign, [a, b], lo, hi, LOOSE, state, (ATOM, ATOM))

    def raised(self, a, b, kind, node):
        """``a ** b`` of integers, by squaring; a negative power is what Numba leaves of it."""
        b = self.fitting(b, node)
        lo, hi = kind.lo, kind.hi
        if a.state == "fits" and 0 <= b.lo and b.hi <= 64:
            far = max(abs(a.lo), abs(a.hi), 1) ** b.hi
            if far <= kind.hi:
                lo, hi = 0 if a.lo >= 0 else -far, far
        if b.lo < 0:
            a = self.fitting(a, node, wide=True)
        if b.hi > I32[1]:
            self.refuse(f"`{ast.unparse(node)}`: a power that may be beyond int32", node, "int64")
        rep, state = rep_of(kind, lo, hi, a.rep)
        uniform, b = a.uniform and b.uniform, self.to_rep(b, "i32")
        if rep in WIDE:
            name = self.module.helper("u64_pow" if kind.kind == "u" else "i64_pow")
            code = f"{name}({self.to_rep(a, rep).code}, {b.code})"
            return Value(kind, code, rep, lo, hi, state, None, uniform)
        code = f"{self.module.helper('int_pow')}({self.to_rep(a, 'i32').code}, {b.code})"
        found = Value(kind, code, "i32", lo, hi, state, None, uniform)
        return self.to_rep(found, "u32" if state == "mod" and kind.kind == "u" else rep)

    def loose(self, op, a, b, kind, node):
        """Arithmetic with a float made an integer: right for an index alone."""
        if op not in ("Add", "Sub", "Mult") or {a.state, b.state} & {"mod"}:
            self.fitting(a, node)
            self.fitting(b, node)
        for v in (a, b):
            if v.state == "fits" and op == "Mult" and v.lo <= 0 <= v.hi:
                self.refuse(f"`{ast.unparse(node)}`: {LIMITS['sat']}", node, "int64")
        if a.state != "fits" and b.state != "fits":
            for v in (a, b):
                self.fitting(v, node)
        sign, prec = {"Add": ("+", PLUS), "Sub": ("-", PLUS), "Mult": ("*", TIMES)}[op]
        x, y = self.to_rep(a, "i32"), self.to_rep(b, "i32")
        code = f"{x.at(prec)} {sign} {y.at(prec + 1)}"
        return Value(kind, code, "i32", kind.lo, kind.hi, "index", None, a.uniform and b.uniform,
                     prec)  # fmt: skip

    def divide(self, op, a, b, kind, node):
        power = b.known and b.const > 0 and b.const & (b.const - 1) == 0
        if op == "Mod" and power and (a.state == "mod" or a.rep in WIDE and b.const <= 1 << 31):
            mask = number(kind, b.const - 1)
            return self.result(kind, "&", [a, mask], 0, b.const - 1, LOOSE, "fits", (ATOM, ATOM))
        a, b = self.fitting(a, node, wide=True), self.fitting(b, node, wide=True)
        far = max(abs(a.lo), abs(a.hi))
        if MODES["pairs"] and not any(all(low <= v.lo and v.hi <= high for v in (a, b))
                                      for low, high in (I32, (0, U32[1]))):  # fmt: skip
            a, b = self.to_rep(a, kind.name), self.to_rep(b, kind.name)
            name = f"{SHORT[kind.name]}_{'div' if op == 'FloorDiv' else 'mod'}"
            found = self.helped(name, a, b, type=kind, rep=kind.name)
            if op == "Mod" and b.lo > 0:
                found = found.but(lo=0, hi=b.hi - 1)
            return self.shortened(found)
        a, b = self.fitting(a, node), self.fitting(b, node)
        if op == "FloorDiv":
            lo, hi = (0 if a.lo >= 0 and b.lo >= 0 else -far - 1), far
            if a.lo >= 0 and b.lo >= 1:
                lo, hi = a.lo // b.hi, a.hi // b.lo
        else:
            lo, hi = min(0, b.lo + 1), max(0, b.hi - 1)
            if a.lo >= 0 and b.lo >= 0:
                hi = min(hi, a.hi)
        sign = "/" if op == "FloorDiv" else "%"
        if a.lo >= 0 and b.lo >= 0:
            signed = all(v.hi <= I32[1] for v in (a, b))
            rep = "i32" if signed else "u32"
            x, y = self.to_rep(a, rep), self.to_rep(b, rep)
            uniform = a.uniform and b.uniform
            if b.lo > 0:
                code = f"{x.at(TIMES)} {sign} {y.at(TIMES + 1)}"
                return Value(kind, code, rep, lo, hi, "fits", None, uniform, TIMES)
            name = {"i32": {"/": "floor_div", "%": "floor_mod"},
                    "u32": {"/": "udiv", "%": "umod"}}[rep][sign]  # fmt: skip
            code = f"{self.module.helper(name)}({x.code}, {y.code})"
            return Value(kind, code, rep, lo, hi, "fits", None, uniform)
        if not all(I32[0] <= v.lo and v.hi <= I32[1] for v in (a, b)):
            self.refuse(f"`{ast.unparse(node)}`: one side may be negative, the other beyond int32",
                        node, "int64")  # fmt: skip
        name = self.module.helper("floor_div" if op == "FloorDiv" else "floor_mod")
        x, y = self.to_rep(a, "i32"), self.to_rep(b, "i32")
        uniform = a.uniform and b.uniform
        state = "fits"
        if op == "FloorDiv" and a.lo == I32[0] and b.lo <= -1 <= b.hi:
            if MODES["pairs"] and kind.size == 8:
                a, b = self.to_rep(a, "int64"), self.to_rep(b, "int64")
                return self.helped("i64_div", a, b, type=kind, rep="int64")
            state = "mod"  # -2**31 // -1 is 2**31
        lo, hi = max(lo, I32[0]) if state == "fits" else lo, hi
        if state == "fits":
            hi = min(hi, I32[1])
        return Value(kind, f"{name}({x.code}, {y.code})", "i32", lo, hi, state, None, uniform)

    def shift(self, op, a, b, kind, node):
        b = self.fitting(b, node)
        if b.known and not 0 <= b.const < 64:
            return number(kind, 0) if op == "LShift" else self.refuse(
                f"`{ast.unparse(node)}`: a shift by {b.const}", node)  # fmt: skip
        known = 0 <= b.lo and b.hi < 32
        if b.lo < 0:
            self.refuse(f"`{ast.unparse(node)}`: the count may be negative", node)
        count = self.to_rep(b, "u32")
        uniform = a.uniform and b.uniform
        if op == "LShift":
            top = min(b.hi, 63)
            lo, hi = min(a.lo << top, a.lo), max(a.hi << top, a.hi, 0)
            inside = kind.lo <= lo and hi <= kind.hi
            lo, hi = (lo, hi) if inside else (kind.lo, kind.hi)
            rep, state = rep_of(kind, lo, hi, a.rep)
            if state == "mod":
                rep = "i32" if kind.kind == "i" else "u32"
            if a.state != "fits":
                state = "mod"
            x = self.to_rep(a, rep)
            if rep in WIDE:
                return self.helped("shl64", x, count, type=kind, rep=rep).but(lo=lo, hi=hi)
            if known:
                code = f"{x.at(UNARY)} << {count.at(UNARY)}"
                return Value(kind, code, rep, lo, hi, state, None, uniform, LOOSE)
            name = self.module.helper("shift_left" if rep == "i32" else "shift_left_u")
            return Value(kind, f"{name}({x.code}, {count.code})", rep, lo, hi, state, None, uniform)
        a = self.fitting(a, node, wide=True)
        if a.rep in WIDE:
            name = f"{SHORT[kind.name]}_shr"
            lo, hi = min(a.lo >> b.lo, 0), max(a.hi >> b.lo, 0)
            a = self.to_rep(a, kind.name)
            found = self.helped(name, a, count, type=kind, rep=kind.name)
            return self.shortened(found.but(lo=lo, hi=hi))
        low = b.lo
        lo, hi = min(a.lo >> low, 0), max(a.hi >> low, 0)
        if known:
            code = f"{a.at(UNARY)} >> {count.at(UNARY)}"
            return Value(kind, code, a.rep, lo, hi, "fits", None, uniform, LOOSE)
        name = self.module.helper("shift_right" if a.rep == "i32" else "shift_right_u")
        return Value(kind, f"{name}({a.code}, {count.code})", a.rep, lo, hi, "fits", None, uniform)

    def floating(self, op, a, b, kind, node):
        """Arithmetic of floats; integers take part as floats."""
        if op == "Pow" and b.known and b.type.whole or (
            op == "Pow" and b.known and b.const == int(b.const) and kind is not float16
        ):  # fmt: skip
            return self.constant_power(a, int(b.const), kind, node)
        a, b = self.cast(a, kind, node), self.cast(b, kind, node)
        uniform = a.uniform and b.uniform
        if op in ("FloorDiv", "Mod"):
            return self.floored(op, a, b, kind, node)
        if a.known and b.known:
            near = {float64: float, float32: ops.round32, float16: ops.round16}[kind]
            return self.real(near(FLOATS[op](a.const, b.const)), kind)
        if "float64" in (a.rep, b.rep):
            name = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "Pow": "pow"}[op]
            if op == "Pow":
                self.approximates(node)
            return self.helped(f"f64_{name}", a, b)
        state = "fits"
        if kind is float64:
            state = "once"
            rounded = [v.known and v.state == "once" for v in (a, b)]
            if op in ("Mult", "Div") and any(rounded) and "exact" in (a.state, b.state):
                state = "near"  # the literal is rounded as well: 1.5 units of the last place
                self.approximates(node)
            else:
                self.exact(a, node)
                self.exact(b, node)
        if op == "Pow":
            if kind is float64:
                self.approximates(node)
            code = f"{self.module.helper('power')}({a.code}, {b.code})"
            return Value(kind, code, "f32", state=state, uniform=uniform)
        if op == "Div" and b.known and b.const == 0:
            self.refuse(f"`{ast.unparse(node)}` divides by zero", node)
        sign = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/"}[op]
        prec, family = (PLUS, "+") if op in ("Add", "Sub") else (TIMES, "*")
        span = spanned(op, a, b)
        # A driver makes x * 0 a 0, also of a NaN, and (x + 1e8) - 1e8 an x: hide the constant.
        a, b = (self.module.hidden(v) if v.known and (family == w.merges or family == "*" and
                v.const == 0) else v for v, w in ((a, b), (b, a)))  # fmt: skip
        code = f"{a.at(prec)} {sign} {b.at(prec + 1)}"
        if kind is float16:
            return self.halved(code, uniform)
        merges = family if a.known or b.known or family in (a.merges, b.merges) else ""
        if span and kind is float64:
            state = "exact"
        return Value(kind, code, "f32", state=state, uniform=uniform, prec=prec, merges=merges,
                     span=span)  # fmt: skip

    def floored(self, op, a, b, kind, node):
        """``//`` and ``%`` of floats, to the bit as Numba computes them."""
        if "float64" in (a.rep, b.rep):
            return self.helped("f64_floor_div" if op == "FloorDiv" else "f64_floor_mod", a, b)
        a, b = self.exact(a, node), self.exact(b, node)
        if kind is float64 and op == "FloorDiv" and not self.module.single:
            # From 2**22 on, Numba's quotient in float64 has digits that this one has not.
            self.refuse(f"`{ast.unparse(node)}` is computed in float64, which WGSL does not have: "
                        "make both sides np.float32(...)", node, "float64")  # fmt: skip
        name = self.module.helper("floor_quotient" if op == "FloorDiv" else "floor_remainder")
        state = "once" if kind is float64 else "fits"
        return Value(kind, f"{name}({a.code}, {b.code})", "f32", state=state,
                     uniform=a.uniform and b.uniform)  # fmt: skip

    def constant_power(self, a, n, kind, node):
        """``a ** n`` for a constant integer: multiplied out by squaring, as Numba does."""
        a = self.hold(self.cast(a, kind, node))
        if abs(n) > 64:
            self.refuse(f"`{ast.unparse(node)}`: an exponent above 64", node)
        if n == 0:
            return self.real(1.0, kind)
        result, e = None, abs(n)
        while e:
            if e & 1:
                result = a if result is None else self.floating("Mult", result, a, kind, node)
            e >>= 1
            if e:
                a = self.hold(self.floating("Mult", a, a, kind, node))
        if n < 0:
            return self.floating("Div", self.real(1.0, kind), result, kind, node)
        return result


def whole_call(text):
    """Whether the bracket that a text opens first is closed by its last character."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == ")" and not depth:
            return k == len(text) - 1
    return False


def has_literal(node):
    """Whether a number is written in an expression, outside of its indices."""
    if isinstance(node, ast.Constant):
        return True
    parts = [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
    return any(map(has_literal, parts))
