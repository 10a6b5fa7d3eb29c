"""From a kernel's source to Python code that runs one thread of it.

One walk over the syntax tree does three things at once: it types every expression by Numba's rules
(``types``), it bounds every integer so that wrapping to 64 bits is written only where it can
happen, and it writes Python text. A function that can wait (at a barrier, in a warp operation)
becomes a generator that yields what it waits for; one that cannot stays a plain function.

Two kinds of code come out:

* plain: as lean as Python allows; an array element is one memoryview access behind a bounds test.
* instrumented: every function is a generator that yields the number of each statement before it
  runs it, and every access to memory is logged. The scheduler steps the lanes of a warp together,
  and checks, counts and recordings read the log.

Loops are walked until the types and intervals of the variables no longer change; a variable that
is an integer on one path and a float on another becomes a float where the paths meet.

Names in the generated code: ``v_x`` is the kernel's variable x; if it is an array, ``b_x`` are its
elements, ``o_x`` the offset of the first, ``n0_x`` ... its sizes and ``s0_x`` ... its strides.
``T`` is the thread. Everything else comes from the namespace that ``runtime`` fills.
"""

import ast
import copy
import enum
import itertools
import math
import operator
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from . import ops
from .faults import TypeRefused, Unsupported
from .types import (
    NONE,
    SCALARS,
    STATIC,
    Array,
    Conflict,
    Known,
    Nested,
    Optional,
    Record,
    RecordRef,
    Scalar,
    Tuple,
    Vector,
    as_dtype,
    binary,
    boolean,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int32,
    int64,
    mix,
    uint64,
    unary,
    unit_of,
)

UNKNOWN = type("Unknown", (), {"__repr__": lambda s: "?"})()  # no constant
SAFE = 1 << 53  # integers up to here are exact in float64


class Value:
    """The value of an expression: its type, the text that computes it, and what is known of it."""

    __slots__ = ("type", "code", "lo", "hi", "const", "items", "raw", "atom", "name", "root")

    def __init__(self, type, code, lo=None, hi=None, const=UNKNOWN, items=None, raw=None, **kw):
        self.type, self.code, self.const, self.items, self.raw = type, code, const, items, raw
        if isinstance(type, Scalar) and type.whole:
            lo = type.lo if lo is None else lo
            hi = type.hi if hi is None else hi
        self.lo, self.hi = lo, hi  # of an integer: no smaller, no larger than
        self.atom = kw.get("atom", False)  # text that may be written twice at no cost
        self.name = kw.get("name")  # of an array: the variable whose pieces are at hand
        self.root = kw.get("root")  # tallied code: where an array within an array lies


class Var(NamedTuple):
    """What is known of a variable at one place of the program."""

    type: object
    lo: int | None = None
    hi: int | None = None
    const: object = UNKNOWN


@dataclass(slots=True)
class Site:
    """One place in the source that touches memory or synchronizes."""

    number: int
    kind: str  # load, store, atomic, or the name of an operation that waits
    line: int
    array: str = ""  # the array's expression in the source
    step: int = 0  # the statement it belongs to (instrumented code)
    size: int = 0  # bytes of one access
    offset: int = 0  # bytes from the element's start, for a field of a record
    function: str = ""
    # A store of what was made of the element's own value: the lines in which that was read
    update: frozenset = frozenset()
    sources: frozenset = frozenset()  # of a store: see source.stores_of
    root: tuple = ()  # tallied code: where its array lies
    run: int = 0  # and the run of statements that it is in, or -1 if it may be passed over
    remedy: str = ""  # the atomic operation that does what a store of an update does
    tests: frozenset = frozenset()  # of a store where the element is less or more: the lines
    node: object = None  # of the syntax tree
    constant: object = None  # of a store: the number that it always stores


@dataclass(slots=True)
class Step:
    """One statement in instrumented code. Inlined calls give a statement one Step for each call."""

    number: int
    line: int
    function: str
    depth: int
    branch: bool = False
    loop: int = 0  # line of the innermost loop around it, or 0
    returns: bool = False  # a return of the kernel itself
    run: int = 0  # tallied code: the run of statements that it is in
    ops: Counter = field(default_factory=Counter)  # instructions by kind, for one lane


class Intrinsic:
    """A name of the ``cuda`` module: ``syncthreads``, ``atomic.add``, ``threadIdx.x``."""

    def __init__(self, path):
        self.path = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Intrinsic(f"{self.path}.{name}")

    def __call__(self, *args, **kwargs):
        raise TypeError(f"cuda.{self.path} can only be used inside a kernel")

    def __eq__(self, other):
        return isinstance(other, Intrinsic) and self.path == other.path

    def __hash__(self):
        return hash(self.path)

    def __repr__(self):
        return f"<cuda.{self.path}>"


