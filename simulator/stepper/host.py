"""The host's side: device arrays, kernels that can be launched, and the ``cuda`` module itself."""

import contextlib
import sys
import time
import types as pytypes
from dataclasses import dataclass, field

from . import types
from .checks import Checks
from .compiler import Intrinsic, Program, V, is_array
from .counts import Counts
from .faults import Finding, KernelFault, Unsupported, fault
from .intrinsics import BLOCK, CALLS, GRID, GROUPS
from .memory import Memory, View, global_address, packed, unit_of
from .runtime import Grid, next_state
from .source import Source
from .trace import Trace
from .types import ALIASES, VECTORS, Array, Record, Scalar, Signature, as_dtype

try:
    import numpy as np
except ImportError:  # no NumPy here (a browser): this package's own few pages of it
    from . import lite as np

THREADS_PER_BLOCK = 1024
SHARED_BYTES = 48 * 1024
CONSTANT_BYTES = 64 * 1024
COOPERATIVE_THREADS = 132 * 2048  # threads that an H200 holds at once: 132 multiprocessors


class DeviceArray:
    """An array in the simulated GPU's memory. Stands for Numba's DeviceNDArray.

    Host code reads it with ``copy_to_host``. Memory that ``device_array`` made holds nothing until
    something is written, and the checks know.
    """

    def __init__(self, view, dtype):
        self.view, self.dtype = view, dtype

    @classmethod
    def empty(cls, shape, dtype, order="C", name=""):
        """Memory that nothing has written."""
        shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        dtype = np.dtype(dtype)
        element = element_of(dtype)
        unit = unit_of(element)
        strides = packed(shape, unit)
        if order == "F":
            strides = packed(shape[::-1], unit)[::-1]
        nbytes = element.size
        for n in shape:
            nbytes *= n
        memory = Memory.empty(nbytes, "global", name, address=global_address(nbytes))
        return cls(View(memory, element, shape, strides), dtype)

    @classmethod
    def of(cls, array):
        """A copy of a host array."""
        array = np.asarray(array)
        contiguous_or_error(array)
        order = "C" if array.flags.c_contiguous else "F"
        new = cls.empty(array.shape, array.dtype, order)
        new.fill_from(array)
        return new

    def fill_from(self, array):
        """Copy a host array of the same shape into this one."""
        np.copyto(self._window(), array)
        memory = self.view.memory
        if memory.written is not None:
            if len(memory.bytes) == self.view.size * self.view.dtype.size:
                memory.written = None  # everything is known now
            else:
                size = self.view.dtype.size
                for item in self.view.items():
                    at = self.view.start + item * self.view.step
                    memory.written[at : at + size] = b"\x01" * size

    def _window(self):
        """A host array over the same memory."""
        view = self.view
        return np.ndarray(
            view.shape,
            self.dtype,
            buffer=view.memory.bytes,
            offset=view.start + view.offset * view.step,
            strides=tuple(s * view.step for s in view.strides),
        )

    # ------------------------------------------------------------ what Numba's has

    shape = property(lambda self: self.view.shape)
    ndim = property(lambda self: len(self.view.shape))
    size = property(lambda self: self.view.size)
    strides = property(lambda self: tuple(s * self.view.step for s in self.view.strides))
    nbytes = property(lambda self: self.view.size * self.view.dtype.size)
    alloc_size = nbytes
    T = property(lambda self: self.transpose())

    def copy_to_host(self, ary=None, stream=0):
        """Copy to a new host array, or into ``ary``, which must fit."""
        window = self._window()
        if ary is None:
            return window.copy("A")
        fits(self, ary)
        np.copyto(ary, window)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copy a host or device array into this one."""
        source = ary._window() if isinstance(ary, DeviceArray) else np.asarray(ary)
        fits(self, source)
        self.fill_from(source)

    def is_c_contiguous(self):
        return self._window().flags.c_contiguous

    def is_f_contiguous(self):
        return self._window().flags.f_contiguous

    def bind(self, stream=0):
        return self

    def transpose(self, axes=None):
        """The array with its axes the other way round, in the same memory."""
        if axes is not None and tuple(axes) != tuple(range(self.ndim))[::-1]:
            raise Unsupported("transpose() of a device array with axes")
        return DeviceArray(self.view.T(), self.dtype)

    def reshape(self, *shape, order="C"):
        """The same memory in another shape."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        new = self._window().reshape(shape)
        if not self.is_c_contiguous():
            raise Unsupported("reshape() of a device array that is not packed row by row")
        view = self.view
        unit = unit_of(view.dtype)
        return DeviceArray(view.derive(new.shape, packed(new.shape, unit), view.offset), self.dtype)

    def ravel(self, order="C"):
        """The same memory in one dimension."""
        return self.reshape((self.size,))

    def split(self, section, stream=0):
        """The array in pieces of ``section`` elements."""
        return [self[k : k + section] for k in range(0, self.size, section)]

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        part = self._window()[key]
        if not hasattr(part, "shape") or not getattr(part, "shape", ()):
            return part
        window = self._window()
        keys = key if isinstance(key, tuple) else (key,)
        view = self.view
        offset, shape, strides = view.offset, [], []
        for axis in range(window.ndim):
            k = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(k, slice):
                picked = range(view.shape[axis])[k]
                offset += (picked.start if len(picked) else 0) * view.strides[axis]
                shape.append(len(picked))
                strides.append(view.strides[axis] * picked.step)
            else:
                offset += (int(k) % view.shape[axis]) * view.strides[axis]
        if tuple(shape) != tuple(part.shape):
            raise Unsupported(f"the index {key!r} of a device array")
        at = view.start + offset * view.step
        inner = View(view.memory, view.dtype, tuple(shape), tuple(strides), 0, at)
        return DeviceArray(inner, self.dtype)

    def __setitem__(self, key, value):
        part = self[key] if not self._is_element(key) else None
        value = value._window() if isinstance(value, DeviceArray) else value
        if part is None:
            window = self._window()
            window[key] = value
            if self.view.memory.written is not None:
                keys = key if isinstance(key, tuple) else (key,)
                item = self.view.offset + sum(
                    (int(k) % n) * s
                    for k, n, s in zip(keys, self.shape, self.view.strides, strict=True)
                )
                at, size = self.view.start + item * self.view.step, self.view.dtype.size
                self.view.memory.written[at : at + size] = b"\x01" * size
        else:
            part.fill_from(value)

    def _is_element(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        return len(keys) == self.ndim and not any(isinstance(k, slice) for k in keys)

    def __array__(self, dtype=None, copy=None):
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype)

    def __repr__(self):
        return f"<device array, shape {self.shape}, {self.dtype}>"


