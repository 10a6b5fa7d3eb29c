"""Launches of a program's kernels with as much work as a GPU needs to show its rate.

A page launches its kernels on five elements, which says nothing of a GPU's speed.
``snippets/run_here/sizes.yml`` says, by file and kernel, what such a launch is for a number ``n``:

``n``        the sizes that are measured, smallest first
``grid``, ``block``   as in a launch; ``block`` left out: the program's own
``arrays``   {parameter: shape}; those left out stay as the program has them
``numbers``  {parameter: value}, of integers
``flops``, ``bytes``  what a launch does and moves; ``bytes`` left out: each array once
``edits``    what is changed in the program before, such as the side of a tile
``row``      the row of data/benchmarks.json that measured this kernel on the H200
``least``    an ``n`` that the stepper takes, for the suite; null where none is small enough

An exercise's launches are in ``snippets/run_here/exercises.yml``, by its name: ``case``, what its
test is called with, and the launch that follows, for the reader's kernel and the reference alike.

Shapes, grids and numbers are integers or expressions of ``n``. A kernel with ``row`` alone has rows
of one length, which ``simulator.wgsl`` repeats by itself.
"""

import ast
import contextlib
from dataclasses import dataclass

from .stepper import Stepper, host, remember
from .stepper.faults import Unsupported
from .stepper.types import Array
from .wgsl import Config
from .wgsl import compile as compiled
from .wgsl.launch import Longer


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