class NumpyName:
    """A function of NumPy, by name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"`np.{self.name}`"


class Program:
    """A kernel for one set of argument types, compiled."""

    def __init__(self, kernel, argtypes, instrumented, tally=None, watched=None, bits=20):
        self.kernel, self.argtypes, self.instrumented = kernel, argtypes, instrumented
        # Tallied code (see tally.py) is plain code that notes where it goes and what it touches;
        # ``tally`` holds the parameters whose memory is not all written.
        self.tally = tally
        # Instrumented code that logs these accesses alone, by (kind, line, array), beside atomic
        # operations; a tally has shown that nothing is wrong with the others.
        self.watched = watched
        self.tallied = tally is not None  # False where something is used that a tally cannot hold
        self.bits = bits  # of a key, for the turns of each loop: 60 // bits nested loops
        self.misses = 0  # launches that tallied code could not settle
        # What Numba makes of it for long launches (see native.py): True until it is asked for, None
        # where it cannot; and the threads and loop turns of all launches so far.
        self.native, self.spent = True, 0
        self.runs, self.branches = 0, []  # runs of statements; branches as tally.py reads them
        self.sites, self.steps = [], []
        # Instrumented code: step -> those after it, in which a lane touches nothing that others see
        self.chains = {}
        self.shared = {}  # place in the source -> (number, name, shape, dtype)
        self.dynamic = set()  # names of the variables that hold dynamic shared memory
        self.constants = []  # objects that the text refers to as C0, C1, ...
        self.functions = {}  # device functions of plain code
        self.numbers = itertools.count()  # of their names: one may be compiled within another
        self.clones = []  # device functions of instrumented code, one for each call
        self.stack = []  # functions being compiled, to refuse recursion
        self.grid_sync = self.spins = False
        self.open = set()  # lines of the loops that may never end: `while`, and what is in one
        entry = Function(self, kernel.source, argtypes, "kernel", 0)
        try:
            entry.compile()
        except TooDeep:
            self.__init__(kernel, argtypes, instrumented, tally, bits=60 // (60 // bits + 1))
            return
        self.generator = entry.yields
        parts = [f.text() for f in [*self.functions.values(), *self.clones] if f.done]
        parts.append(entry.text())
        self.text = "\n".join(text for text, _ in parts)
        # Line of the generated text -> (file, line) of the source, for errors in between
        self.lines = {}
        at = 1
        for text, lines in parts:
            for k, line in enumerate(lines):
                self.lines[at + k] = line
            at += text.count("\n") + 1
        self.filename = f"<stepper {kernel.source.name}>"
        if self.grid_sync or self.spins or UNTALLIED.search(self.text):
            self.tallied = False
        self.code = compile(self.text, self.filename, "exec")

    @property
    def static_bytes(self):
        """Bytes of shared memory that the kernel declares itself."""
        total = 0
        for _, _, shape, dtype in self.shared.values():
            total = -(-total // 8) * 8 + math.prod(shape) * dtype.size
        return total

    def site(self, kind, line, array="", size=0, offset=0, function=""):
        """Number a new place in the source."""
        step = len(self.steps) - 1
        self.sites.append(Site(len(self.sites), kind, line, array, step, size, offset, function))
        return self.sites[-1].number

    def constant(self, obj):
        """The name under which the text finds ``obj``."""
        self.constants.append(obj)
        return f"C{len(self.constants) - 1}"


class Function:
    """One function on its way to Python text."""

    def __init__(self, program, source, argtypes, name, depth, outer=0):
        self.program, self.source, self.name, self.depth = program, source, name, depth
        self.argtypes = argtypes
        self.instrumented = program.instrumented
        self.returns_type = None
        self.yields = self.instrumented
        self.done = False
        self.uses = set()
        self.effects = 0  # how many operations with an effect were written so far
        self.node = source.node  # the node being walked, for messages
        self.target = None  # the name that the value being computed will get
        self.step = None
        self.chain = self.head = None  # instrumented code: see `joined`
        self.begun = 0  # the line that begins the statement
        self.outer = outer  # line of the loop from which the function is called
        self.tally = program.tally is not None
        self.roots = {}  # array's name -> where it lies: ("param", 2), ("shared", 0), ...
        self.given_roots, self.depth_below = (), 0

    # ------------------------------------------------------------ the function as a whole

    def compile(self):
        """Walk the body, twice if its returns turn out to have different types."""
        program, params = self.program, self.source.params
        program.stack.append(self.source.function)
        if len(self.argtypes) != len(params):
            raise TypeRefused(
                f"`{self.source.name}` takes {len(params)} arguments, not {len(self.argtypes)}",
                self.source.node.lineno,
                self.source.filename,
            )
        clones = len(program.clones)
        for _ in range(4):
            self.lines, self.indent, self.temps = [], 1, 0
            self.returned, self.loops = [], []
            self.env = {}
            self.depth_of_loops, self.run, self.maybe = 0, None, 0
            self.chain = None
            # Tallied code: the statement has waited already; how often one did so far
            self.waited, self.waits = False, 0
            del program.clones[clones:]
            for name, type in zip(params, self.argtypes, strict=True):
                if isinstance(type, Known):
                    known = self.constant(type.const, name, self.source.node)
                    kind = known.type if isinstance(known.type, Scalar) else STATIC
                    self.env[name] = Var(kind, known.lo, known.hi, type.const)
                    continue
                lo, hi = (type.lo, type.hi) if isinstance(type, Scalar) else (None, None)
                self.env[name] = Var(type, lo, hi)
                if isinstance(type, Array):
                    if self.tally:
                        k = params.index(name)
                        given = self.given_roots[k] if self.given_roots else ("param", name)
                        self.roots[name] = given
                    self.unpack(name, type)
            if self.tally:
                self.emit("q0 = 0" if self.name == "kernel" else "q0 = Q")
                self.enter()
            self.block(self.source.node.body)
            types = self.returned + ([NONE] if self.env is not None else [])
            result = types[0] if types else NONE
            for t in types[1:]:
                result = self.unify(result, t)
            if isinstance(result, Conflict):
                self.type_error("returns values of types that do not mix", self.source.node)
            if result == self.returns_type or all(t == result for t in types):
                break
            self.returns_type = result
        self.returns_type = result
        self.done = True
        program.stack.pop()

    def text(self):
        """The finished Python text and, for each of its lines, the line of the source."""
        first = ["T", "Q"] if self.tally and self.name != "kernel" else ["T"]
        head = f"def {self.name}({', '.join([*first, *('v_' + p for p in self.source.params)])}):"
        body = [(1, f"{name} = {init}", 0) for name, init in sorted(self.uses)]
        body += [line for line in self.lines if line[1]]
        if self.yields and self.name == "kernel" and not self.instrumented and not self.tally:
            # Who returned before a barrier is told from who went around it (see runtime.py).
            body = [(n, f"return {k}" if text == "return" else text, k) for n, text, k in body]
        if self.yields and not any("yield" in text for _, text, _ in body):
            body.append((1, "return; yield", 0))
        body = body or [(1, "pass", 0)]
        lines = [self.source.node.lineno] + [line for _, _, line in body]
        return head + "\n" + "\n".join("  " * n + text for n, text, _ in body), lines

    def emit(self, text, node=None):
        """Write one line; returns it, so that more can be put into it later."""
        line = [self.indent, text, getattr(node or self.node, "lineno", 0)]
        self.lines.append(line)
        return line

    def use(self, name, init):
        """Have ``name`` set at the function's start."""
        self.uses.add((name, init))
        return name

    def temp(self):
        """A new name."""
        self.temps += 1
        return f"t{self.temps}"

    def refuse(self, what, node=None):
        raise Unsupported(what, getattr(node or self.node, "lineno", None), self.source.filename)

    def type_error(self, what, node=None):
        line = getattr(node or self.node, "lineno", None)
        raise refused_as_numba()(what, line, self.source.filename)

    def zero(self, otherwise):
        """What a division by zero gives: with debug=True it is an exception, as in Numba."""
        if not self.program.kernel.options.get("debug"):
            return otherwise
        kind = self.program.constant(ZeroDivisionError)
        return f"FAIL(T, {self.node.lineno}, {kind}, 'division by zero')"

    def count(self, kind, n=1):
        """Note that the statement being written has an instruction of this kind."""
        if self.step is not None:
            self.step.ops[kind] += n

    def site(self, kind, node, array="", size=0, offset=0):
        number = self.program.site(kind, node.lineno, array, size, offset, self.source.name)
        self.program.sites[number].node = node
        if self.step is not None:
            self.program.sites[number].step = self.step.number
        return number

    # ------------------------------------------------------------ variables and where paths meet

    def unify(self, a, b):
        """The type that a variable has where paths with ``a`` and ``b`` meet."""
        if a == b:
            return a
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return mix(a, b, unify=True)
        if NONE in (a, b) or Optional in (type(a), type(b)):
            inner = [getattr(t, "of", t) for t in (a, b) if t is not NONE]
            if all(isinstance(t, Scalar) for t in inner):
                return Optional(self.unify(inner[0], inner[-1]))
        if isinstance(a, Array) and isinstance(b, Array):
            if a.dtype == b.dtype and a.ndim == b.ndim:
                return Array(a.dtype, a.ndim, "A")
        if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
            items = tuple(self.unify(x, y) for x, y in zip(a.items, b.items, strict=True))
            kinds = [(x, y) for x, y in zip(a.items, items, strict=True)]
            kinds += [(x, y) for x, y in zip(b.items, items, strict=True)]
            if not any(isinstance(t, Conflict) for t in items) and not any(
                isinstance(x, Scalar) and x.kind != y.kind and not (x.whole and y.whole)
                for x, y in kinds
            ):
                return Tuple(items, a.names, a.maker)
        return Conflict(a, b)

    def merge(self, *envs):
        """What is known where several paths meet; None is a path that does not arrive."""
        envs = [e for e in envs if e is not None]
        if not envs:
            return None
        merged = dict(envs[0])
        for env in envs[1:]:
            for name, b in env.items():
                a = merged.get(name)
                if a is None or a == b:
                    merged[name] = b
                    continue
                type = self.unify(a.type, b.type)
                if type is STATIC and a.const is not b.const and a.const != b.const:
                    type = Conflict(a.type, b.type)
                lo = hi = None
                if isinstance(type, Scalar) and type.whole:
                    lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
                const = a.const if type is STATIC else UNKNOWN
                merged[name] = Var(type, lo, hi, const)
        return merged

    def conversions(self, old, new):
        """Text that turns the variables of ``old`` into the types of ``new``."""
        parts = []
        for name, var in new.items():
            was = old.get(name)
            if was is None or was.type == var.type:
                continue
            kind, maybe = getattr(was.type, "of", was.type), isinstance(was.type, Optional)
            to = getattr(var.type, "of", var.type)
            if isinstance(to, Scalar) and isinstance(kind, Scalar):
                v = Value(kind, f"v_{name}", was.lo, was.hi, atom=True)
                code = self.cast(v, to).code
                if code != v.code:
                    code += f" if v_{name} is not None else None" if maybe else ""
                    parts.append(f"v_{name} = {code}")
        return "; ".join(parts)

    def widen(self, old, new):
        """``new``, with every interval that grew opened to all of its type."""
        return {
            name: Var(var.type, var.type.lo, var.type.hi)
            if name in old
            and isinstance(var.type, Scalar)
            and var.type.whole
            and (var.lo, var.hi) != (old[name].lo, old[name].hi)
            else var
            for name, var in new.items()
        }

    def unpack(self, name, type):
        """Write the line that takes an array variable apart."""
        d = range(type.ndim)
        names = [f"b_{name}", f"o_{name}", *(f"n{k}_{name}" for k in d)]
        names += [f"s{k}_{name}" for k in d]
        self.emit(f"{', '.join(names)} = v_{name}.pieces")
        if self.tally and self.marked(name):
            self.emit(f"w_{name} = v_{name}.marks")
        if self.tally and len(self.roots.get(name) or ()) > 2:
            self.emit(f"z_{name} = v_{name}.start // v_{name}.step")

    # ------------------------------------------------------------ tallied code

    def enter(self):
        """A run of statements begins that all execute together: note that the thread is here."""
        self.run = self.program.runs
        self.program.runs += 1
        self.emit(f"B{self.run}(q{self.depth_of_loops})")
        self.waited = False

    def root(self, value):
        """Where an array lies, if it is the same place for all threads of a block.

        A third part, True: its elements begin further on than those of the whole array.
        """
        if value.root:
            return value.root
        if value.name:
            return self.roots.get(value.name)
        if value.code.startswith("T.block.shared["):
            return "shared", int(value.code[15:-1])
        if value.code.startswith("LOCAL("):
            return "local", value.code
        if re.fullmatch(r"C\d+", value.code):
            return "constant", value.code
        return None

    def marked(self, name):
        """Whether it must be watched which elements of an array are written."""
        root = self.roots.get(name)
        if root is None:
            return False
        return (
            root[0] in ("shared", "local") or root[0] == "param" and root[1] in self.program.tally
        )

    def noted(self, site, array, flat, store=False):
        """Text that notes the element number ``flat`` for a site and leaves it in ``_f``."""
        program = self.program
        root = self.roots.get(array)
        if root is None:
            program.tallied = False
            root = ("none", "")
        site = program.sites[site]
        site.root, site.run = root, self.run
        note = f"F{site.number}(_f := {flat})"
        if len(root) > 2:
            note = f"F{site.number}(z_{array} + (_f := {flat}))"
        if self.maybe or self.waited:
            site.run = -1
            note = f"K{site.number}(q{self.depth_of_loops}) or {note}"
        if root[0] == "constant" and store:
            program.tallied = False
        return note

    def assign(self, name, value):
        """``name = value``: write it, and remember what is known of the variable."""
        type = value.type
        if type is STATIC:
            self.env[name] = Var(STATIC, const=value.const)
            return
        self.emit(f"v_{name} = {value.code}")
        self.know(name, value)

    def know(self, name, value):
        """The variable ``name`` now holds ``value``, whose line is written already."""
        if isinstance(value.type, Array):
            if self.tally:
                root = self.root(value)
                if root is None or self.roots.get(name, root) != root:
                    self.program.tallied = False
                self.roots[name] = root
            self.unpack(name, value.type)
        const = value.const if isinstance(value.type, Scalar) else UNKNOWN
        self.env[name] = Var(value.type, value.lo, value.hi, const)

    # ------------------------------------------------------------ statements

    def block(self, statements):
        """Write a run of statements; what follows a return or break is dead and left out."""
        for node in statements:
            if self.env is None:
                break
            self.statement(node)

    def statement(self, node):
        """Write a statement.

        One of a loop may use what only a later one of its body assigns, in the turn before: it is
        left out until that is known.
        """
        if not self.loops:
            return self.write(node)
        before = (dict(self.env), self.indent, self.depth_of_loops, self.run, self.chain)
        loops = len(self.loops)
        try:
            return self.write(node)
        except Unassigned as error:
            del self.loops[loops:]
            self.env, self.indent, self.depth_of_loops, self.run, self.chain = before
            self.loops[-1].missing = error

    def write(self, node):
        self.node = node
        write = getattr(self, "visit_" + type(node).__name__, None)
        if write is None:
            names = {
                "Try": "try",
                "With": "with",
                "ClassDef": "class",
                "Import": "import inside a kernel",
                "ImportFrom": "import inside a kernel",
                "Match": "match",
                "Delete": "del",
                "Global": "global",
                "Nonlocal": "nonlocal",
                "AsyncFor": "async",
            }
            self.refuse(f"`{names.get(type(node).__name__, type(node).__name__)}` in a kernel")
        if not self.instrumented:
            return write(node)
        self.head, self.chain = self.chain, None
        head, mark, steps = self.head, len(self.lines), len(self.program.steps)
        write(node)
        self.chain = None
        if len(self.lines) == mark:  # a docstring
            self.chain = head
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) and self.env is not None:
            if len(self.program.steps) == steps + 1:
                text = "\n".join(text for _, text, _ in self.lines[mark + 1 :])
                if "yield" not in text:
                    self.head = head
                    self.chain = head if self.joined(mark) else steps

    def joined(self, begun):
        """Instrumented code: let the statement that line ``begun`` begins run with that before it.

        A lane that goes through it touches nothing that others see, so it need not stop: the warp
        takes the step without its lanes (see `Warp.step`). It has to come right after another
        statement, in which nobody waits, and be the only way on from it.
        """
        if self.head is None or not self.settled():
            return False
        if self.seen("\n".join(text for _, text, _ in self.lines[begun + 1 :])):
            return False
        self.lines[begun][1] = ""
        self.program.chains.setdefault(self.head, []).append(self.step.number)
        return True

    def seen(self, text):
        """Whether others can see what the text does."""
        if self.program.watched is not None:
            text = text.replace("IDX(T", "")  # no index is out of bounds
        return SEEN.search(text)

    def logged(self, kind, place):
        """Whether instrumented code logs an access."""
        watched = self.program.watched
        return watched is None or (kind, place.node.lineno, place.text) in watched

    def settled(self):
        """Whether nothing of a caller's statement can follow the last one of this function."""
        body = self.source.node.body
        return self.name == "kernel" or isinstance(body[-1], ast.Return)

    def begin(self, node, branch=False):
        """Instrumented code: the statement begins. Yield its number before anything runs."""
        self.node = node
        if not self.instrumented and not self.tally:
            return
        if self.tally and self.waited:
            self.enter()  # what follows belongs to another time than what came before
        program = self.program
        self.step = Step(len(program.steps), node.lineno, self.source.name, self.depth, branch)
        self.step.loop = self.loops[-1].line if self.loops else self.outer
        program.steps.append(self.step)
        if self.tally:
            self.step.run = self.run
            return
        self.begun = len(self.lines)
        self.emit(f"yield {self.step.number}")

    def nested(self, statements, env):
        """Write an indented block that starts with ``env``; returns what is known at its end."""
        self.env, self.chain = dict(env), None
        self.indent += 1
        before = len(self.lines)
        if self.tally:
            self.enter()
        self.block(statements)
        if not any(line[1] for line in self.lines[before:]):
            self.emit("pass")
        self.indent -= 1
        env, self.env = self.env, None
        return env

    def fill(self, line, old, new):
        """Put into an empty ``line`` the conversions from ``old`` to ``new``."""
        if old is not None and new is not None:
            line[1] = self.conversions(old, new)

    def visit_Pass(self, node):
        pass

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        self.begin(node)
        value = self.expr(node.value)
        if value.code != "None":
            self.emit(value.code)

    def visit_Assign(self, node):
        self.begin(node)
        first = node.targets[0]
        self.target = first.id if isinstance(first, ast.Name) else None
        value = self.expr(node.value)
        self.target = None
        if len(node.targets) > 1:
            value = self.held(value)
        for target in node.targets:
            self.store(target, value)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit_Assign(
                ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)
            )

    def visit_AugAssign(self, node):
        self.begin(node)
        target = node.target
        if not isinstance(target, ast.Name) and self.is_part(target):
            # a[1:3] += x: the slice as it is, with x added, is assigned to it
            self.refuse(f"`{ast.unparse(node)}`: arithmetic on whole slices", node)
        if isinstance(target, ast.Name):
            old = self.expr(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            effects = self.effects
            new = self.expr(node.value)
            result = self.operate(type(node.op).__name__, old, new, node, self.effects > effects)
            self.assign(target.id, result)
            return
        place = self.place(target, hold=True)
        old = self.load(place)
        if not old.atom:
            name = self.temp()
            self.emit(f"{name} = {old.code}")
            old = Value(old.type, name, old.lo, old.hi, atom=True)
        new = self.expr(node.value)
        self.put(place, self.operate(type(node.op).__name__, old, new, node))

    def visit_If(self, node):
        self.begin(node, branch=True)
        self.count("branch")
        test = self.truth(self.expr(node.test))
        if test.const is not UNKNOWN and test.type is STATIC:  # x is None, known by type
            self.block(node.body if test.const else node.orelse)
            return
        before = self.env
        self.emit(f"if {test.code}:")
        if self.instrumented:
            self.joined(self.begun)
        here, waits = self.run, self.waits
        if self.tally:
            self.program.branches.append((self.step.number, here, self.program.runs, "if"))
        then = self.nested(node.body, before)
        self.indent += 1
        end_then = self.emit("")
        self.indent -= 1
        self.node = node
        self.emit("else:")
        otherwise = self.nested(node.orelse, before) if node.orelse else dict(before)
        self.run = here
        self.indent += 1
        if not node.orelse:
            self.emit("pass")
        end_else = self.emit("")
        self.indent -= 1
        self.env = self.merge(then, otherwise)
        self.fill(end_then, then, self.env)
        self.fill(end_else, otherwise, self.env)
        if self.tally and self.env is not None:
            if leaves(node, LEAVING) or self.waits > waits:
                self.enter()  # without those that have left

    def loop(self, write):
        """Write a loop: ``write()`` again and again until the variables at its head are settled.

        ``write`` gets the Loop, writes everything and leaves the end of the body in ``self.env``.
        """
        entry, head, line = self.env, self.env, self.node.lineno
        mark, clones = len(self.lines), len(self.program.clones)
        branches, node, waits = len(self.program.branches), self.node, self.waits
        for attempt in range(12):
            del self.lines[mark:], self.program.clones[clones:]
            convert = self.emit("")
            loop = Loop(head, line)
            self.loops.append(loop)
            self.env, self.chain = dict(head), None
            outside = self.run
            if self.tally:
                del self.program.branches[branches:]
                d = self.depth_of_loops
                self.depth_of_loops += 1
                bits = self.program.bits
                self.emit(f"q{d + 1} = q{d} << {bits}")
                if (self.depth_below + d + 1) * bits > 60:
                    if bits > 10:
                        raise TooDeep
                    self.program.tallied = False
            write(loop)
            if self.tally:
                self.depth_of_loops -= 1
                self.run = outside
            self.loops.pop()
            back = self.merge(self.env, *(env for _, env in loop.continues))
            new = self.merge(head, back)
            if attempt:
                new = self.widen(head, new)
            if new == head:
                if loop.missing and not self.loops:
                    name, at = loop.missing.args
                    self.type_error(f"the name `{name}` is not defined here", at)
                elif loop.missing:  # until a turn of the loop around this one
                    self.loops[-1].missing = loop.missing
                break
            head = new
        else:
            self.refuse("a loop whose variables change type at every turn")
        self.fill(convert, entry, head)
        for line, env in [*loop.continues, (loop.end, self.env)]:
            self.fill(line, env, head)
        exit = self.merge(loop.exit, *(env for _, env in loop.breaks))
        for line, env in [*loop.breaks, (loop.leave, loop.exit)]:
            if line is not None:
                self.fill(line, env, exit)
        self.env = exit
        if self.tally and exit is not None:
            if leaves(node, (ast.Return, ast.Raise)) or self.waits > waits:
                self.enter()

    def body(self, loop, node):
        """Tallied code: a turn of a loop begins."""
        if not self.tally:
            return
        self.emit(f"q{self.depth_of_loops} += 1")
        self.enter()
        loop.body = loop.last = self.run
        if leaves(node, (ast.Break, ast.Return, ast.Raise)):
            loop.last = self.program.runs
            self.program.runs += 1

    def back(self, loop):
        """The text with which a turn ends, in tallied code."""
        if self.tally and loop.last != loop.body:
            return f"B{loop.last}(q{self.depth_of_loops})"
        return ""

    def turn(self, loop, text, node, ops):
        """Instrumented code: a loop's head once more, as a step that comes after the whole body.

        Lanes that are through with a turn wait there for the others, as hardware lets them meet
        behind a branch; at the head itself, the earlier place, they would run ahead.
        """
        if not self.instrumented and not self.tally:
            return
        steps = self.program.steps
        if self.tally and isinstance(node, ast.While):
            return  # its test is a run of its own
        steps.append(Step(len(steps), node.lineno, self.source.name, self.depth, True, loop.line))
        steps[-1].ops = ops
        if self.tally:
            steps[-1].run = loop.last
            self.program.branches.append((len(steps) - 1, loop.last, loop.body, "turn"))
            return
        if self.chain is not None and isinstance(node, ast.For) and len(loop.backs) == 1:
            if self.settled():
                self.program.chains.setdefault(self.chain, []).append(steps[-1].number)
                return
        for line in loop.backs:
            line[1] = text.format(steps[-1].number)

    def fuel(self):
        """Plain code: count the turns of loops, so that an endless one is found."""
        if not self.instrumented:
            self.use("fuel", "T.fuel")
            line = self.node.lineno
            self.emit("fuel -= 1")
            self.emit(f"if fuel < 0: fuel = REFUEL(T, {line})")
            if self.tally:  # a key has no room for more turns
                d, bits = self.depth_of_loops, self.program.bits
                self.lines[-1][1] += f"; SHORT(q{d} - (q{d - 1} << {bits}), {bits})"

    def visit_While(self, node):
        if node.orelse:
            return self.block(without_else(node))
        spins = self.spinning(node)
        self.program.open.add(node.lineno)

        def write(loop):
            head, place = self.emit(""), self.temp()
            self.emit("while True:")
            self.indent += 1
            if self.tally:
                self.enter()
            tested, waits = self.lines[-1], self.waits
            self.begin(node, branch=True)
            header = self.step
            if self.instrumented:
                head[1], self.lines[-1][1] = f"{place} = {header.number}", f"yield {place}"
            self.count("branch")
            test = self.truth(self.expr(node.test))
            always = test.const is not UNKNOWN and bool(test.const)
            if not always:
                self.emit(f"if not {test.code}:")
                self.indent += 1
                loop.leave = self.emit("")
                self.emit("break")
                self.indent -= 1
                loop.exit = dict(self.env)
            self.fuel()
            loop.spin = spins
            if self.tally:
                at = self.run
                self.body(loop, node)
                entered = self.lines[-1]
                self.program.branches.append((header.number, at, loop.body, "turn"))
            self.block(node.body)
            straight = self.tally and self.waits == waits and not always
            straight = straight and loop.last == loop.body
            if self.env is not None:
                if spins:
                    self.spin(node)
                loop.end = self.emit("")
                loop.backs.append(self.emit("", node))
            self.turn(loop, place + " = {}", node, header and header.ops)
            self.indent -= 1
            if straight:  # all turns and tests are noted behind the last
                tested[1] = entered[1] = ""
                d, bits = self.depth_of_loops, self.program.bits
                first = f"q{d - 1} << {bits}"
                self.emit(f"E{at}(range({first}, q{d} + 1))")
                self.emit(f"E{loop.body}(range(({first}) + 1, q{d} + 1))")

        self.loop(write)

    def spin(self, node):
        """A turn of a loop that waits for another thread: let the others run."""
        self.program.spins = True
        self.yields = True
        self.emit(f"yield {self.program.constant(('spin', self.site('spin', node), 0, 0, 0))}")

    def spinning(self, node):
        """Whether a loop may wait for what another thread writes.

        It may if it does atomic operations, or if its test depends on an element that stays the
        same one from turn to turn.
        """
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                f = part.func
                if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Attribute):
                    if f.value.attr == "atomic":
                        return True
                if isinstance(f, ast.Attribute) and f.attr == "nanosleep":
                    return True
        names = names_in(node.test)
        stores = [s for part in node.body for s in ast.walk(part)]
        changed = {n.id for n in stores if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if not names & changed:
            return reads(node.test)
        return any(
            isinstance(s, ast.Assign)
            and reads(s.value)
            and not names_in(s.value) & changed
            and any(isinstance(t, ast.Name) and t.id in names for t in s.targets)
            for s in stores
        )

    def visit_For(self, node):
        if node.orelse:
            return self.block(without_else(node))
        call = node.iter
        function = None
        if isinstance(call, ast.Call):
            if isinstance(call.func, ast.Name) or "literal_unroll" in ast.unparse(call.func):
                function = self.expr(call.func).const
        if is_literal_unroll(function) and len(call.args) == 1:
            call, function = call.args[0], None
        if function is not range:
            return self.over(node, call, function)
        self.begin(node, branch=True)
        self.count("branch")
        if call.keywords or not 1 <= len(call.args) <= 3:
            self.type_error("range() takes one to three integers")
        args = [self.number(self.expr(a), a) for a in call.args]
        if any(a.type.kind == "c" for a in args):
            self.type_error("range() needs integers, not complex numbers")
        if any(not a.type.whole for a in args):  # Numba cuts off what is behind the point
            whole = [a.type for a in args if a.type.whole]
            to = int32 if all(t.size < 4 or t is int32 for t in whole) else int64
            args = [a if a.type.whole else self.cast(a, to) for a in args]
        start, stop, step = (
            (self.literal(0), args[0], self.literal(1))
            if len(args) == 1
            else (*args, self.literal(1))[:3]
        )
        types = [a.type for a in args]
        if all(t.kind == "u" for t in types):
            type = uint64
        else:
            type = int32 if all(t.size < 4 or t is int32 for t in types) else int64
        if step.const == 0:
            self.type_error("range() with a step of 0 never ends")
        self.count("int", 2)
        values = f"range({', '.join(a.code for a in args)})"
        if step.lo > 0:
            lo, hi = start.lo, stop.hi - 1
        elif step.hi < 0:
            lo, hi = stop.lo + 1, start.hi
        else:
            lo, hi = min(start.lo, stop.lo), max(start.hi, stop.hi)
        item = Value(type, "", max(lo, type.lo), min(max(lo, hi), type.hi))
        if not isinstance(node.target, ast.Name):
            self.type_error(f"`{ast.unparse(node.target)}`: range() gives one number", node.target)
        if self.instrumented and not self.seen(values):
            self.joined(self.begun)
        self.turns(node, values, item)

    def over(self, node, call, function):
        """A `for` loop over a tuple, an array, enumerate() or zip()."""
        if function not in (enumerate, zip):
            before = len(self.lines)
            value = self.expr(call)
            if isinstance(value.type, Tuple):
                items = value.type.items
                if isinstance(node.target, ast.Name) and all(t == items[0] for t in items):
                    if items and not isinstance(items[0], Array | Known | type(STATIC)):
                        self.begin(node, branch=True)
                        self.count("branch")
                        return self.turns(node, value.code, Value(items[0], ""))
                return self.unrolled(node, value)
            del self.lines[before:]
            if not isinstance(value.type, Array):
                self.refuse(f"a `for` loop over a value of type {value.type.name}", call)
        return self.block(with_index(node, call, function))

    def unrolled(self, node, value):
        """A `for` loop over a tuple of different types: its body once for each item."""
        if own_jumps(node.body):
            self.refuse("`break` or `continue` in a loop over a tuple of different types", node)
        self.begin(node)
        if value.type.items and not value.items:
            value = self.held(value)
        for item in [self.held(item) for item in self.parts(value)]:
            self.store(node.target, item)
            self.block(node.body)

    def turns(self, node, values, item):
        """A loop over ``values``, the text of something that Python can iterate over."""
        name = node.target.id
        header, at = self.step, self.run
        if (self.loops[-1].line if self.loops else self.outer) in self.program.open:
            self.program.open.add(node.lineno)

        def write(loop):
            before = [self.emit("") for _ in range(4)]
            head = self.emit(f"for v_{name} in {values}:")
            self.indent += 1
            self.know(name, item)
            first, waits = len(self.lines), self.waits
            self.fuel()
            self.body(loop, node)
            last = len(self.lines)
            if self.tally:
                self.program.branches.append((header.number, at, loop.body, "first"))
            self.block(node.body)
            if self.tally and self.waits == waits and loop.last == loop.body:
                self.at_once(loop, node, values, before, head, first, last)
            if self.env is not None:
                loop.end = self.emit("")
                loop.backs.append(self.emit(self.back(loop), node))
            self.turn(loop, "yield {}", node, Counter(branch=1, int=2))
            self.indent -= 1
            self.emit("else:")
            self.indent += 1
            self.emit("pass")
            loop.leave = self.emit("")
            self.indent -= 1

        def settle(loop):
            write(loop)
            # A variable is after the loop what it is at the head, or what its body made of it.
            ends = self.merge(self.env, *(env for _, env in loop.continues))
            loop.exit = {**(ends or {}), **loop.head}

        self.loop(settle)

    def at_once(self, loop, node, values, before, head, first, last):
        """Tallied code: a loop that goes on to its end notes all its turns before the first."""
        if not values.startswith("range("):
            return
        turns, n, d, bits = self.temp(), self.temp(), self.depth_of_loops, self.program.bits
        for line in self.lines[first:last]:
            line[1] = ""
        if any(re.search(rf"\bq{d}\b", line[1]) for line in self.lines[last:]):
            self.lines[first][1] = f"q{d} += 1"
        elif not any(line[1] for line in self.lines[last:]):  # a body that does nothing
            self.lines[first][1] = "pass"
        before[0][1] = f"{turns} = {values}; {n} = len({turns}); fuel -= {n}"
        before[1][1] = f"while fuel < 0: fuel += REFUEL(T, {node.lineno})"
        before[2][1] = f"if {n} >= {1 << bits}: SHORT({n}, {bits})"
        before[3][1] = f"E{loop.body}(range(q{d} + 1, q{d} + {n} + 1))"
        head[1] = head[1].replace(values, turns)

    def visit_Break(self, node):
        self.begin(node)
        loop = self.loops[-1]
        loop.breaks.append((self.emit(""), self.env))
        self.emit("break")
        self.env = None

    def visit_Continue(self, node):
        self.begin(node)
        loop = self.loops[-1]
        if loop.spin:
            self.spin(node)
        loop.continues.append((self.emit(""), self.env))
        loop.backs.append(self.emit(self.back(loop) if loop.body is not None else ""))
        self.emit("continue")
        self.env = None

    def visit_Return(self, node):
        self.begin(node)
        if self.step is not None:
            self.step.returns = self.name == "kernel"
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            self.returned.append(NONE)
            self.emit("return")
        else:
            if self.name == "kernel":
                self.type_error("a kernel cannot return a value: write it to an array")
            value = self.expr(node.value)
            if value.type is STATIC:
                self.refuse("returning something that is no number, array or tuple")
            to = getattr(self.returns_type, "of", self.returns_type)
            if isinstance(to, Scalar) and isinstance(value.type, Scalar):
                value = self.cast(value, to)
            self.returned.append(value.type)
            self.emit(f"return {value.code}")
        self.env = None

    def visit_Assert(self, node):
        self.begin(node)
        test = self.truth(self.expr(node.test))
        text = ast.unparse(node.test)
        if isinstance(node.msg, ast.Constant):
            text = str(node.msg.value)
        elif node.msg is not None:
            text = ast.unparse(node.msg)
        kind = self.program.constant(AssertionError)
        self.effects += 1
        self.emit(f"if not {test.code}: FAIL(T, {node.lineno}, {kind}, {text!r})")

    def visit_Raise(self, node):
        """An exception ends the thread; only with debug=True does the host hear of it."""
        self.begin(node)
        error, args = node.exc, []
        if isinstance(error, ast.Call):
            error, args = error.func, error.args
        kind = None if error is None else self.expr(error).const
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            self.refuse(f"`{ast.unparse(node)}`: only an exception class, with constants", node)
        said = []
        for arg in args:
            value = self.expr(arg)
            if value.const is UNKNOWN:
                self.refuse(f"`{ast.unparse(node)}`: an exception with computed arguments", node)
            said.append(str(value.const))
        self.emit(f"FAIL(T, {node.lineno}, {self.program.constant(kind)}, {', '.join(said)!r})")
        self.env = None

    def visit_FunctionDef(self, node):
        """A function inside a kernel: known by its name from here on."""
        if node.decorator_list:
            self.refuse("a decorated function inside a kernel", node)
        self.env[node.name] = Var(STATIC, const=Inner(node, self.source))

    def visit_Lambda(self, node):
        body = ast.copy_location(ast.Return(node.body), node)
        made = ast.FunctionDef("lambda", node.args, [body], [], None, None)
        return Value(STATIC, "", const=Inner(ast.copy_location(made, node), self.source))

    # ------------------------------------------------------------ storing

    def held(self, value):
        """A value that is computed once, in a temporary if need be."""
        if value.atom or value.type is STATIC:
            return value
        name = self.temp()
        self.emit(f"{name} = {value.code}")
        return Value(value.type, name, value.lo, value.hi, value.const, atom=True)

    def store(self, target, value):
        """``target = value`` for any target."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self.spread(target.elts, value)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            if self.is_part(target):
                self.fill_part(target, value)
            else:
                self.put(self.place(target), value)
        else:
            self.refuse(f"assigning to {ast.unparse(target)}", target)

    def spread(self, targets, value):
        """``a, b = value``."""
        if not isinstance(value.type, Tuple):
            self.type_error(f"a value of type {value.type.name} is not a tuple")
        types = value.type.items
        if len(types) != len(targets):
            self.type_error(f"{len(types)} values for {len(targets)} names")
        items = value.items or [Value(t, "") for t in types]
        if any(i.type is STATIC for i in items):
            for target, item in zip(targets, items, strict=True):
                self.store(target, item)
            return
        names = all(isinstance(t, ast.Name) for t in targets)
        left = [f"v_{t.id}" if names else self.temp() for t in targets]
        right = ", ".join(i.code for i in items) if value.items else value.code
        self.emit(f"{', '.join(left)}, = {right}{',' if value.items else ''}")
        for target, item, code in zip(targets, items, left, strict=True):
            root = self.root(item) if isinstance(item.type, Array) else None
            new = Value(item.type, code, item.lo, item.hi, atom=True, root=root)
            if names:
                self.know(target.id, new)
            else:
                self.store(target, new)

    def is_part(self, node):
        """Whether an assignment's target is a slice or a row of an array, not one element."""
        name = node.attr if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = node.slice.value if isinstance(node.slice.value, str) else None
        mark, temps, effects = len(self.lines), self.temps, self.effects
        counted = Counter(self.step.ops) if self.step is not None else None
        sites = len(self.program.sites)
        if name is not None:
            array, index = self.expr(node.value), []
        else:
            array, index = self.subject(node)
        del self.lines[mark:], self.program.sites[sites:]
        self.temps, self.effects = temps, effects
        if counted is not None:
            self.step.ops = counted
        if name is not None:
            record = array.type.record if isinstance(array.type, RecordRef) else None
            found = record.field(name) if record else None
            return found is not None and isinstance(found.type, Nested)
        if not isinstance(array.type, Array):
            return False
        return any(isinstance(i, ast.Slice) for i in index) or len(index) < array.type.ndim

    def fill_part(self, target, value):
        """``a[1:3] = value``: each element of the slice gets the number, or its own of an array."""
        read = copy.copy(target)
        read.ctx = ast.Load()
        part = self.expr(read)
        dtype, text = part.type.dtype, ast.unparse(target.value)
        if not isinstance(dtype, Scalar):
            self.refuse("assigning to a slice of an array of records", target)
        site = self.site("store", target, text, dtype.size)
        self.program.sites[site].sources = self.source.varied(target)
        self.count("store")
        self.effects += 1
        if isinstance(value.type, Array):
            if not isinstance(value.type.dtype, Scalar) or value.type.ndim > part.type.ndim:
                self.type_error(f"`{text}` cannot take a value of type {value.type.name}", target)
            load = self.site("load", target, text, value.type.dtype.size)
            item = Value(value.type.dtype, "x")
            code = self.stored(item, dtype)
            self.emit(f"COPY(T, {site}, {load}, {part.code}, {value.code}, lambda x: {code})")
        elif isinstance(value.type, Tuple):
            items = [self.stored(self.number(v, target), dtype) for v in self.parts(value)]
            self.emit(f"SPREAD(T, {site}, {part.code}, ({''.join(i + ', ' for i in items)}))")
        else:
            code = self.stored(self.number(value, target), dtype)
            self.emit(f"FILL(T, {site}, {part.code}, {code})")

    # ------------------------------------------------------------ elements of arrays

    def pieces(self, array):
        """How the parts of an array are written. Its first use must come first in the text."""
        d = range(array.type.ndim)
        if array.name:
            n = array.name
            return Pieces(
                f"v_{n}",
                f"v_{n}",
                f"b_{n}",
                f"o_{n}",
                [f"n{k}_{n}" for k in d],
                [f"s{k}_{n}" for k in d],
            )
        t = array.code if array.atom else self.temp()
        first = t if array.atom else f"({t} := {array.code})"
        return Pieces(
            first,
            t,
            f"{t}.elements",
            f"{t}.offset",
            [f"{t}.shape[{k}]" for k in d],
            [f"{t}.strides[{k}]" for k in d],
        )

    def indices(self, node):
        """The index of a subscript as a list of values; a slice stays a node."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        out = []
        for part in parts:
            if isinstance(part, ast.Slice):
                out.append(part)
                continue
            if isinstance(part, ast.Starred):
                self.refuse("* in an index", part)
            value = self.expr(part)
            if isinstance(value.type, Tuple):
                out += self.parts(value)
            elif isinstance(value.type, Array):
                self.refuse(f"an array as an index: `{ast.unparse(part)}`", part)
            else:
                out.append(value)
        return out

    def without_dots(self, index, ndim, node):
        """An index whose ``...`` is written out as the slices that it stands for."""
        dots = [k for k, i in enumerate(index) if getattr(i, "const", None) is Ellipsis]
        if not dots:
            return index
        if len(dots) > 1:
            self.type_error("only one `...` can stand in an index", node)
        k = dots[0]
        return index[:k] + [ast.Slice()] * (ndim - len(index) + 1) + index[k + 1 :]

    def parts(self, value):
        """The items of a tuple as values."""
        if value.items:
            return list(value.items)
        if value.atom:
            first = again = value.code
        else:
            again = self.temp()
            first = f"({again} := {value.code})"
        return [
            Value(t, f"{first if k == 0 else again}[{k}]", atom=value.atom)
            for k, t in enumerate(value.type.items)
        ]

    def flat(self, array, pieces, index, node, text):
        """The text of an element's number, with its bounds tests, from the index values."""
        type = array.type
        if len(index) != type.ndim:
            self.type_error(
                f"`{text}` has {type.ndim} dimensions, not {len(index)}: `{ast.unparse(node)}`",
                node,
            )
        record = unit_of(type.dtype) > 1
        site, terms = None, []
        for axis, value in enumerate(index):
            value = self.number(value, node)
            if not value.type.whole or value.type is boolean:
                self.type_error(
                    f"an index must be an integer, and `{ast.unparse(node)}` has "
                    f"{value.type.name}: write int(...)",
                    node,
                )
            size = pieces.shape[axis]
            if value.const is not UNKNOWN and -8 <= value.const < 0:  # a[-1], meant so
                t = self.temp()
                code, again = f"({t} := {size} - {-value.const})", t
            elif value.atom:
                code = again = value.code
            else:
                again = self.temp()
                code = f"({again} := {value.code})"
            if site is None:
                site = self.site("index", node, text)
            test = f"{code} < {size}" if value.lo >= 0 else f"0 <= {code} < {size}"
            which = axis if type.ndim > 1 else None
            terms.append(f"({again} if {test} else IDX(T, {site}, {which}, {again}, {size}))")
            self.count("int", 2 if axis else 1)
        last = len(terms) - 1
        packed = type.layout == "C"
        terms = [
            t if packed and k == last and not record else f"{t} * {pieces.strides[k]}"
            for k, t in enumerate(terms)
        ]
        if not packed:
            terms.insert(0, pieces.offset)
        return " + ".join(terms) if terms else "0"

    def subject(self, node):
        """The array and the whole index of ``a[i][j]``: chained subscripts are one access."""
        index = self.indices(node.slice)
        inner = node.value
        if isinstance(inner, ast.Subscript) and not any(isinstance(i, ast.Slice) for i in index):
            base = self.peek(inner.value)
            if isinstance(base, Array) and base.ndim > 1:
                array, first = self.subject(inner)
                if not any(isinstance(i, ast.Slice) for i in first):
                    if len(first) + len(index) <= array.type.ndim:
                        return array, first + index
        array = self.expr(inner)
        if isinstance(array.type, Array):
            index = self.without_dots(index, array.type.ndim, node)
        return array, index

    def peek(self, node):
        """The type of a plain name or an attribute chain, without writing anything."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name) and node.id in self.env:
            return self.env[node.id].type
        return None

    def place(self, node, hold=False):
        """Where an assignment goes: an element, or a field of a record.

        With ``hold`` it is worked out at once, for reading and then writing it; otherwise where it
        is written down, which is after the value: Python's order.
        """
        if isinstance(node, ast.Attribute) or (
            isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        ):
            name = node.attr if isinstance(node, ast.Attribute) else node.slice.value
            ref = self.expr(node.value)
            if not isinstance(ref.type, RecordRef):
                self.refuse(f"assigning to `{ast.unparse(node)}`", node)
            return self.field_place(ref, name, node, hold)
        array, index = self.subject(node)
        if isinstance(array.type, Tuple):
            self.type_error("a tuple cannot be changed", node)
        if not isinstance(array.type, Array):
            self.type_error(f"a value of type {array.type.name} has no elements", node)
        text = ast.unparse(node.value)
        if not array.name and not array.atom:
            array = self.held(array)
        pieces = self.pieces(array)
        flat = self.flat(array, pieces, index, node, text)
        if hold:
            name = self.temp()
            self.emit(f"{name} = {flat}")
            flat = name
        return Place(array.type.dtype, pieces, flat, node, text)

    def field_place(self, ref, name, node, hold=False):
        record = ref.type.record
        found = record.field(name)
        if found is None:
            self.type_error(f"the record has no field `{name}`", node)
        code = ref.code
        if hold and not ref.atom:
            code = self.temp()
            self.emit(f"{code} = {ref.code}")
        return Place(found.type, None, code, node, ast.unparse(node.value), found)

    def load(self, place):
        """The value at a place."""
        dtype, p = place.dtype, place.pieces
        size = dtype.size
        if isinstance(dtype, Record):  # a record in a record, by reference
            return Value(RecordRef(dtype), f"INNER({place.flat}, {place.field.offset})")
        if isinstance(dtype, Nested):
            made = self.program.constant((dtype.dtype, dtype.shape, place.field.offset))
            return Value(Array(dtype.dtype, len(dtype.shape)), f"NESTED({place.flat}, {made})")
        kind_site = self.site(
            "load", place.node, place.text, size, place.field.offset if place.field else 0
        )
        self.count("load")
        if place.field is not None:
            code = f"FIELD(T, {kind_site}, {place.flat}, {self.program.constant(place.field)})"
            return Value(dtype, code)
        half = dtype is float16
        if self.tally and p.array.startswith("v_") and dtype.kind != "c":
            name = p.array[2:]
            note = self.noted(kind_site, name, place.flat)
            if self.marked(name):
                note += f" or w_{name}[_f] and UNWRITTEN()"
            code = f"{p.elements}[_f]"
            return Value(dtype, f"({note} or {f'H2F[{code}]' if half else code})")
        if self.tally:
            self.program.tallied = False
        if not self.instrumented or not self.logged("load", place):
            code = f"{p.elements_first}[{place.flat}]"
            code = f"H2F[{code}]" if half else code
            if dtype.kind == "c":
                code = f"CLOAD({p.elements_first}, {place.flat})"
        else:
            item = f"H2F[{p.elements}[_f]]" if half else f"{p.elements}[_f]"
            item = f"CLOAD({p.elements}, _f)" if dtype.kind == "c" else item
            code = (
                f"(LOG(({kind_site}, {p.first}, (_f := {place.flat}), (_v := {item}), None)) or _v)"
            )
        return Value(dtype, code)

    def put(self, place, value):
        """Write ``value`` to a place."""
        dtype, p = place.dtype, place.pieces
        offset = place.field.offset if place.field else 0
        if isinstance(dtype, Record):
            return self.put_record(place, value, offset)
        value = self.number(value, place.node)
        site = self.site("store", place.node, place.text, dtype.size, offset)
        self.program.sites[site].update = self.source.updates.get(id(place.node), frozenset())
        self.program.sites[site].sources = self.source.varied(place.node)
        self.program.sites[site].remedy = self.source.remedies.get(id(place.node), "")
        if value.const is not UNKNOWN:
            self.program.sites[site].constant = value.const
        self.program.sites[site].tests = self.source.tests.get(id(place.node), frozenset())
        self.count("store")
        code = self.stored(value, dtype)
        if place.field is not None:
            constant = self.program.constant(place.field)
            self.emit(f"SETFIELD(T, {site}, {place.flat}, {constant}, {code})")
        elif self.tally and p.array.startswith("v_") and dtype.kind != "c":
            name = p.array[2:]
            self.emit(f"_s = {code}")
            self.emit(self.noted(site, name, place.flat, store=True))
            self.emit(f"{p.elements}[_f] = _s")
            if self.marked(name):
                self.emit(f"w_{name}[_f] = 0")
        elif dtype.kind == "c":
            self.program.tallied = False
            self.emit(f"_s = {code}")
            self.emit(f"_f = {place.flat}")
            if self.instrumented:
                self.emit(f"_o = CLOAD({p.elements}, _f)")
            self.emit(f"{p.elements}[_f] = _s.real; {p.elements}[_f + 1] = _s.imag")
            if self.instrumented:
                self.emit(f"LOG(({site}, {p.array}, _f, _s, _o))")
        elif not self.instrumented or not self.logged("store", place):
            self.emit(f"{p.elements}[{place.flat}] = {code}")
        else:
            item = f"{p.elements}[_f]"
            shown = f"H2F[{item}]" if dtype is float16 else item
            # Not _v: a load within the index sets that.
            self.emit(f"_s = {code}")
            self.emit(f"_f = {place.flat}")
            self.emit(f"_o = {shown}")
            self.emit(f"{item} = _s")
            self.emit(f"LOG(({site}, {p.array}, _f, {shown}, _o))")

    def put_record(self, place, value, offset):
        """Copy a record into another, number by number."""
        if not isinstance(value.type, RecordRef) or value.type.record != place.dtype:
            self.type_error(f"`{place.text}` needs a record of its own type", place.node)
        fields = list(place.dtype.leaves())
        if len(fields) > 64:
            self.refuse("copying a record of more than 64 numbers", place.node)
        sites = tuple(
            self.site(kind, place.node, place.text, f.type.size, f.offset + extra)
            for f in fields
            for kind, extra in (("load", 0), ("store", offset))
        )
        self.count("load", len(fields))
        self.count("store", len(fields))
        made = self.program.constant((fields, sites))
        where = (
            f"INNER({place.flat}, {offset})"
            if place.field
            else f"({place.pieces.array}, {place.flat})"
        )
        self.emit(f"COPYREC(T, {made}, {value.code}, {where})")

    def stored(self, value, dtype):
        """The text of a value as an element of ``dtype``; storing itself rounds to float32."""
        if dtype is float32 and value.type.kind == "f":
            self.converted(value.type, dtype)
            return value.raw if value.raw and value.type is dtype else value.code
        if dtype.kind == "c":
            value = self.cast(value, dtype)
            return value.raw or value.code  # memory rounds
        if dtype.kind == "f" and dtype is not float16 and value.type.whole:
            self.converted(value.type, dtype)
            return value.code
        value = self.cast(value, dtype)
        return f"BITS16({value.raw or value.code})" if dtype is float16 else value.code

    # ------------------------------------------------------------ expressions

    def expr(self, node):
        """The value of an expression."""
        outer, self.node = self.node, node if hasattr(node, "lineno") else self.node
        write = getattr(self, "visit_" + type(node).__name__, None)
        if write is None:
            names = {
                "ListComp": "a list comprehension",
                "GeneratorExp": "a generator expression",
                "List": "a list",
                "Dict": "a dictionary",
                "Set": "a set",
                "JoinedStr": "an f-string",
                "DictComp": "a dictionary comprehension",
                "SetComp": "a set comprehension",
                "Yield": "yield",
                "Await": "await",
                "NamedExpr": "the := operator",
                "Starred": "* in an expression",
            }
            self.refuse(f"{names.get(type(node).__name__, type(node).__name__)} in a kernel", node)
        value = write(node)
        self.node = outer
        return value

    def literal(self, value):
        """A number known at compile time, by its Python type."""
        if isinstance(value, bool):
            return Value(boolean, repr(value), value, value, value, atom=True)
        if isinstance(value, complex):
            return Value(complex128, f"({value!r})", const=value, atom=True)
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 64:
                self.type_error(f"the integer {value} does not fit into 64 bits")
            type = int64 if value < 1 << 63 else uint64
            return Value(type, repr(value), value, value, value, atom=True)
        code = {math.inf: "INF", -math.inf: "(-INF)"}.get(value, repr(float(value)))
        return Value(float64, "NAN" if value != value else code, const=float(value), atom=True)

    def constant(self, obj, what, node):
        """The value of a Python object found by name when the kernel is compiled."""
        if type(obj) in (bool, int, float, complex):
            return self.literal(obj)
        if isinstance(obj, enum.IntEnum):
            v = self.literal(int(obj))
            v.const = obj  # an integer in all that follows, which has a `value` besides
            return v
        scalar = SCALARS.get(type(obj).__name__.rstrip("_"))
        if scalar is not None and not isinstance(obj, Scalar) and not isinstance(obj, type):
            kind = bool if scalar is boolean else int if scalar.whole else float
            plain = (complex if scalar.kind == "c" else kind)(obj)
            v = self.literal(plain)
            return Value(scalar, v.code, v.lo, v.hi, plain, atom=True)
        if obj is None:
            return Value(NONE, "None", const=None)
        if isinstance(obj, tuple):
            items = [self.constant(o, what, node) for o in obj]
            if any(i.type is STATIC for i in items):
                return Value(STATIC, "", const=obj)
            return self.tuple(items, getattr(obj, "_fields", ()), type(obj))
        if is_array(obj) or is_device_array(obj):
            return self.program.kernel.constant_array(self, obj, what, node)
        return Value(STATIC, "", const=obj)

    def tuple(self, items, names=(), maker=None):
        code = "(" + ", ".join(i.code for i in items) + ("," if len(items) == 1 else "") + ")"
        atom = all(i.atom for i in items)
        types = tuple(Known(i.const) if i.type is STATIC else i.type for i in items)
        code = code if all(i.code for i in items) else "None"
        maker = maker if names else None
        return Value(Tuple(types, tuple(names), maker), code, items=items, atom=atom)

    def visit_Constant(self, node):
        value = node.value
        if value is None:
            return Value(NONE, "None", const=None)
        if isinstance(value, bool | int | float | complex):
            return self.literal(value)
        if isinstance(value, str) or value is Ellipsis:
            return Value(STATIC, "", const=value)
        return self.refuse(f"the constant {value!r} in a kernel", node)

    def visit_Name(self, node):
        name = node.id
        var = self.env.get(name)
        if var is not None:
            if isinstance(var.type, Conflict):
                a, b = var.type.first.name, var.type.second.name
                self.type_error(f"`{name}` is {a} on one path and {b} on another", node)
            if var.type is STATIC:
                if isinstance(var.const, tuple):
                    return self.constant(var.const, name, node)
                return Value(STATIC, "", const=var.const)
            array = name if isinstance(var.type, Array) else None
            return Value(var.type, f"v_{name}", var.lo, var.hi, var.const, atom=True, name=array)
        local = name in self.source.function.__code__.co_varnames
        found, obj = (False, None) if local else self.source.lookup(name)
        if not found:
            if local and self.loops:
                raise Unassigned(name, node)
            self.type_error(f"the name `{name}` is not defined here", node)
        return self.constant(obj, name, node)

    def visit_Tuple(self, node):
        return self.tuple([self.expr(e) for e in node.elts])

    def visit_Attribute(self, node):
        before = self.effects
        base = self.expr(node.value)
        name = node.attr
        if base.type is STATIC:
            return self.attribute_of_static(base.const, name, node)
        if isinstance(base.type, Array):
            return self.attribute_of_array(base, name, node)
        if isinstance(base.type, RecordRef):
            return self.load(self.field_place(base, name, node))
        if isinstance(base.type, Vector) and name in "xyzw"[: base.type.count]:
            k = "xyzw".index(name)
            return Value(base.type.base, f"{base.code}[{k}]")
        if isinstance(base.type, Tuple) and name in base.type.names:
            return self.item(base, base.type.names.index(name), self.effects > before)
        if isinstance(base.type, Scalar):
            if name == "value" and isinstance(base.const, enum.IntEnum):
                return self.literal(int(base.const))
            if name == "real" and base.type.kind != "c":
                return base
            if name == "imag" and base.type.kind != "c":
                return self.cast(self.literal(0), base.type)
            if name in ("real", "imag") and base.type.kind == "c":
                return Value(base.type.part, f"({base.code}).{name}")
            if name in METHODS:
                return Value(STATIC, "", const=Method(base, name))
        if isinstance(base.type, Tuple) and name in ("count", "index"):
            return self.refuse(f"`.{name}` of a tuple", node)
        return self.type_error(f"a value of type {base.type.name} has no `{name}`", node)

    def attribute_of_static(self, obj, name, node):
        from . import intrinsics

        if is_cuda(obj):
            return intrinsics.value(self, Intrinsic(name), node)
        if isinstance(obj, Intrinsic):
            return intrinsics.value(self, Intrinsic(f"{obj.path}.{name}"), node)
        if isinstance(obj, NumpyName):
            self.refuse(f"`{ast.unparse(node)}` in a kernel", node)
        if isinstance(obj, Scalar) and name == "type":  # of `a.dtype`: it makes such numbers
            return Value(STATIC, "", const=obj)
        module = getattr(obj, "__name__", "")
        if not hasattr(obj, name):
            self.type_error(f"`{ast.unparse(node)}` does not exist", node)
        found = getattr(obj, name)
        if is_numpy(obj) and as_dtype(found) is None and not isinstance(found, float):
            return Value(STATIC, "", const=NumpyName(name))
        if module == "math" or is_numpy(obj) or not callable(found):
            return self.constant(found, ast.unparse(node), node)
        return Value(STATIC, "", const=found)

    def attribute_of_array(self, array, name, node):
        type = array.type
        d = range(type.ndim)
        if name == "ndim":
            return self.literal(type.ndim)
        if name == "dtype":
            return Value(STATIC, "", const=type.dtype)
        if name == "itemsize":
            return self.literal(type.dtype.size)
        if name in ("shape", "size", "nbytes"):
            if array.name:
                sizes = [Value(int64, f"n{k}_{array.name}", 0, 1 << 40, atom=True) for k in d]
            elif array.atom:
                sizes = [Value(int64, f"{array.code}.shape[{k}]", 0, 1 << 40) for k in d]
            else:
                t = self.temp()
                codes = [f"({t} := {array.code}).shape[0]"]
                codes += [f"{t}.shape[{k}]" for k in d[1:]]
                sizes = [Value(int64, c, 0, 1 << 40) for c in codes]
            if name == "shape":
                return self.tuple(sizes)
            total = self.literal(1)
            for k, size in enumerate(sizes):
                total = size if k == 0 else self.operate("Mult", total, size, node)
            if name == "nbytes":
                total = self.operate("Mult", total, self.literal(type.dtype.size), node)
            return Value(int64, total.code, 0, 1 << 42, atom=total.atom)
        if name == "T":
            layout = type.layout if type.ndim < 2 else "A"
            return Value(Array(type.dtype, type.ndim, layout), f"{array.code}.T()")
        if isinstance(type.dtype, Record) and type.dtype.field(name):
            return self.field_of_array(array, name, node)
        if isinstance(type.dtype, Scalar) and type.dtype.kind == "c" and name in ("real", "imag"):
            made = self.program.constant((type.dtype.part, "ri"[name == "imag"]))
            return Value(Array(type.dtype.part, type.ndim, "A"), f"PARTS({array.code}, {made})")
        if name in METHODS_OF_ARRAYS:
            return Value(STATIC, "", const=Method(array, name))
        if name == "strides":
            t = array.code if array.atom else self.temp()
            first = t if array.atom else f"({t} := {array.code})"
            return self.tuple(
                [
                    Value(int64, f"{first if k == 0 else t}.strides[{k}] * {t}.step")
                    for k in range(type.ndim)
                ]
            )
        return self.refuse(f"`.{name}` of an array", node)

    def field_of_array(self, array, name, node):
        """``records.x``: the field of all elements, as an array in the same memory."""
        found = array.type.dtype.field(name)
        kind = found.type.dtype if isinstance(found.type, Nested) else found.type
        more = len(found.type.shape) if isinstance(found.type, Nested) else 0
        site = self.site("index", node, ast.unparse(node.value))
        code = f"FIELDS(T, {site}, {array.code}, {self.program.constant(found)})"
        return Value(Array(kind, array.type.ndim + more, "A"), code)

    def visit_Subscript(self, node):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            ref = self.expr(node.value)
            if isinstance(ref.type, Array) and isinstance(ref.type.dtype, Record):
                if not ref.type.dtype.field(node.slice.value):
                    self.type_error(f"the record has no field `{node.slice.value}`", node)
                return self.field_of_array(ref, node.slice.value, node)
            if not isinstance(ref.type, RecordRef):
                self.refuse(f"`{ast.unparse(node)}`: only an element of a record array", node)
            return self.load(self.field_place(ref, node.slice.value, node))
        before = self.effects
        array, index = self.subject(node)
        if isinstance(array.type, Tuple):
            return self.tuple_item(array, index, node, self.effects > before)
        if isinstance(array.type, RecordRef) and len(index) == 1:
            k = index[0].const
            fields = array.type.record.fields
            if isinstance(k, int) and 0 <= k < len(fields):
                return self.load(self.field_place(array, fields[k].name, node))
            if isinstance(k, str):
                return self.load(self.field_place(array, k, node))
        if not isinstance(array.type, Array):
            self.type_error(f"a value of type {array.type.name} cannot be indexed", node)
        text = ast.unparse(node.value)
        if len(index) > array.type.ndim:
            self.type_error(f"`{text}` has only {array.type.ndim} dimensions", node)
        slices = [i for i in index if isinstance(i, ast.Slice)]
        if slices or len(index) < array.type.ndim:
            return self.subview(array, index, node, text)
        pieces = self.pieces(array)
        flat = self.flat(array, pieces, index, node, text)
        if isinstance(array.type.dtype, Record):
            # The reference is (array, number of its first byte)
            code = f"({pieces.first}, {flat})"
            return Value(RecordRef(array.type.dtype), code)
        return self.load(Place(array.type.dtype, pieces, flat, node, text))

    def item(self, value, k, effects):
        """Item ``k`` of a tuple. One that was made with ``effects`` is made whole, then indexed."""
        known = value.items[k] if value.items else Value(value.type.items[k], "")
        if isinstance(known.type, Known):
            known = Value(STATIC, "", const=known.type.const)
        if effects:
            return Value(known.type, f"{self.whole_tuple(value)}[{k}]", known.lo, known.hi)
        if known.type is STATIC or value.items:
            return known
        return Value(known.type, f"{value.code}[{k}]")

    def whole_tuple(self, value):
        """The text that makes a tuple with effects."""
        if any(i.type is STATIC for i in value.items or ()):
            self.refuse("a part of a tuple that holds a type or a function beside a call")
        return value.code

    def tuple_item(self, value, index, node, effects):
        if len(index) == 1 and isinstance(index[0], ast.Slice):
            part = index[0]
            bounds = [None if b is None else self.expr(b).const for b in (part.lower, part.upper)]
            bounds.append(None if part.step is None else self.expr(part.step).const)
            if any(b is not None and not isinstance(b, int) for b in bounds):
                self.type_error("a slice of a tuple needs constant bounds", node)
            if effects:  # it is made whole, once
                part = ":".join("" if b is None else str(b) for b in bounds)
                types = value.type.items[slice(*bounds)]
                return Value(Tuple(types), f"{self.whole_tuple(value)}[{part}]")
            return self.tuple(self.parts(value)[slice(*bounds)])
        if len(index) != 1:
            self.type_error("a tuple has one index", node)
        k = index[0]
        types = value.type.items
        if k.const is not UNKNOWN and isinstance(k.const, int):
            if not -len(types) <= k.const < len(types):
                self.type_error(f"the tuple has {len(types)} items, no number {k.const}", node)
            return self.item(value, k.const, effects)
        if any(t != types[0] for t in types):
            self.type_error("an index into a tuple of different types must be a constant", node)
        k = self.integer(k, node, "an index")
        site = self.site("index", node, ast.unparse(node.value))
        t = self.temp()
        size = len(types)
        code = f"({t} if 0 <= ({t} := {k.code}) < {size} else IDX(T, {site}, None, {t}, {size}))"
        return Value(types[0], f"{value.code}[{code}]")

    def subview(self, array, index, node, text):
        """``a[i]`` of a matrix, ``a[2:5]``: an array that shares the elements."""
        type = array.type
        codes, packed, seen, kept = [], type.layout == "C", False, 0
        for part in index + [ast.Slice()] * (type.ndim - len(index)):
            if isinstance(part, ast.Slice):
                bounds = [
                    "None"
                    if b is None
                    else self.integer(self.expr(b), node, "the bounds of a slice").code
                    for b in (part.lower, part.upper, part.step)
                ]
                full = bounds == ["None"] * 3
                if seen and not full or bounds[2] != "None":
                    packed = False
                seen = True
                kept += 1
                codes.append(f"slice({', '.join(bounds)})")
            else:
                value = self.integer(part, node, "an index")
                if seen:
                    packed = False
                codes.append(value.code)
        site = self.site("index", node, text)
        self.count("int", 2)
        code = f"SUB(T, {site}, {array.code}, ({', '.join(codes)},))"
        root = self.root(array) if self.tally else None
        root = root and (*root[:2], True)
        return Value(Array(type.dtype, kept, "C" if packed else "A"), code, root=root)

    def visit_UnaryOp(self, node):
        if (folded := folded_as_python(node)) is not UNKNOWN:
            return self.literal(folded)
        op = type(node.op).__name__
        value = self.expr(node.operand)
        if op == "Not":
            value = self.truth(value)
            if value.type is STATIC:
                return Value(STATIC, "", const=not value.const)
            self.count("int")
            return Value(boolean, f"(not {value.code})")
        value = self.number(value, node)
        result = unary(op, value.type)
        if result is None:
            self.type_error(f"`~` of {value.type.name}", node)
        if value.const is not UNKNOWN and op == "USub" and result in (int64, float64):
            return self.literal(-value.const)
        self.arithmetic(result)
        if result.kind in "fc":
            sign = "-" if op == "USub" else "+"
            return Value(result, f"({sign}{value.code})")
        if result is boolean:
            return Value(boolean, f"(not {value.code})")
        # Numba works in the operand's own width and widens afterwards.
        own = result if value.type is boolean else value.type
        if op == "Invert":
            v = self.wrapped(own, f"(~{value.code})", ~value.hi, ~value.lo)
        elif op == "USub":
            v = self.wrapped(own, f"(-{value.code})", -value.hi, -value.lo)
        else:
            v = Value(own, f"(+{value.code})", value.lo, value.hi)
        return Value(result, v.code, v.lo, v.hi)

    def visit_BinOp(self, node):
        if (folded := folded_as_python(node)) is not UNKNOWN:
            return self.literal(folded)
        left = self.expr(node.left)
        effects = self.effects
        right = self.expr(node.right)
        return self.operate(type(node.op).__name__, left, right, node, self.effects > effects)

    def visit_Compare(self, node):
        values = [self.expr(v) for v in (node.left, node.comparators[0])]
        self.maybe += 1
        values += [self.expr(v) for v in node.comparators[1:]]
        self.maybe -= 1
        kinds = [type(op).__name__ for op in node.ops]
        if kinds[0] in ("In", "NotIn"):
            return self.contains(values, kinds, node)
        if len(values) == 2 and all(v.type is STATIC for v in values):
            a, b = (v.const for v in values)
            same = a == b if kinds[0] in ("Eq", "NotEq") else a is b
            if kinds[0] in ("Eq", "NotEq", "Is", "IsNot"):
                return Value(STATIC, "", const=bool(same) == (kinds[0] in ("Eq", "Is")))
        if len(values) == 2 and all(isinstance(v.type, Tuple) for v in values):
            return self.same_tuples(values, kinds, node)
        if any(k in ("Is", "IsNot") for k in kinds):
            if len(values) != 2 or NONE not in [v.type for v in values]:
                self.refuse("`is` between values: only `is None`", node)
            maybe = next((v for v in values if isinstance(v.type, Optional)), None)
            if maybe is not None:
                word = "is" if kinds[0] == "Is" else "is not"
                return Value(boolean, f"({maybe.code} {word} None)")
            same = values[0].type is NONE and values[1].type is NONE
            return Value(STATIC, "", const=same == (kinds[0] == "Is"))
        signs = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}
        if any(k not in signs for k in kinds):
            self.refuse(f"`{ast.unparse(node)}`", node)
        values = [self.number(v, node) for v in values]
        if any(v.type.kind == "c" for v in values) and not set(kinds) <= {"Eq", "NotEq"}:
            self.type_error("complex numbers have no order", node)
        self.count("int" if all(v.type.whole for v in values) else "compare", len(kinds))
        code = values[0].code
        for kind, value in zip(kinds, values[1:], strict=True):
            code += f" {signs[kind]} {value.code}"
        return Value(boolean, f"({code})")

    def contains(self, values, kinds, node):
        """``x in (1, 2)``, ``x in array``."""
        if len(values) != 2:
            self.refuse(f"`{ast.unparse(node)}`", node)
        x, group = values
        sign = "" if kinds[0] == "In" else "not "
        if isinstance(group.type, Tuple):
            x = self.number(x, node)
            items = [self.number(v, node).code for v in self.parts(group)]
            self.count("int", len(items))
            return Value(boolean, f"({x.code} {sign}in ({', '.join(items)},))")
        if isinstance(group.type, Array) and isinstance(group.type.dtype, Scalar):
            x = self.number(x, node)
            site = self.site("load", node, ast.unparse(node.comparators[0]), group.type.dtype.size)
            self.count("load")
            return Value(boolean, f"({sign}IN(T, {site}, {x.code}, {group.code}))")
        return self.refuse(f"`in` of a value of type {group.type.name}", node)

    def same_tuples(self, values, kinds, node):
        """Tuples compare item by item, as in Python."""
        a, b = (self.parts(v) for v in values)
        signs = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}
        if kinds[0] not in signs:
            self.refuse(f"`{ast.unparse(node)}`", node)
        a, b = ([self.number(v, node).code for v in part] for part in (a, b))
        self.count("int", max(len(a), 1))
        tuples = ["(" + "".join(f"{c}, " for c in part) + ")" for part in (a, b)]
        return Value(boolean, f"({tuples[0]} {signs[kinds[0]]} {tuples[1]})")

    def visit_BoolOp(self, node):
        values = [self.truth(self.expr(node.values[0]))]
        self.maybe += 1  # the rest runs only where it decides
        values += [self.truth(self.expr(v)) for v in node.values[1:]]
        self.maybe -= 1
        word = "and" if isinstance(node.op, ast.And) else "or"
        stop = word == "or"
        live = []
        for v in values:  # a test known by type settles it, or says nothing
            if v.type is STATIC:
                if bool(v.const) == stop:
                    live.append(self.literal(stop))
                    break
            else:
                live.append(v)
        if not live:
            return Value(STATIC, "", const=not stop)
        result = live[0].type
        for v in live[1:]:
            result = self.unify(result, v.type)
        self.count("int", len(live) - 1)
        codes = [self.cast(v, result).code for v in live]
        lo = hi = None
        if result.whole:
            lo, hi = min(v.lo for v in live), max(v.hi for v in live)
        return Value(result, "(" + f" {word} ".join(codes) + ")", lo, hi)

    def visit_IfExp(self, node):
        test = self.truth(self.expr(node.test))
        if test.type is STATIC:
            return self.expr(node.body if test.const else node.orelse)
        self.maybe += 1
        a, b = self.expr(node.body), self.expr(node.orelse)
        self.maybe -= 1
        type = self.unify(a.type, b.type)
        if isinstance(type, Conflict) or type is STATIC:
            self.type_error(f"one value is {a.type.name}, the other {b.type.name}", node)
        self.count("select")
        lo = hi = None
        if isinstance(type, Scalar):
            a, b = self.cast(a, type), self.cast(b, type)
            if type.whole:
                lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        return Value(type, f"({a.code} if {test.code} else {b.code})", lo, hi)

    def visit_Call(self, node):
        from . import intrinsics

        function = self.expr(node.func)
        if function.type is not STATIC:
            self.type_error(f"`{ast.unparse(node.func)}` is not a function", node)
        return intrinsics.call(self, function.const, node)

    # ------------------------------------------------------------ numbers

    def number(self, value, node=None):
        """``value``, which must be a number."""
        if isinstance(value.type, Scalar):
            return value
        if isinstance(value.type, Optional):
            return self.some(value)
        if value.type is STATIC and isinstance(value.const, bool):
            return self.literal(value.const)
        if value.type is STATIC and isinstance(value.const, enum.Enum):
            return self.constant(value.const.value, "", node)
        what = value.type.name
        if value.type is STATIC:
            what = f"{value.const!r}, which a kernel cannot use as a number"
        return self.type_error(f"a number is needed here, not {what}", node)

    def some(self, value):
        """The number of a value that may be None; where it is None the thread ends, as in Numba."""
        code, first = value.code, value.code
        if not value.atom:
            code = self.temp()
            first = f"({code} := {value.code})"
        kind = self.program.constant(TypeError)
        said = f"expected {value.type.of.name}, got None"
        fails = f"FAIL(T, {self.node.lineno}, {kind}, {said!r})"
        return Value(value.type.of, f"({code} if {first} is not None else {fails})")

    def integer(self, value, node, where):
        """``value``, which must be an integer."""
        value = self.number(value, node)
        if not value.type.whole:
            self.type_error(f"{where} needs integers, not {value.type.name}: write int(...)", node)
        return value

    def truth(self, value):
        """``value`` as a condition."""
        if value.type is STATIC and isinstance(value.const, bool):
            return value
        if value.type is NONE:
            return Value(STATIC, "", const=False)
        if isinstance(value.type, Tuple):
            return Value(STATIC, "", const=bool(value.type.items))
        if isinstance(value.type, Optional):
            return Value(boolean, f"(not not {value.code})")
        if isinstance(value.type, Scalar):
            return value
        return self.type_error(f"a condition cannot be of type {value.type.name}")

    def rounded(self, type, raw):
        """A float result: ``raw`` is the text of the float64 computation."""
        if type is float64 or type is complex128:
            return Value(type, raw)
        if type is complex64:
            return Value(type, f"RC({raw})", raw=raw)
        code = f"(SI(F32, 0, {raw}) or F32[0])" if type is float32 else f"R16({raw})"
        return Value(type, code, raw=raw)

    def wrapped(self, type, code, lo, hi):
        """An integer result of ``type`` that lies between lo and hi before it wraps."""
        if type.lo <= lo and hi <= type.hi:
            return Value(type, code, lo, hi)
        if type.kind == "u":
            return Value(type, f"({code} & {type.hi})")
        t = self.temp()
        again = {8: f"W64({t})", 4: f"W32({t})"}.get(type.size, f"WRAP({t}, {type.size}, True)")
        low = f"{type.lo} <= " if lo < type.lo else ""
        high = f" <= {type.hi}" if hi > type.hi else ""
        return Value(type, f"({t} if {low}({t} := {code}){high} else {again})")

    def converted(self, a, b):
        if a is not b:
            self.count("convert")

    def cast(self, value, type, node=None):
        """``value`` as ``type``: what np.float32(x), an assignment or a call does."""
        value = self.number(value, node)
        old = value.type
        if old is type:
            return value
        self.converted(old, type)
        if type is boolean:
            return Value(boolean, f"({value.code} != 0)")
        if type.kind == "c":
            if old.kind == "c":
                wider = type.size > old.size
                return Value(type, value.code) if wider else self.rounded(type, value.code)
            code = f"complex({self.as_float(value, float64)})"
            return self.rounded(type, code)
        if old.kind == "c":
            self.type_error(f"a complex number cannot become {type.name}: take its .real", node)
        if type.kind == "f":
            if old.kind == "f":
                if type.size > old.size:
                    return Value(type, value.code, const=value.const, atom=value.atom)
                if value.const is not UNKNOWN:
                    near = (ops.round32 if type is float32 else ops.round16)(value.const)
                    v = self.literal(near)
                    return Value(type, v.code, const=near, atom=True)
                return self.rounded(type, value.code)
            if value.const is not UNKNOWN and abs(value.const) < 1 << 11:
                v = self.literal(float(value.const))
                return Value(type, v.code, const=v.const, atom=True)
            exact = {2: 1 << 11, 4: 1 << 24, 8: 1 << 64}[type.size]
            code = f"float({value.code})"
            if -exact <= value.lo and value.hi <= exact:
                return Value(type, code)
            return self.rounded(type, code)
        if old.kind == "f":
            return Value(type, f"F2I({value.code}, {type.size}, {type.kind == 'i'})")
        if value.const is not UNKNOWN:
            wrapped = ops.wrap(int(value.const), type.size, type.kind == "i")
            return Value(type, repr(wrapped), wrapped, wrapped, wrapped, atom=True)
        code = f"(+{value.code})" if old is boolean else value.code
        if type.lo <= value.lo and value.hi <= type.hi:
            return Value(type, code, value.lo, value.hi, atom=value.atom and old is not boolean)
        return self.wrapped(type, code, value.lo, value.hi)

    def arithmetic(self, type, kind=None):
        """Count one arithmetic instruction (of complex numbers: one for each part)."""
        if type.kind == "c":
            self.count(kind or {8: "fp32", 16: "fp64"}[type.size], 2)
        elif type.kind == "f":
            self.count(kind or {2: "fp16", 4: "fp32", 8: "fp64"}[type.size])
        else:
            self.count("int")

    def operate(self, op, a, b, node, impure=False):
        """``a op b``. ``impure``: computing b has an effect, so b must not come before a."""
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple) and op == "Add":
            return self.tuple(self.parts(a) + self.parts(b))
        a, b = self.number(a, node), self.number(b, node)
        type = binary(op, a.type, b.type)
        if op == "Pow" and boolean in (a.type, b.type):
            type = None
        if type is None:
            sign = ast.unparse(node)
            if op == "MatMult":
                self.refuse("the @ operator in a kernel", node)
            self.type_error(
                f"`{sign}`: no such operation for {a.type.name} and {b.type.name}", node
            )
        if all(
            v.const is not UNKNOWN or (v.type.whole and v.lo == v.hi and v.atom) for v in (a, b)
        ):
            folded = self.fold(op, a, b, type)
            if folded is not None:
                return folded
        if type.kind == "c":
            return self.complex(op, a, b, type)
        if type.kind == "f":
            return self.real(op, a, b, type, impure)
        return self.whole(op, a, b, type, impure)

    def fold(self, op, a, b, type):
        """A constant from two constants, where Python computes it the same way."""
        if type not in (int64, float64) or not (a.type.kind in "ib" or a.type is float64):
            return None
        if not (b.type.kind in "ib" or b.type is float64):
            return None
        x, y = (v.lo if v.const is UNKNOWN else v.const for v in (a, b))
        if op in ("Div", "FloorDiv", "Mod") and not y:
            return None
        if op == "Pow" and (type is float64 or y < 0 or abs(x) > 1 << 20 or y > 64):
            return None
        if op in ("LShift", "RShift") and not 0 <= y < 64:
            return None
        f = {
            "Add": lambda: x + y,
            "Sub": lambda: x - y,
            "Mult": lambda: x * y,
            "Div": lambda: x / y,
            "FloorDiv": lambda: x // y,
            "Mod": lambda: x % y,
            "Pow": lambda: x**y,
            "BitAnd": lambda: x & y,
            "BitOr": lambda: x | y,
            "BitXor": lambda: x ^ y,
            "LShift": lambda: x << y,
            "RShift": lambda: x >> y,
        }[op]
        try:
            v = self.literal(float(f()) if type is float64 else ops.wrap64(int(f())))
        except (OverflowError, ValueError):
            return None
        return Value(v.type, v.code, v.lo, v.hi, atom=True)  # known, but no literal to Numba

    def complex(self, op, a, b, type):
        """Arithmetic of complex numbers; others take part as complex ones."""
        self.arithmetic(type, {"Div": "divide", "Pow": "special"}.get(op))
        x, y = (v.code if v.type.kind == "c" else self.as_float(v, float64) for v in (a, b))
        if op in ("Add", "Sub", "Mult"):
            return self.rounded(type, f"({x} {'+-*'[('Add', 'Sub', 'Mult').index(op)]} {y})")
        return self.rounded(type, f"{'CDIV' if op == 'Div' else 'CPOWER'}({x}, {y})")

    def real(self, op, a, b, type, impure):
        """Arithmetic of floats; integers take part as floats."""
        if op == "Div":
            self.arithmetic(type, "divide")
        elif op == "Pow":
            self.arithmetic(type, "special")
        else:
            self.arithmetic(type)
        for v in (a, b):
            self.converted(v.type, type) if v.const is UNKNOWN else None
        x, y = (self.as_float(v, type) for v in (a, b))
        if op in ("Add", "Sub", "Mult"):
            return self.rounded(type, f"({x} {'+-*'[('Add', 'Sub', 'Mult').index(op)]} {y})")
        if op == "Div":
            if b.const is not UNKNOWN and b.const:
                return self.rounded(type, f"({x} / {y})")
            if impure:
                return self.rounded(type, f"DIV({x}, {y})")
            t = self.temp()
            zero = f"DIV({x}, {t})"
            if not self.program.kernel.options.get("fastmath"):
                zero = self.zero(zero)
            return self.rounded(type, f"({x} / {t} if ({t} := {y}) else {zero})")
        if op in ("FloorDiv", "Mod"):
            return self.rounded(type, f"{'FDIV' if op == 'FloorDiv' else 'FMOD'}({x}, {y})")
        if b.const is not UNKNOWN and b.type.whole and abs(b.const) < 1 << 16:
            return Value(type, f"CPOW({x}, {b.const}, {type is float32})")
        return self.rounded(type, f"POW({x}, {y})")

    def as_float(self, v, type):
        """The text of an operand of float arithmetic."""
        if v.type.kind == "f":
            return v.code
        if v.type.kind == "c":
            self.type_error("a complex number where a real one is needed: take its .real")
        if v.const is not UNKNOWN:
            return repr(float(v.const))
        small = -SAFE <= v.lo and v.hi <= SAFE
        return v.code if small and v.type is not boolean else f"float({v.code})"

    def whole(self, op, a, b, type, impure):
        """Arithmetic of integers, wrapped to 64 bits where it can leave them."""
        self.count("int")
        if type is boolean:  # of & | ^
            return Value(
                boolean, f"({a.code} {'&|^'[('BitAnd', 'BitOr', 'BitXor').index(op)]} {b.code})"
            )
        if op in ("LShift", "RShift"):
            return self.shift(op, a, b, type)
        a, b = self.cast(a, type), self.cast(b, type)
        x, y = a.code, b.code
        if op == "Add":
            return self.wrapped(type, f"({x} + {y})", a.lo + b.lo, a.hi + b.hi)
        if op == "Sub":
            return self.wrapped(type, f"({x} - {y})", a.lo - b.hi, a.hi - b.lo)
        if op == "Mult":
            ends = [p * q for p in (a.lo, a.hi) for q in (b.lo, b.hi)]
            return self.wrapped(type, f"({x} * {y})", min(ends), max(ends))
        if op in ("FloorDiv", "Mod"):
            self.count("idivide")
            sign = "//" if op == "FloorDiv" else "%"
            if op == "FloorDiv":
                far = max(abs(a.lo), abs(a.hi))
                lo, hi = (0 if a.lo >= 0 and b.lo >= 0 else -far), far
                if a.lo >= 0 and b.lo >= 1:
                    hi = a.hi // b.lo
            else:
                lo, hi = min(0, b.lo + 1), max(0, b.hi - 1)
                if a.lo >= 0 and b.lo >= 0:
                    hi = min(hi, a.hi)
            if b.lo > 0 or b.hi < 0:
                code = f"({x} {sign} {y})"
            elif impure:
                self.effects += 1
                code = f"IDIV({x}, {y})" if op == "FloorDiv" else f"IMOD({x}, {y})"
            else:  # an integer divided by zero is 0, as in Numba without debug
                t = self.temp()
                code = f"({x} {sign} {t} if ({t} := {y}) else {self.zero('0')})"
            return self.wrapped(type, code, lo, hi)
        if op == "Pow":
            if b.const is not UNKNOWN and 0 <= b.const <= 4:
                far = max(abs(a.lo), abs(a.hi)) ** b.const
                lo = 0 if a.lo >= 0 or b.const % 2 == 0 else -far
                return self.wrapped(type, f"({x} ** {b.const})", lo, max(far, 1))
            return Value(type, f"IPOW({x}, {y}, {type.size}, {type.kind == 'i'})")
        sign = {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}[op]
        lo, hi = type.lo, type.hi
        if op == "BitAnd" and (a.lo >= 0 or b.lo >= 0):
            lo = 0
            hi = min(v.hi for v in (a, b) if v.lo >= 0)
        elif a.lo >= 0 and b.lo >= 0:
            lo, hi = 0, (1 << max(a.hi.bit_length(), b.hi.bit_length())) - 1
        return Value(type, f"({x} {sign} {y})", lo, hi)

    def shift(self, op, a, b, type):
        a = self.cast(a, type)
        known = b.lo >= 0 and b.hi < 64
        if op == "LShift":
            code = f"({a.code} << {b.code})" if known else f"SHL({a.code}, {b.code})"
            top = min(b.hi, 63)
            return self.wrapped(type, code, min(a.lo << top, a.lo), max(a.hi << top, a.hi, 0))
        code = f"({a.code} >> {b.code})" if known else f"SHR({a.code}, {b.code})"
        low = b.lo if known else 0
        return Value(type, code, min(a.lo >> low, 0), max(a.hi >> low, 0))

    # ------------------------------------------------------------ calls

    def wait(self, op, node, mask="0", x="0", y="0", type=NONE, **kw):
        """An operation at which threads wait for one another: yield the request."""
        self.yields = self.waited = True
        self.waits += 1
        self.effects += 1
        site = self.site(op, node, size=type.size if isinstance(type, Scalar) else 0)
        self.count("barrier" if op.startswith(("barrier", "grid")) else "warp")
        if (mask, x, y) == ("0", "0", "0"):
            return Value(type, f"(yield {self.program.constant((op, site, 0, 0, 0))})", **kw)
        return Value(type, f"(yield ({op!r}, {site}, {mask}, {x}, {y}))", **kw)

    def device(self, source, values, node):
        """Call a device function."""
        program = self.program
        if any(f is source.function for f in program.stack):
            self.refuse(f"`{source.name}` calling itself (recursion)", node)
        sizes = names_of_sizes(source.node)

        def kind(name, v):
            """What a function is compiled for: a size of an array by its value."""
            if v.type is STATIC or (name in sizes and is_integer(v.const)):
                return Known(v.const)
            if name in sizes and v.items and all(is_integer(i.const) for i in v.items):
                return Known(tuple(i.const for i in v.items))
            return v.type

        types = tuple(kind(n, v) for n, v in zip(source.params, values, strict=False))
        if len(values) > len(source.params):
            self.type_error(f"`{source.name}` takes {len(source.params)} arguments", node)
        if self.instrumented or self.tally:
            name = f"f{next(program.numbers)}_{source.name}"
            outer = self.loops[-1].line if self.loops else self.outer
            function = Function(program, source, types, name, self.depth + 1, outer)
            if self.tally:
                function.given_roots = [
                    self.root(v) if isinstance(v.type, Array) else None for v in values
                ]
                function.depth_below = self.depth_below + self.depth_of_loops
                if any(isinstance(t, Tuple) and any_array(t) for t in types):
                    program.tallied = False
            function.compile()
            program.clones.append(function)
        else:
            key = (source.function, types)
            function = program.functions.get(key)
            if function is None:
                name = f"f{next(program.numbers)}_{source.name}"
                function = Function(program, source, types, name, self.depth + 1)
                function.compile()
                program.functions[key] = function
        self.effects += 1
        self.count("call")
        first = ["T", f"q{self.depth_of_loops}"] if self.tally else ["T"]
        call = f"{function.name}({', '.join([*first, *(v.code or 'None' for v in values)])})"
        if function.yields:
            self.yields = self.waited = True
            self.waits += 1
            call = f"(yield from {call})"
        if self.instrumented and returns_early(source.node):
            # Lanes that returned early wait for the others before the statement goes on.
            step = copy.copy(self.step)
            step.number, step.ops, step.branch = len(program.steps), Counter(), False
            program.steps.append(step)
            call = f"({call}, (yield {step.number - 0.5}))[0]"
        return Value(function.returns_type, call)


METHODS = {"bit_count", "conjugate", "conj", "item", "is_integer"}
METHODS_OF_ARRAYS = {"sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all"}
METHODS_OF_ARRAYS |= {"reshape", "ravel", "view", "transpose", "item", "fill"}


def is_integer(obj):
    """Whether a constant is an integer, such as a member of an IntEnum, and no boolean."""
    return isinstance(obj, int) and not isinstance(obj, bool)


class TooDeep(Exception):
    """Tallied code: more loops within one another than a key has room for."""


class Method(NamedTuple):
    """A method of a value, not yet called."""

    value: Value
    name: str


class Inner:
    """A function that is defined inside a kernel: it sees the kernel's variables."""

    def __init__(self, node, outer):
        self.node, self.outer, self.function = node, outer, node
        self.name, self.filename = node.name, outer.filename
        args = node.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
            raise Unsupported(
                f"`{self.name}`: a function inside a kernel with *, ** or defaults",
                node.lineno,
                self.filename,
            )
        self.own = [a.arg for a in args.posonlyargs + args.args]
        self.params, self.defaults = list(self.own), {}
        self.updates, self.varied = outer.updates, outer.varied
        self.remedies, self.tests = outer.remedies, outer.tests
        self.lookup, self.function_module = outer.lookup, outer.function_module

    def captured(self, env):
        """The names of the kernel's variables that the function uses."""
        local = set(self.own) | {
            n.id
            for n in ast.walk(self.node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        return sorted(n for n in names_in(self.node) if n in env and n not in local)


def refused_as_numba():
    """TypeRefused, which is a TypingError of Numba's as well where Numba is loaded."""
    bases = [TypeRefused]
    for name in ("numba.core.errors", "numba.cuda.core.errors"):
        kind = getattr(sys.modules.get(name), "TypingError", None)
        if isinstance(kind, type) and not any(issubclass(b, kind) for b in bases):
            bases.append(kind)
    return TypeRefused if len(bases) == 1 else type("TypeRefused", tuple(bases), {})


def is_literal_unroll(obj):
    """Whether an object is Numba's ``literal_unroll``, which marks a tuple to loop over."""
    return getattr(obj, "__name__", "") == "literal_unroll"


def own_jumps(body):
    """The break and continue statements of a loop with this body, not those of loops inside."""
    found = []
    for node in body:
        if isinstance(node, ast.Break | ast.Continue):
            found.append(node)
        elif isinstance(node, ast.If):
            found += own_jumps(node.body) + own_jumps(node.orelse)
        elif isinstance(node, ast.For | ast.While):
            found += own_jumps(node.orelse)
    return found


_rewritten = {}  # a loop's node -> (the node, statements that do the same)


def rewritten(node, make):
    """``make()``'s statements, made once for a node, so that a second walk finds the same."""
    known = _rewritten.get(id(node))
    if known is None or known[0] is not node:
        made = [ast.fix_missing_locations(ast.copy_location(s, node)) for s in make()]
        known = _rewritten[id(node)] = (node, made)
    return known[1]


def without_else(node):
    """A loop with ``else`` as statements without: a flag says whether `break` ended it."""

    def make():
        flag = f"_ended{node.lineno}_{node.col_offset}"

        def mark(body):
            out = []
            for s in body:
                if isinstance(s, ast.Break):
                    set_flag = ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(True))
                    out += [ast.copy_location(set_flag, s), s]
                elif isinstance(s, ast.If):
                    new = ast.If(s.test, mark(s.body), mark(s.orelse))
                    out.append(ast.copy_location(new, s))
                elif isinstance(s, ast.For | ast.While) and s.orelse:
                    new = type(s)(**{f: getattr(s, f, None) for f in s._fields})
                    new.orelse = mark(s.orelse)
                    out.append(ast.copy_location(new, s))
                else:
                    out.append(s)
            return out

        loop = type(node)(**{f: getattr(node, f, None) for f in node._fields})
        loop.body, loop.orelse = mark(node.body), []
        begin = ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(False))
        after = ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load())), node.orelse, [])
        return [begin, loop, after]

    return rewritten(node, make)