def element_of(dtype):
    """The element type of a host dtype; refuses what kernels cannot hold."""
    element = as_dtype(dtype)
    if not isinstance(element, Scalar | Record):
        raise Unsupported(f"arrays of {dtype}")
    return element


def contiguous_or_error(array):
    """Numba copies only arrays that are packed."""
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("only contiguous arrays can be copied: use np.ascontiguousarray(...)")


def fits(a, b):
    """Refuse to copy between arrays of different shape or type, as Numba does."""
    squeezed = [tuple(n for n in x.shape if n != 1) for x in (a, b)]
    if a.dtype != b.dtype:
        raise TypeError(f"incompatible dtype: {a.dtype} vs. {b.dtype}")
    if squeezed[0] != squeezed[1]:
        raise ValueError(f"incompatible shape: {tuple(a.shape)} vs. {tuple(b.shape)}")


# ---------------------------------------------------------------- launching


@dataclass
class Settings:
    """How launches are run.

    ``mode``: "run" (fast), "check" (checks and counts) or "record" (checks, counts and a
    recording). ``seed`` shuffles the order of threads, warps and blocks. ``max_steps`` limits the
    loop turns of a launch (statements of threads, when checking), ``time_limit`` its seconds.
    ``raise_findings``: a launch with findings raises the first of them when it is over; otherwise
    only what makes going on senseless is raised.
    """

    mode: str = "run"
    seed: int | None = None
    max_steps: int = 1_000_000_000
    time_limit: float | None = None
    raise_findings: bool = True

    def __post_init__(self):
        if self.mode not in ("run", "check", "record"):
            raise ValueError(f"mode must be run, check or record, not {self.mode!r}")


