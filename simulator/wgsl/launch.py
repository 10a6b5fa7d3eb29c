"""A launch of the stepper as a WGSL module with its buffers, and what came back compared.

``compile`` takes what ``Kernel.arguments`` of the stepper makes of a launch's arguments;
``captured`` records the launches of a program while the stepper runs it.
"""

import ast
import base64
import contextlib
import itertools
import linecache
import math
import re
import struct
from array import array
from dataclasses import dataclass, field

from ..stepper import host
from ..stepper.compiler import is_array
from ..stepper.faults import Unsupported
from ..stepper.source import _texts
from ..stepper.types import NONE, STATIC, Array, Known, RecordRef, Scalar, Tuple, float64, uint64
from .compiler import COLLECTIVE, Function, Module
from .render import ROW, module_text
from .values import (
    I32,
    MODES,
    Buffer,
    Refused,
    Value,
    View,
    exact32,
    keeps,
    literal,
    number,
    packed,
    span_of,
)

WIDE = {"float64", "complex"}  # kinds of refusal that computing in float32 may lift
LIFTS = {  # options of compile(), and the kinds of refusal that each may lift
    "pairs": {"int64", "record"},
    "emulate_float64": WIDE | {"int64", "record"},
    "single": WIDE,
}
MOST_LINES = 20_000  # of float64 emulated: a software adapter compiles as many in half a minute
MOST_BUFFERS = 8  # that every WebGPU device has for a shader
THREADS, SIDE = 256, 16  # of a block, where a kernel does not mind
SIZES = {1: ("size",), 2: ("rows", "cols"), 3: ("depth", "rows", "cols")}
STRUCT = {"i": "i", "u": "I", "b": "I", "f": "f"}


@dataclass
class Config:
    grid: tuple
    block: tuple
    dynamic: int = 0


@dataclass
class Binding:
    """A buffer of the module: its memory, and how its elements are kept there."""

    name: str
    memory: object
    dtype: Scalar
    elements: int
    read: bool
    written: bool
    half: bool = False  # float16 in two bytes
    atomic: bool = False
    wide: bool = False  # numbers of 64 bits as they are

    @property
    def kind(self):
        """As web/run-here/gpu.js reads its numbers."""
        if self.wide:
            return {"i": "q", "u": "Q", "f": "d"}[self.dtype.kind]
        return "h" if self.half else self.dtype.kind

    @property
    def bytes(self):
        """The bytes of an element."""
        return 8 if self.wide else 2 if self.half else 4


@dataclass
class Shader:
    """A kernel compiled for one launch."""

    name: str
    wgsl: str
    bindings: list
    params: bytes  # of the uniform buffer, or b""
    groups: tuple
    block: tuple
    shared: int  # bytes of workgroup memory
    infinity: bool  # whether it makes infinities or NaN
    features: tuple = ()
    launch: tuple = ()  # what it was compiled for: the config, the arguments and their types
    near: tuple = ()  # lines that compute with a float64 rounded to float32
    pairs: bool = False  # integers of 64 bits are pairs of 32
    emulated: bool = False  # float64 is computed by integers, to the bit: slow


def compile(source, config, values, kinds, *, pairs=False, emulate_float64=False, **options):
    """Compile a kernel for the arguments ``values`` of the types ``kinds``.

    ``pairs``: integers that may leave 32 bits are pairs of 32 bits; else they are refused.
    ``emulate_float64``: float64 is computed by integers, as IEEE 754 has it, to the bit and slowly;
    with ``single`` it is computed in float32, and arrays of it are kept so; else it is refused.
    ``threads``: how many of them the device takes in a workgroup. A block of more becomes several
    workgroups where its threads have nothing to do with each other.
    Raises Refused, with the line, for what cannot be compiled.
    """
    if emulate_float64 and options.get("single"):
        raise ValueError("float64 is either emulated or made float32")
    ways = [options]
    if emulate_float64 and options.get("unroll"):  # each operation is long already
        ways.insert(0, options | {"unroll": 0})
    before = dict(MODES)
    MODES.update(pairs=pairs or emulate_float64, emulated=emulate_float64)
    try:
        for k, way in enumerate(ways):
            try:
                shader = compiled(source, config, values, kinds, **way)
                break
            except Refused:  # some is known of turns that are written out alone
                if k == len(ways) - 1:
                    raise
        if emulate_float64 and (lines := expanded(shader)) > MOST_LINES:
            raise Refused(
                f"float64 emulated takes {lines} lines of WGSL where a driver puts each call's "
                "text in its place: too long to compile", source.node.lineno, source.filename,
                "float64")  # fmt: skip
        shader.pairs, shader.emulated = MODES["pairs"], emulate_float64
        return shader
    finally:
        MODES.update(before)


