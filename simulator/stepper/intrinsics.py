"""What a kernel may call: the cuda module, Python's functions on numbers, math, NumPy's scalars.

Each entry types the call by Numba's rules and returns the value with its text. What is not here is
refused by name.
"""

import ast
import copy
import math

from . import ops
from .compiler import Inner, Intrinsic, Method, NumpyName, Place, Value
from .source import Source
from .types import (
    ALIASES,
    ATOMIC_TYPES,
    NONE,
    STATIC,
    VECTORS,
    Array,
    Record,
    Scalar,
    Tuple,
    Vector,
    as_dtype,
    boolean,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    mix,
    uint32,
    uint64,
)

FULL = 0xFFFFFFFF
GRID = (1 << 31) - 1, 65535, 65535  # blocks along x, y and z
BLOCK = 1024, 1024, 64  # threads along x, y and z


def _dimensions():
    """The index variables: name -> (Python name, where it comes from, type, lo, hi)."""
    table = {}
    for k, d in enumerate("xyz"):
        table[f"threadIdx.{d}"] = (f"t{d}", f"T.t{d}", 0, BLOCK[k] - 1)
        table[f"blockIdx.{d}"] = (f"k{d}", f"T.k{d}", 0, GRID[k] - 1)
        table[f"blockDim.{d}"] = (f"BD{d}", None, 1, BLOCK[k])
        table[f"gridDim.{d}"] = (f"GD{d}", None, 1, GRID[k])
    table["laneid"] = ("lane", "T.lane", 0, 31)
    table["warpsize"] = ("32", None, 32, 32)
    return table


DIMENSIONS = _dimensions()
GROUPS = {"threadIdx", "blockIdx", "blockDim", "gridDim", "shared", "local", "const", "atomic"}
GROUPS |= {"cg", "fp16", "random", "libdevice"}


def dimension(fc, name):
    """The value of an index variable such as ``threadIdx.x``."""
    code, init, lo, hi = DIMENSIONS[name]
    if init:
        fc.use(code, init)
    return Value(int32, code, lo, hi, atom=True)


def value(fc, intrinsic, node):
    """The meaning of ``cuda.<path>`` where it is no call."""
    path = intrinsic.path
    if path in DIMENSIONS:
        return dimension(fc, path)
    if path in VECTORS:
        return Value(STATIC, "", const=VECTORS[path])
    if path in ALIASES:
        return Value(STATIC, "", const=ALIASES[path])
    if path in GROUPS or path in CALLS:
        return Value(STATIC, "", const=intrinsic)
    return fc.refuse(f"`cuda.{path}`", node)


def call(fc, function, node):
    """The value of a call of something known when the kernel is compiled."""
    if isinstance(function, Intrinsic):
        if function.path not in CALLS:
            fc.refuse(f"`cuda.{function.path}(...)`", node)
        return CALLS[function.path](fc, node)
    if isinstance(function, Method):
        return method(fc, function.value, function.name, node)
    if isinstance(function, Inner):
        return inner(fc, function, node)
    if getattr(function, "__stepper_kernel__", False):
        return device(fc, function.source, node, function.signatures)
    if hasattr(function, "py_func") and is_cuda_dispatcher(function):
        return device(fc, Source(function.py_func), node)
    if isinstance(function, NumpyName):
        return numpy(fc, function.name, node)
    try:
        python = PYTHON.get(function)
    except TypeError:
        python = None
    if python:
        return python(fc, node)
    if getattr(function, "__module__", "") == "_operator":
        return operation(fc, function.__name__, node)
    if getattr(math, getattr(function, "__name__", ""), None) is function:
        return mathematics(fc, function.__name__, node)
    if getattr(function, "__module__", "") == "cmath" and callable(function):
        return complex_function(fc, function.__name__, node)
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        values = arguments(fc, node, list(function._fields), function._field_defaults)
        items = [
            fc.constant(function._field_defaults[n], n, node) if v is None else v
            for n, v in zip(function._fields, values, strict=True)
        ]
        return fc.tuple(items, function._fields, function)
    if isinstance(function, Vector):
        return vector(fc, function, node)
    dtype = as_dtype(function)
    if isinstance(dtype, Scalar):
        (arg,) = arguments(fc, node, ["x"])
        return fc.cast(arg, dtype, node)
    name = ast.unparse(node.func)
    if hasattr(function, "py_func"):  # Numba's own jit: kernels may call it
        return device(fc, Source(function.py_func), node)
    if callable(function) and hasattr(function, "__code__"):
        module = getattr(function, "__module__", "") or ""
        if module == fc.source.function_module:
            fc.refuse(f"`{name}`, a plain Python function: declare it @cuda.jit(device=True)", node)
        fc.refuse(f"`{name}` of the library {module}, which has no form for a GPU", node)
    return fc.refuse(f"`{name}(...)` in a kernel", node)


def is_cuda_dispatcher(obj):
    """Whether an object is a kernel or device function of Numba itself."""
    return "cuda" in type(obj).__module__


# ---------------------------------------------------------------- arguments


def nodes(fc, node, names, defaults=()):
    """The argument nodes of a call, in the order of ``names``; None for one left out."""
    found = dict(zip(names, node.args, strict=False))
    if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
        fc.type_error(f"`{ast.unparse(node.func)}` takes {', '.join(names)}", node)
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in found:
            fc.type_error(f"`{ast.unparse(node.func)}` has no argument `{keyword.arg}`", node)
        found[keyword.arg] = keyword.value
    missing = [n for n in names if n not in found and n not in defaults]
    if missing:
        fc.type_error(f"`{ast.unparse(node.func)}` needs {', '.join(missing)}", node)
    return [found.get(n) for n in names]


