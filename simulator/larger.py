"""Launches of a program's kernels with as much work as a GPU needs to show its rate.

A page launches its kernels on five elements, which says nothing of a GPU's speed.
``snippets/run_here/sizes.yml`` says, by file and kernel, what such a launch is for a number ``n``:

``n``        the sizes that are measured, smallest first
``grid``, ``block``   as in a launch; ``block`` left out: the program's own
``arrays``   {parameter: shape}; those left out stay as the program has them
``numbers``  {parameter: value}, of integers
``flops``, ``bytes``  what a launch does and moves; ``bytes`` left out: each array once
``edits``    what is changed in the program before, such as the side of a tile
``sum``      [result, parameter]: the result is the sum of what the parameter holds; where blocks
             add to it by atomics, it is compared with that
``row``      the row of data/benchmarks.json that measured this kernel on the H200
``least``    an ``n`` that the stepper takes, for the suite; null where none is small enough

An exercise's launches are in ``snippets/run_here/exercises.yml``, by its name: ``case``, what its
test is called with, and the launch that follows, for the reader's kernel and the reference alike.

Shapes, grids and numbers are integers or expressions of ``n``. A kernel with ``row`` alone has rows
of one length, which ``simulator.wgsl`` repeats by itself.
"""

import ast
import contextlib
import dataclasses
import math
import struct
import time
from dataclasses import dataclass

from .stepper import KernelFault, Stepper, host, remember
from .stepper.faults import Unsupported
from .stepper.memory import Memory, View
from .stepper.runtime import Block, Grid, ThreadEnd, namespace_of
from .stepper.types import Array, Scalar
from .wgsl import Config
from .wgsl import compile as compiled
from .wgsl.launch import STRUCT, Longer, elements, pack

BLOCKS = 4  # of a large launch, that the stepper runs for comparison
SOON = 0.25  # seconds in which it begins another of them
LATE = 1.5  # seconds after which it gives up
THREADS = 1 << 16  # of a launch that the stepper runs whole before a GPU does
BYTES = 1 << 26  # that a page hands to a GPU of one launch
LONG = "one block of it takes the stepper too long"


@dataclass
class Sized:
    """A memory that repeats what another holds, up to a length. It exists on the GPU alone."""

    base: object
    length: int
    written = None

    @property
    def name(self):
        return self.base.name

    @property
    def bytes(self):
        return range(self.length)  # a length, and no bytes


@dataclass
class Note:
    """The first launch of a kernel, as it was made and as the stepper's compiler takes it."""

    kernel: object
    args: tuple
    values: tuple
    kinds: tuple
    block: tuple
    dynamic: int
    params: tuple = ()  # names of its arguments, where they are not the kernel's own


@contextlib.contextmanager
def noted(names, run=True):
    """Yield {name: Note} of the first launch of each kernel of these names; None stands for all.

    ``run``: whether launches are made at all.
    """
    plain, found = host.Kernel.launch, {}

    def launch(kernel, grid, block, dynamic, args):
        name = kernel.__name__
        if (names is None or name in names) and name not in found:
            with contextlib.suppress(Unsupported, TypeError):
                values, kinds, _ = kernel.arguments(args)
                shape = host.three(block, "block", kernel, kernel.source.node.lineno)
                found[name] = Note(kernel, args, values, kinds, shape, dynamic)
        return plain(kernel, grid, block, dynamic, args) if run else None

    host.Kernel.launch = launch
    try:
        yield found
    finally:
        host.Kernel.launch = plain


class Enough(BaseException):
    """A launch was seen, and nothing more is wanted of the program that makes it."""


@contextlib.contextmanager
def short():
    """End the program with Enough where it makes a launch of more than THREADS threads."""
    plain = host.Kernel.launch

    def launch(kernel, grid, block, dynamic, args):
        line = kernel.source.node.lineno
        three = [host.three(x, w, kernel, line) for x, w in ((grid, "grid"), (block, "block"))]
        if math.prod(three[0]) * math.prod(three[1]) > THREADS:
            raise Enough
        return plain(kernel, grid, block, dynamic, args)

    host.Kernel.launch = launch
    try:
        yield
    finally:
        host.Kernel.launch = plain