def expanded(shader):
    """The lines of a shader where each call of a function is the function's own."""
    parts = re.split(r"\n(?=fn )", shader.wgsl)
    bodies = {re.search(r"fn (\w+)\(", p)[1]: p.partition("{")[2] for p in parts[1:]}
    sizes = {}

    def size(name):
        if name not in sizes:
            sizes[name] = bodies[name].count("\n")
            calls = re.findall(r"\b(\w+)\(", bodies[name])
            sizes[name] += sum(size(called) for called in calls if called in bodies)
        return sizes[name]

    return size(shader.name)


def compiled(source, config, values, kinds, *, subgroups=0, unroll=0, f16=False, single=False,
             threads=0):  # fmt: skip
    if config.grid[0] > ROW and config.grid[1:] != (1, 1):
        raise Refused("a grid of more than 65535 blocks along x, with others along y or z",
                      source.node.lineno, source.filename, "launch")  # fmt: skip
    if any(n > ROW for n in config.grid[1:]) or config.grid[0] > ROW**2:
        raise Refused("a grid of more than 65535 blocks along y or z", source.node.lineno,
                      source.filename, "launch")  # fmt: skip
    packs, options = {}, (subgroups, unroll, f16, single)
    module, entry = settled(source, config, values, kinds, packs, options)
    texts = {f.source.filename: text_of(f.source.filename)
             for f in [entry, *module.functions.values()]}  # fmt: skip
    wgsl = module_text(module, entry, texts, threads)
    if len(module.bound) > MOST_BUFFERS and (packs := together(module.bound)):
        module, entry = settled(source, config, values, kinds, packs, options)
        wgsl = module_text(module, entry, texts, threads)
    if len(module.bound) > MOST_BUFFERS:
        raise Refused(f"{len(module.bound)} arrays: WebGPU promises {MOST_BUFFERS} to a kernel",
                      source.node.lineno, source.filename, "launch")  # fmt: skip
    params = b"".join(struct.pack("f", v) for _, v in module.params) if module.has_params else b""
    bindings = [
        Binding(b.name, b.key, b.dtype, b.size, b.read, b.written, b.half, b.atomic, b.wide)
        for b in module.bound
    ]
    shared = sum(b.bytes * b.size for b in module.buffers if b.space == "workgroup")
    strange = any(v - v != 0 for _, v in module.params)
    return Shader(entry.name, wgsl, bindings, params, module.groups, module.block, shared, strange,
                  tuple(sorted(module.enables)), (config, values, kinds),
                  tuple(sorted(module.near)))  # fmt: skip


def settled(source, config, values, kinds, packs, options):
    """Passes over the kernel until what is known of its buffers settles: (module, function)."""
    atomics, written, flat = set(), set(), set()
    for _ in range(6):
        try:
            module, entry = build(
                source, config, values, kinds, atomics, written, flat, packs, options
            )
        except Unsupported as fault:
            raise Refused(fault.what, fault.line, fault.filename) from fault
        found = {b.name for b in module.buffers if b.written}
        if (module.atomics, found, module.flat) == (atomics, written, flat):
            return module, entry
        atomics, written, flat = set(module.atomics), found, set(module.flat)
    raise Refused("buffers whose use does not settle", source.node.lineno, source.filename)


