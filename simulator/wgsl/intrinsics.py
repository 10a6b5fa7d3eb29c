"""What a kernel calls, as WGSL: the cuda module, math, NumPy's scalars, device functions."""

import ast
import math
import operator
from dataclasses import replace

from ..stepper import ops
from ..stepper.compiler import Inner, Intrinsic, Method, NumpyName
from ..stepper.source import Source
from ..stepper.types import (
    ALIASES,
    NONE,
    STATIC,
    Scalar,
    Tuple,
    as_dtype,
    boolean,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int32,
    int64,
    mix,
    uint32,
    uint64,
)
from .helpers import HELPERS, atomic_helper
from .values import (
    ATOM,
    BARRIER,
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
    bounded,
    keeps,
    literal,
    number,
    packed,
    rep_of,
    span_of,
    spanned,
)
from .wide import WIDE_HELPERS

GROUPS = {"threadIdx", "blockIdx", "blockDim", "gridDim", "shared", "local", "const", "atomic"}
GROUPS |= {"cg", "fp16", "random", "libdevice"}
FULL = 0xFFFFFFFF


def dimension(fc, name):
    """The value of an index variable such as ``threadIdx.x``."""
    group, _, d = name.partition(".")
    launch = fc.module.launch
    if group == "warpsize":
        return number(int32, 32)
    k = "xyz".index(d) if d else 0
    if group in ("blockDim", "gridDim"):
        size = (launch.block if group == "blockDim" else launch.grid)[k]
        code = fc.module.one(f"{group}_{d}")
        fc.module.constant(code, literal("i32", size))
        return Value(int32, code, "i32", size, size, "fits", size, True)
    if group == "laneid":
        linear = thread_in_block(fc)
        code = f"{linear.at(ATOM)} & 31"
        return Value(int32, code, "i32", 0, 31, "fits", None, False, LOOSE)
    size = (launch.block if group == "threadIdx" else launch.grid)[k]
    fc.uses.add(group)
    if size == 1:
        return number(int32, 0)
    uniform = group == "blockIdx"
    return Value(int32, f"i32({group}.{d})", "i32", 0, size - 1, "fits", None, uniform)


def thread_in_block(fc):
    """The number of the thread in its block."""
    x, y, z = fc.module.launch.block
    total = dimension(fc, "threadIdx.x")
    for d, size in (("y", x), ("z", x * y)):
        if fc.module.launch.block["xyz".index(d)] > 1:
            term = fc.position("*", dimension(fc, f"threadIdx.{d}"), number(int64, size))
            total = fc.position("+", total, term)
    return total.but(type=int32, state="fits")


def value(fc, intrinsic, node):
    """The meaning of ``cuda.<path>`` where it is no call."""
    path = intrinsic.path
    if path.partition(".")[0] in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        if "." in path:
            return dimension(fc, path)
    if path in ("laneid", "warpsize"):
        return dimension(fc, path)
    if path in ALIASES:
        return Value(STATIC, const=ALIASES[path])
    return Value(STATIC, const=intrinsic)


def call(fc, function, node):
    """The value of a call of something known when the kernel is compiled."""
    if isinstance(function, Intrinsic):
        path = function.path
        if path in CALLS:
            return CALLS[path](fc, node)
        fc.refuse(f"`cuda.{path}(...)`{REASONS.get(path.partition('.')[0], '')}", node, path)
    if isinstance(function, Method):
        return method(fc, function, node)
    if isinstance(function, Inner):
        fc.refuse("a function defined inside a kernel", node)
    if getattr(function, "__stepper_kernel__", False):
        return device(fc, function.source, node, function.signatures)
    if hasattr(function, "py_func"):
        return device(fc, Source(function.py_func), node)
    if isinstance(function, NumpyName):
        return numpy(fc, function.name, node)
    try:
        python = PYTHON.get(function)
        sign = OPERATORS.get(function)
    except TypeError:
        python = sign = None
    if sign:
        return fc.operate(sign, *numbers(fc, node, 2), node)
    if python:
        return python(fc, node)
    if getattr(math, getattr(function, "__name__", ""), None) is function:
        return mathematics(fc, function.__name__, node)
    dtype = as_dtype(function)
    if isinstance(dtype, Scalar) and not node.keywords and len(node.args) == 1:
        return fc.cast(fc.expr(node.args[0]), dtype, node)
    return fc.refuse(f"`{ast.unparse(node.func)}(...)` in a kernel", node)


MATCH = ": WGSL has no search for equal values in a warp"
REASONS = {
    "cg": ": WGSL has no barrier across workgroups",
    "threadfence": ": WGSL has no memory fence between workgroups",
    "threadfence_system": ": WGSL has no memory fence between workgroups",
    "random": ": not one of the uniform numbers",
    "libdevice": ": a function of NVIDIA's library",
    "match_any_sync": MATCH,
    "match_all_sync": MATCH,
    "nanosleep": ": WGSL does not promise that other threads run meanwhile",
}


def given(fc, node, names, optional=()):
    """The argument nodes of a call, in the order of ``names``."""
    found = dict(zip(names, node.args, strict=False))
    found |= {k.arg: k.value for k in node.keywords}
    if len(node.args) > len(names) or set(found) - set(names):
        fc.refuse(f"`{ast.unparse(node)}`: its arguments", node)
    if any(n not in found and n not in optional for n in names):
        fc.refuse(f"`{ast.unparse(node)}`: an argument is missing", node)
    return [found.get(n) for n in names]


def numbers(fc, node, count=None, complex=False):
    if node.keywords or count and len(node.args) != count:
        fc.refuse(f"`{ast.unparse(node)}`: its arguments", node)
    values = [fc.number(v, node) for v in fc.ordered(node.args)]
    if any(v.type.kind == "c" for v in values) and not complex:
        fc.refuse(f"`{ast.unparse(node)}` of complex numbers", node, "complex")
    return values


# ---------------------------------------------------------------- places and memory


def grid(fc, node):
    return positions(fc, node, True)


def gridsize(fc, node):
    return positions(fc, node, False)