def arguments(fc, node, names, defaults=()):
    """The argument values of a call; None for one left out."""
    before = fc.effects
    values = [a if a is None else fc.expr(a) for a in nodes(fc, node, names, defaults)]
    ordered(fc, node, names, before)
    return values


def ordered(fc, node, names, before):
    """Refuse arguments in another order than ``names`` where computing them has had effects."""
    if fc.effects > before and not in_order(node, names):
        fc.refuse(
            f"`{ast.unparse(node)}`: calls in arguments that are named in another order", node
        )


def in_order(node, names):
    """Whether the arguments that a call names come in the order of ``names``."""
    named = [names.index(keyword.arg) for keyword in node.keywords]
    return named == sorted(named)


def as_written(node, names, given):
    """[(name, node)] of a call's arguments, in the order in which it writes them."""
    found = {name: arg for name, arg in zip(names, given, strict=True) if arg is not None}
    named = [keyword.arg for keyword in node.keywords]
    return [(n, a) for n, a in found.items() if n not in named] + [(n, found[n]) for n in named]


def numbers(fc, node, names):
    """The arguments of a call, which must be numbers."""
    return [fc.number(v, node) for v in arguments(fc, node, names)]


# ---------------------------------------------------------------- index functions


def grid(fc, node):
    return positions(fc, node, "blockIdx.{0} * blockDim.{0} + threadIdx.{0}")


def gridsize(fc, node):
    return positions(fc, node, "gridDim.{0} * blockDim.{0}")


def positions(fc, node, formula):
    (n,) = arguments(fc, node, ["ndim"])
    if n.const not in (1, 2, 3):
        fc.type_error(f"`{ast.unparse(node)}` takes 1, 2 or 3, as a plain number", node)
    items = []
    for d in "xyz"[: n.const]:
        words = formula.format(d).split()
        code = "(" + " ".join(dimension(fc, w).code if w in DIMENSIONS else w for w in words) + ")"
        items.append(Value(int64, code, 0, 1 << 41))
        fc.count("int")
    return items[0] if n.const == 1 else fc.tuple(items)


# ---------------------------------------------------------------- arrays in shared and local memory


def shape_of(fc, node, what):
    v = fc.expr(node)
    if isinstance(v.type, Tuple):
        sizes = [i.const for i in (v.items or [])]
    else:
        sizes = [v.const]
    if not sizes or not all(isinstance(s, int) and not isinstance(s, bool) for s in sizes):
        fc.type_error(
            f"the shape of {what} must be plain numbers, known when the kernel is compiled; "
            f"`{ast.unparse(node)}` is computed (compute it outside the kernel)",
            node,
        )
    return tuple(sizes)


def dtype_of(fc, node):
    v = fc.expr(node)
    dtype = as_dtype(v.const) if v.type is STATIC else None
    if isinstance(dtype, Vector):
        fc.refuse(f"an array of the vector type {dtype.name}", node)
    if not isinstance(dtype, Scalar | Record):
        fc.type_error(f"an array of `{ast.unparse(node)}`, which is no dtype", node)
    return dtype


def shared_array(fc, node):
    shape, dtype, _ = nodes(fc, node, ["shape", "dtype", "alignment"], ["alignment"])
    shape, dtype = shape_of(fc, shape, "a shared array"), dtype_of(fc, dtype)
    if shape == (0,):  # dynamic: as large as the launch says
        fc.program.dynamic.add(fc.target)
        return Value(Array(dtype, 1), f"T.block.dynamic({fc.program.constant(dtype)})")
    if any(n <= 0 for n in shape):
        fc.type_error("the sizes of a shared array must be above 0", node)
    place = (fc.source.function, node.lineno, node.col_offset)
    shared = fc.program.shared
    number = shared[place][0] if place in shared else len(shared)
    shared[place] = (number, fc.target or f"shared (line {node.lineno})", shape, dtype)
    return Value(Array(dtype, len(shape)), f"T.block.shared[{number}]")


def local_array(fc, node):
    shape, dtype, _ = nodes(fc, node, ["shape", "dtype", "alignment"], ["alignment"])
    shape, dtype = shape_of(fc, shape, "a local array"), dtype_of(fc, dtype)
    if any(n <= 0 for n in shape):
        fc.type_error("the sizes of a local array must be above 0", node)
    made = fc.program.constant((fc.target or "local", shape, dtype))
    return Value(Array(dtype, len(shape)), f"LOCAL(T, {made})")


def const_array(fc, node):
    (array,) = arguments(fc, node, ["ndarray"])
    if not isinstance(array.type, Array):
        fc.type_error(f"cuda.const.array_like() of {array.type.name}", node)
    return array  # of an argument it is the argument itself, as in Numba


# ---------------------------------------------------------------- barriers and warps


def waits(op):
    def write(fc, node):
        nodes(fc, node, [])
        return fc.wait(op, node)

    return write


def barrier_with(op):
    def write(fc, node):
        (predicate,) = numbers(fc, node, ["predicate"])
        if not predicate.type.whole or predicate.type is boolean:
            fc.type_error(
                f"`cuda.{op.replace('barrier', 'syncthreads')}` needs an integer, "
                f"not {predicate.type.name}: write int(...)",
                node,
            )
        return fc.wait(op, node, x=predicate.code, type=int32, lo=0, hi=1024)

    return write


def mask_of(fc, v, node):
    v = fc.integer(v, node, "a mask")
    return v.code if v.lo >= 0 and v.hi <= FULL else f"({v.code} & {FULL})"


def syncwarp(fc, node):
    (mask,) = arguments(fc, node, ["mask"], ["mask"])
    return fc.wait("syncwarp", node, str(FULL) if mask is None else mask_of(fc, mask, node), "1")