@dataclass
class Launch:
    """What is known of a launch that was made. ``line`` is that of the call, if it is in the
    kernel's file, or else the kernel's own.
    """

    kernel: str
    grid: tuple
    block: tuple
    line: int
    findings: list = field(default_factory=list)
    counts: Counts | None = None
    trace: Trace | None = None
    seconds: float = 0.0
    steps: int = 0
    error: Exception | None = None


def three(value, what, kernel, line):
    """A number or a tuple of up to three as (x, y, z)."""
    value = value if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(value) <= 3:
        kernel.limit(f"the {what} has {len(value)} dimensions; a GPU has one to three.", line)
    out = []
    for n in value:
        if isinstance(n, float) or not hasattr(n, "__index__"):
            raise TypeError(f"the {what} must be whole numbers, not {n!r}")
        out.append(n.__index__())
    return tuple(out + [1] * (3 - len(out)))


class Kernel:
    """A function under ``@cuda.jit``: launched as ``kernel[blocks, threads](...)``."""

    __stepper_kernel__ = True

    def __init__(self, stepper, function, options, signature=None):
        self.stepper, self.py_func, self.options = stepper, function, options
        self.signature = signature
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        try:  # now: later the file may have changed, or another page be in its place
            self._source = Source(function)
        except Unsupported as unknown:
            self._source = unknown
        self.programs = {}
        self.constants = {}

    @property
    def source(self):
        if isinstance(self._source, Unsupported):
            raise self._source
        return self._source

    def __getitem__(self, config):
        if self.options.get("device"):
            raise RuntimeError(f"`{self.__name__}` is a device function: call it from a kernel")
        config = config if isinstance(config, tuple) else (config,)
        if not 2 <= len(config) <= 4:
            raise ValueError("a launch takes blocks, threads and, if need be, stream and bytes")
        return Configured(self, *config)

    def __call__(self, *args):
        if self.options.get("device"):
            raise TypeError(f"`{self.__name__}` is a device function: call it from a kernel")
        raise ValueError(
            "Kernel launch configuration was not specified. Use the syntax:\n\n"
            f"{self.__name__}[blockspergrid, threadsperblock](*args)"
        )

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """As many threads as there are tasks, in blocks of 128 unless told otherwise."""
        threads = tpb or 128

        def launch(*args):
            if ntasks:
                self[-(-ntasks // threads), threads, stream, sharedmem](*args)

        return launch

    def __getattr__(self, name):
        raise AttributeError(f"the stepper has no `.{name}` of a kernel")

    def limit(self, text, line=None, source=None):
        """Refuse a launch."""
        source = source or self.source
        line = line or source.node.lineno
        raise fault(
            Finding("launch-limit", text, line, kernel=self.__name__, filename=source.filename)
        )

    def launch_line(self):
        """The line that launches, if it is in the kernel's file, or else the kernel's own."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                return frame.f_lineno
            frame = frame.f_back
        return self.source.node.lineno

    def constant_array(self, fc, array, name, node):
        """A NumPy array from outside: kernels see it as it is now, and cannot write it."""
        found = self.constants.get(id(array))
        if found is None:
            host = np.asarray(array)
            contiguous_or_error(host)
            made = DeviceArray.of(host)
            memory = made.view.memory
            memory.space, memory.name = "constant", name
            made.view.elements = made.view.elements.toreadonly()
            view = made.view
            view.pieces = (view.elements, *view.pieces[1:])
            found = self.constants[id(array)] = (view, array)
        view = found[0]
        code = fc.program.constant(view)
        views = {id(c): c for c in fc.program.constants if isinstance(c, View)}
        total = sum(len(c.memory.bytes) for c in views.values())
        if total > CONSTANT_BYTES:
            self.limit(
                f"with `{name}` the kernel has {total} bytes of constant arrays; a GPU has "
                f"{CONSTANT_BYTES} bytes of constant memory: pass the array as an argument.",
                node.lineno,
                fc.source,
            )
        return V(view.type, code, atom=True)

    def program(self, argtypes, instrumented):
        """The kernel compiled for these argument types."""
        key = (argtypes, instrumented)
        if key not in self.programs:
            self.programs[key] = Program(self, argtypes, instrumented)
        return self.programs[key]

    def launch(self, grid, block, dynamic, args):
        """Run the kernel."""
        stepper, settings = self.stepper, self.stepper.settings
        line = self.launch_line()
        grid, block = three(grid, "grid", self, line), three(block, "block", self, line)
        record = Launch(self.__name__, grid, block, line)
        stepper.launches.append(record)
        began = time.perf_counter()
        run = None
        try:
            self.check_shape(grid, block, line)
            values, argtypes, back = self.arguments(args)
            program = self.program(argtypes, settings.mode != "run")
            shared = program.static_bytes + dynamic
            if shared > SHARED_BYTES:
                self.limit(
                    f"a block asks for {shared} bytes of shared memory ({program.static_bytes} in "
                    f"the kernel, {dynamic} at the launch); a block can have {SHARED_BYTES}."
                )
            total = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
            if program.grid_sync and total > COOPERATIVE_THREADS:
                self.limit(
                    f"The launch asks for {total} threads, and a grid that waits for all its "
                    f"threads must fit on the GPU at once, which holds {COOPERATIVE_THREADS}: use "
                    "fewer blocks, and let each thread take several elements.",
                    line,
                )
            run = Grid(program, grid, block, dynamic, settings)
            if settings.mode != "run":
                run.checks, run.counts = Checks(run), Counts(run)
                record.counts = run.counts
            if settings.mode == "record":
                run.trace = record.trace = Trace(run)
            try:
                run.run(values)
            finally:
                for host, device in back:
                    np.copyto(host, device._window())
        except Exception as error:
            record.error = error
            if isinstance(error, KernelFault) and run is None:
                record.findings.append(error.finding)
            raise
        finally:
            record.seconds = time.perf_counter() - began
            if run is not None:
                found = list(run.findings.values())
                record.findings += run.checks.settle(found) if run.checks else found
                record.steps = run.used
        if record.findings and settings.raise_findings:
            record.error = fault(record.findings[0])
            raise record.error

    def check_shape(self, grid, block, line):
        """The limits on blocks and threads."""
        asks = "The launch asks for"
        for k, d in enumerate("xyz"):
            for n, what in ((grid[k], "blocks"), (block[k], "threads")):
                if n < 1:
                    self.limit(f"{asks} {n} {what} along {d}: it must be 1 or more.", line)
            if block[k] > BLOCK[k]:
                self.limit(
                    f"{asks} {block[k]} threads along {d}, where a block can have at most "
                    f"{BLOCK[k]}: use more blocks.",
                    line,
                )
            if grid[k] > GRID[k]:
                mend = "let each thread take several elements" if d == "x" else "use x for them"
                self.limit(
                    f"{asks} {grid[k]} blocks along {d}, where a grid can have at most "
                    f"{GRID[k]}: {mend}.",
                    line,
                )
        threads = block[0] * block[1] * block[2]
        if threads > THREADS_PER_BLOCK:
            self.limit(
                f"{asks} blocks of {block[0]} x {block[1]} x {block[2]} = {threads} threads; a "
                f"block can have at most {THREADS_PER_BLOCK}: use more and smaller blocks.",
                line,
            )

    def arguments(self, args):
        """(values for the threads, their types, what to copy back to the host)."""
        params = self.source.params
        defaults = self.source.defaults
        if not len(params) - len(defaults) <= len(args) <= len(params):
            raise TypeError(f"`{self.__name__}` takes {len(params)} arguments, not {len(args)}")
        args = list(args) + [defaults[p] for p in params[len(args) :]]
        declared = self.signature.args if self.signature else (None,) * len(args)
        if len(declared) != len(args):
            raise TypeError(f"`{self.__name__}` is declared with {len(declared)} arguments")
        values, kinds, back = [], [], []
        for name, arg, want in zip(params, args, declared, strict=True):
            value, kind = self.argument(name, arg, want, back)
            values.append(value)
            kinds.append(kind)
        return values, tuple(kinds), back

    def argument(self, name, arg, want, back):
        if isinstance(arg, DeviceArray) or is_array(arg) and scalar_of(arg) is None:
            if not isinstance(arg, DeviceArray):
                if hasattr(arg, "__cuda_array_interface__"):
                    raise Unsupported("an array of another GPU library as an argument")
                device = DeviceArray.of(arg)  # Numba copies there and back
                back.append((arg, device))
                arg = device
            arg.view.memory.name = name
            kind = arg.view.type
            if want is not None:
                if not isinstance(want, Array) or (want.dtype, want.ndim) != (
                    kind.dtype,
                    kind.ndim,
                ):
                    raise TypeError(f"`{name}` is declared {want.name}, not {kind.name}")
            return arg.view, kind
        if isinstance(arg, tuple):
            if any(is_array(a) and scalar_of(a) is None for a in arg):
                raise Unsupported("a tuple of arrays as an argument of a kernel")
            pairs = [self.argument(name, a, None, back) for a in arg]
            return tuple(v for v, _ in pairs), types.Tuple(tuple(k for _, k in pairs))
        if arg is None:
            return None, types.NONE
        kind = scalar_of(arg)
        if kind is None:
            raise Unsupported(f"an argument of type {type(arg).__name__} (`{name}`)")
        if want is not None:
            if not isinstance(want, Scalar):
                raise TypeError(f"`{name}` is declared {want.name}, not a number")
            return convert(arg, want), want
        return convert(arg, kind), kind


def scalar_of(arg):
    """The type of a number given to a kernel."""
    if type(arg) is bool:
        return types.boolean
    if type(arg) is int:
        if -(1 << 63) <= arg < 1 << 64:
            return types.int64 if arg < 1 << 63 else types.uint64
        raise OverflowError(f"the integer {arg} does not fit into 64 bits")
    if type(arg) is float:
        return types.float64
    return types.SCALARS.get(type(arg).__name__.rstrip("_"))


def convert(arg, kind):
    """A number as Python's own, rounded or wrapped to ``kind``."""
    from . import ops

    if kind.kind == "f":
        value = float(arg)
        return {2: ops.round16, 4: ops.round32, 8: float}[kind.size](value)
    if kind is types.boolean:
        return bool(arg)
    return ops.wrap(int(arg), kind.size, kind.kind == "i")


class Configured:
    """A kernel with its launch configuration."""

    def __init__(self, kernel, grid, block, stream=0, sharedmem=0):
        self.kernel, self.grid, self.block = kernel, grid, block
        self.shared = int(sharedmem)
        if self.shared < 0:
            raise ValueError("the bytes of dynamic shared memory must not be negative")

    def __call__(self, *args):
        self.kernel.launch(self.grid, self.block, self.shared, args)


# ---------------------------------------------------------------- the cuda module


class Stream:
    """A stream. Everything is done at once, so there is nothing to wait for."""

    handle = 0

    def synchronize(self):
        pass

    @contextlib.contextmanager
    def auto_synchronize(self):
        yield self

    def add_callback(self, callback, arg=None):
        callback(self, 0, arg)

    def __bool__(self):
        return True


class Event:
    """An event: the host's clock, which says nothing of a GPU's speed."""

    def __init__(self, timing=True):
        self.at = None

    def record(self, stream=0):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def wait(self, stream=0):
        pass

    def query(self):
        return True

    def elapsed_time(self, end):
        """Milliseconds from this event to ``end``."""
        if self.at is None or end.at is None:
            raise RuntimeError("both events must be recorded first")
        return 1e3 * (end.at - self.at)


class Device:
    """The GPU that is simulated: the limits of compute capability 9.0."""

    id = 0
    name = "stepper"
    compute_capability = (9, 0)
    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = THREADS_PER_BLOCK
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = BLOCK
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = GRID
    MAX_SHARED_MEMORY_PER_BLOCK = SHARED_BYTES
    MULTIPROCESSOR_COUNT = 132
    MAX_THREADS_PER_MULTI_PROCESSOR = 2048

    def reset(self):
        pass


class Context:
    """The current context: one device."""

    device = Device()

    def synchronize(self):
        pass

    def reset(self):
        pass

    def get_memory_info(self):
        raise Unsupported("memory information of a GPU that is not there")


class Devices(list):
    """``cuda.gpus``."""

    current = property(lambda self: self[0])


class Module(pytypes.ModuleType):
    """A module that says by name what it does not have."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"the stepper has no `{self.__name__}.{name}`")


def cuda_module(stepper):
    """The stand-in for ``numba.cuda``, bound to a Stepper."""
    cuda = Module("numba.cuda")
    cuda.__stepper__ = stepper
    for path in [*GROUPS, *CALLS, "laneid", "warpsize"]:
        if "." not in path:
            setattr(cuda, path, Intrinsic(path))
    for name, scalar in ALIASES.items():
        setattr(cuda, name, scalar)
    del cuda.int, cuda.float
    for name in VECTORS:
        setattr(cuda, name, Intrinsic(name))

    def jit(func_or_sig=None, **options):
        """``@cuda.jit``, with or without a signature and options."""
        if options.get("link"):
            raise Unsupported("linking other code into a kernel")
        unknown = set(options) - KEYWORDS
        if unknown:
            raise Unsupported(f"cuda.jit({sorted(unknown)[0]}=...)")
        if isinstance(func_or_sig, pytypes.FunctionType):
            return Kernel(stepper, func_or_sig, options)
        signature = func_or_sig
        if isinstance(signature, list):
            signature = signature[0] if len(signature) == 1 else None
        if isinstance(signature, tuple):
            signature = Signature(signature)
        if isinstance(signature, str):
            signature = types.parse_signature(signature)
        elif signature is not None and not isinstance(signature, Signature):
            signature = types.parse_signature(str(signature))
        if options.get("device"):
            signature = None
        return lambda function: Kernel(stepper, function, options, signature)

    def to_device(obj, stream=0, copy=True, to=None):
        """A device copy of a host array."""
        if to is not None:
            to.copy_to_device(obj)
            return to
        if isinstance(obj, DeviceArray):
            return obj
        return DeviceArray.of(obj)

    def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
        """Device memory that nothing has written."""
        if strides is not None:
            raise Unsupported("device_array(strides=...)")
        return DeviceArray.empty(shape, dtype, order)

    def device_array_like(ary, stream=0):
        """Device memory of the shape, type and order of ``ary``."""
        order = "C" if isinstance(ary, DeviceArray) and ary.is_c_contiguous() else None
        if order is None:
            flags = (ary._window() if isinstance(ary, DeviceArray) else np.asarray(ary)).flags
            order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
        return DeviceArray.empty(ary.shape, ary.dtype, order)

    def host_array(shape, dtype=np.float64, strides=None, order="C", **_):
        """Host memory: pinned, mapped and managed are the same here."""
        if strides is not None:
            raise Unsupported("a host array with strides")
        return np.empty(shape, dtype, order)

    def host_array_like(ary, stream=0, **_):
        order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
        return np.empty(ary.shape, ary.dtype, order)

    @contextlib.contextmanager
    def pinned(*arrays):
        yield

    @contextlib.contextmanager
    def mapped(*arrays, **_):
        devices = [DeviceArray.of(a) for a in arrays]
        yield devices if len(devices) != 1 else devices[0]
        for host, device in zip(arrays, devices, strict=True):
            device.copy_to_host(host)

    @contextlib.contextmanager
    def nothing():
        yield

    def refuse(what):
        def call(*args, **kwargs):
            raise Unsupported(what)

        return call

    gpus = Devices([Device()])
    for name, thing in {
        **{"jit": jit, "to_device": to_device, "device_array": device_array},
        **{"device_array_like": device_array_like, "pinned": pinned, "mapped": mapped},
        **dict.fromkeys(("pinned_array", "mapped_array", "managed_array"), host_array),
        **dict.fromkeys(("pinned_array_like", "mapped_array_like"), host_array_like),
        **dict.fromkeys(("stream", "default_stream", "legacy_default_stream"), Stream),
        "per_thread_default_stream": Stream,
        "external_stream": lambda ptr: Stream(),
        "event": Event,
        "event_elapsed_time": lambda a, b: a.elapsed_time(b),
        "synchronize": lambda: None,
        "close": lambda: None,
        "is_available": lambda: True,
        "cuda_error": lambda: None,
        "is_cuda_array": lambda obj: isinstance(obj, DeviceArray),
        "is_float16_supported": lambda: True,
        "is_supported_version": lambda: True,
        "detect": lambda: print("Found 1 simulated CUDA device: the stepper") or True,
        "gpus": gpus,
        "list_devices": lambda: gpus,
        "select_device": lambda device_id=0: gpus[device_id],
        "get_current_device": lambda: gpus[0],
        "current_context": lambda devnum=None: Context(),
        "defer_cleanup": nothing,
        "profile_start": lambda: None,
        "profile_stop": lambda: None,
        "profiling": nothing,
        "reduce": refuse("@cuda.reduce"),
        "Reduce": refuse("cuda.Reduce"),
        "declare_device": refuse("cuda.declare_device"),
        "as_cuda_array": refuse("cuda.as_cuda_array"),
        **{
            n: refuse(f"cuda.{n}") for n in ("compile", "compile_ptx", "compile_for_current_device")
        },
        "compile_ptx_for_current_device": refuse("cuda.compile_ptx_for_current_device"),
    }.items():
        setattr(cuda, name, thing)
    cuda.random = random_module(cuda)
    return cuda


KEYWORDS = {"device", "inline", "debug", "opt", "fastmath", "cache", "lineinfo", "max_registers"}
KEYWORDS |= {
    "launch_bounds",
    "forceinline",
    "cooperative",
    "boundscheck",
    "link",
    "lto",
    "nopython",
}
KEYWORDS |= {"chip", "cc", "extensions", "shared_memory_carveout"}


def random_module(cuda):
    """The stand-in for ``numba.cuda.random``."""
    module = Module("numba.cuda.random")
    for path in CALLS:
        if path.startswith("random."):
            setattr(module, path.removeprefix("random."), Intrinsic(path))
    module.xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)])

    def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
        """Fill device memory with generator states, each 2**64 numbers after the one before."""
        host = np.empty(states.shape, module.xoroshiro128p_dtype)
        for k, (s0, s1) in enumerate(random_states(len(states), seed, subsequence_start)):
            host[k] = (s0, s1)
        states.copy_to_device(host)

    def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
        """Device memory with ``n`` generator states."""
        states = cuda.device_array(n, module.xoroshiro128p_dtype)
        init_xoroshiro128p_states(states, seed, subsequence_start)
        return states

    module.init_xoroshiro128p_states = init_xoroshiro128p_states
    module.create_xoroshiro128p_states = create_xoroshiro128p_states
    return module


JUMP = 0xBEAC0467EBA5FACB, 0xD86B048B86AA9922  # of xoroshiro128+ as published in 2016


def random_states(n, seed, start=0):
    """The states of ``n`` xoroshiro128+ generators: SplitMix64 of the seed, then jumps of 2**64.

    Source: David Blackman and Sebastiano Vigna, https://prng.di.unimi.it
    """
    m = (1 << 64) - 1
    z = (seed + 0x9E3779B97F4A7C15) & m
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & m
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & m
    z ^= z >> 31
    state = (z, z)

    def jump(state):
        t0 = t1 = 0
        for word in JUMP:
            for bit in range(64):
                if word >> bit & 1:
                    t0 ^= state[0]
                    t1 ^= state[1]
                state = next_state(*state)
        return t0, t1

    for _ in range(start):
        state = jump(state)
    for _ in range(n):
        yield state
        state = jump(state)


def numba_module(cuda):
    """The stand-in for ``numba``: the cuda module and the number types."""
    numba = Module("numba")
    numba.cuda = cuda
    numba.types = Module("numba.types")
    for module in (numba, numba.types):
        for name, scalar in ALIASES.items():
            if name not in ("int", "float"):
                setattr(module, name, scalar)
        module.void = types.void
    return numba