def with_index(node, call, function):
    """A loop over an array, enumerate() or zip() as one over range()."""

    def make():
        place = f"{node.lineno}_{node.col_offset}"
        count, before, sizes = f"_k{place}", [], []

        def source(expression):
            """The element of something that is looped over, which is worked out once."""
            if isinstance(expression, ast.Name):
                name = expression.id
            else:
                name = f"_a{place}_{len(before)}"
                before.append(ast.Assign([ast.Name(name, ast.Store())], expression))
            sizes.append(ast.Call(ast.Name("len", ast.Load()), [ast.Name(name, ast.Load())], []))
            index = ast.Name(count, ast.Load())
            return ast.Subscript(ast.Name(name, ast.Load()), index, ast.Load())

        def elements(call, function):
            if function is enumerate:
                start = call.args[1:] + [k.value for k in call.keywords]
                number = ast.Name(count, ast.Load())
                if start:
                    number = ast.BinOp(number, ast.Add(), start[0])
                inner, inner_function = call.args[0], None
                if isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "zip":
                    inner_function = zip
                return ast.Tuple([number, elements(inner, inner_function)], ast.Load())
            if function is zip:
                parts = [
                    elements(a, enumerate)
                    if isinstance(a, ast.Call) and getattr(a.func, "id", "") == "enumerate"
                    else source(a)
                    for a in call.args
                ]
                return ast.Tuple(parts, ast.Load())
            return source(call)

        value = elements(call, function)
        size = sizes[0]
        if len(sizes) > 1:
            size = ast.Call(ast.Name("min", ast.Load()), sizes, [])
        first = ast.Assign([node.target], value)
        turns = ast.Call(ast.Name("range", ast.Load()), [size], [])
        loop = ast.For(ast.Name(count, ast.Store()), turns, [first, *node.body], [], None)
        ast.copy_location(first, node)
        return [*before, loop]

    return rewritten(node, make)