def shuffle(op, last):
    def write(fc, node):
        mask, v, other = arguments(fc, node, ["mask", "value", last])
        v = fc.number(v, node)
        if v.type not in (int32, int64, float32, float64):
            fc.type_error(
                f"`cuda.{op}` moves int32, int64, float32 or float64, not {v.type.name}", node
            )
        other = fc.integer(other, node, f"`{last}`")
        return fc.wait(op, node, mask_of(fc, mask, node), v.code, other.code, v.type)

    return write


def vote(op):
    def write(fc, node):
        mask, predicate = arguments(fc, node, ["mask", "predicate"])
        if getattr(mask.type, "kind", "i") not in "iu":
            fc.type_error(f"the mask of `cuda.{op}` must be an integer", node)
        predicate = fc.number(predicate, node)
        if not predicate.type.whole:
            fc.type_error(f"`cuda.{op}` needs an integer or a boolean", node)
        type = int32 if op == "ballot_sync" else boolean
        return fc.wait(op, node, mask_of(fc, mask, node), f"bool({predicate.code})", type=type)

    return write


def match(op):
    def write(fc, node):
        mask, v = arguments(fc, node, ["mask", "value"])
        v = fc.number(v, node)
        type = v.type
        if type.whole:
            type = int32 if type.size < 4 or type is int32 else int64
        elif type is float16:
            type = float32
        v = fc.cast(v, type)
        result = int32 if op == "match_any_sync" else Tuple((int32, boolean))
        return fc.wait(op, node, mask_of(fc, mask, node), v.code, repr(type.format), result)

    return write


def activemask(fc, node):
    return fc.wait("activemask", node, type=uint32)


def lanemask_lt(fc, node):
    lane = dimension(fc, "laneid")
    return Value(uint32, f"((1 << {lane.code}) - 1)", 0, FULL >> 1)


def fence(scope):
    def write(fc, node):
        nodes(fc, node, [])
        fc.count("fence")
        fc.program.tallied = False
        return Value(NONE, f"FENCE(T, {scope!r})" if fc.instrumented else "None")

    return write


def nanosleep(fc, node):
    numbers(fc, node, ["ns"])
    fc.spin(node)
    return Value(NONE, "None")


def this_grid(fc, node):
    return Value(STATIC, "", const=Intrinsic("grid_group"))


def grid_sync(fc, node):
    fc.program.grid_sync = True
    return fc.wait("grid", node, type=int32)


# ---------------------------------------------------------------- atomic operations


def atomic(op):
    def write(fc, node):
        names = {
            "cas": ["ary", "idx", "old", "val"],
            "compare_and_swap": ["ary", "old", "val"],
        }.get(op, ["ary", "idx", "val"])
        given, before = nodes(fc, node, names), fc.effects
        ary = fc.expr(given[0])
        if not isinstance(ary.type, Array):
            fc.type_error(f"`cuda.atomic.{op}` works on an element of an array", node)
        dtype = ary.type.dtype
        if not isinstance(dtype, Scalar) or dtype.name not in ATOMIC_TYPES[op]:
            fc.type_error(
                f"`cuda.atomic.{op}` works on {', '.join(ATOMIC_TYPES[op])}, not {dtype.name}",
                node,
            )
        text = ast.unparse(given[0])
        pieces = fc.pieces(ary)
        if op == "compare_and_swap":
            index = [fc.literal(0)] * ary.type.ndim
        else:
            index = fc.indices(given[1])
        index = fc.without_dots(index, ary.type.ndim, node)
        flat = fc.flat(ary, pieces, index, node, text)
        site = fc.site("atomic", node, text, dtype.size)
        if fc.tally:
            if not ary.name:
                fc.program.tallied = False
            else:
                note = fc.noted(site, ary.name, flat)
                if fc.marked(ary.name):
                    note += f" or w_{ary.name}[_f] and UNWRITTEN()"
                flat = f"({note} or _f)"
        values = [
            fc.stored(fc.number(fc.expr(v), node), dtype)
            if dtype.kind == "f"
            else fc.cast(fc.number(fc.expr(v), node), dtype).code
            for v in given[-2 if "cas" in op or "compare" in op else -1 :]
        ]
        if dtype is float32:
            values = [f"R32({v})" for v in values]
        ordered(fc, node, names, before)
        fc.effects += 1
        fc.count("atomic")
        name = "ATOM_cas" if op in ("cas", "compare_and_swap") else f"ATOM_{op}"
        return Value(dtype, f"{name}(T, {site}, {pieces.first}, {flat}, {', '.join(values)})")

    return write


# ---------------------------------------------------------------- bits


def bits(fc, node, name, function):
    (x,) = numbers(fc, node, ["x"])
    if not x.type.whole or x.type is boolean:
        fc.type_error(f"`cuda.{name}` works on integers, not {x.type.name}", node)
    fc.count("int")
    return x, f"{function}({x.code}, {x.type.size})"


def popc(fc, node):
    x, code = bits(fc, node, "popc", "POPC")
    return Value(x.type, f"({x.code}).bit_count()" if x.lo >= 0 else code, 0, 8 * x.type.size)


def clz(fc, node):
    x, code = bits(fc, node, "clz", "CLZ")
    return Value(x.type, code, 0, 8 * x.type.size)


def ffs(fc, node):
    x, code = bits(fc, node, "ffs", "FFS")
    return Value(uint32, code, 0, 64)


def brev(fc, node):
    x, _ = bits(fc, node, "brev", "BREV")
    type = uint64 if x.type is uint64 else uint32
    return Value(type, f"BREV({x.code}, {type.size})")