def of_case(exercise, case):
    """What the first launch of an exercise is for a case, as a spec without ``n``.

    The kernel is not run, and nothing behind the launch is. ``exercise``: as simulator/grade.py
    reads it. ``case``: what its test is called with.
    """
    plain, found = host.Kernel.launch, {}

    def launch(kernel, grid, block, dynamic, args):
        three = [list(host.three(x, w, kernel, 1)) for x, w in ((grid, "grid"), (block, "block"))]
        found.update(kernel=kernel.__name__, grid=three[0], block=three[1], arrays={}, numbers={})
        for name, a in zip(kernel.source.params, args, strict=True):
            if hasattr(a, "shape") and len(a.shape):
                found["arrays"][name] = [int(n) for n in a.shape]
            elif isinstance(a, int) or hasattr(a, "dtype") and a.dtype.kind in "iu":
                found["numbers"][name] = int(a)
        raise Enough

    stepper = Stepper(mode="run", raise_findings=False)
    host.Kernel.launch = launch
    try:
        with stepper.installed(), contextlib.suppress(Enough):
            house = {"__name__": "exercise"}
            remember("exercise.py", exercise.text)
            exec(compile(exercise.text, "exercise.py", "exec"), house)
            list(house["test"](*(house[n] for n in exercise.names), *case))
    finally:
        host.Kernel.launch = plain
    return found


def edited(code, edits):
    """Return a program with edits made, each where its text occurs last; None where one fails."""
    for find, replace in edits:
        before, found, after = code.rpartition(find)
        if not found:
            return None
        code = before + replace + after
    return code


def value(expression, n):
    """An integer, or an expression of ``n``, such as "-(-n // 32)"."""
    return int(eval(str(expression), {"__builtins__": {}}, {"n": n, "min": min}))


def launch(spec, n, note):
    """Return the Config of a launch for ``n``, and its arguments as the compiler takes them."""
    three = lambda given: (*(value(x, n) for x in given), 1, 1)[:3]  # noqa: E731
    memories, values = {}, []
    params = note.params or note.kernel.source.params
    for name, v, kind in zip(params, note.values, note.kinds, strict=True):
        if name in spec.get("arrays", ()) and isinstance(kind, Array):
            shape = tuple(value(x, n) for x in spec["arrays"][name])
            strides, step = [], 1
            for extent in reversed(shape):
                strides.insert(0, step)
                step *= extent
            memory = memories.setdefault(id(v.memory), Sized(v.memory, step * kind.dtype.size))
            values.append(Longer(memory, shape, tuple(strides)))
        else:
            known = spec.get("numbers", {})
            values.append(value(known[name], n) if name in known else v)
    block = three(spec["block"]) if "block" in spec else note.block
    return Config(three(spec["grid"]), block, note.dynamic), values


def shaders(spec, note, **options):
    """Yield (Shader, flops, bytes) for each ``n``; flops and bytes None where nothing is said.

    Raises Refused for what cannot be compiled.
    """
    for n in (value(n, 0) for n in spec["n"]):
        config, values = launch(spec, n, note)
        made = compiled(note.kernel.source, config, values, note.kinds, **options)
        yield (made, *(value(spec[k], n) if k in spec else None for k in ("flops", "bytes")))


def definitions(code):
    """What decides what the kernels of a program do: their functions, and constants, as text."""
    found = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef):
            inner = [d for f in ast.walk(node) if isinstance(f, ast.FunctionDef)
                     for d in f.decorator_list]  # fmt: skip
            if any("jit" in ast.unparse(d) for d in inner):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper():
            found.append(ast.unparse(node))
    return found


# ---------------------------------------------------------------- some blocks of a large launch


class Cyclic:
    """The elements of an array of which a GPU's buffer repeats ``base``; what is written is kept.

    It stands for the memoryview of a memory, which a reader's browser has no room for.
    """

    def __init__(self, base, length):
        self.base, self.length, self.own = base, length, {}
        self.one = memoryview(bytearray(base.itemsize)).cast(base.format)

    def __len__(self):
        return self.length

    def __getitem__(self, k):
        if not 0 <= k < self.length:
            raise IndexError(k)
        found = self.own.get(k)
        return self.base[k % len(self.base)] if found is None else found

    def __setitem__(self, k, value):
        if not 0 <= k < self.length:
            raise IndexError(k)
        self.one[0] = value  # rounds it, or takes it for too large, as memory does
        self.own[k] = self.one[0]


class Some(Grid):
    """A launch of which some blocks are run."""

    def run_block(self, args, number, late):
        """Run a block. After ``late`` threads that wait for no other are left out, but a warp."""
        namespace = namespace_of(self)
        exec(self.program.code, namespace)
        function = namespace["kernel"]
        x, y, _ = self.grid
        index = number % x, number // x % y, number // (x * y)
        if self.program.generator:
            return self.run_waiting(function, args, iter([(number, index)]))
        for t in Block(self, number, index).order:
            self.current = t
            with contextlib.suppress(ThreadEnd):
                function(t, *args)
            if t.number >= 31 and time.monotonic() > late:
                break


