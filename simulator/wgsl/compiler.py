"""From a Numba kernel and the arguments of a launch to WGSL: statements and control flow.

One walk over the syntax tree types every value by Numba's rules (``simulator.stepper.types``),
bounds every integer, and writes text. Loops are walked until what is known of their variables no
longer changes. A module is compiled for one launch: shapes, strides and integer arguments are
constants, so that most int64 arithmetic is proved to fit the 32 bits that WGSL has.

What threads do together (barriers, shuffles, votes) must stand in control flow that is uniform
across the workgroup. A branch that is not, with such an operation inside, is written as predicated
statements: the operation itself is done by all threads.
"""

import ast
import functools
import io
import itertools
import math
import re
import tokenize
from dataclasses import replace

from ..stepper.compiler import Intrinsic, own_jumps
from ..stepper.faults import Unsupported
from ..stepper.source import Source
from ..stepper.types import STATIC, Scalar, Tuple, float16, float64, int64, mix, uint32
from .calls import Calls
from .expressions import Expressions
from .helpers import HELPERS, NEEDS
from .loops import Loops, jumps
from .names import WORD, Names, spelled
from .order import Order, scalars
from .typing import NOTHING, functions, place_of, typed
from .values import (
    ATOM,
    I32,
    MODES,
    WIDE,
    Buffer,
    Refused,
    Value,
    number,
    rep_of,
    spanned,
)
from .wide import WIDE_HELPERS, WIDE_NEEDS

COLLECTIVE = {"syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", "syncwarp"}
COLLECTIVE |= {f"shfl{k}_sync" for k in ("", "_up", "_down", "_xor")}
COLLECTIVE |= {"all_sync", "any_sync", "eq_sync", "ballot_sync", "activemask"}
FILLED = 16  # elements of a slice that are assigned one by one


class Line:
    """One line of WGSL. ``name``: the variable that it assigns, for its declaration; ``deed``:
    how tightly its text holds together, if that writes and nothing else has the result."""

    __slots__ = ("indent", "text", "line", "name", "rep", "predicate", "deed")

    def __init__(self, indent, text, line, name=None, rep=None, predicate=None):
        self.indent, self.text, self.line = indent, text, line
        self.name, self.rep, self.predicate = name, rep, predicate
        self.deed = None


class Module:
    """What the functions of a kernel share: buffers, constants, helpers, names."""

    def __init__(self, launch, atomics=(), flat=(), subgroups=0, unroll=0, f16=False,
                 single=False):  # fmt: skip
        self.launch, self.subgroups, self.unroll = launch, subgroups, unroll
        self.f16 = f16  # whether the device keeps float16 in two bytes
        self.single = single  # whether float64 is computed in float32
        self.halves = set()  # texts of such elements, made float32
        self.atomics = set(atomics)  # names of buffers that an earlier pass saw used atomically
        self.flat = set(flat)  # names of those that it saw used with other shapes than their own
        self.names = Names()
        self.fresh = self.names.fresh
        self.made = {}  # things of which a module has one: its name
        self.buffers, self.constants = [], {}
        self.helpers, self.atomic_helpers = {}, {}
        self.functions = {}  # key -> Function
        self.acting = set()  # the names of those that do more than return a number
        self.touched = {}  # name of a function -> the buffers that it reads, those that it writes
        self.params = []  # fields of the uniform buffer: (name, number)
        self.hides = {}  # text of a constant -> the field of the uniform buffer that has it
        self.uses = set()  # built-in values, and "infinity"
        self.stack = []
        self.arrays = {}
        self.enables = set()
        self.structs = {}
        self.collectives, self.outside = {}, {}  # what is known of syntax trees, by their id
        self.barrier = False
        self.near = set()  # lines that compute with a float64 rounded to float32
        self.reals = {}  # text of a float64 argument -> its number
        self.kernel = None  # the kernel's source and the types of its arguments

    @functools.cached_property
    def typings(self):
        """The kernel's functions as the stepper types them; it is asked once a launch."""
        return functions(*self.kernel) if self.kernel else []

    def acts_in(self, text):
        """Whether a text calls a function that does more than return a number."""
        return any(f"{name}(" in text for name in self.acting)

    def one(self, name):
        """The name of a thing of the compiler's own that the module has once."""
        if name not in self.made:
            self.made[name] = self.fresh(name)
        return self.made[name]

    def helper(self, name):
        for need in NEEDS.get(name, ()) or WIDE_NEEDS.get(name, ()):
            self.param(need) if need in ("infinity", "nothing") else self.helper(need)
        if name == "f64_turned":
            self.trapped()
        self.helpers[name] = HELPERS.get(name) or WIDE_HELPERS[name]
        return name

    def param(self, name, value=None):
        """A field of the uniform buffer."""
        if name == "infinity":
            value = float("inf")
        if name == "nan":
            value = float("nan")
        if name == "nothing":
            value = 0.0
        if name not in [n for n, _ in self.params]:
            self.params.append((name, value))
        return f"params.{name}"

    def trapped(self):
        """A place where a thread notes that the compiler's assumption did not hold."""
        if "trap" not in self.arrays:
            buffer = Buffer("trap", uint32, "storage", 1, Trap(), written=True)
            self.buffers.append(buffer)
            self.arrays["trap"] = buffer

    def half(self, dtype):
        """Whether elements of this type are kept in two bytes."""
        if self.f16 and dtype is float16:
            self.enables.add("f16")
            return True
        return False

    def hidden(self, value):
        """A float constant that a driver does not know when it compiles."""
        if value.code not in self.hides:
            self.hides[value.code] = self.param(self.fresh("hidden"), value.const)
        return value.but(code=self.hides[value.code], const=None, prec=ATOM)

    def constant(self, name, value, rep="i32"):
        """A named number of the module."""
        self.constants[name] = (rep, value)
        return name