def selp(fc, node):
    test, a, b = numbers(fc, node, ["test", "a", "b"])
    if a.type is not b.type or a.type.size < 2 or a.type in (boolean, float16):
        fc.type_error(f"`cuda.selp` of {a.type.name} and {b.type.name}", node)
    fc.count("select")
    # Both are computed before one is chosen.
    return Value(a.type, f"({a.code}, {b.code})[not {test.code}]")


def single_or_double(types):
    """float32 if it holds every one of the types, else float64."""
    result = float32
    for t in types:
        result = mix(result, t)
    return result


def fma(fc, node):
    values = numbers(fc, node, ["a", "b", "c"])
    type = single_or_double([v.type for v in values])
    fc.arithmetic(type, f"fma{8 * type.size}")
    codes = ", ".join(fc.cast(v, type).code for v in values)
    return Value(type, f"FMA({codes}, {type is float32})")


def cbrt(fc, node):
    (x,) = numbers(fc, node, ["x"])
    type = single_or_double([x.type])
    fc.count("special")
    return fc.rounded(type, f"CBRT({fc.cast(x, type).code})")


HALVES = {
    "hadd": "({} + {})",
    "hsub": "({} - {})",
    "hmul": "({} * {})",
    "hdiv": "DIV({}, {})",
    "hfma": "({} * {} + {})",
    "hneg": "(-{})",
    "habs": "abs({})",
    "hmax": "FMAX({}, {})",
    "hmin": "FMIN({}, {})",
    **{f"h{n}": f"M_{n}({{}})" for n in ("sin", "cos", "log", "log2", "log10", "exp", "exp2")},
    **{f"h{n}": f"M_{n}({{}})" for n in ("sqrt", "ceil", "floor", "trunc", "rint")},
    "hexp10": "M_pow(10.0, {})",
    "hrcp": "DIV(1.0, {})",
    "hrsqrt": "DIV(1.0, M_sqrt({}))",
}
HALF_TESTS = {"heq": "==", "hne": "!=", "hge": ">=", "hgt": ">", "hle": "<=", "hlt": "<"}


def half(op):
    """cuda.fp16.hadd and its like: each computes in float32 and rounds once."""
    text = HALVES.get(op) or f"({{}} {HALF_TESTS[op]} {{}})"

    def write(fc, node):
        values = [
            fc.cast(v, float16).code for v in numbers(fc, node, list("abc"[: text.count("{}")]))
        ]
        fc.count("fp16")
        code = text.format(*values)
        return Value(boolean, code) if op in HALF_TESTS else fc.rounded(float16, code)

    return write


# ---------------------------------------------------------------- random numbers


def random(kind, type):
    def write(fc, node):
        states, index = arguments(fc, node, ["states", "index"])
        record = states.type.dtype if isinstance(states.type, Array) else None
        if not isinstance(record, Record) or not record.field("s0") or not record.field("s1"):
            fc.type_error("the random states must come from create_xoroshiro128p_states", node)
        pieces = fc.pieces(states)
        text = ast.unparse(node.args[0])
        index = fc.integer(index, node, "an index")
        flat = fc.flat(states, pieces, [index], node, text)
        sites = tuple(
            fc.site(kind, node, text, 8, record.field(f).offset)
            for kind in ("load", "store")
            for f in ("s0", "s1")
        )
        fc.effects += 1
        fc.count("int", 12)
        code = f"RNG(T, {fc.program.constant(sites)}, ({pieces.first}, {flat}))"
        if kind == "next":
            return Value(uint64, code)
        if kind == "uniform":
            return fc.rounded(type, f"(({code} >> 11) * {2.0**-53!r})")
        fc.count("special", 3)
        t = fc.temp()
        again = f"RNG(T, {fc.program.constant(sites)}, {t})"
        code = code.replace(f"({pieces.first}, {flat})", f"({t} := ({pieces.first}, {flat}))")
        return Value(type, f"NORMAL({code}, {again}, {type is float32})")

    return write


# ---------------------------------------------------------------- Python's functions on numbers


def smallest(op):
    def write(fc, node):
        values = [fc.expr(a) for a in node.args]
        if len(values) == 1 and isinstance(values[0].type, Tuple):
            values = fc.parts(values[0])
        if len(values) < 2 or node.keywords:
            fc.type_error(f"{op}() takes two numbers or more", node)
        result = fc.number(values[0], node)
        for v in values[1:]:
            result = pair(fc, op, result, fc.number(v, node))
        return result

    return write


def pair(fc, op, a, b, nan="gives way"):
    """min or max of two numbers, of the type that holds both."""
    type = mix(a.type, b.type, unify=True)
    fc.arithmetic(type)
    if type.kind == "f":
        a, b = fc.cast(a, type), fc.cast(b, type)
        name = {"min": "FMIN", "max": "FMAX"}[op] if nan == "gives way" else f"NP{op.upper()}"
        return Value(type, f"{name}({a.code}, {b.code})")
    f = min if op == "min" else max
    lo, hi = f(a.lo, b.lo), f(a.hi, b.hi)
    if a.atom and b.atom:
        sign = "<=" if op == "min" else ">="
        return Value(type, f"({a.code} if {a.code} {sign} {b.code} else {b.code})", lo, hi)
    return Value(type, f"{op}({a.code}, {b.code})", lo, hi)


