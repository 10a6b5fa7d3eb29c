"""Long launches in mode "run", compiled by Numba for this CPU where it is installed.

A kernel whose threads never wait for one another is a function of its arguments and of where the
thread is. So once its launches have taken LONG threads and loop turns, what is left of them is
handed to Numba's ``njit``, block after block and thread after thread in the same order. Numba types
it by the rules by which compiler.py does; a kernel that uses what Numba's CPU target has not, or
does otherwise (conversions of floats to integers out of range, records, shared memory), is stepped
to its end. Indices are checked. Where one is out of bounds, memory is put back to what it was, and
the launch goes on in the stepper, which says which thread and which line.
"""

import ast
import builtins
import copy
import math
import re
import time
from types import FunctionType, ModuleType, SimpleNamespace

from .compiler import Intrinsic
from .memory import View
from .types import Array, Record, Scalar

LONG = 1_000_000  # threads and loop turns of a kernel's launches until it is compiled
CHUNK = 0.2  # seconds between two looks at the limits and at what the keyboard asks for
FASTER = 100  # so many turns of compiled loops count as one
PLACES = ("threadIdx", "blockIdx", "blockDim", "gridDim")  # as HIDDEN has them, x, y, z each
HIDDEN, FUEL = "stepper_place", "stepper_fuel"

# What generated code calls (see runtime.py) and compiled code would do otherwise, or not at all.
ELSEWHERE = re.compile(
    r"\b(F2I|PRINT|FAIL|NORMAL|REDUCE|IN|ROUNDTO|SHL|SHR|H2F|IPOW|FDIV|FMOD|CLOAD|RC|CDIV|CPOWER|CM_"
    r"\w+|FIELD|SETFIELD|INNER|NESTED|FIELDS|PARTS|AS|SHAPE|FILL|COPY|SPREAD|COPYREC|NEXT|ROUND|"
    r"R16|BITS16|M_frexp|M_modf|M_ldexp|M_fmod|M_remainder|ATOM_nan\w+|CLZ|FFS|BREV|POPC|FMA|CBRT)\("
)


class NotNative(Exception):
    """The kernel has something that is left to the stepper."""


def native(program):
    """The kernel of a Program, compiled: a Native, or None where it is left to the stepper."""
    if (
        program.generator
        or program.shared
        or program.dynamic
        or program.kernel.options.get("debug")
    ):
        return None
    if ELSEWHERE.search(program.text):
        return None
    try:
        import numba

        if not hasattr(numba, "extending"):  # the stepper's stand-in for it
            return None
        return Native(program, numba)
    except (ImportError, NotNative):
        return None


class Native:
    """A kernel compiled by Numba."""

    def __init__(self, program, numba):
        self.program, self.numba, self.made = program, numba, {}
        for t in program.argtypes:
            if not isinstance(t, Scalar | Array) or (t.name == "float16"):
                raise NotNative
            if isinstance(t, Array) and not is_plain(t.dtype):
                raise NotNative
        self.helpers = helpers(numba)
        kernel = self.function(program.kernel.source, ())
        self.drive = driver(numba, kernel, len(program.argtypes))

    # ------------------------------------------------------------ translating

    def function(self, source, signatures):
        """The function of a Source, under njit, with the thread's place as its first argument."""
        key = source.function
        if key not in self.made:
            self.made[key] = None  # one that calls itself is refused below
            self.made[key] = Translation(self, source, signatures).compiled()
        if self.made[key] is None:
            raise NotNative
        return self.made[key]

    # ------------------------------------------------------------ running

    def run(self, grid, args, first):
        """Run the blocks from ``first`` on; False where the stepper must, from the same block."""
        import numpy as np

        memories = {id(v.memory): v.memory for v in args if isinstance(v, View)}
        before = [(m, bytes(m.bytes)) for m in memories.values()]
        values = [self.value(np, v, t) for v, t in zip(args, self.program.argtypes, strict=True)]
        left = (grid.settings.max_steps - grid.used) * FASTER
        fuel = np.array([left, 0, 0, 0], np.int64)
        shape = [np.int32(n) for n in (*grid.block, *grid.grid)]
        total, chunk = math.prod(grid.grid), 1
        try:
            while first < total:
                began, last = time.monotonic(), min(first + chunk, total)
                self.drive(first, last, *shape, fuel, *values)
                if time.monotonic() - began < CHUNK / 2:
                    chunk *= 2
                first = last
                grid.spend(0)
        except OutOfFuel:
            line, block, thread = (int(n) for n in fuel[1:])
            grid.used = grid.settings.max_steps
            grid.spend(1, line, Place(grid, block, thread))
        except Exception:  # an index out of bounds, or what Numba cannot compile for a CPU
            for memory, content in before:
                memory.bytes[:] = content
            return False
        return True

    @staticmethod
    def value(np, value, kind):
        """A kernel's argument as Numba takes it."""
        if isinstance(kind, Array):
            dtype = numpy_dtype(np, kind.dtype)
            strides = tuple(s * value.step for s in value.strides)
            start = value.start + value.offset * value.step
            made = np.ndarray(value.shape, dtype, value.memory.bytes, start, strides)
            if value.memory.space == "constant":
                made.flags.writeable = False
            return made
        return np.dtype(kind.name).type(value)