def positions(fc, node, thread):
    (n,) = numbers(fc, node, 1)
    items = []
    for d in "xyz"[: n.const]:
        block = dimension(fc, f"blockDim.{d}")
        if thread:
            k = "xyz".index(d)
            most = fc.module.launch.grid[k] * block.const - 1
            if most > I32[1]:
                fc.refuse(f"`{ast.unparse(node)}`: the grid has more than 2**31 threads", node)
            where, thread_at = dimension(fc, f"blockIdx.{d}"), dimension(fc, f"threadIdx.{d}")
            if where.known and thread_at.known:
                v = number(int64, 0)
            elif where.known:
                v = thread_at.but(type=int64)
            else:
                code = f"{where.code} * {block.code} + {thread_at.code}"
                v = Value(int64, code, "i32", 0, most, "fits", None, False, PLUS)
            items.append(v)
        else:
            size = fc.module.launch.grid["xyz".index(d)] * block.const
            items.append(number(int64, size))
    if n.const == 1:
        return items[0]
    return Value(Tuple((int64,) * len(items)), items=tuple(items))


def sizes_of(fc, node, what):
    v = fc.expr(node)
    parts = v.items if isinstance(v.type, Tuple) else [v]
    if not all(p.known and p.type.whole for p in parts):
        fc.refuse(f"the shape of {what} must be known when the kernel is compiled", node)
    return tuple(p.const for p in parts)


def dtype_of(fc, node):
    v = fc.expr(node)
    dtype = as_dtype(v.const) if v.type is STATIC else None
    if not isinstance(dtype, Scalar) or dtype.kind == "c":
        fc.refuse(f"an array of `{ast.unparse(node)}`", node, "dtype")
    if dtype is float64 and not fc.module.single and not keeps(dtype):
        fc.refuse(f"an array of float64 (`{ast.unparse(node)}`)", node, "float64")
    if dtype.size == 8 and dtype.whole and not keeps(dtype):
        fc.refuse(f"an array of {dtype.name}: make it 32 bits", node, "int64")
    return dtype