def folded_as_python(node):
    """The number that CPython's compiler makes of an expression of constants, or UNKNOWN.

    Numba compiles bytecode, so it sees ``2**63`` and ``10**-6`` as one constant each.
    """
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (int, float, complex, bool) else UNKNOWN
    if isinstance(node, ast.UnaryOp):
        x = folded_as_python(node.operand)
        if x is UNKNOWN or isinstance(node.op, ast.Not):
            return UNKNOWN
        apply, args = FOLDS[type(node.op)], (x,)
    elif isinstance(node, ast.BinOp):
        x, y = folded_as_python(node.left), folded_as_python(node.right)
        if x is UNKNOWN or y is UNKNOWN:
            return UNKNOWN
        if isinstance(node.op, ast.Pow | ast.LShift) and type(x) is type(y) is int:
            # CPython folds only what stays below 128 bits.
            if y > 128 or (y > 0 and max(x.bit_length(), 1) * y > 128 and abs(x) > 1):
                return UNKNOWN
        apply, args = FOLDS.get(type(node.op)), (x, y)
    else:
        return UNKNOWN
    try:
        return apply(*args)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN


FOLDS = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod},
    **{ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift},
    **{ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor},
    **{ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert},
}


class Unassigned(Exception):
    """A local name that has no value yet: (name, node)."""