def absolute(fc, node):
    (x,) = numbers(fc, node, ["x"])
    type = x.type
    if type.kind == "c":
        fc.count("special")
        return fc.rounded(type.part, f"HYPOT({x.code})")
    fc.arithmetic(type)
    if type.kind == "f":
        return Value(type, f"abs({x.code})")
    if type.kind == "u":
        return x
    type = int8 if type is boolean else type
    lo = 0 if x.lo <= 0 <= x.hi else min(abs(x.lo), abs(x.hi))
    return fc.wrapped(type, f"abs({x.code})", lo, max(abs(x.lo), abs(x.hi)))


def to_int(fc, node):
    (x,) = numbers(fc, node, ["x"])
    return x if x.type.kind in "iu" else fc.cast(x, int64)


def to_float(fc, node):
    (x,) = numbers(fc, node, ["x"])
    if x.type is boolean:
        fc.type_error("float() of a boolean: Numba has no such conversion", node)
    return fc.cast(x, float64) if x.type.whole else x


def to_bool(fc, node):
    (x,) = numbers(fc, node, ["x"])
    return fc.cast(x, boolean)


def length(fc, node):
    before = fc.effects
    (x,) = arguments(fc, node, ["x"])
    if isinstance(x.type, Tuple):
        count = fc.literal(len(x.type.items))
        if fc.effects > before:
            return Value(count.type, f"len({fc.whole_tuple(x)})", count.lo, count.hi)
        return count
    if not isinstance(x.type, Array):
        fc.type_error(f"len() of {x.type.name}", node)
    return fc.parts(fc.attribute_of_array(x, "shape", node))[0]


def rounding(fc, node):
    x, digits = arguments(fc, node, ["number", "ndigits"], ["ndigits"])
    x = fc.number(x, node)
    if digits is not None and digits.type is not NONE:
        digits = fc.integer(digits, node, "the number of digits")
        fc.count("special")
        if x.type.whole:
            fc.type_error("round() of an integer to a number of digits", node)
        return fc.rounded(x.type, f"ROUNDTO({x.code}, {digits.code})")
    fc.arithmetic(float64)
    return fc.cast(x, int64) if x.type.whole else Value(int64, f"ROUND({x.code})")


def divmod_(fc, node):
    """``divmod(a, b)``: the tuple of ``a // b`` and ``a % b``."""
    held = []
    for v in numbers(fc, node, ["a", "b"]):
        t = fc.temp()
        first = Value(v.type, f"({t} := {v.code})", v.lo, v.hi)
        held.append((first, Value(v.type, t, v.lo, v.hi, atom=True)))
    (a, a2), (b, b2) = held
    both = fc.operate("FloorDiv", a, b, node, impure=True)
    made = fc.tuple([both, fc.operate("Mod", a2, b2, node, impure=True)])
    return Value(made.type, made.code)  # as one: the second needs what the first has computed


def to_complex(fc, node):
    """``complex(real, imag)``, and complex64(...) of one number."""
    parts = arguments(fc, node, ["real", "imag"], ["imag"])
    if parts[1] is None:
        return fc.cast(parts[0], complex128)
    codes = [fc.as_float(fc.number(v, node), float64) for v in parts]
    single = all(v.type in (float32, float16) for v in parts)
    return Value(complex64 if single else complex128, f"complex({codes[0]}, {codes[1]})")


def complex_function(fc, name, node):
    """A function of cmath."""
    values = [fc.number(fc.expr(a), node) for a in node.args]
    if name not in ops.COMPLEX or len(values) != 1:
        return fc.refuse(f"`{ast.unparse(node)}` in a kernel", node)
    x = values[0] if values[0].type.kind == "c" else fc.cast(values[0], complex128)
    fc.count("special", 2)
    if name in ("isnan", "isinf", "isfinite"):
        return Value(boolean, f"CM_{name}({x.code})")
    if name == "phase":
        return fc.rounded(x.type.part, f"CM_phase({x.code})")
    if name == "polar":
        return Value(Tuple((x.type.part, x.type.part)), f"CM_polar({x.code})")
    return fc.rounded(x.type, f"CM_{name}({x.code})")


OPERATORS = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"},
    **{"pow": "**", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="},
    **{"neg": "-", "pos": "+", "invert": "~", "not_": "not ", "getitem": "[]"},
}


def operation(fc, name, node):
    """A function of the module operator: the operator itself."""
    name = name.strip("_") + "_" * (name in ("and_", "or_", "not_"))
    name = name[1:] if name.startswith("i") and name[1:] in OPERATORS else name
    sign, args = OPERATORS.get(name), [f"({ast.unparse(a)})" for a in node.args]
    if sign is None or node.keywords or len(args) not in (1, 2):
        return fc.refuse(f"`{ast.unparse(node.func)}(...)` in a kernel", node)
    text = f"{args[0]}[{args[1]}]" if sign == "[]" else f" {sign} ".join(args)
    if len(args) == 1:
        text = sign + args[0]
    tree = ast.parse(text, mode="eval").body
    for n in ast.walk(tree):
        ast.copy_location(n, node)
    return fc.expr(tree)


def as_tuple(fc, node):
    """``tuple(x)`` of a tuple."""
    (x,) = arguments(fc, node, ["x"])
    if not isinstance(x.type, Tuple):
        fc.refuse(f"tuple() of a value of type {x.type.name}", node)
    return x


def summed(fc, node):
    """``sum(...)`` of a tuple or an array."""
    (x,) = arguments(fc, node, ["x"])
    if isinstance(x.type, Array):
        return reduced(fc, x, "sum", node)
    if not isinstance(x.type, Tuple):
        fc.type_error(f"sum() of {x.type.name}", node)
    total = fc.literal(0)
    for v in fc.parts(x):
        total = fc.operate("Add", total, v, node)
    return total


def power(fc, node):
    a, b = numbers(fc, node, ["base", "exp"])
    return fc.operate("Pow", a, b, node)