def together(buffers):
    """Where arrays that are only read lie when those of one dtype share a buffer.

    {id of a memory: (what they share, the element at which it begins there)}. Arrays that are
    written keep their own, so that each is compared by itself.
    """
    found = {}
    for b in buffers:
        if not (b.written or b.half):
            found.setdefault(b.dtype.name, []).append(b)
    packs = {}
    for same in found.values():
        if len(same) > 1:
            pack = Packed([b.key for b in same], same[0].dtype.size)
            starts = itertools.accumulate((b.size for b in same), initial=0)
            packs |= {id(b.key): (pack, at) for b, at in zip(same, starts, strict=False)}
    return packs


def text_of(filename):
    return _texts.get(filename) or "".join(linecache.getlines(filename))


def build(source, config, values, kinds, atomics, written, flat, packs, options):
    """One pass over the kernel; ``atomics``, ``written``: what the pass before found."""
    module = Module(config, atomics, flat, *options)
    module.sizes, module.texts, module.packs = {}, {}, packs
    module.kernel = source, kinds
    entry = Function(module, source, module.fresh(source.name), entry=True)
    memories = {}
    for name, v, kind in zip(source.params, values, kinds, strict=True):
        entry.env[name] = argument(entry, name, v, kind, memories, written)
    entry.given = [entry.env[name] for name in source.params]
    # A parameter that the kernel assigns to is a variable like any other.
    assigned = {n.id for n in ast.walk(source.node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
    for name in source.params:
        v = entry.env[name]
        if name in assigned and isinstance(v.type, Scalar):
            entry.assign(name, v)
    entry.block(source.node.body)
    return module, entry


def argument(fc, name, v, kind, memories, written):
    """A parameter of the kernel as the compiler's value."""
    module = fc.module
    if isinstance(kind, Array):
        return array_argument(fc, name, v, kind, memories, written)
    if kind is NONE:
        return Value(NONE)
    if isinstance(kind, Known):
        known = fc.constant(kind.const, name, fc.node)
        return known if isinstance(known.type, Scalar) else Value(STATIC, const=kind.const)
    if isinstance(kind, Tuple):
        items = tuple(argument(fc, f"{name}_{k}", x, t, memories, written)
                      for k, (x, t) in enumerate(zip(v, kind.items, strict=True)))  # fmt: skip
        return Value(Tuple(tuple(i.type for i in items)), items=items)
    if isinstance(kind, RecordRef) or not isinstance(kind, Scalar):
        fc.refuse(f"the argument `{name}`, a record", kind="record")
    if kind.kind == "c":
        fc.refuse(f"the argument `{name}`, a complex number", kind="complex")
    if kind.whole:
        n = number(kind, int(v))
        if kind.kind != "b" and n.state == "fits":
            n = n.but(code=module.constant(module.fresh(name), n.code, n.rep))
        return n
    state = "fits"
    if kind is float64:
        state = "exact" if v - v != 0 or exact32(v) else "once"
    if kind is float64 and MODES["emulated"]:
        code = module.constant(module.fresh(name), fc.real(float(v), kind).code, "float64")
        return Value(kind, code, "float64", state="exact", uniform=True)
    if v - v == 0 and abs(v) > 3.4e38:
        fc.refuse(f"the argument `{name}` is beyond float32", kind="float64")
    code = module.param(module.fresh(name), float(v))
    module.reals[code] = float(v)
    span = span_of(Value(kind, const=float(v)))
    return Value(kind, code, "f32", state=state, uniform=True, span=span)


def array_argument(fc, name, v, kind, memories, written):
    module, dtype = fc.module, kind.dtype
    states = random_states(dtype) and MODES["pairs"]
    if not (isinstance(dtype, Scalar) or states):
        fc.refuse(f"`{name}`, an array of records", kind="record")
    if states:
        dtype = uint64
    pair = dtype.kind == "c"
    if pair and not (module.single or MODES["emulated"]):
        fc.refuse(f"`{name}`, an array of complex numbers", kind="complex")
    dtype = dtype.part if pair else dtype
    if dtype is float64 and not module.single and not keeps(dtype):
        fc.refuse(f"`{name}`, an array of float64: WGSL has none; make it float32", kind="float64")
    key = id(v.memory)
    if key in memories and memories[key].dtype is not dtype:
        fc.refuse(f"`{name}` is the memory of another argument, as another dtype")
    pack, first = module.packs.get(key, (None, 0))
    made, home = module.fresh(name), key if pack is None else id(pack)
    if home not in memories:
        memory, called = (v.memory, made) if pack is None else (pack, module.fresh("packed"))
        size = len(memory.bytes) // dtype.size
        buffer = Buffer(called, dtype, "storage", size, memory, half=module.half(dtype),
                        wide=keeps(dtype))  # fmt: skip
        buffer.atomic = called in module.atomics
        buffer.written = called in written
        if dtype.whole and not buffer.written and size:
            known = getattr(memory, "bounds", None) or elements(memory, dtype)
            buffer.lo, buffer.hi = min(known), max(known)
        memories[home] = buffer
        module.buffers.append(buffer)
    buffer = memories[home]
    names = SIZES.get(len(v.shape), tuple(f"n{k}" for k in range(len(v.shape))))
    shape = []
    for word, n in zip(names, v.shape, strict=True):
        if n > I32[1]:
            fc.refuse(f"`{name}` has {n} elements along an axis")
        size_name = module.constant(module.fresh(f"{made}_{word}"), literal("i32", n))
        shape.append(number(fc_int64(), n).but(code=size_name))
    rows = len(shape) > 1 and not pair and v.strides[-2] == v.shape[-1]
    if rows and tuple(v.strides) == packed(v.shape):
        module.sizes[id(buffer), v.strides[-2]] = shape[-1].code
    start = v.start // dtype.size + v.offset + first
    if states:  # two numbers each
        strides, start = [n // 8 for n in v.strides], (v.start + v.offset) // 8 + first
        view = View(buffer, tuple(shape), tuple(strides), number(fc_int64(), start), states=True)
        return Value(kind, view=view)
    view = View(buffer, tuple(shape), tuple(v.strides), number(fc_int64(), start), pair)
    return Value(kind, view=view)


def random_states(dtype):
    """Whether records are the states of random numbers, as cuda.random makes them."""
    fields = [(f.name, f.type, f.offset) for f in getattr(dtype, "fields", ())]
    return fields == [("s0", uint64, 0), ("s1", uint64, 8)] and dtype.size == 16


def fc_int64():
    from ..stepper.types import int64

    return int64


# ---------------------------------------------------------------- memory


class Packed:
    """Memories one behind the other."""

    def __init__(self, parts, item):
        self.parts, self.item = parts, item
        self.name = ", ".join(p.name for p in parts)
        self.written = None if all(p.written is None for p in parts) else True

    @property
    def bytes(self):
        """Those of whole elements; where memory is on the GPU alone, a length."""
        sizes = [len(p.bytes) // self.item * self.item for p in self.parts]
        if any(isinstance(p.bytes, range) for p in self.parts):
            return range(sum(sizes))
        return b"".join(bytes(p.bytes)[:n] for p, n in zip(self.parts, sizes, strict=True))

    @property
    def bounds(self):
        known = [getattr(p, "bounds", None) for p in self.parts]
        return all(known) and [n for b in known for n in b]


@dataclass
class Repeated:
    """A memory that holds what another holds, ``times`` times. It exists on the GPU alone."""

    base: object
    times: int
    written = None

    @property
    def name(self):
        return self.base.name

    @property
    def bytes(self):
        return range(len(self.base.bytes) * self.times)  # a length, and no bytes


def repeated(source, config, values, kinds, times, **options):
    """The kernel for ``times`` as many elements and blocks, or None where that has no meaning.

    It has where the grid is a row of blocks, and all arrays are rows of one length; and where
    blocks or threads lie in two dimensions, as the arrays do.
    """
    if config.grid[1] > 1 or config.block[1] > 1:
        return enlarged(source, config, values, kinds, math.isqrt(times), **options)
    arrays = [v for v, t in zip(values, kinds, strict=True) if isinstance(t, Array)]
    sizes = {v.shape for v in arrays}
    if config.grid[1:] != (1, 1) or len(sizes) != 1 or any(isinstance(t, Tuple) for t in kinds):
        return None
    (shape,) = sizes
    if len(shape) != 1 or any(v.strides != (1,) or v.offset or v.start for v in arrays):
        return None
    made, longer = {}, []
    for v, t in zip(values, kinds, strict=True):
        if isinstance(t, Array):
            memory = made.setdefault(id(v.memory), Repeated(v.memory, times))
            longer.append(Longer(memory, (shape[0] * times,)))
        else:
            longer.append(v * times if t.name in ("int32", "int64") and v == shape[0] else v)
    blocks, threads = config.grid[0] * times, config.block[0]
    if config.grid[0] == -(-shape[0] // threads):  # a thread for each element, and the last block's
        blocks = -(-shape[0] * times // threads)
    if plainly_by_grid(source):  # nothing hangs on the size of a block: take a usual one
        blocks, threads = -(-blocks * threads // THREADS), THREADS
    config = Config((blocks, 1, 1), (threads, *config.block[1:]), config.dynamic)
    try:
        return compile(source, config, longer, kinds, **options)
    except Refused:
        return None


def enlarged(source, config, values, kinds, k, **options):
    """The kernel for matrices with ``k`` times as many rows and columns, or None."""
    arrays = [v for v, t in zip(values, kinds, strict=True) if isinstance(t, Array)]
    if config.grid[2] > 1 or config.block[2] > 1 or k < 2 or not arrays:
        return None
    if any(isinstance(t, Tuple) for t in kinds) or any(v.offset or v.start for v in arrays):
        return None
    if any(len(v.shape) != 2 or tuple(v.strides) != packed(v.shape) for v in arrays):
        return None
    extents = {n for v in arrays for n in v.shape}
    shared = all(sum(n in v.shape for v in arrays) > 1 for n in extents)
    if not (shared or len({v.shape for v in arrays}) == 1):
        return None  # such as a filter, which does not grow with the image
    made, longer = {}, []
    for v, t in zip(values, kinds, strict=True):
        if isinstance(t, Array):
            memory = made.setdefault(id(v.memory), Repeated(v.memory, k * k))
            rows, columns = (n * k for n in v.shape)
            longer.append(Longer(memory, (rows, columns), (columns, 1)))
        else:
            longer.append(v * k if t.name in ("int32", "int64") and v in extents else v)
    covered = [
        blocks * threads * k for blocks, threads in zip(config.grid, config.block, strict=True)
    ]
    block = config.block
    if plainly_by_grid(source) and not (covered[0] % SIDE or covered[1] % SIDE):
        block = SIDE, SIDE, 1
    grid = covered[0] // block[0], covered[1] // block[1], 1
    try:
        return compile(source, Config(grid, block, config.dynamic), longer, kinds, **options)
    except Refused:
        return None


def plainly_by_grid(source):
    """Whether a kernel knows its place by cuda.grid() alone, and waits for nobody."""
    words = {n.attr for n in ast.walk(source.node) if isinstance(n, ast.Attribute)}
    own = {"threadIdx", "blockIdx", "blockDim", "gridDim", "laneid", "shared", "gridsize"}
    return "grid" in words and not words & (own | COLLECTIVE)


@dataclass
class Longer:
    memory: Repeated
    shape: tuple
    strides: tuple = (1,)
    offset: int = 0
    start: int = 0


def elements(memory, dtype, data=None):
    """What a memory holds, as Python numbers."""
    memory = getattr(memory, "base", memory)
    data = bytes(memory.bytes) if data is None else data
    data = data[: len(data) // dtype.size * dtype.size]
    if dtype.name == "float16":
        return [x for (x,) in struct.iter_unpack("<e", data)]
    return memoryview(data).cast("B" if dtype.kind == "b" else dtype.format).tolist()


def pack(binding, numbers=None):
    """The bytes of a buffer on the GPU, of what its memory holds: 32 bits an element, or 16."""
    memory, dtype = binding.memory, binding.dtype
    if numbers is None and dtype.size == binding.bytes:
        data = bytes(memory.bytes)
        return data + bytes(-len(data) % 4)
    numbers = held(binding) if numbers is None else numbers
    if binding.wide:
        return array(binding.kind, numbers).tobytes()
    if binding.half:
        data = struct.pack(f"<{len(numbers)}e", *numbers)
        return data + bytes(-len(data) % 4)
    if dtype.kind == "b":
        numbers = [int(x != 0) for x in numbers]
    if dtype is float64 and any(x - x == 0 and abs(x) > 3.4e38 for x in numbers):
        raise Refused(f"`{memory.name}` (float64) holds numbers beyond float32", kind="float64")
    try:
        return array(STRUCT[dtype.kind], numbers).tobytes()
    except OverflowError:
        raise Refused(
            f"`{memory.name}` ({dtype.name}) holds numbers beyond 32 bits", kind="int64"
        ) from None


def packed_all(shader, source):
    """What the buffers of a launch hold before it, as the GPU gets it: {name: bytes}."""
    found = {}
    for b in shader.bindings:
        try:
            found[b.name] = pack(b)
        except Refused as refused:  # at the first line that has the array
            lines = [n.lineno for n in ast.walk(source.node)
                     if isinstance(n, ast.Name) and n.id == b.name]  # fmt: skip
            refused.line, refused.filename = min(lines, default=source.node.lineno), source.filename
            raise
    return found


def held(binding):
    """What a buffer's memory holds, as numbers, whole: beyond 32 bits too.

    But for what nobody wrote in a device_array of uint64, which nobody reads: its bits are all 1,
    and the 32 that the GPU keeps are so, too.
    """
    memory, dtype = binding.memory, binding.dtype
    numbers = elements(memory, dtype)
    written = memory.written
    if written is None or dtype is not uint64 or binding.wide:
        return numbers
    marks = bytes(len(numbers)) if written is True else written[:: dtype.size]
    return [x & 0xFFFFFFFF if x == uint64.hi and not mark else x
            for x, mark in zip(numbers, marks, strict=False)]  # fmt: skip


def as_json(shader, data=None):
    """A shader as web/run-here/gpu.js takes it. ``data``: name of a binding -> its bytes."""
    return {
        "name": shader.name,
        "wgsl": shader.wgsl,
        "groups": shader.groups,
        "block": shader.block,
        "shared": shader.shared,
        "params": base64.b64encode(shader.params).decode(),
        "bindings": [
            {
                "name": b.name,
                "written": b.written,
                "read": b.read,
                "kind": b.kind,
                "elements": b.elements,
                "size": -(-b.bytes * b.elements // 4) * 4,
                **({"data": base64.b64encode(data[b.name]).decode()} if data else {}),
            }
            for b in shader.bindings
        ],
    }


def wanted(record):
    """What the stepper left in the buffers that the kernel writes, as the GPU keeps it."""
    return {
        b.name: base64.b64encode(pack(b, record.after[b.name])).decode()
        for b in record.shader.bindings
        if b.written
    }


def unpack(data, binding):
    """The elements that came back."""
    if binding.half:
        return list(struct.unpack_from(f"<{binding.elements}e", data))
    if binding.wide:
        return memoryview(data).cast(binding.kind).tolist()
    return memoryview(data).cast(STRUCT[binding.dtype.kind]).tolist()


# ---------------------------------------------------------------- the launches of a program


@dataclass
class Captured:
    """A launch that the stepper made: what went in and what came out, and its WGSL or why not."""

    kernel: str
    config: Config
    filename: str
    line: int
    shader: Shader | None = None
    refused: Refused | None = None
    before: dict = field(default_factory=dict)  # name of a binding -> bytes for the GPU
    after: dict = field(default_factory=dict)  # name of a written one -> numbers by the stepper
    error: object = None
    sizes: list = field(default_factory=list)  # (times, Shader) for more elements
    function: object = None  # the stepper's kernel
    single: bool = False  # whether float64 is computed in float32


@contextlib.contextmanager
def captured(launches, most=None, each=None, **options):
    """Put every launch of the stepper, compiled, into the list ``launches``.

    ``most``: no more of them than that; ``each``: no more of one kernel. ``fallback``: options of
    compile(), such as ("pairs", "emulate_float64"). What is refused is compiled once more with the
    first of them that may lift the refusal, then with the next; True stands for ("single",).
    ``more``: by the size of the largest array, how many times as many elements to compile it for
    as well.
    """
    plain = host.Kernel.launch

    def launch(kernel, grid, block, dynamic, args):
        same = (kernel.__name__, kernel.source.filename)
        known = [r for r in launches if (r.kernel, r.filename) == same]
        if most is not None and len(launches) >= most or each is not None and len(known) >= each:
            return plain(kernel, grid, block, dynamic, args)
        return capture(plain, launches, options, kernel, grid, block, dynamic, args)

    host.Kernel.launch = launch
    try:
        yield launches
    finally:
        host.Kernel.launch = plain


def capture(plain, launches, options, kernel, grid, block, dynamic, args):
    lines = kernel.source.node.lineno
    shape = [host.three(x, w, kernel, lines) for x, w in ((grid, "grid"), (block, "block"))]
    record = Captured(kernel.__name__, Config(*shape, dynamic), kernel.source.filename, lines,
                      function=kernel)  # fmt: skip
    # Host arrays are copied there and back by the launch: do that here, to see their memory.
    back, given = [], []
    for a in args:
        if not isinstance(a, host.DeviceArray) and is_array(a) and host.scalar_of(a) is None:
            if not hasattr(a, "__cuda_array_interface__") and not host.is_record(a):
                device = host.DeviceArray.of(a)
                back.append((a, device))
                a = device
        given.append(a)
    options = dict(options)
    more, fallback = options.pop("more", lambda n: ()), options.pop("fallback", False)
    try:
        values, kinds, _ = kernel.arguments(given)
        more = more(max((v.size for v, t in zip(values, kinds, strict=True)
                         if isinstance(t, Array)), default=1))  # fmt: skip
        options = tried(record, fallback, kernel.source, values, kinds, options)
        for times in more:
            longer = repeated(kernel.source, record.config, values, kinds, times, **options)
            if longer:
                record.sizes.append((times, longer))
    except Refused as refused:
        record.refused, record.shader = refused, None
    except (Unsupported, TypeError) as fault:
        record.refused = Refused(str(fault), getattr(fault, "line", None))
    launches.append(record)
    try:
        plain(kernel, grid, block, dynamic, tuple(given))
    except BaseException as error:
        record.error = error
        raise
    finally:
        for a, device in back:
            if getattr(a.flags, "writeable", True):
                host.np.copyto(a, device._window())
    if record.shader:
        for b in record.shader.bindings:
            if b.written:
                record.after[b.name] = held(b)


def tried(record, fallback, source, values, kinds, options):
    """Compile a launch, by the options of ``fallback`` where it is refused without; the options.

    What is raised is the last refusal: of what no option lifts.
    """
    words = ("single",) if fallback is True else fallback or ()
    last = None
    for word in (None, *words):
        if last and last.kind not in LIFTS[word]:
            continue
        given = options | ({word: True} if word else {})
        try:
            record.shader = compile(source, record.config, values, kinds, **given)
            record.before = packed_all(record.shader, source)
        except Refused as refused:
            last = refused
            continue
        record.single = bool(given.get("single"))
        return given
    raise last


def unlike(record, results, tolerance=0.0, fine=None):
    """What differs between the stepper's memory and what came back: [(buffer, index, ...)].

    ``results``: name of a written buffer -> bytes. ``tolerance`` is relative to the largest number
    of the buffer; integers must be equal. ``fine``: that of float64 kept in 64 bits, if another.
    """
    wrong = []
    for b in record.shader.bindings:
        if not b.written:
            continue
        want, got = record.after[b.name], unpack(results[b.name], b)
        allowed = tolerance if fine is None or not b.wide else fine
        scale = max((abs(x) for x in want if x - x == 0), default=0.0) if allowed else 0
        for k, (x, y) in enumerate(zip(want, got, strict=True)):
            if b.dtype.kind == "b":
                x, y = bool(x), bool(y)
            if x == y or x != x and y != y:
                continue
            if b.dtype.kind == "f" and abs(x - y) <= allowed * scale:
                continue
            wrong.append((b.name, k, x, y))
    return wrong
