"""A compiler in 200 lines: an element-wise NumPy expression becomes one CUDA kernel."""

# --8<-- [start:imports]
import linecache
import math
from typing import NamedTuple

import numpy as np
from numba import cuda, float32, float64, int32, int64, uint32

# --8<-- [end:imports]


# --8<-- [start:ir]
class Op(NamedTuple):
    """One line of the program. Its number in the list is the name of its value."""

    name: str  # "load", "const", "cast", or what NumPy calls the operation
    args: tuple  # numbers of the lines that it uses, all above it
    dtype: np.dtype
    shape: tuple
    value: object = None  # of a load: which argument. Of a constant: the number


def show(ops):
    """Print a program, a line for each operation."""
    for at, op in enumerate(ops):
        says = [f"%{a}" for a in op.args] + ([] if op.value is None else [str(op.value)])
        shape = "x".join(map(str, op.shape)) or "scalar"
        print(f"%{at} = {op.name} {', '.join(says)} : {shape} {op.dtype}")


# --8<-- [end:ir]


# --8<-- [start:operations]
CODE = {"add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}", "divide": "{} / {}"}
CODE |= {"negative": "-{}", "absolute": "abs({})", "where": "{1} if {0} else {2}", "cast": "{}"}
CODE |= {name: f"math.{name}({{}})" for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")}
CODE |= {"less": "{} < {}", "less_equal": "{} <= {}", "equal": "{} == {}"}
CODE |= {"greater": "{} > {}", "greater_equal": "{} >= {}", "not_equal": "not {} == {}"}
CODE |= {"logical_and": "{} and {}", "logical_or": "{} or {}", "logical_not": "not {}"}
# The larger of the two, and NaN if one is NaN, as in NumPy: not x == x asks whether it is.
CODE |= {"maximum": "{0} if {0} > {1} or not {0} == {0} else {1}"}
CODE |= {"minimum": "{0} if {0} < {1} or not {0} == {0} else {1}"}
ARITHMETIC = {"add", "subtract", "multiply", "divide", "negative", "maximum", "minimum"}
COMMUTES = {"add", "multiply", "equal", "not_equal", "logical_and", "logical_or"}
CASTS = {"float32": float32, "float64": float64, "int32": int32, "int64": int64, "bool": bool}
# --8<-- [end:operations]


# --8<-- [start:trace]
class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands for an array while the expression is recorded: it has a type and no elements."""

    def __init__(self, ops, at):
        self.ops, self.at = ops, at

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or options or ufunc.__name__ not in CODE:
            raise TypeError(f"{ufunc.__name__}: no element-wise operation of this compiler")
        *wanted, result = ufunc.resolve_dtypes((*map(self.kind, inputs), None))
        return self.record(ufunc.__name__, inputs, wanted, result)

    def __array_function__(self, function, types, inputs, options):
        if function is not np.where or len(inputs) != 3 or options:
            raise TypeError(f"{function.__name__}: no element-wise operation of this compiler")
        values = [self.ops[x.at].dtype if isinstance(x, Traced) else x for x in inputs[1:]]
        result = np.result_type(*values)
        return self.record("where", inputs, [np.dtype(bool), result, result], result)

    def kind(self, x):
        """Return an operand's type. A Python number is weak: it takes that of the others."""
        if isinstance(x, Traced):
            return self.ops[x.at].dtype
        return np.dtype(bool) if isinstance(x, bool) else getattr(x, "dtype", type(x))

    def record(self, name, inputs, wanted, result):
        """Append an operation, and before it the constants and the casts that it needs."""
        if name.startswith("logical_"):
            wanted = [np.dtype(bool)] * len(inputs)
        args = [self.operand(x, dtype) for x, dtype in zip(inputs, wanted, strict=True)]
        if name in ARITHMETIC and np.dtype(bool) in wanted:
            raise TypeError(f"{name} of truth values: make them numbers with np.where")
        shape = np.broadcast_shapes(*(self.ops[a].shape for a in args))
        self.ops.append(Op(name, tuple(args), result, shape))
        return Traced(self.ops, len(self.ops) - 1)

    def operand(self, x, dtype):
        if isinstance(x, Traced):
            if self.ops[x.at].dtype == dtype:
                return x.at
            self.ops.append(Op("cast", (x.at,), dtype, self.ops[x.at].shape))
        elif isinstance(x, int | float | bool | np.generic):
            self.ops.append(Op("const", (), dtype, (), dtype.type(x)))
        else:
            raise TypeError("an array that is no argument: pass it to the function")
        return len(self.ops) - 1

    def __bool__(self):
        raise TypeError("a whole array has no one truth: write np.where in place of if")


def trace(function, *arguments):
    """Run a function once on stand-ins and return what it did, as a program.

    A NumPy scalar among the arguments is a constant of the program, an array is loaded.
    """
    ops, inputs = [], []
    for k, a in enumerate(arguments):
        if str(a.dtype) not in CASTS:
            raise TypeError(f"argument {k} is {a.dtype}: this compiler has {', '.join(CASTS)}")
        constant = isinstance(a, np.generic)
        name, value = ("const", a) if constant else ("load", f"x{k}")
        ops.append(Op(name, (), np.dtype(a.dtype), tuple(a.shape), value))
        inputs.append(Traced(ops, k))
    result = function(*inputs)
    if not isinstance(result, Traced):
        raise TypeError("the function returns no array that it computed from its arguments")
    return keep(ops, result.at)


# --8<-- [end:trace]


# --8<-- [start:keep]
def keep(ops, result):
    """Drop the lines that the result does not need (dead code). The result becomes the last."""
    needed, waiting = set(), [result]
    while waiting:
        at = waiting.pop()
        if at not in needed:
            needed.add(at)
            waiting += ops[at].args
    moved = {at: n for n, at in enumerate(sorted(needed))}
    return [ops[at]._replace(args=tuple(moved[a] for a in ops[at].args)) for at in moved]


# --8<-- [end:keep]


# --8<-- [start:passes]
def fold(ops):
    """Compute now what has constants alone as its operands."""
    new = []
    for op in ops:
        values = [new[a].value for a in op.args if new[a].name == "const"]
        if op.args and len(values) == len(op.args):
            with np.errstate(all="ignore"):
                done = values[0] if op.name == "cast" else getattr(np, op.name)(*values)
            op = Op("const", (), op.dtype, (), op.dtype.type(done))
        new.append(op)
    return new


def share(ops):
    """Keep one of the lines that compute the same (common subexpressions)."""
    new, known, moved = [], {}, []
    for op in ops:
        op = op._replace(args=tuple(moved[a] for a in op.args))
        args = tuple(sorted(op.args)) if op.name in COMMUTES else op.args
        # By its bytes: 0.0 == -0.0, but 1 / 0.0 != 1 / -0.0. And NaN is not even NaN.
        value = op.value.tobytes() if op.name == "const" else op.value
        key = (op.name, args, op.dtype, value)
        if key not in known:
            known[key] = len(new)
            new.append(op)
        moved.append(known[key])
    return keep(new, moved[-1])


def optimize(ops):
    ops = fold(ops)
    return share(keep(ops, len(ops) - 1))


# --8<-- [end:passes]


# --8<-- [start:generate]
def index(shape, out):
    """Return where an argument of this shape has the value for element i of the result."""
    full = (1,) * (len(out) - len(shape)) + shape
    if full == out:
        return "i"
    terms = []
    for k, (size, length) in enumerate(zip(full, out, strict=True)):
        if size == 1:
            continue  # the same value all along this axis: broadcast
        below, stride = math.prod(out[k + 1 :]), math.prod(full[k + 1 :])
        at = f"i // {below}" if below > 1 else "i"
        at = f"{at} % {length}" if math.prod(out[:k]) > 1 else at
        terms.append(f"{at} * {stride}" if stride > 1 else at)
    return " + ".join(terms) or "0"


def generate(ops):
    """Return the source of a kernel with one thread for each element of the result."""
    names = [op.value for op in ops if op.name == "load"]
    lines = [f"def fused({', '.join([*names, 'out'])}):"]
    lines += ["    i = cuda.grid(1)", "    if i < out.size:"]
    for at, op in enumerate(ops):
        if op.name == "load":
            code = f"{op.value}[{index(op.shape, ops[-1].shape)}]"
        elif op.name == "const":
            code = f"{op.dtype}({op.value.item()!r})"
        else:
            code = CODE[op.name].format(*(f"v{a}" for a in op.args))
            code = f"{op.dtype}({code})"
        lines.append(f"        v{at} = {code}")
    return "\n".join([*lines, f"        out[i] = v{len(ops) - 1}"])


def build(source):
    """Compile the source of a kernel. Error messages can quote its lines."""
    place = f"<fused {hash(source):x}>"
    linecache.cache[place] = len(source), None, source.splitlines(True), place
    names = CASTS | {"cuda": cuda, "math": math, "inf": math.inf, "nan": math.nan}
    names["uint32"] = uint32
    exec(compile(source, place, "exec"), names)
    return cuda.jit(names["fused"])


# --8<-- [end:generate]


# --8<-- [start:host]
class Compiled(NamedTuple):
    kernel: object
    used: list  # which arguments it loads
    shape: tuple
    dtype: np.dtype


def compiled(function, *arguments):
    """Return the kernel of a function for arguments of these types and shapes."""
    ops = optimize(trace(function, *arguments))
    used = [int(op.value[1:]) for op in ops if op.name == "load"]
    return Compiled(build(generate(ops)), used, ops[-1].shape, ops[-1].dtype)


def fuse(function):
    """Make a function of arrays run as one kernel, compiled once for each set of types."""
    ready = {}

    def run(*arguments):
        key = tuple((str(a.dtype), a.shape, constant(a)) for a in arguments)
        if key not in ready:
            ready[key] = compiled(function, *arguments)
        kernel, used, shape, dtype = ready[key]
        out = cuda.device_array(math.prod(shape), dtype)
        on_gpu = [cuda.to_device(np.ravel(arguments[k])) for k in used]
        if out.size:
            kernel[-(-out.size // 256), 256](*on_gpu, out)
        return out.copy_to_host().reshape(shape)

    run.ready = ready
    return run


def constant(a):
    return a.tobytes() if isinstance(a, np.generic) else None


# --8<-- [end:host]