def sampled(function, shader, small, before):
    """What some blocks of the launch of a Shader leave, by the stepper.

    ``function``: the stepper's kernel. ``small``: the Shader whose buffers the large ones repeat;
    ``before``: what those hold, as bytes. Returns (number of blocks, {binding's name: (indices,
    bytes of their elements)}), or in a few words why there is no such comparison.
    """
    config, values, kinds = shader.launch
    written = [b for b in shader.bindings if b.written]
    if any(b.atomic for b in shader.bindings):
        return "all blocks update the same elements by atomics"
    homes = {id(b.memory): b for b in shader.bindings}
    bases = {b.name: b for b in small.bindings}
    known, given = {}, []
    try:
        for v, kind in zip(values, kinds, strict=True):
            if not isinstance(kind, Array):
                given.append(v)
                continue
            b = homes.get(id(v.memory))
            if b is None or b.name not in bases or not isinstance(kind.dtype, Scalar):
                return "its arrays share a buffer"
            if kind.dtype.kind == "c":
                return "of complex numbers"
            if id(b) not in known:
                base = native(bases[b.name], before[b.name], kind.dtype)
                known[id(b)] = Cyclic(base, b.elements)
            memory = Memory(bytearray(), "global", b.name)
            offset = v.offset + v.start // kind.dtype.size
            given.append(View(memory, kind.dtype, v.shape, v.strides, offset, 0, known[id(b)]))
        many = run_some(function, config, given, kinds)
        found = {}
        for b in written:
            own = known[id(b)].own if id(b) in known else {}
            places = sorted(own)
            found[b.name] = places, pack(b, numbers(b.dtype, [own[k] for k in places]))
    except KernelFault as fault:
        if fault.finding.kind in ("out-of-bounds", "negative-index"):
            raise
        return LONG if fault.finding.kind == "endless" else str(fault)
    except Exception as error:  # what stands for memory here lacks what this kernel does with it
        return f"{type(error).__name__}: {error}"
    found = {name: one for name, one in found.items() if one[0]}
    return (many, found) if found else "these blocks write nothing"


def summed(shader, small, before, names):
    """What a float32 sum of a large launch is, as ``sampled`` has it, or None.

    ``names``: of the result, a single number, and of what is added to it.
    """
    out, x = names
    large, bases = ({b.name: b for b in s.bindings} for s in (shader, small))
    if not (out in bases and x in bases and bases[out].elements == 1 and bases[x].kind == "f"):
        return None
    base, start = (native(bases[name], before[name], bases[name].dtype) for name in (x, out))
    times, rest = divmod(large[x].elements, len(base))
    total = start[0] + times * math.fsum(base) + math.fsum(base[:rest])
    return {out: ([0], pack(large[out], [total]))}


def run_some(function, config, values, kinds):
    """Run blocks from the last to the first, a few between, while there is time; their number."""
    settings = dataclasses.replace(
        function.stepper.settings, mode="run", time_limit=LATE, seed=None
    )
    program = function.program(tuple(kinds), False)
    if program.grid_sync or program.spins:
        raise Unsupported("blocks that wait for one another", function.source.node.lineno)
    run = Some(program, config.grid, config.block, config.dynamic, settings)
    last = math.prod(config.grid) - 1
    turns = (BLOCKS - 1, 0, *range(1, BLOCKS - 1))
    some = dict.fromkeys(last * k // (BLOCKS - 1) for k in turns)
    began, many = time.monotonic(), 0
    for number in some:
        run.run_block(values, number, began + SOON)
        many += 1
        if time.monotonic() - began > SOON:
            break
    return many


def native(binding, data, dtype):
    """What a GPU's buffer holds, as the stepper has it: a memoryview of its elements."""
    if binding.half:
        given = [x for (x,) in struct.iter_unpack("<e", data)]
    elif binding.wide:
        return memoryview(bytearray(data)).cast(binding.kind)
    elif dtype.size == 4 and dtype.format == STRUCT[dtype.kind]:
        return memoryview(bytearray(data)).cast(dtype.format)
    else:
        given = memoryview(data).cast(STRUCT[dtype.kind]).tolist()
    if dtype.name == "float16":
        made = struct.pack(f"<{len(given)}e", *given)
        return memoryview(bytearray(made)).cast(dtype.format)
    made = memoryview(bytearray(len(given) * dtype.size)).cast(dtype.format)
    for k, x in enumerate(given):
        made[k] = bool(x) if dtype.kind == "b" else x
    return made


def numbers(dtype, given):
    """The elements of the stepper's memory as Python numbers."""
    if dtype.name != "float16":
        return given
    return elements(None, dtype, struct.pack(f"<{len(given)}H", *given))