class OutOfFuel(Exception):
    """A loop of compiled code has used up the steps that the launch may take."""


class Place:
    """Which thread it was."""

    def __init__(self, grid, block, thread):
        gx, gy, _ = grid.grid
        bx, by, _ = grid.block
        self.index = (thread % bx, thread // bx % by, thread // (bx * by))
        self.block = SimpleNamespace(index=(block % gx, block // gx % gy, block // (gx * gy)))


def is_plain(dtype):
    """Whether Numba's arrays on the CPU have elements of this type as we do."""
    if isinstance(dtype, Record):
        return [f.name for f in dtype.fields] == ["s0", "s1"]  # states of random numbers
    return isinstance(dtype, Scalar) and dtype.kind in "biuf" and dtype.name != "float16"


def numpy_dtype(np, dtype):
    """NumPy's dtype for ours."""
    if isinstance(dtype, Record):
        return np.dtype([(f.name, f.type.name) for f in dtype.fields])
    return np.dtype(dtype.name)


class Translation(ast.NodeTransformer):
    """One function: its tree, with the names of the GPU replaced by what stands for them."""

    def __init__(self, made_by, source, signatures):
        self.made_by, self.source = made_by, source
        self.space = {"__builtins__": builtins, "stepper_over": OutOfFuel}
        self.space |= made_by.helpers
        code = source.function.__code__
        self.own = set(code.co_varnames) | set(code.co_cellvars)
        self.result = None
        self.casts = []
        if len(signatures) > 1:
            raise NotNative
        for name, kind in zip(
            source.params, signatures[0].args if signatures else (), strict=False
        ):
            if isinstance(kind, Scalar):
                self.casts.append(f"{name} = {self.type(kind)}({name})")
        result = getattr(signatures[0], "result", None) if signatures else None
        if isinstance(result, Scalar):
            self.result = self.type(result)

    def compiled(self):
        """The function, compiled when it is first called."""
        node = copy.deepcopy(self.source.node)
        if any(isinstance(n, REFUSED) for n in ast.walk(node) if n is not node):
            raise NotNative
        node.decorator_list, node.returns = [], None
        node.body = [self.visit(s) for s in node.body]
        node.body[:0] = ast.parse("\n".join(self.casts)).body
        args = node.args
        for a in (*args.posonlyargs, *args.args):
            a.annotation = None
        args.defaults = []
        args.posonlyargs = []
        args.args = [ast.arg(HIDDEN), ast.arg(FUEL), *(ast.arg(p) for p in self.source.params)]
        tree = ast.fix_missing_locations(ast.Module([node], []))
        exec(compile(tree, f"<native {self.source.name}>", "exec"), self.space)
        function = self.space[node.name]
        function.__defaults__ = self.source.function.__defaults__
        return self.made_by.numba.njit(boundscheck=True, error_model="numpy")(function)

    def resolve(self, node):
        """The object that a name or a chain of attributes stands for, or NotNative's class."""
        if isinstance(node, ast.Name):
            if node.id in self.own:
                return NotNative
            known, thing = self.source.lookup(node.id)
            return thing if known else NotNative
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            if isinstance(owner, ModuleType | Intrinsic) or hasattr(owner, "__stepper__"):
                return getattr(owner, node.attr, NotNative)
        return NotNative

    def bind(self, thing, name):
        """A name of the function's own for an object."""
        name = f"stepper_{name}"
        while self.space.setdefault(name, thing) is not thing:
            name += "_"
        return ast.Name(name, ast.Load())

    def type(self, scalar):
        """The name of a number type, which converts."""
        found = getattr(self.made_by.numba.types, scalar.name, None)
        if found is None:
            raise NotNative
        return self.bind(found, f"type_{scalar.name}").id

    def visit_Name(self, node):  # noqa: N802 - the visitor's names
        thing = self.resolve(node)
        return node if thing is NotNative else self.known(thing, node, node.id)

    def visit_Attribute(self, node):  # noqa: N802
        thing = self.resolve(node)
        if thing is NotNative:
            return self.generic_visit(node)
        return self.known(thing, node, node.attr)

    def known(self, thing, node, name):
        """What stands for an object that the function takes from outside."""
        if isinstance(thing, Scalar):
            return ast.Name(self.type(thing), ast.Load())
        if isinstance(thing, Intrinsic):
            what, _, axis = thing.path.partition(".")
            if what in PLACES and axis in ("x", "y", "z"):
                at = 3 * PLACES.index(what) + "xyz".index(axis)
                return ast.parse(f"{HIDDEN}[{at}]", mode="eval").body
            raise NotNative
        if getattr(thing, "__stepper_kernel__", False):
            raise NotNative  # a function as a value
        if hasattr(thing, "__cuda_array_interface__"):
            raise NotNative
        if thing is min or thing is max:
            return ast.Name(f"stepper_{name}", ast.Load())
        if any(thing is f for f in ROUNDED):  # under njit they give integers
            return ast.Name(f"stepper_{thing.__name__}", ast.Load())
        return self.bind(thing, name)

    def visit_Call(self, node):  # noqa: N802
        thing = self.resolve(node.func)
        path = thing.path if isinstance(thing, Intrinsic) else None
        if getattr(thing, "__stepper_kernel__", False):
            made = self.made_by.function(thing.source, thing.signatures)
            node.func = self.bind(made, thing.__name__)
            node = self.arguments(node)
            node.args[:0] = [ast.Name(HIDDEN, ast.Load()), ast.Name(FUEL, ast.Load())]
            return node
        if path in ("grid", "gridsize"):
            count = node.args[0]
            if node.keywords or not isinstance(count, ast.Constant) or count.value not in (1, 2, 3):
                raise NotNative
            parts = [WHERE[path].format(p=HIDDEN, k=k) for k in range(count.value)]
            return ast.parse(
                parts[0] if count.value == 1 else f"({', '.join(parts)})", mode="eval"
            ).body
        if path == "local.array":
            call = self.arguments(node)
            call.func = ast.Name("stepper_local", ast.Load())
            return call
        if path and (path.startswith("atomic.") or path.startswith("random.")):
            if f"stepper_{path.replace('.', '_')}" not in self.space or node.keywords:
                raise NotNative
            call = self.arguments(node)
            call.func = ast.Name(f"stepper_{path.replace('.', '_')}", ast.Load())
            return call
        if thing is min or thing is max:
            call = self.arguments(node)
            if len(call.args) < 2 or call.keywords:
                raise NotNative
            made = call.args[0]
            for other in call.args[1:]:
                made = ast.Call(
                    ast.Name(f"stepper_{thing.__name__}", ast.Load()), [made, other], []
                )
            return made
        if isinstance(thing, FunctionType):
            raise NotNative
        return self.generic_visit(node)

    def arguments(self, node):
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node

    def visit_Return(self, node):  # noqa: N802
        node = self.generic_visit(node)
        if self.result and node.value is not None:
            node.value = ast.Call(ast.Name(self.result, ast.Load()), [node.value], [])
        return node

    def loop(self, node):
        line = node.lineno
        node = self.generic_visit(node)
        node.body[:0] = ast.parse(
            f"{FUEL}[0] -= 1\nif {FUEL}[0] < 0:\n    {FUEL}[1] = {line}\n    raise stepper_over()"
        ).body
        return node

    visit_For = visit_While = loop  # noqa: N815


REFUSED = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Raise, ast.Assert, ast.Global)
REFUSED += (ast.Nonlocal, ast.Try, ast.With, ast.Starred)

WHERE = {  # of HIDDEN, {k} = 0, 1, 2 for x, y, z: threadIdx is first, then as in PLACES
    "grid": "(stepper_wide({p}[3 + {k}]) * {p}[6 + {k}] + {p}[{k}])",
    "gridsize": "(stepper_wide({p}[9 + {k}]) * {p}[6 + {k}])",
}

ROUNDED = (math.floor, math.ceil, math.trunc)

_helpers = {}


def helpers(numba):
    """What translated functions call, as ops.py and runtime.py have it."""
    if _helpers:
        return _helpers
    import numpy as np

    njit = numba.njit(boundscheck=True, error_model="numpy")

    def atomic(change):
        """An atomic operation: threads run one after the other."""

        @njit
        def run(array, at, value):
            old = array[at]
            array[at] = change(old, array.dtype.type(value))
            return old

        return run

    changes = {
        "add": lambda old, v: old + v,
        "sub": lambda old, v: old - v,
        "max": lambda old, v: v if v > old else old,
        "min": lambda old, v: v if v < old else old,
        "and_": lambda old, v: old & v,
        "or_": lambda old, v: old | v,
        "xor": lambda old, v: old ^ v,
        "exch": lambda old, v: v,
    }
    found = {f"stepper_atomic_{k}": atomic(njit(f)) for k, f in changes.items()}

    @njit
    def cas(array, at, old, value):
        was = array[at]
        if was == old:
            array[at] = value
        return was

    @njit
    def next_number(states, k):
        s0, s1 = states[k]["s0"], states[k]["s1"]
        result = s0 + s1
        s1 ^= s0
        c = np.uint64
        states[k]["s0"] = (s0 << c(55) | s0 >> c(9)) ^ s1 ^ (s1 << c(14))
        states[k]["s1"] = s1 << c(36) | s1 >> c(28)
        return result

    @njit
    def uniform(states, k):
        return (next_number(states, k) >> np.uint64(11)) * (1.0 / 9007199254740992.0)

    @njit
    def uniform_single(states, k):
        return np.float32(uniform(states, k))

    @njit
    def least(a, b):
        return b if a != a or b < a else a

    @njit
    def most(a, b):
        return b if a != a or b > a else a

    @njit
    def local(shape, dtype):
        made = np.empty(shape, dtype)
        made.view(np.uint8)[:] = 255
        return made

    found |= {
        "stepper_atomic_cas": cas, "stepper_local": local, "stepper_wide": numba.types.int64,
        "stepper_min": least, "stepper_max": most,
        "stepper_random_xoroshiro128p_uniform_float32": uniform_single,
        "stepper_random_xoroshiro128p_uniform_float64": uniform,
    }  # fmt: skip
    found |= {f"stepper_{f.__name__}": getattr(np, f.__name__) for f in ROUNDED}
    _helpers.update(found)
    return _helpers


DRIVE = """
def drive(first, last, bx, by, bz, gx, gy, gz, fuel, {args}):
    for n in range(first, last):
        kx, ky, kz = int32(n % gx), int32(n // gx % gy), int32(n // (np.int64(gx) * gy))
        fuel[2] = n
        for tz in range(bz):
            for ty in range(by):
                for tx in range(bx):
                    fuel[3] = (np.int64(tz) * by + ty) * bx + tx
                    at = (int32(tx), int32(ty), int32(tz), kx, ky, kz, bx, by, bz, gx, gy, gz)
                    kernel(at, fuel, {args})
"""


def driver(numba, kernel, count):
    """The function that runs the threads of blocks ``first`` to ``last``."""
    import numpy as np

    space = {"kernel": kernel, "int32": numba.types.int32, "np": np}
    exec(DRIVE.format(args=", ".join(f"a{k}" for k in range(count))), space)
    return numba.njit(boundscheck=False, error_model="numpy")(space["drive"])