def printing(fc, node):
    if node.keywords:
        fc.refuse("print() with keywords", node)
    parts = []
    for arg in node.args:
        v = fc.expr(arg)
        if v.type is STATIC and isinstance(v.const, str):
            parts.append(repr(v.const))
        elif v.type is STATIC and isinstance(v.const, Intrinsic) and v.const.path in INDICES:
            items = [dimension(fc, f"{v.const.path}.{d}") for d in "xyz"]
            parts.append(tuple_shown(fc, items, node))
        elif isinstance(v.type, Tuple):
            parts.append(tuple_shown(fc, fc.parts(v), node))
        else:
            parts.append(shown(fc.number(v, node)))
    fc.effects += 1
    fc.count("print")
    return Value(NONE, f"PRINT({', '.join(parts)})")


def tuple_shown(fc, items, node):
    """A tuple as it is printed, with those in it."""
    texts = [
        tuple_shown(fc, fc.parts(i), node)
        if isinstance(i.type, Tuple)
        else shown(fc.number(i, node))
        for i in items
    ]
    end = "',)'" if len(texts) == 1 else "')'"
    return "('(' + " + " + ', ' + ".join(texts) + f" + {end})"


INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def shown(v):
    """A number as printf shows it, six digits for a float; a boolean as Python does."""
    if v.type is boolean:
        return f"str(bool({v.code}))"
    if v.type.kind == "f":
        return f"'%f' % {v.code}"
    if v.type.kind == "c":
        return f"str({v.code})"
    return f"'%d' % {v.code}"


PYTHON = {
    min: smallest("min"),
    max: smallest("max"),
    abs: absolute,
    int: to_int,
    float: to_float,
    bool: to_bool,
    len: length,
    round: rounding,
    pow: power,
    print: printing,
    divmod: divmod_,
    complex: to_complex,
    tuple: as_tuple,
    sum: summed,
}

# ---------------------------------------------------------------- methods

REDUCTIONS = {"sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all"}


def method(fc, value, name, node):
    """``value.name(...)`` of a number or an array."""
    if isinstance(value.type, Scalar):
        nodes(fc, node, [])
        if name == "bit_count" and value.type.whole:
            fc.count("int")
            size = value.type.size
            code = f"POPC({value.code}, {size})"
            if value.type.kind == "i":
                code = f"POPC(abs({value.code}), {size})"
            kind = int64 if value.type.kind == "i" else uint64
            return Value(kind, code, 0, 8 * size)
        if name in ("conjugate", "conj"):
            if value.type.kind != "c":
                return value
            return Value(value.type, f"({value.code}).conjugate()")
        if name == "item":
            return value
        return fc.type_error(f"a value of type {value.type.name} has no `.{name}()`", node)
    if name in REDUCTIONS:
        nodes(fc, node, [])
        return reduced(fc, value, name, node)
    if name == "item":
        nodes(fc, node, [])
        pieces = fc.pieces(value)
        index = [fc.literal(0)] * value.type.ndim
        text = ast.unparse(node.func.value)
        flat = fc.flat(value, pieces, index, node, text)
        return fc.load(Place(value.type.dtype, pieces, flat, node, text))
    if name == "transpose":
        nodes(fc, node, [])
        return fc.attribute_of_array(value, "T", node)
    if name == "view":
        (kind,) = nodes(fc, node, ["dtype"])
        dtype = dtype_of(fc, kind)
        site = fc.site("index", node, ast.unparse(node.func.value))
        made = fc.program.constant(dtype)
        return Value(
            Array(dtype, value.type.ndim, value.type.layout), f"AS(T, {site}, {value.code}, {made})"
        )
    if name in ("reshape", "ravel"):
        if node.keywords:
            fc.refuse(f"`{ast.unparse(node)}`: `.{name}` with keywords", node)
        sizes = []
        for arg in node.args:
            v = fc.expr(arg)
            sizes += fc.parts(v) if isinstance(v.type, Tuple) else [v]
        codes = [fc.integer(v, node, "a shape").code for v in sizes] or ["-1"]
        site = fc.site("index", node, ast.unparse(node.func.value))
        shape = f"({', '.join(codes)},)"
        if value.type.layout != "C":
            fc.refuse(f"`.{name}` of an array that is not packed row by row", node)
        return Value(
            Array(value.type.dtype, len(codes)), f"SHAPE(T, {site}, {value.code}, {shape})"
        )
    return fc.refuse(f"`.{name}` of an array", node)


def reduced(fc, array, name, node):
    """``array.sum()`` and its like: one thread goes through all elements."""
    dtype = array.type.dtype
    if not isinstance(dtype, Scalar):
        fc.type_error(f"`.{name}()` of records", node)
    site = fc.site("load", node, ast.unparse(node), dtype.size)
    fc.count("load")
    fc.arithmetic(dtype)
    type = dtype
    if name in ("argmin", "argmax"):
        type = int64
    elif name in ("any", "all"):
        type = boolean
    elif name == "mean":
        type = dtype if dtype.kind == "c" else float64
    elif name in ("sum", "prod") and dtype.whole:
        type = uint64 if dtype.kind == "u" else int64
    elif dtype.kind == "c" and name in ("min", "max"):
        fc.type_error("complex numbers have no order", node)
    return Value(type, f"REDUCE(T, {site}, {name!r}, {array.code})")


def inner(fc, function, node):
    """Call a function that is defined inside the kernel, with the variables that it uses."""
    given = [fc.expr(a) for a in nodes(fc, node, function.own)]
    captured = function.captured(fc.env)
    for name in captured:
        read = ast.copy_location(ast.Name(name, ast.Load()), node)
        given.append(fc.expr(read))
    bound = copy.copy(function)
    bound.params = function.own + captured
    return fc.device(bound, given, node)