class Trap:
    """The memory of the traps: 0, as the stepper leaves it, so that a 1 is a wrong result."""

    name, written, bytes = "trap", None, bytes(4)


class Function(Expressions, Loops, Calls, Order):
    """One function on its way to WGSL."""

    def __init__(self, module, source, name, entry=False):
        self.module, self.source, self.name, self.entry = module, source, name, entry
        self.node = source.node
        self.lines, self.indent, self.temps, self.deeds = [], 1, 0, 0
        self.results = set()  # variables that have the result of a call that writes
        self.names = {}  # (functions in place, Python name) -> {rep: WGSL name}
        self.taken = set()
        self.env = {}
        self.returned, self.returns = [], None
        self.loops, self.flow, self.predicate = [], [True], None
        self.maybe = 0
        self.inlined = []
        self.within = ()  # the functions in place around a statement
        self.uses = set()
        self.target = None
        self.sums, self.trips = {}, []  # variables that a loop only adds to; turns of loops
        self.prologue = {}  # what a function computes once, at its start: text -> name
        self.given = ()  # the values of its arguments
        self.known_types = None

    # ------------------------------------------------------------ lines and names

    def refuse(self, what, node=None, kind="other"):
        line = getattr(node or self.node, "lineno", None)
        raise Refused(what, line, self.source.filename, kind)

    def emit(self, text, name=None, rep=None):
        line = Line(self.indent, text, getattr(self.node, "lineno", 0), name, rep, self.predicate)
        self.lines.append(line)
        return line

    def control(self, text):
        """A line that is never predicated."""
        line = Line(self.indent, text, getattr(self.node, "lineno", 0))
        self.lines.append(line)
        return line

    def inside(self, name):
        """A name that nothing else has where this function is."""
        return self.module.names.inside(name, self.taken)

    def wname(self, name, rep):
        """The WGSL variable for a Python variable with values of this WGSL type.

        ``name``: with a dot and what is meant, for a part of its value.
        """
        known = self.names.setdefault((self.within, name), {})
        if rep not in known:
            plain = "_".join([*(called for called, _ in self.within), name])
            plain = spelled(plain.strip("_"), "unused").rstrip("_")
            known[rep] = self.inside(f"{plain}_{rep}" if known else plain)
        return known[rep]

    def variables(self):
        return {made for known in self.names.values() for made in known.values()}

    def temp(self, stem="t"):
        self.temps += 1
        return self.inside(f"{stem}{self.temps}")

    def hold(self, value, stem="t"):
        """A value in a variable of its own, unless its text may be repeated."""
        if not isinstance(value.type, Scalar) or value.known:
            return value
        if repeatable(value) and value.code not in self.results:
            return value
        name = self.temp(stem)
        self.emit(value.code, name, value.rep)
        return value.but(code=name, prec=9)

    # ------------------------------------------------------------ variables and where paths meet

    def assign(self, name, value):
        """``name = value``: write it, and remember what is known."""
        if isinstance(value.type, Tuple):
            value = value.but(items=self.read_first([name], value.items))
        self.env[name] = self.assigned(name, value)

    def assigned(self, name, value):
        if isinstance(value.type, Tuple):
            items = tuple(self.assigned(f"{name}.{k}", v) for k, v in enumerate(value.items))
            return value.but(items=items, code="")
        if value.view is not None:
            view = value.view
            if not view.offset.known:
                offset = self.assigned(f"{name}.offset", view.offset)
                view = replace(view, offset=offset)
            return value.but(view=view)
        if not isinstance(value.type, Scalar):
            return value
        place = self.wname(name, value.rep)
        outer = self.predicate
        if outer and value.uniform and name in self.private and pure(value.code):
            if self.opened() is None:
                self.predicate = None  # nobody else sees it: all threads may do it
        elif outer or not self.flow[-1]:
            value = value.but(uniform=False)
        if place != value.code:
            self.emit(value.code, place, value.rep)
        self.predicate = outer
        return value.but(code=place, prec=9)

    private = frozenset()  # variables that only a predicated region uses

    def opened(self):
        """The predicate under which the block around this place was begun, or None."""
        for line in reversed(self.lines):
            if line.indent < self.indent:
                return line.predicate
        return None

    def meet(self, a, b, name):
        """What is known where paths with ``a`` and ``b`` meet."""
        if a == b:
            return a
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
            if len(a.items) == len(b.items):
                items = zip(a.items, b.items, strict=True)
                items = tuple(self.meet(x, y, f"{name}.{k}") for k, (x, y) in enumerate(items))
                return a.but(type=Tuple(tuple(i.type for i in items)), items=items)
        if a.view is not None and b.view is not None:
            v, w = a.view, b.view
            same = (v.buffer, v.strides, v.pair) == (w.buffer, w.strides, w.pair)
            if same and len(v.shape) == len(w.shape):
                shape = tuple(self.meet(x, y, "") for x, y in zip(v.shape, w.shape, strict=True))
                if all(x.known for x in shape) or shape == v.shape:
                    offset = self.meet(v.offset, w.offset, f"{name}.offset")
                    return a.but(view=replace(v, shape=shape, offset=offset))
        if isinstance(a.type, Scalar) and isinstance(b.type, Scalar):
            type = mix(a.type, b.type, unify=True)
            if type.kind == "c" and not (self.module.single or MODES["emulated"]):
                return Value("conflict")
            uniform = a.uniform and b.uniform
            if not type.whole:
                rep, state = rep_of(type)
                if type is float64 and not MODES["emulated"]:
                    for v in (a, b):
                        if v.type.whole and not (-(1 << 24) <= v.lo and v.hi <= 1 << 24):
                            state = "once"
                        elif not v.type.whole and v.state in ("once", "near"):
                            state = "near" if "near" in (v.state, state) else "once"
                span = None if type.kind == "c" else spanned("Join", a, b)
                return Value(type, self.wname(name, rep), rep, None, None, state, None, uniform,
                             span=span)  # fmt: skip
            lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
            rep, state = rep_of(type, lo, hi, a.rep if a.rep == b.rep else "")
            if (
                a.rep == b.rep
                and rep != a.rep
                and a.rep != "bool"
                and state != "fits"
                and (not MODES["pairs"])
            ):
                rep = a.rep
            if state == "fits" and type.size == 8:
                for v in (a, b):
                    if v.state in ("index", "mod"):
                        state = "index" if "index" in (a.state, b.state) else "mod"
            else:
                for s in ("sat", "index"):
                    if s in (a.state, b.state):
                        state = s if {a.state, b.state} <= {s, "fits"} else "index"
            return Value(type, self.wname(name, rep), rep, lo, hi, state, None, uniform)
        if a.type is STATIC and b.type is STATIC and a.const is b.const:
            return a
        return Value("conflict")

    def merge(self, *envs):
        envs = [e for e in envs if e is not None]
        if not envs:
            return None
        merged = dict(envs[0])
        for env in envs[1:]:
            for name, b in env.items():
                a = merged.get(name)
                merged[name] = b if a is None else self.meet(a, b, name)
        return merged

    def unlike(self, before, env):
        """After a branch that differs between threads: what it changed is no longer uniform."""
        for name, v in (env or {}).items():
            if v != before.get(name):
                env[name] = divergent(v)

    def convert(self, old, new):
        """Lines that turn the variables of ``old`` into those of ``new``."""
        mark = len(self.lines)
        for name, v in new.items():
            if name in old:
                self.convert_one(old[name], v)
        made = self.lines[mark:]
        del self.lines[mark:]
        return made

    def convert_one(self, was, now):
        if was == now:
            return
        if isinstance(now.type, Tuple) and isinstance(was.type, Tuple):
            for a, b in zip(was.items, now.items, strict=True):
                self.convert_one(a, b)
        elif now.view is not None and was.view is not None:
            self.convert_one(was.view.offset, now.view.offset)
        elif isinstance(now.type, Scalar) and isinstance(was.type, Scalar):
            code = self.cast(was, now.type).code if was.type.kind != now.type.kind else was.code
            v = was.but(code=code)
            if was.type.kind != now.type.kind:
                v = self.cast(was, now.type)
            text = self.to_rep(v, now.rep).code
            if text != now.code:
                self.emit(text, now.code, now.rep)

    def fill(self, place, old, new):
        """Put conversions from ``old`` to ``new`` before the marker line ``place``."""
        if place is None or old is None or new is None:
            return
        indent, self.indent = self.indent, place.indent
        predicate, self.predicate = self.predicate, place.predicate
        made = self.convert(old, new)
        self.indent, self.predicate = indent, predicate
        at = self.lines.index(place)
        self.lines[at:at] = made

    # ------------------------------------------------------------ statements

    def block(self, statements):
        for k, node in enumerate(statements):
            if self.env is None:
                break
            self.rest = statements[k + 1 :]
            self.statement(node)

    rest = ()

    def statement(self, node):
        self.node = node
        write = getattr(self, "visit_" + type(node).__name__, None)
        if write is None:
            self.refuse(f"`{type(node).__name__.lower()}` in a kernel")
        write(node)

    def visit_Assert(self, node):
        """A thread for which it does not hold ends, as in CUDA."""
        if not self.entry or self.loops or self.inlined or self.indent > 1:
            self.refuse("`assert` in a branch, a loop or a device function", node)
        test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node)
        leave = ast.copy_location(ast.Return(None), node)
        self.statement(ast.copy_location(ast.If(test, [leave], []), node))

    def visit_Pass(self, node):
        pass

    def visit_Global(self, node):
        pass

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        mark = len(self.lines)
        value = self.expr(node.value)
        if isinstance(node.value, ast.Call):
            value = self.folded(mark, value)
        if value.code and isinstance(node.value, ast.Call):
            if isinstance(value.type, Scalar) and not value.code.startswith("atomic"):
                self.emit(f"_ = {value.code};")
            else:
                self.emit(f"{value.code};")

    def visit_Assign(self, node):
        first = node.targets[0]
        self.target = first.id if isinstance(first, ast.Name) else None
        value = self.expr(node.value)
        self.target = None
        if len(node.targets) > 1:
            value = self.hold(value)
        for target in node.targets:
            self.store(target, value)

    def fill_slice(self, view, value, target):
        """``a[:] = 0``: a statement for each element."""
        sizes = [n.const if n.known else FILLED + 1 for n in view.shape]
        if not isinstance(value.type, Scalar) or math.prod(sizes) > FILLED:
            self.refuse(f"assigning to the slice `{ast.unparse(target)}`: write a loop", target)
        value = self.hold(value)
        for place in itertools.product(*map(range, sizes)):
            index = self.flat(view, [number(int64, k) for k in place], target)
            self.put(view, index, value, target)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.store(node.target, self.expr(node.value))

    def visit_AugAssign(self, node):
        target, op = node.target, type(node.op).__name__
        read = ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(
            target, ast.Name) else None  # fmt: skip
        if read is not None:
            old, new = self.ordered([read, node.value])
            result = self.operate(op, old, new, node)
            if target.id in self.sums:
                result = self.added(self.sums[target.id], op, new, result)
            self.assign(target.id, result)
            return
        both = self.collective(target) and self.collective(node.value)
        place = self.place(target, hold=True, copy=both)
        old = self.load(*place, node=target)
        mark = len(self.lines)
        new = self.expr(node.value)
        old = self.before(mark, old, waits=True)
        self.put(*place, self.operate(op, old, new, node), node)

    def added(self, known, op, new, result):
        """``total += x`` in a loop that does nothing else to total: its turns bound the sum."""
        if not (result.type.kind in "iu" and new.type.whole):
            known.bounds = None
            return result
        lo, hi = (new.lo, new.hi) if op == "Add" else (-new.hi, -new.lo)
        turns = 1
        for n in self.trips[known.depth :]:
            turns = None if turns is None or n is None else turns * n
        known.lo = None if turns is None or known.lo is None else known.lo + turns * min(lo, 0)
        known.hi = None if turns is None or known.hi is None else known.hi + turns * max(hi, 0)
        if known.bounds is None or new.state != "fits":
            return result
        lo, hi = max(result.lo, known.bounds[0]), min(result.hi, known.bounds[1])
        if (result.state == "mod" or result.rep in WIDE) and lo <= hi:
            rep, _ = rep_of(result.type, lo, hi, result.rep)
            result = self.to_rep(result, rep).but(state="fits")
        return result.but(lo=lo, hi=hi) if lo <= hi else result

    def store(self, target, value):
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            if not isinstance(value.type, Tuple):
                self.refuse("only a tuple can be unpacked", target)
            if len(value.items) != len(target.elts):
                self.refuse(f"{len(value.items)} values for {len(target.elts)} names", target)
            names = [n.id for t in target.elts for n in ast.walk(t) if isinstance(n, ast.Name)]
            items = value.items
            if any(not isinstance(t, ast.Name) for t in target.elts):
                items = tuple(map(self.copied, items))
            items = self.read_first(names, items)
            for t, v in zip(target.elts, items, strict=True):
                self.store(t, v)
        elif isinstance(target, ast.Subscript):
            mark = len(self.lines)
            array, index = self.subject(target)
            value = self.before(mark, value)  # Python has it before it asks where it goes
            if array.view is not None and any(isinstance(i, ast.Slice) for i in index):
                return self.fill_slice(self.part(array.view, index, target).view, value, target)
            self.put(*self.element(array, index, target), value, target)
        else:
            self.refuse(f"assigning to `{ast.unparse(target)}`", target)

    def read_first(self, names, items):
        """``items``, copied where their texts hang on variables that are about to be written."""
        places = {v.code for n in names if n in self.env for v in scalars(self.env[n])}
        words = {w for i in items for v in scalars(i) for w in WORD.findall(v.code)}
        return tuple(map(self.copied, items)) if places & words else items

    def copied(self, value):
        """A value that no later assignment changes, whatever its text."""
        if isinstance(value.type, Tuple):
            return value.but(items=tuple(map(self.copied, value.items)))
        if value.view is not None:
            return value.but(view=replace(value.view, offset=self.copied(value.view.offset)))
        if not isinstance(value.type, Scalar):
            return value
        if value.known:
            return self.plain(value)
        name = self.temp()
        self.emit(value.code, name, value.rep)
        return value.but(code=name, prec=9)

    def plain(self, value):
        """A known number as a constant in place of whatever names it."""
        plain = number if value.type.whole else self.real
        args = (value.type, value.const) if value.type.whole else (value.const, value.type)
        return self.to_rep(plain(*args), value.rep)

    # ------------------------------------------------------------ types of what is settled

    @property
    def types(self):
        """This function as the stepper types it."""
        if self.known_types is None:
            self.known_types = typed(self.module.typings, self.source, self.given) or NOTHING
        return self.known_types

    def as_typed(self, value, type):
        """``value`` as ``type``, where both are numbers, or tuples of them."""
        if isinstance(value.type, Tuple) and isinstance(type, Tuple):
            if len(value.items) != len(type.items):
                return value
            items = tuple(map(self.as_typed, value.items, type.items))
            return value if items == value.items else value.but(
                type=Tuple(tuple(i.type for i in items)), items=items)  # fmt: skip
        type = getattr(type, "of", type)  # or None
        if isinstance(value.type, Scalar) and isinstance(type, Scalar) and value.type is not type:
            return self.cast(value, type)
        return value

    def settle(self, kind, node):
        """Give the variables that ``node`` may assign to the types they have where paths meet.

        ``kind``: "if", after a branch; "head" and "exit", of a loop.
        """
        if self.env is None:
            return
        names = sorted(n.id for n in ast.walk(node) if isinstance(n, ast.Name)
                       and isinstance(n.ctx, ast.Store) and n.id in self.env)  # fmt: skip
        if not names:
            return
        known = self.types.joins.get((kind, place_of(node)), {})
        for name in dict.fromkeys(names):
            old = self.env[name]
            new = self.as_typed(old, known[name].type) if name in known else old
            if new is old:
                continue
            if quiet(old, new):  # no line is needed for that
                self.env[name] = new
            else:
                self.assign(name, new)

    def settled_value(self, value, node):
        """The value of one arm of ``node``, as the type that holds those of both."""
        return self.as_typed(value, self.types.joins.get(("value", place_of(node))))

    # ------------------------------------------------------------ branches

    def collective(self, nodes, seen=()):
        """Whether there is something in these statements that threads do together."""
        known = self.module.collectives
        for node in nodes if isinstance(nodes, list | tuple) else [nodes]:
            if id(node) not in known:
                known[id(node)] = node, self.is_collective(node, seen)
            if known[id(node)][1]:
                return True
        return False

    def is_collective(self, node, seen):
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            if isinstance(call.func, ast.Attribute) and call.func.attr in COLLECTIVE:
                return True
            if isinstance(call.func, ast.Name):
                found, obj = self.source.lookup(call.func.id)
                called = device_source(obj) if found else None
                if called is not None and called.name not in seen:
                    inner = Function(self.module, called, called.name)
                    if inner.collective(called.node.body, (*seen, called.name)):
                        return True
                elif found and isinstance(obj, Intrinsic) and obj.path in COLLECTIVE:
                    return True
        return False

    def visit_If(self, node):
        test = self.condition(node.test)
        if test.known:
            self.block([*(node.body if test.const else node.orelse)])
            return self.settle("if", node)
        inside = self.collective(node.body) or self.collective(node.orelse)
        uniform = test.uniform and self.flow[-1] and self.predicate is None
        leaves = jumps(node.body, ast.Return) or jumps(node.orelse, ast.Return)
        later = bool(leaves) and self.waits_after(node)
        if (inside or later) and not uniform:
            return self.predicated(node, test)
        before = self.env
        self.emit(f"if ({test.code}) {{")
        then_env = self.refined(before, node.test, True)
        self.flow.append(self.flow[-1] and test.uniform)
        then, end_then = self.nested(node.body, then_env)
        self.node = node
        else_env = self.refined(before, node.test, False)
        end_else = None
        if node.orelse:
            self.emit("} else {")
            otherwise, end_else = self.nested(node.orelse, else_env)
        else:
            otherwise = else_env
            if then is not None:
                merged = self.merge(then, otherwise)
                if self.convert(otherwise, merged):
                    self.emit("} else {")
                    self.indent += 1
                    end_else = self.emit("")
                    self.indent -= 1
        self.emit("}")
        whole = self.flow.pop()
        if not test.uniform:
            self.unlike(then_env, then)
            self.unlike(else_env, otherwise)
        if own_leave(node) and not whole:
            self.flow[-1] = False
        self.env = self.merge(then, otherwise)
        self.fill(end_then, then, self.env)
        self.fill(end_else, otherwise, self.env)

    def nested(self, statements, env):
        """Write an indented block; (what is known at its end, a marker line there)."""
        self.env, rest = dict(env), self.rest
        self.indent += 1
        self.block(statements)
        end = self.emit("")
        self.indent -= 1
        self.rest = rest
        env, self.env = self.env, None
        return env, end

    def predicated(self, node, test):
        """A branch with operations of the whole workgroup inside: statements under a predicate."""
        if self.loops and (own_jumps(node.body) or own_jumps(node.orelse)):
            self.refuse(
                f"`if {ast.unparse(node.test)}` differs between threads, and leaves a loop that "
                "waits at a barrier: WGSL wants them where all threads of the workgroup come by",
                node, "barrier",
            )  # fmt: skip
        outer, rest, private = self.predicate, self.rest, self.private
        body_leaves, else_leaves = ends(node.body), ends(node.orelse)
        for part, last in ((node.body, body_leaves), (node.orelse, else_leaves)):
            if jumps(part[:-1] if last else part, ast.Return):
                self.refuse("a return inside a branch, before a barrier of the whole block", node,
                            "barrier")  # fmt: skip
        if (body_leaves or else_leaves) and (
            self.loops or self.inlined or self.indent > 1 or outer is not None
        ):
            self.refuse(
                f"`if {ast.unparse(node.test)}: return` inside another branch or a loop, before a "
                "barrier of the whole block", node, "barrier",
            )  # fmt: skip
        name = self.temp("active")
        code = test.code if outer is None else f"{outer} && {test.at(9)}"
        self.predicate = None
        self.emit(code, name, "bool")
        inverse = None
        before = self.env
        inside = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        everywhere = [n.id for n in ast.walk(self.source.node) if isinstance(n, ast.Name)]
        here = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        self.private = private | {n for n in inside if everywhere.count(n) == here.count(n)}
        if node.orelse or body_leaves:
            inverse = self.temp("active")
            code = f"!{test.at(9)}" if outer is None else f"{outer} && !{test.at(9)}"
            self.emit(code, inverse, "bool")
        ends_at = []
        for part, which, truth in ((node.body, name, True), (node.orelse, inverse, False)):
            if not part and truth is False:
                env = self.refined(before, node.test, False)
                ends_at.append((env, None))
                continue
            self.predicate = which
            start = self.refined(before, node.test, truth)
            self.env = dict(start)
            self.block([s for s in part if not isinstance(s, ast.Return)])
            if part and isinstance(part[-1], ast.Return):
                self.env = None
            self.unlike(start, self.env)
            ends_at.append((self.env, self.emit("") if self.env is not None else None))
        self.private, self.rest = private, rest
        self.env = self.merge(*(e for e, _ in ends_at))
        for env, place in ends_at:
            if env is not None and self.env is not None:
                if place is None and self.convert(env, self.env):
                    self.predicate = inverse or self.negated(name, outer)
                    place = self.emit("")
                self.fill(place, env, self.env)
        self.predicate = outer
        if body_leaves or else_leaves:  # for the rest of the kernel
            self.predicate = inverse if body_leaves else name
            if body_leaves and else_leaves:
                self.env = None

    def negated(self, name, outer):
        made = self.temp("active")
        self.predicate = None
        self.emit(f"!{name}" if outer is None else f"{outer} && !{name}", made, "bool")
        return made

    # ------------------------------------------------------------ conditions

    def refined(self, env, node, truth):
        """``env`` where the condition ``node`` is ``truth``: intervals of its variables shrink."""
        env = dict(env)
        self.refine(env, node, truth)
        return env

    def refine(self, env, node, truth):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.refine(env, node.operand, not truth)
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.And) == truth:
                for part in node.values:
                    self.refine(env, part, truth)
            return None
        if not isinstance(node, ast.Compare) or len(node.ops) > 1 and not truth:
            return None
        sides = [node.left, *node.comparators]
        for a, op, b in zip(sides, node.ops, sides[1:], strict=False):
            kind = type(op).__name__
            if not truth:
                kind = {"Lt": "GtE", "LtE": "Gt", "Gt": "LtE", "GtE": "Lt", "Eq": "NotEq",
                        "NotEq": "Eq"}.get(kind)  # fmt: skip
            for x, y, k in ((a, b, kind), (b, a, MIRROR.get(kind))):
                if k not in MIRROR:
                    continue
                more = None
                if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Add):  # i + 3 * step < n
                    x, more = x.left, self.dry(x.right, env)
                    if more is None or not isinstance(more.type, Scalar) or not more.type.whole:
                        continue
                    if more.state != "fits":
                        continue
                if isinstance(x, ast.Name) and x.id in env:
                    self.narrow(env, x.id, k, y, more)
        return None

    def narrow(self, env, name, kind, node, more=None):
        """``name kind node``, or ``name + more kind node``."""
        var = env[name]
        if not isinstance(var.type, Scalar) or var.type.kind not in "iu" or var.known:
            return
        bound = self.dry(node, env)
        if bound is None or not isinstance(bound.type, Scalar) or not bound.type.whole:
            return
        if bound.state == "index" or var.state == "index":
            return
        if more is not None:
            if var.state != "fits":
                return  # the sum may wrap
            bound = bound.but(lo=bound.lo - more.hi, hi=bound.hi - more.lo)
        lo, hi = var.lo, var.hi
        if kind in ("Lt", "LtE", "Eq"):
            hi = min(hi, bound.hi - (kind == "Lt"))
        if kind in ("Gt", "GtE", "Eq"):
            lo = max(lo, bound.lo + (kind == "Gt"))
        if lo > hi:
            return  # no thread comes here
        state = var.state
        if state == "sat" and I32[0] < lo and hi < I32[1]:
            state = "fits"
        env[name] = var.but(lo=lo, hi=hi, state=state)

    def dry(self, node, env):
        """The value of an expression, written nowhere."""
        kept = self.env, len(self.lines), self.temps, self.deeds, self.node
        self.env = dict(env)
        try:
            return self.expr(node)
        except (Refused, Unsupported):
            return None
        finally:
            self.env, mark, self.temps, self.deeds, self.node = kept
            del self.lines[mark:]