class Loop:
    """A loop being written: what is known at its head, at its exits, and where they are."""

    def __init__(self, head, line):
        self.head, self.line = head, line
        self.exit = None  # what is known where the loop's own test ends it
        self.breaks, self.continues = [], []  # (line for conversions, what is known)
        self.end = self.leave = None
        self.missing = None  # a name that a statement of its body needs and that is not known yet
        self.body = self.last = None  # tallied code: the runs at a turn's beginning and end
        self.backs = []  # lines at which a turn ends, filled with the way back to the head
        self.spin = False


class Pieces(NamedTuple):
    first: str  # the array, where it is named first
    array: str  # the array
    elements: str
    offset: str
    shape: list
    strides: list

    @property
    def elements_first(self):
        """The elements, where that is the first use of the array."""
        return self.elements if self.first == self.array else f"{self.first}.elements"


class Place(NamedTuple):
    dtype: object
    pieces: Pieces | None
    flat: str  # number of the element (of a field: the reference to the record)
    node: ast.AST
    text: str
    field: object = None


# What others can see of a statement: memory, output, findings, waiting.
SEEN = re.compile(r"\b(yield|LOG|PRINT)\b|\(T\b")
# What tallied code cannot note.
UNTALLIED = re.compile(
    r"\b(FIELD|SETFIELD|COPY|FILL|SPREAD|COPYREC|IN|REDUCE|RNG|NORMAL|AS|SHAPE|PARTS|FIELDS|"
    r"NESTED|INNER|FENCE|FAIL|CLOAD)\("
)
LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def leaves(node, kinds):
    """Whether a statement has one of these inside."""
    return any(isinstance(n, kinds) for n in ast.walk(node))