def array(space):
    def make(fc, node):
        shape, kind, _ = given(fc, node, ["shape", "dtype", "alignment"], ["alignment"])
        shape, dtype = sizes_of(fc, shape, f"a {space} array"), dtype_of(fc, kind)
        module = fc.module
        key = (space, fc.within, id(fc.source.function), node.lineno, node.col_offset)
        if shape == (0,) and space == "workgroup":
            shape = (module.launch.dynamic // dtype.size,)
            if not shape[0]:
                fc.refuse("dynamic shared memory, and the launch gives none", node)
            key = "dynamic"
        if key not in module.arrays:
            size = math.prod(shape)
            name = module.fresh(fc.target or space)
            buffer = Buffer(name, dtype, space, size, half=fc.module.half(dtype),
                            wide=keeps(dtype))  # fmt: skip
            buffer.atomic = name in module.atomics
            if len(shape) > 1 and not buffer.atomic and name not in module.flat:
                buffer.shape = shape
            module.buffers.append(buffer)
            module.arrays[key] = buffer
        buffer = module.arrays[key]
        if buffer.dtype is not dtype:
            fc.refuse("two dynamic shared arrays of different dtypes share their memory", node)
        dims = tuple(number(int64, n) for n in shape)
        view = View(buffer, dims, packed(shape), number(int64, 0))
        return Value(view.type(), view=view)

    return make


def const_array(fc, node):
    (v,) = fc.ordered(node.args)
    if v.view is None:
        fc.refuse(f"`{ast.unparse(node)}`", node)
    return v


# ---------------------------------------------------------------- what threads do together


def together(fc, node, what):
    """Check that all threads of the workgroup come here, and leave predicated code."""
    if fc.predicate is None and not fc.flow[-1]:
        fc.refuse(
            f"`{what}` where the threads of a block may part: WGSL wants all of them to come by",
            node, "barrier",
        )  # fmt: skip
    if fc.maybe:
        fc.refuse(f"`{what}` in a condition", node, "barrier")


def barrier_lines(fc):
    fc.module.barrier = True
    fc.control("workgroupBarrier();")


def syncthreads(fc, node):
    together(fc, node, ast.unparse(node.func))
    fc.module.barrier = True
    fc.control(BARRIER)
    return Value(NONE)


def exchange(fc, rep):
    """The buffer through which the threads of a block hand each other values."""
    module = fc.module
    name = module.one(f"exchange_{rep}")
    if name not in module.arrays:
        dtype = {"f32": float32, "i32": int32, "u32": uint32, "int64": int64,
                 "float64": float64}[rep]  # fmt: skip
        buffer = Buffer(name, dtype, "workgroup", math.prod(module.launch.block),
                        wide=rep in WIDE)  # fmt: skip
        module.buffers.append(buffer)
        module.arrays[name] = buffer
    fc.uses.add(name)
    return name


def own_place(fc):
    """The variable with the thread's number in its block, set at the function's start."""
    text = thread_in_block(fc).code
    if text not in fc.prologue:
        fc.prologue[text] = fc.temp("thread")
    return fc.prologue[text]


def hand_in(fc, v):
    """Every thread writes its value for the others; (buffer's name, the thread's own place)."""
    name = exchange(fc, v.rep)
    own = own_place(fc)
    fc.emit(f"{name}[{own}] = {v.code};")
    barrier_lines(fc)
    return name, own


def full_mask(fc, node, mask):
    m = fc.expr(mask)
    if m.mask and node.func.attr.startswith("shfl"):
        return  # those that go on: a lane that reads from another is undefined in CUDA as well
    if not m.known or m.const & FULL != FULL:
        fc.refuse(f"`{ast.unparse(node)}`: a mask that is not all 32 lanes", node, "mask")


def whole_warps(fc, node):
    if math.prod(fc.module.launch.block) % 32:
        fc.refuse(
            f"`{ast.unparse(node.func)}` in a block of {math.prod(fc.module.launch.block)} threads:"
            " a warp that is not full", node, "warp",
        )  # fmt: skip


def shuffle(op, last):
    def write(fc, node):
        mask, what, other = given(fc, node, ["mask", "value", last])
        full_mask(fc, node, mask)
        v, other = fc.ordered([what, other])
        v, other = fc.number(v, node), fc.fitting(fc.integer(other, node), node)
        far = op and not 0 <= other.lo <= other.hi <= 31
        if far:  # a warp takes the last five bits of a distance: PTX says so
            other = fc.hold(fc.cast(fc.operate("BitAnd", other, number(int32, 31), node), int32))
        if v.type.name not in ("int32", "int64", "float32", *WIDE - {"uint64"} & {v.rep}):
            fc.refuse(f"`{ast.unparse(node)}` of {v.type.name}", node, v.type.name)
        if v.type is int64:
            v = fc.fitting(v, node, wide=True)
            v = fc.to_rep(v, v.rep)
        together(fc, node, ast.unparse(node.func))
        whole_warps(fc, node)
        width = fc.module.subgroups
        made = fc.temp()
        if width == 32:
            fc.module.enables.add("subgroups")
            code = {"": "subgroupShuffle({0}, {1})", "_up": "subgroupShuffleUp({0}, {1})",
                    "_down": "subgroupShuffleDown({0}, {1})",
                    "_xor": "subgroupShuffleXor({0}, {1})"}[op]  # fmt: skip
            lane = fc.to_rep(other, "u32").code
            held = fc.copied(v)
            own = f"({own_place(fc)} & 31)"
            lane = f"({lane}) & 31u" if op == "" else lane
            if far and not other.uniform:  # the others want a distance that all lanes share
                sign = {"_up": "-", "_down": "+", "_xor": "^"}[op]
                code = f"subgroupShuffle({{0}}, u32({own} {sign} {other.at(ATOM)}) & 31u)"
            code = code.format(held.code, lane)
            inside, fc.predicate = fc.predicate, None
            fc.emit(code, made, v.rep)
            fc.predicate = inside
            out = {"_up": f"{own} < i32({lane})", "_down": f"{own} + i32({lane}) > 31"}.get(op)
            if out:
                fc.emit(f"select({made}, {held.code}, {out})", made, v.rep)
            return v.but(code=made, prec=ATOM, uniform=False, const=None)
        name, own = hand_in(fc, v)
        o = fc.to_rep(fc.hold(other), "i32").at(PLUS + 1)
        lane = f"({own} & 31)"
        source = {
            "": f"({own} & -32) + ({o} & 31)",
            "_up": f"select({own} - {o}, {own}, {lane} < {o})",
            "_down": f"select({own} + {o}, {own}, {lane} + {o} > 31)",
            "_xor": f"({own} & -32) + (({lane} ^ ({o})) & 31)",
        }[op]
        fc.emit(f"{name}[{source}]", made, v.rep)
        barrier_lines(fc)
        return v.but(code=made, prec=ATOM, uniform=False, const=None)

    return write


def vote(op):
    def write(fc, node):
        mask, what = given(fc, node, ["mask", "predicate"])
        full_mask(fc, node, mask)
        test = fc.truth(fc.expr(what))
        together(fc, node, ast.unparse(node.func))
        whole_warps(fc, node)
        v = Value(uint32, f"select(0u, 1u, {test.code})", "u32", 0, 1)
        if fc.predicate is not None:
            fc.refuse(f"`{ast.unparse(node)}` in a branch that only some warps take", node, "mask")
        bits = ballot(fc, v)
        if op == "ballot_sync":
            return Value(int32, f"i32({bits})", "i32", *I32)
        code = {
            "all_sync": f"{bits} == 4294967295u",
            "any_sync": f"{bits} != 0u",
            "eq_sync": f"{bits} == 0u || {bits} == 4294967295u",
        }[op]
        return Value(boolean, code, "bool", 0, 1, prec=LOOSE)

    return write


def ballot(fc, v):
    """The name of the bits that the lanes of a warp hand in."""
    name, own = hand_in(fc, v)
    bits, k = fc.temp("votes"), fc.temp("k")
    fc.emit("0u", bits, "u32")
    fc.emit(f"for (var {k} = 0; {k} < 32; {k}++) {{")
    fc.indent += 1
    fc.emit(f"{bits} | ({name}[({own} & -32) + {k}] << u32({k}))", bits, "u32")
    fc.indent -= 1
    fc.emit("}")
    barrier_lines(fc)
    return bits


def activemask(fc, node):
    """The lanes for which the predicate holds: all of the block's threads do the asking."""
    numbers(fc, node, 0)
    together(fc, node, ast.unparse(node.func))
    whole_warps(fc, node)
    inside, fc.predicate = fc.predicate, None
    bits = ballot(fc, Value(uint32, f"select(0u, 1u, {inside or 'true'})", "u32", 0, 1))
    fc.predicate = inside
    return Value(uint32, bits, "u32", *U32, mask=True)


def lanemask_lt(fc, node):
    numbers(fc, node, 0)
    lane = fc.to_rep(dimension(fc, "laneid"), "u32")
    return Value(uint32, f"(1u << {lane.at(ATOM)}) - 1u", "u32", *U32, prec=PLUS)


def counted(op):
    def write(fc, node):
        (v,) = numbers(fc, node, 1)
        test = fc.truth(v)
        together(fc, node, ast.unparse(node.func))
        if fc.predicate is not None:
            fc.refuse(f"`{ast.unparse(node)}` that only some threads reach", node, "barrier")
        one = Value(uint32, f"select(0u, 1u, {test.code})", "u32", 0, 1)
        name, _ = hand_in(fc, one)
        total, k = fc.temp("count"), fc.temp("k")
        size = math.prod(fc.module.launch.block)
        # The same for all threads, and known to be: loops with barriers may depend on it.
        fc.emit(f"for (var {k} = 1; {k} < {size}; {k}++) {{")
        fc.lines.pop()
        sum_name = fc.module.one(f"{name}_sum")
        if sum_name not in fc.module.arrays:
            buffer = Buffer(sum_name, uint32, "workgroup", 1)
            fc.module.buffers.append(buffer)
            fc.module.arrays[sum_name] = buffer
        fc.uses.add(sum_name)
        fc.emit(f"if ({thread_in_block(fc).code} == 0) {{")
        fc.indent += 1
        fc.emit("0u", total, "u32")
        fc.emit(f"for (var {k} = 0; {k} < {size}; {k}++) {{")
        fc.indent += 1
        fc.emit(f"{total} + {name}[{k}]", total, "u32")
        fc.indent -= 1
        fc.emit("}")
        fc.emit(f"{sum_name}[0] = {total};")
        fc.indent -= 1
        fc.emit("}")
        found = fc.temp("all")
        fc.emit(f"workgroupUniformLoad(&{sum_name}[0])", found, "u32")
        fc.module.barrier = True
        if op == "count":
            return Value(int32, f"i32({found})", "i32", 0, size, uniform=True)
        code = (
            f"select(0, 1, {found} {'==' if op == 'and' else '!='} {size if op == 'and' else 0}u)"
        )
        return Value(int32, code, "i32", 0, 1, uniform=True)

    return write


# ---------------------------------------------------------------- atomic operations

PLAIN = {"add": "Add", "sub": "Sub", "max": "Max", "min": "Min", "and_": "And", "or_": "Or"}
PLAIN |= {"xor": "Xor", "exch": "Exchange"}
NANS = {"nanmax": "max", "nanmin": "min"}


def atomic(op):
    def write(fc, node):
        names = {"cas": ["ary", "idx", "old", "val"], "compare_and_swap": ["ary", "old", "val"]}
        parts = given(fc, node, names.get(op, ["ary", "idx", "val"]))
        array, *rest = parts
        a = fc.expr(array)
        if a.view is None:
            fc.refuse(f"`{ast.unparse(node)}`: no array", node)
        buffer, kind = a.view.buffer, a.view.buffer.dtype
        single = kind is float64 and fc.module.single and not buffer.wide
        if kind.size != 4 and not single or buffer.space not in ("storage", "workgroup"):
            fc.refuse(
                f"`{ast.unparse(node.func)}` on {kind.name}: WGSL has atomic operations on 32 bits",
                node, "atomic",
            )  # fmt: skip
        if op == "compare_and_swap":
            index = [fc.literal(0)] * len(a.view.shape)
            values = fc.ordered(rest, False)
        else:
            found, *values = fc.ordered(rest, False)
            index = list(found.items) if isinstance(found.type, Tuple) else [found]
        flat = fc.flat(a.view, index, node)
        values = [fc.to_rep(fc.cast(fc.number(v, node), kind), buffer.rep) for v in values]
        real = kind in (float32, float64)
        op_ = NANS.get(op, op)  # of integers there is no NaN
        if real and op not in ("add", "sub", "max", "min", "exch", *NANS):
            fc.refuse(f"`{ast.unparse(node.func)}` on {kind.name}", node, "atomic")
        fc.module.atomics.add(buffer.name)
        buffer.read = buffer.written = True
        fc.uses.add(buffer.name)
        short = "cas" if op in ("cas", "compare_and_swap") else op if real else op_
        if not real and short in PLAIN:
            code = f"atomic{PLAIN[short]}(&{buffer.name}[{flat.code}], {values[0].code})"
        else:
            if real and op_ in ("max", "min"):
                fc.module.helper("fmax" if op_ == "max" else "fmin")
            name = fc.module.one(f"atomic_{short}_{buffer.name}")
            helper = atomic_helper(short, name, buffer.name, buffer.rep)
            fc.module.atomic_helpers[name] = buffer.name, helper
            fc.module.touched[name] = {buffer.name}, {buffer.name}
            code = f"{name}({flat.code}, {', '.join(v.code for v in values)})"
        lo, hi = (None, None) if real else (kind.lo, kind.hi)
        return fc.deed(Value(kind, code, buffer.rep, lo, hi))

    return write


# ---------------------------------------------------------------- Python's functions


def extreme(op):
    def write(fc, node):
        values = fc.ordered(node.args)
        if len(values) == 1 and isinstance(values[0].type, Tuple):
            values = list(values[0].items)
        result = fc.number(values[0], node)
        for v in values[1:]:
            result = pair(fc, op, result, fc.number(v, node), node)
        return result

    return write


def pair(fc, op, a, b, node, nan=""):
    """min or max of two numbers."""
    kind = mix(a.type, b.type, unify=True)
    uniform = a.uniform and b.uniform
    if kind.kind == "f":
        a, b = fc.cast(a, kind), fc.cast(b, kind)
        if "float64" in (a.rep, b.rep):
            return fc.helped(f"f64_np_{op}" if nan else f"f64_{op}", a, b)
        state = "fits"
        if kind is float64:
            # Rounding keeps order: the smaller of two rounded numbers is the smaller, rounded.
            for v in (a, b):
                if v.state != "once":
                    fc.exact(v, node)
            state = "once" if "once" in (a.state, b.state) else "exact"
        name = fc.module.helper(f"np_{op}" if nan else f"f{op}")
        return Value(kind, f"{name}({a.code}, {b.code})", "f32", state=state, uniform=uniform,
                     span=spanned("Join", a, b))  # fmt: skip
    if kind is boolean:
        fc.refuse(f"`{ast.unparse(node)}` of booleans", node)
    f = min if op == "min" else max
    a, b = fc.cast(a, kind), fc.cast(b, kind)
    if a.known and b.known:
        return number(kind, f(a.const, b.const))
    lo, hi = f(a.lo, b.lo), f(a.hi, b.hi)
    state = "fits"
    for x, y in ((a, b), (b, a)):
        if x.state == "sat" and y.state == "fits" and I32[0] <= y.lo and y.hi <= I32[1]:
            state = "fits" if I32[0] <= lo and hi <= I32[1] else "sat"
            break
    else:
        a, b = fc.fitting(a, node, wide=True), fc.fitting(b, node, wide=True)
    if MODES["pairs"] and not any(
        all(low <= v.lo and v.hi <= high for v in (a, b)) for low, high in (I32, U32)
    ):
        a, b = fc.to_rep(a, kind.name), fc.to_rep(b, kind.name)
        name = f"{'i' if kind.kind == 'i' else 'u'}64_{op}"
        return fc.helped(name, a, b, type=kind, rep=kind.name).but(lo=lo, hi=hi)
    rep = next((r for r, (low, high) in (("i32", I32), ("u32", U32)) if all(
        v.state == "sat" or low <= v.lo and v.hi <= high for v in (a, b))), None)  # fmt: skip
    if rep is None:
        fc.refuse(f"`{ast.unparse(node)}`: one side may be negative, the other beyond int32", node,
                  "int64")  # fmt: skip
    x, y = fc.to_rep(a, rep), fc.to_rep(b, rep)
    return Value(kind, f"{op}({x.code}, {y.code})", rep, lo, hi, state, None, uniform)


def absolute(fc, node):
    (x,) = numbers(fc, node, 1, complex=True)
    if x.type.kind == "c":
        x = fc.hold(x)
        part, half = x.type.part, x.rep == "vec2f"
        name, parts = ("hypotenuse", "xy") if half else ("f64_hypot", ("xy", "zw"))
        code = ", ".join(f"{x.at(ATOM)}.{p}" for p in parts)
        fc.approximates(node)
        return Value(part, f"{fc.module.helper(name)}({code})", "f32" if half else "float64",
                     state="fits" if part is float32 else "exact", uniform=x.uniform)  # fmt: skip
    if x.type.kind == "f":
        if x.known:
            return fc.real(abs(x.const), x.type)
        if x.rep == "float64":
            return fc.helped("f64_abs", x)
        return x.but(code=f"abs({x.code})", prec=ATOM)
    if x.type.kind == "u":
        return x
    x = fc.fitting(x, node, wide=True)
    if x.rep in WIDE:
        return fc.helped("i64_abs", x, type=x.type, rep=x.rep)
    if x.known:
        return number(x.type, ops.wrap(abs(x.const), x.type.size, True))
    lo = 0 if x.lo <= 0 <= x.hi else min(abs(x.lo), abs(x.hi))
    hi = max(abs(x.lo), abs(x.hi))
    if x.rep == "u32" or x.lo >= 0:
        return x
    if x.type.size == 8 and x.lo == I32[0]:
        return Value(x.type, f"u32(abs({x.code}))", "u32", lo, hi, uniform=x.uniform)
    if hi > x.type.hi:
        lo, hi = x.type.lo, x.type.hi
    v = Value(x.type, f"abs({x.code})", "i32", lo, hi, uniform=x.uniform)
    return v if x.type.size >= 4 else fc.cast_whole(v.but(type=int32, hi=I32[1]), x.type, node)


def to_int(fc, node):
    (x,) = numbers(fc, node, 1)
    return x if x.type.kind in "iu" else fc.cast(x, int64)


def to_float(fc, node):
    (x,) = numbers(fc, node, 1)
    return fc.cast(x, float64) if x.type.whole else x


def to_bool(fc, node):
    (x,) = numbers(fc, node, 1)
    return fc.cast(x, boolean)


def to_complex(fc, node):
    """``complex(real, imag)``, and of one number."""
    real, imag = given(fc, node, ["real", "imag"], ["imag"])
    parts = [fc.number(v, node) for v in fc.ordered([n for n in (real, imag) if n is not None])]
    if len(parts) == 1:
        return fc.cast(parts[0], complex128, node)
    if any(v.type.kind == "c" for v in parts):
        fc.refuse(f"`{ast.unparse(node)}` of complex numbers", node, "complex")
    small = all(v.type in (float32, float16) for v in parts)
    kind = complex64 if small else complex128
    fc.allowed(Value(kind), node)
    rep, _ = rep_of(kind)
    real, imag = (fc.cast(v, float32 if small else float64, node) for v in parts)
    return Value(kind, f"{rep}({real.code}, {imag.code})", rep, state="exact",
                 uniform=real.uniform and imag.uniform)  # fmt: skip


def length(fc, node):
    (x,) = fc.ordered(node.args)
    if isinstance(x.type, Tuple):
        return fc.literal(len(x.items))
    if x.view is None:
        fc.refuse(f"`{ast.unparse(node)}`", node)
    return x.view.shape[0]


def rounding(fc, node):
    (x,) = numbers(fc, node, 1)
    if x.type.whole:
        return fc.cast(x, int64)
    fc.exact(x, node)
    if x.rep == "float64":
        return fc.cast(fc.helped("f64_round", x), int64)
    return fc.cast(x.but(code=f"round({x.code})", prec=ATOM, const=None), int64)


def divmod_(fc, node):
    a, b = (fc.hold(v) for v in numbers(fc, node, 2))
    items = fc.operate("FloorDiv", a, b, node), fc.operate("Mod", a, b, node)
    return Value(Tuple(tuple(i.type for i in items)), items=items)


def power(fc, node):
    a, b = numbers(fc, node, 2)
    return fc.operate("Pow", a, b, node)


def printing(fc, node):
    return fc.refuse("`print`: WGSL has none", node, "print")


def summed(fc, node):
    (x,) = fc.ordered(node.args)
    if not isinstance(x.type, Tuple):
        fc.refuse(f"`{ast.unparse(node)}`", node)
    total = fc.literal(0)
    for v in x.items:
        total = fc.operate("Add", total, v, node)
    return total


# Functions of the module operator.
OPERATORS = {operator.add: "Add", operator.sub: "Sub", operator.mul: "Mult"}
OPERATORS |= {operator.truediv: "Div", operator.floordiv: "FloorDiv", operator.mod: "Mod"}
OPERATORS |= {operator.pow: "Pow", operator.lshift: "LShift", operator.rshift: "RShift"}
OPERATORS |= {operator.and_: "BitAnd", operator.or_: "BitOr", operator.xor: "BitXor"}
PYTHON = {min: extreme("min"), max: extreme("max"), abs: absolute, int: to_int, float: to_float}
PYTHON |= {bool: to_bool, len: length, round: rounding, divmod: divmod_, pow: power}
PYTHON |= {print: printing, sum: summed, complex: to_complex}


def method(fc, function, node):
    view = function.value.view
    if function.name == "conjugate" and view is None and not node.args:
        z = fc.hold(function.value)
        if z.rep == "complex128":
            code = f"complex128({z.code}.xy, {fc.module.helper('f64_neg')}({z.code}.zw))"
            return z.but(code=code, prec=ATOM)
        return z.but(code=f"vec2f({z.at(ATOM)}.x, -{z.at(ATOM)}.y)", prec=ATOM)
    if function.name == "transpose" and not node.args:
        return fc.of_array(function.value, "T", node)
    if function.name in ("reshape", "ravel") and function.value.type.layout == "C":
        sizes = []
        for v in fc.ordered(node.args):
            sizes += v.items if isinstance(v.type, Tuple) else [v]
        if all(s.known for s in [*sizes, *view.shape]):
            total = math.prod(s.const for s in view.shape)
            shape = [s.const for s in sizes] or [-1]
            rest = math.prod(n for n in shape if n >= 0)
            shape = [total // rest if n < 0 and rest else n for n in shape]
            if math.prod(shape) == total:
                dims = tuple(number(int64, n) for n in shape)
                strides = tuple(n * (1 + view.pair) for n in packed(shape))
                made = replace(view, shape=dims, strides=strides)
                return Value(made.type(), view=made)
    return fc.refuse(f"`{ast.unparse(node)}` in a kernel", node)


# ---------------------------------------------------------------- mathematics

SAME = {"floor", "ceil", "trunc", "atan"}
OWN = {"sin": "sine", "cos": "cosine", "tan": "tangent"}  # for any number, not from -pi to pi alone
OWN |= {f: f"{f}_" for f in ("exp", "exp2", "log", "log2", "asin", "acos", "sinh", "cosh", "tanh",
                             "asinh", "acosh", "atanh",
                             "expm1", "log1p", "erf", "erfc")}  # fmt: skip
EXACT = {"floor", "ceil", "trunc", "fabs"}
LOG10 = "0.30103"  # log10(2), to float32


def mathematics(fc, name, node, whole_stays=False):
    """A function of math, or NumPy's of the same meaning."""
    values = numbers(fc, node)
    if name in ("isnan", "isinf", "isfinite") and len(values) == 1:
        x = values[0]
        if x.type.whole:
            return number(boolean, name == "isfinite")
        if name != "isnan":  # what is finite in float64 may be none in float32
            fc.exact(x, node)
        if x.rep == "float64":
            return fc.helped(f"f64_is_{name[2:]}", x, rep="bool")
        helper = fc.module.helper({"isfinite": "is_finite", "isnan": "is_nan"}.get(name, "is_inf"))
        return Value(boolean, f"{helper}({x.code})", "bool", 0, 1, uniform=x.uniform)
    if len(values) == 2:
        return mathematics2(fc, name, values, node)
    if len(values) == 3 and name == "fma":
        return fma(fc, node)
    if len(values) != 1:
        fc.refuse(f"`{ast.unparse(node)}`", node, name)
    (x,) = values
    if x.type.whole and whole_stays:
        return x
    kind = float64 if x.type.whole else x.type
    x = fc.cast(x, kind)
    if kind is float64 and name not in EXACT and not x.known:
        fc.exact(x, node)
    if x.known and name in ops.MATH and kind is not float16:
        near = float if kind is float64 else ops.round32
        return fc.real(near(ops.MATH[name](x.const)), kind)
    if x.rep == "float64":
        return real64(fc, name, [x], node)
    state = "fits" if kind is not float64 else "once"
    if kind is float64 and name not in EXACT | {"sqrt", "rint"}:
        fc.approximates(node)
    if name in SAME:
        code = f"{name}({x.code})"
    elif name in OWN:
        code = f"{fc.module.helper(OWN[name])}({x.code})"
    elif name == "fabs":
        code = f"abs({x.code})"
    elif name == "sqrt":
        code = f"{fc.module.helper('square_root')}({x.code})"
    elif name == "log10":
        code = f"({fc.module.helper('log2_')}({x.code}) * {LOG10})"
    elif name == "rint":
        code = f"round({x.code})"
    elif name == "radians":
        code = f"radians({x.code})"
    elif name == "degrees":
        code = f"degrees({x.code})"
    else:
        fc.refuse(f"`{ast.unparse(node.func)}`: WGSL has no such function", node, name)
    if kind is float64 and name in EXACT | {"rint"}:
        fc.exact(x, node)
        state = "exact"
    if kind is float16:
        return fc.halved(code, x.uniform)
    span = span_of(x) if name in EXACT | {"rint"} else None
    if span and span[0] < 0 and name != "fabs":
        span = bounded(0, (span[1] >> -span[0]) + 1)
    return Value(kind, code, "f32", state=state, uniform=x.uniform, span=span)


TO_THE_BIT = {"fabs": "abs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "round"}
TO_THE_BIT |= {"sqrt": "sqrt", "copysign": "copysign", "fmod": "fmod"}


def real64(fc, name, values, node):
    """A function of float64, emulated."""
    if name in ("radians", "degrees"):
        factor = math.pi / 180 if name == "radians" else 180 / math.pi
        return fc.helped("f64_mul", values[0], fc.real(factor, float64))
    short = f"f64_{TO_THE_BIT.get(name, name)}"
    if short not in WIDE_HELPERS or name in ("min", "max"):
        fc.refuse(f"`{ast.unparse(node.func)}` of an emulated float64", node, "float64")
    if name not in TO_THE_BIT:
        fc.approximates(node)
    return fc.helped(short, *values)


def mathematics2(fc, name, values, node):
    a, b = values
    kind = float64 if a.type.whole and b.type.whole else mix(a.type, b.type)
    if name == "pow":
        if b.type is int32:
            kind = mix(float32, a.type)
        if kind is float64 or b.known:
            return fc.operate("Pow", a, b, node)
    kind = float32 if kind is float16 else kind
    a, b = fc.cast(a, kind), fc.cast(b, kind)
    state = "fits"
    if "float64" in (a.rep, b.rep):
        return real64(fc, name, [a, b], node)
    if kind is float64:
        fc.exact(a, node)
        fc.exact(b, node)
        state = "exact" if name == "copysign" else "once"
        if name not in ("copysign", "fmod"):
            fc.approximates(node)
    if name == "pow":
        code = f"{fc.module.helper('power')}({a.code}, {b.code})"
    elif name == "atan2":
        code = f"atan2({a.code}, {b.code})"
    elif name == "fmod":
        code = f"{fc.module.helper('fmod_')}({a.code}, {b.code})"
    elif name == "copysign":
        code = f"{fc.module.helper('copysign')}({a.code}, {b.code})"
    elif name == "hypot":
        code = f"{fc.module.helper('hypotenuse')}({a.code}, {b.code})"
    else:
        fc.refuse(f"`{ast.unparse(node.func)}`: WGSL has no such function", node, name)
    return Value(kind, code, "f32", state=state, uniform=a.uniform and b.uniform)


def fma(fc, node):
    values = numbers(fc, node, 3)
    kind = float32
    for v in values:
        kind = mix(kind, v.type)
    if kind is not float32:
        fc.refuse(f"`{ast.unparse(node)}` of {kind.name}", node, "float64")
    codes = ", ".join(fc.cast(v, kind).code for v in values)
    return Value(kind, f"fma({codes})", "f32", uniform=all(v.uniform for v in values))


def numpy(fc, name, node):
    if name in ("abs", "absolute"):
        return absolute(fc, node)
    if name in ("minimum", "maximum", "fmin", "fmax"):
        a, b = numbers(fc, node, 2)
        return pair(fc, name[:3] if name[0] == "m" else name[1:], a, b, node,
                    "stays" if name[0] == "m" else "")  # fmt: skip
    if name in ("sign", "square"):
        (x,) = numbers(fc, node, 1)
        if name == "square":
            x = fc.hold(x)
            return fc.cast(fc.operate("Mult", x, x, node), x.type)
        if x.rep == "float64":
            return fc.helped("f64_sign", x)
        if x.type.kind == "f":
            state = "exact" if fc.exact(x, node).type is float64 else "fits"
            code = f"{fc.module.helper('sign_')}({x.code})"
            return Value(x.type, code, "f32", state=state, uniform=x.uniform)
    known = ops.NUMPY.get(name, name)
    if known == "pow":
        return power(fc, node)
    if known in ops.MATH or known in ops.MATH2 or known in ("isnan", "isinf", "isfinite", "rint"):
        return mathematics(fc, known, node, known in ("floor", "ceil", "trunc"))
    return fc.refuse(f"`{ast.unparse(node.func)}(...)` in a kernel", node)


def bits(name):
    def write(fc, node):
        (x,) = numbers(fc, node, 1)
        if x.rep in WIDE and x.type.whole and not x.known and name in ("popc", "clz"):
            if name == "clz":
                code = f"{fc.module.helper('zeros64')}({x.code})"
            else:
                x = fc.hold(x)
                code = f"(countOneBits({x.code}.x) + countOneBits({x.code}.y))"
            return Value(x.type, code, "u32", 0, 64, uniform=x.uniform)
        if not x.type.whole or x.type is boolean or x.type.size != 4:
            if not (x.state == "fits" and x.lo >= 0 and name in ("popc", "ffs")):
                fc.refuse(f"`{ast.unparse(node)}` of {x.type.name}", node, "int64")
        if x.known:  # WGSL refuses constants that overflow, such as those of a later shift
            n = x.const & ((1 << 8 * max(x.type.size, 4)) - 1)
            found = {
                "popc": n.bit_count(),
                "clz": 32 - n.bit_length(),
                "ffs": (n & -n).bit_length(),
                "brev": int(f"{n:032b}"[::-1], 2),
            }[name]
            return number(x.type if name in ("popc", "clz") else uint32, found)
        if name == "popc":
            return Value(x.type, f"countOneBits({x.code})", x.rep, 0, 32)
        if name == "clz":
            return Value(x.type, f"countLeadingZeros({x.code})", x.rep, 0, 32)
        if name == "ffs":
            code = f"(firstTrailingBit({fc.to_rep(x, 'u32').code}) + 1u)"
            return Value(uint32, code, "u32", 0, 32)
        return Value(uint32, f"reverseBits({fc.to_rep(x, 'u32').code})", "u32", *U32)

    return write


def selp(fc, node):
    test, a, b = fc.ordered(node.args)
    test = fc.truth(test)
    if a.type is not b.type:
        fc.refuse(f"`{ast.unparse(node)}`", node)
    a, b = fc.fitting(a, node, wide=True), fc.fitting(b, node, wide=True)
    b = fc.to_rep(b, a.rep) if a.rep not in WIDE | {"i32", "u32"} else b
    if a.rep != b.rep:
        rep = next(r for r in (a.type.name, b.rep, a.rep) if r in WIDE | {"i32", "u32"})
        a, b = fc.to_rep(a, rep), fc.to_rep(b, rep)
    lo, hi = (None, None) if a.lo is None else (min(a.lo, b.lo), max(a.hi, b.hi))
    states = ("near", "once", a.state) if a.type is float64 else (a.state,)
    state = next(s for s in states if s in (a.state, b.state))
    return Value(a.type, f"select({b.code}, {a.code}, {test.code})", a.rep, lo, hi, state)


HALF_SIGNS = {"hadd": "+", "hsub": "-", "hmul": "*", "hdiv": "/"}
HALF_TESTS = {"heq": "Eq", "hne": "NotEq", "hge": "GtE", "hgt": "Gt", "hle": "LtE", "hlt": "Lt"}
HALF_CALLS = {"hmax": "fmax", "hmin": "fmin", "hfma": "half_fma"}
# By functions of float32, rounded once more.
HALF_MATH = {"hceil": "ceil", "hfloor": "floor", "htrunc": "trunc", "hrint": "round"}
HALF_MATH |= {"hexp": "exp_", "hexp2": "exp2_", "hlog": "log_", "hlog2": "log2_"}
HALF_OTHERS = "hrcp", "hrsqrt", "hexp10", "hlog10", "hneg", "habs"
HALF_MATH |= {"hsqrt": "square_root", "hsin": "sine", "hcos": "cosine"}


def half(op):

    def write(fc, node):
        values = [fc.cast(v, float16) for v in numbers(fc, node)]
        if op in HALF_TESTS:
            return fc.compare(HALF_TESTS[op], *values, node)
        if op in HALF_SIGNS:
            code = f" {HALF_SIGNS[op]} ".join(v.at(ATOM) for v in values)
        elif op in HALF_CALLS:
            codes = ", ".join(v.code for v in values)
            code = f"{fc.module.helper(HALF_CALLS[op])}({codes})"
            if op == "hfma":
                return Value(float16, code, "f32", uniform=False)
        elif op in HALF_MATH:
            name = HALF_MATH[op]
            code = f"{fc.module.helper(name) if name in HELPERS else name}({values[0].code})"
        elif op == "hrcp":
            code = f"1.0 / {values[0].at(ATOM)}"
        elif op == "hrsqrt":
            code = f"1.0 / {fc.module.helper('square_root')}({values[0].code})"
        elif op == "hexp10":
            code = f"{fc.module.helper('exp2_')}({values[0].at(ATOM)} * 3.321928)"
        elif op == "hlog10":
            code = f"{fc.module.helper('log2_')}({values[0].code}) * 0.30103"
        elif op in ("hneg", "habs"):
            x = values[0]
            if x.known:
                return fc.real(-x.const if op == "hneg" else abs(x.const), float16)
            code, prec = (f"-{x.at(ATOM)}", UNARY) if op == "hneg" else (f"abs({x.code})", ATOM)
            return x.but(code=code, prec=prec)
        else:
            fc.refuse(f"`cuda.fp16.{op}`", node, "fp16")
        return fc.halved(code, False)

    return write


# ---------------------------------------------------------------- device functions


def random(kind, type):
    """The next random number of a state, as cuda.random computes it."""

    def write(fc, node):
        states, index = given(fc, node, ["states", "index"])
        a, i = fc.ordered([states, index])
        if a.view is None or not a.view.states:
            fc.refuse(f"`{ast.unparse(node)}`: random states", node, "random")
        if fc.maybe:
            fc.refuse(f"`{ast.unparse(node)}` in a condition", node, "random")
        at = fc.hold(fc.flat(a.view, [i], node), "at")
        buffer = a.view.buffer
        buffer.read = buffer.written = True
        fc.uses.add(buffer.name)
        state, next_ = fc.temp("state"), fc.temp("state")
        second = fc.position("+", at, number(int64, 1)).code
        fc.emit(f"vec4u({buffer.name}[{at.code}], {buffer.name}[{second}])", state, "vec4u")
        fc.emit(f"{fc.module.helper('xoroshiro')}({state})", next_, "vec4u")
        fc.emit(f"{buffer.name}[{at.code}] = {next_}.xy;")
        fc.emit(f"{buffer.name}[{second}] = {next_}.zw;")
        code = f"{fc.module.helper('add64')}({state}.xy, {state}.zw)"
        value = Value(uint64, code, "uint64", uint64.lo, uint64.hi)
        if kind == "next":
            return fc.copied(value)
        value = fc.operate("RShift", value, number(uint64, 11), node)
        if type is float32:
            value = fc.cast(value, float32)
            return fc.copied(
                value.but(code=f"{value.at(ATOM)} * 1.1102230246251565e-16", prec=TIMES)
            )
        if not MODES["emulated"]:
            fc.refuse(f"`{ast.unparse(node)}` is a float64", node, "float64")
        return fc.copied(fc.operate("Mult", value, fc.real(2.0**-53, float64), node))

    return write


def device(fc, source, node, signatures=()):
    """Call another function of the script."""
    params = source.params
    nodes = given(fc, node, params, source.defaults)
    written = [n for n in nodes if n is not None]
    found = iter(fc.ordered(written))
    values = [
        fc.constant(source.defaults[name], name, node) if n is None else next(found)
        for name, n in zip(params, nodes, strict=True)
    ]
    declared = signatures[0] if len(signatures) == 1 else None
    if declared and len(declared.args) == len(values):
        values = [
            fc.cast(v, want, node) if isinstance(want, Scalar) and isinstance(v.type, Scalar) else v
            for v, want in zip(values, declared.args, strict=True)
        ]
    result = fc.call_device(source, values, node)
    if declared and isinstance(declared.result, Scalar) and isinstance(result.type, Scalar):
        result = fc.cast(result, declared.result, node)
    return result


CALLS = {
    "grid": grid,
    "gridsize": gridsize,
    "shared.array": array("workgroup"),
    "local.array": array("private"),
    "const.array_like": const_array,
    "syncthreads": syncthreads,
    "syncwarp": syncthreads,
    **{f"syncthreads_{k}": counted(k) for k in ("count", "and", "or")},
    "shfl_sync": shuffle("", "src_lane"),
    "shfl_up_sync": shuffle("_up", "delta"),
    "shfl_down_sync": shuffle("_down", "delta"),
    "shfl_xor_sync": shuffle("_xor", "lane_mask"),
    **{k: vote(k) for k in ("all_sync", "any_sync", "eq_sync", "ballot_sync")},
    **{
        f"atomic.{op}": atomic(op)
        for op in (*PLAIN, "cas", "compare_and_swap", "inc", "dec", "nanmax", "nanmin")
    },
    **{n: bits(n) for n in ("popc", "clz", "ffs", "brev")},
    **{f"random.xoroshiro128p_uniform_{t.name}": random("uniform", t) for t in (float32, float64)},
    "random.xoroshiro128p_next": random("next", uint64),
    "activemask": activemask,
    "lanemask_lt": lanemask_lt,
    "selp": selp,
    "fma": fma,
    **{
        f"fp16.{op}": half(op)
        for op in (*HALF_SIGNS, *HALF_TESTS, *HALF_CALLS, *HALF_MATH, *HALF_OTHERS)
    },
}