# ---------------------------------------------------------------- math and NumPy

OTHERS = {"isnan": 1, "isinf": 1, "isfinite": 1, "modf": 1, "frexp": 1, "ldexp": 2, "nextafter": 2}
CHEAP = {"fabs", "floor", "ceil", "trunc", "copysign", "rint"}
HALF = {"sqrt", "floor", "ceil", "trunc", "fabs", "exp", "exp2", "log", "log2", "log10", "sin"}
HALF |= {"cos"}


def mathematics(fc, name, node, whole_stays=False):
    """A function of math (or the NumPy function of the same meaning) on numbers."""
    values = [fc.number(fc.expr(a), node) for a in node.args]
    if node.keywords:
        fc.type_error(f"`{ast.unparse(node.func)}` takes no keywords", node)
    if name in ("isnan", "isinf", "isfinite") and len(values) == 1:
        fc.count("compare")
        x = values[0]
        if x.type.whole:
            return fc.literal(name == "isfinite")
        return Value(boolean, f"M_{name}({x.code})")
    if name == "ldexp" and len(values) == 2 and values[1].type.whole:
        x = values[0] if values[0].type.kind == "f" else fc.cast(values[0], float64)
        type = float32 if x.type is float16 else x.type
        fc.count("special")
        return fc.rounded(type, f"M_ldexp({x.code}, {values[1].code})")
    if name == "modf" and len(values) == 1:
        type = float32 if values[0].type is float32 else float64
        fc.count("special")
        x = fc.cast(values[0], type)
        return Value(Tuple((type, type)), f"M_modf({x.code})")
    if name == "frexp" and len(values) == 1:
        type = float32 if values[0].type is float32 else float64
        fc.count("special")
        return Value(Tuple((type, int32)), f"M_frexp({fc.cast(values[0], type).code})")
    if name == "nextafter" and len(values) == 2:
        type = float32 if all(v.type is float32 for v in values) else float64
        fc.count("special")
        a, b = (fc.cast(v, type).code for v in values)
        return Value(type, f"NEXT({a}, {b}, {type is float32})")
    if name in ops.MATH and len(values) == 1 and values[0].type.kind == "c":
        fc.type_error(f"`{ast.unparse(node.func)}` of a complex number: use cmath", node)
    if name in ops.MATH and len(values) == 1:
        x = values[0]
        if x.type.whole and whole_stays:
            return x
        if x.type is float16:
            type = float16 if name in HALF else float32
        else:
            type = float64 if x.type.whole else x.type
        if name in CHEAP:
            fc.arithmetic(type)
        else:
            fc.count("sqrt" if name == "sqrt" else "special")
        code = fc.as_float(x, type)
        if name == "fabs":
            return Value(type, f"abs(float({code}))" if x.type.whole else f"abs({code})")
        if name == "sqrt":
            t = fc.temp()
            return fc.rounded(type, f"(SQRT({t}) if ({t} := {code}) >= 0 else NAN)")
        return fc.rounded(type, f"M_{name}({code})")
    if name in ops.MATH2 and len(values) == 2:
        a, b = values
        if name == "pow" and b.type is int32:
            type = mix(float32, a.type)
        else:
            type = float64 if a.type.whole and b.type.whole else mix(a.type, b.type)
        type = float32 if type is float16 else type
        fc.count("special")
        return fc.rounded(type, f"M_{name}({fc.as_float(a, type)}, {fc.as_float(b, type)})")
    what = f"`{ast.unparse(node.func)}`"
    wanted = 1 if name in ops.MATH else 2 if name in ops.MATH2 else OTHERS.get(name)
    if wanted == len(values):
        taken = " and ".join(v.type.name for v in values)
        return fc.type_error(f"{what} does not take {taken}", node)
    if wanted:
        several = "argument" if wanted == 1 else "arguments"
        return fc.type_error(f"{what} takes {wanted} {several}, not {len(values)}", node)
    return fc.refuse(f"{what} in a kernel", node)