def returns_early(function):
    """Whether a function has a return inside a branch or a loop."""
    blocks = (n for n in ast.walk(function) if isinstance(n, ast.If | ast.For | ast.While))
    return any(leaves(n, ast.Return) for n in blocks)


def any_array(type):
    """Whether a tuple's type has an array in it."""
    return any(isinstance(t, Array) or isinstance(t, Tuple) and any_array(t) for t in type.items)


def names_in(node):
    """The names in a piece of a syntax tree."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def names_of_sizes(function):
    """The names that a function uses as the shape of a shared or local array."""
    return {
        name
        for n in ast.walk(function)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "array"
        for arg in n.args[:1]
        for name in names_in(arg)
    }


def reads(node):
    """Whether a piece of a syntax tree reads an array."""
    return any(isinstance(n, ast.Subscript) for n in ast.walk(node))


def is_cuda(obj):
    """Whether an object is the cuda module: this package's stand-in or Numba's own."""
    names = ("numba.cuda", "numba_cuda.numba.cuda", "numba_cuda_mlir.cuda")
    return getattr(obj, "__name__", "") in names


def is_device_array(obj):
    """Whether an object is an array in the simulated GPU's memory."""
    return not isinstance(obj, type) and hasattr(obj, "__cuda_array_interface__")


def is_array(obj):
    """Whether an object is a host array."""
    if isinstance(obj, type):
        return False
    return isinstance(getattr(obj, "shape", None), tuple) and hasattr(obj, "dtype")


def is_numpy(obj):
    """Whether an object is NumPy or this package's stand-in for it."""
    return getattr(obj, "__name__", "") == "numpy"