MIRROR = {"Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE", "Eq": "Eq"}


def quiet(old, new):
    """Whether ``new``, which is ``old`` as another type, has the same text, or is a constant."""
    if isinstance(new.type, Tuple):
        return all(map(quiet, old.items, new.items))
    return new.known or (new.code, new.rep) == (old.code, old.rep)


def repeatable(value):
    """Whether the text of a value is a name or a number, which may be written twice."""
    return value.prec == ATOM and re.fullmatch(r"[\w.]+", value.code)


def pure(code):
    """Whether a text reads no memory and calls nothing."""
    return not re.search(r"[\[&]|\w\(", code.replace("i32(", "(").replace("u32(", "("))


def divergent(v):
    """A value that differs between the threads of a workgroup."""
    if isinstance(v.type, Tuple):
        return v.but(items=tuple(divergent(i) for i in v.items))
    return v.but(uniform=False) if isinstance(v.type, Scalar) else v


def ends(body):
    """Whether a block ends with a return."""
    return bool(body) and isinstance(body[-1], ast.Return)


def own_leave(node):
    """Whether a branch leaves the function, or the loop around it."""
    return jumps([node], ast.Return) or own_jumps(node.body) or own_jumps(node.orelse)


def device_source(obj):
    """The Source of a device function, or None."""
    if getattr(obj, "__stepper_kernel__", False):
        return obj.source
    if hasattr(obj, "py_func") and "cuda" in type(obj).__module__:
        return Source(obj.py_func)
    return None


@functools.cache
def comments_of(text):
    """{line: (comment, whether it has the line for itself)}."""
    found = {}
    try:
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.type == tokenize.COMMENT and not re.match(
                r"#\s*(--8<--|noqa|fmt:|type:)", t.string
            ):
                own = not t.line[: t.start[1]].strip()
                # Python ends a line at \n alone, WGSL at five characters more.
                said = re.sub("[\v\f\r\x85\u2028\u2029]", " ", t.string)
                found[t.start[0]] = (said.lstrip("# ").rstrip(), own)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return found