def numpy(fc, name, node):
    """A NumPy function on scalars, as far as Numba has it and kernels use it."""
    if name in ("abs", "absolute"):
        return absolute(fc, node)
    if name in ("minimum", "maximum"):
        a, b = numbers(fc, node, ["a", "b"])
        return pair(fc, name[:3], a, b, nan="stays")
    if name in ("fmin", "fmax"):
        a, b = numbers(fc, node, ["a", "b"])
        return pair(fc, name[1:], a, b)
    if name == "square":
        (x,) = numbers(fc, node, ["x"])
        t = fc.temp()
        twice = Value(x.type, t, x.lo, x.hi, atom=True)
        return fc.cast(
            fc.operate("Mult", Value(x.type, f"({t} := {x.code})", x.lo, x.hi), twice, node), x.type
        )
    if name == "sign":
        (x,) = numbers(fc, node, ["x"])
        fc.arithmetic(x.type)
        return Value(x.type, f"SIGN({x.code})", -1, 1)
    if name == "rint":
        (x,) = numbers(fc, node, ["x"])
        type = float64 if x.type.whole else x.type
        fc.arithmetic(type)
        return Value(type, f"M_rint({fc.as_float(x, type)})")
    if name == "cbrt":
        return cbrt(fc, node)
    if name in ("divmod",):
        return divmod_(fc, node)
    if name in ("real", "imag", "conj", "conjugate"):
        (x,) = numbers(fc, node, ["x"])
        if name in ("real", "imag"):
            return Value(x.type.part, f"({x.code}).{name}") if x.type.kind == "c" else x
        return Value(x.type, f"({x.code}).conjugate()") if x.type.kind == "c" else x
    if name == "nextafter":
        return mathematics(fc, name, node)
    if name in REDUCTIONS or name in ("amin", "amax") or name in ops.COMPLEX:
        if len(node.args) == 1 and not node.keywords:
            x = fc.expr(node.args[0])
            if isinstance(x.type, Array):
                short = {"amin": "min", "amax": "max"}.get(name, name)
                if short in REDUCTIONS:
                    return reduced(fc, x, short, node)
                fc.refuse(f"`{ast.unparse(node)}`: a NumPy function of a whole array", node)
            if isinstance(x.type, Scalar) and x.type.kind == "c":
                return complex_function(fc, name, node)
    if name in ("add", "subtract", "multiply", "true_divide", "divide", "floor_divide", "mod"):
        a, b = numbers(fc, node, ["a", "b"])
        op = {"add": "Add", "subtract": "Sub", "multiply": "Mult", "mod": "Mod"}
        op = op.get(name, "FloorDiv" if name == "floor_divide" else "Div")
        return fc.operate(op, a, b, node)
    known = ops.NUMPY.get(name, name)
    if known in ops.MATH or known in ops.MATH2 or known in ("isnan", "isinf", "isfinite"):
        if known == "pow":
            a, b = numbers(fc, node, ["a", "b"])
            return fc.operate("Pow", a, b, node)
        if known not in ("gamma", "lgamma", "erf", "erfc", "fmod", "remainder"):
            return mathematics(fc, known, node, whole_stays=known in ("floor", "ceil", "trunc"))
    return fc.refuse(f"`{ast.unparse(node.func)}(...)` in a kernel", node)


# ---------------------------------------------------------------- vectors and device functions


def vector(fc, type, node):
    """``float32x4(a, b, c, d)``; a vector among the arguments stands for its items."""
    if node.keywords:
        fc.type_error("a vector takes no keywords", node)
    items = []
    for arg in node.args:
        v = fc.expr(arg)
        if isinstance(v.type, Vector):
            t = fc.temp()
            count = v.type.count
            items += [
                Value(v.type.base, f"({t} := {v.code})[0]" if k == 0 else f"{t}[{k}]")
                for k in range(count)
            ]
        else:
            items.append(fc.number(v, node))
    if len(items) != type.count:
        fc.type_error(f"{type.name} takes {type.count} numbers, not {len(items)}", node)
    codes = [fc.cast(i, type.base).code for i in items]
    return Value(type, "(" + ", ".join(codes) + ",)")


def device(fc, source, node, signatures=()):
    """Call another kernel function of the script; a signature that it declares converts."""
    params = source.params
    given = nodes(fc, node, params, source.defaults)
    before = fc.effects
    named = {name: fc.expr(arg) for name, arg in as_written(node, params, given)}
    values = [named[n] if n in named else fc.constant(source.defaults[n], n, node) for n in params]
    first = []  # what is computed before the call, where parameters are in another order
    if fc.effects > before and not in_order(node, params):
        for name, v in named.items():
            if not v.atom and v.type is not STATIC:
                t = fc.temp()
                first.append(f"({t} := {v.code})")
                named[name] = Value(v.type, t, v.lo, v.hi, v.const, atom=True)
        values = [named.get(n, v) for n, v in zip(params, values, strict=True)]
    declared = signatures[0] if len(signatures) == 1 else None
    if declared and len(declared.args) == len(values):
        values = [
            fc.cast(v, want, node) if isinstance(want, Scalar) and isinstance(v.type, Scalar) else v
            for v, want in zip(values, declared.args, strict=True)
        ]
    result = fc.device(source, values, node)
    if first:
        result = Value(result.type, f"({', '.join(first)}, {result.code})[-1]")
    if declared and isinstance(declared.result, Scalar) and isinstance(result.type, Scalar):
        result = fc.cast(result, declared.result, node)
    return result


CALLS = {
    "grid": grid,
    "gridsize": gridsize,
    "shared.array": shared_array,
    "local.array": local_array,
    "const.array_like": const_array,
    "syncthreads": waits("barrier"),
    **{f"syncthreads_{k}": barrier_with(f"barrier_{k}") for k in ("count", "and", "or")},
    "syncwarp": syncwarp,
    "shfl_sync": shuffle("shfl_sync", "src_lane"),
    "shfl_up_sync": shuffle("shfl_up_sync", "delta"),
    "shfl_down_sync": shuffle("shfl_down_sync", "delta"),
    "shfl_xor_sync": shuffle("shfl_xor_sync", "lane_mask"),
    **{k: vote(k) for k in ("all_sync", "any_sync", "eq_sync", "ballot_sync")},
    **{k: match(k) for k in ("match_any_sync", "match_all_sync")},
    "activemask": activemask,
    "lanemask_lt": lanemask_lt,
    "threadfence": fence("device"),
    "threadfence_system": fence("device"),
    "threadfence_block": fence("block"),
    "nanosleep": nanosleep,
    "cg.this_grid": this_grid,
    "grid_group.sync": grid_sync,
    **{f"atomic.{op}": atomic(op) for op in ATOMIC_TYPES},
    "popc": popc,
    "clz": clz,
    "ffs": ffs,
    "brev": brev,
    "selp": selp,
    "fma": fma,
    "cbrt": cbrt,
    **{f"fp16.{op}": half(op) for op in (*HALVES, *HALF_TESTS)},
    **{
        f"random.xoroshiro128p_{kind}_{t.name}": random(kind, t)
        for kind in ("uniform", "normal")
        for t in (float32, float64)
    },
    "random.xoroshiro128p_next": random("next", uint64),
}
