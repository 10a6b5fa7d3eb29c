"""The host's side: device arrays, kernels that can be launched, and the ``cuda`` module itself."""

import contextlib
import dis
import enum
import math
import sys
import time
import types as pytypes
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec
from typing import NamedTuple

from . import types
from .checks import Checks
from .compiler import Intrinsic, Program, Value, is_array
from .counts import Counts
from .faults import (
    KINDS,
    Finding,
    KernelFault,
    MissingAttribute,
    MissingName,
    TypeRefused,
    Unsupported,
    fault,
)
from .intrinsics import BLOCK, CALLS, GRID, GROUPS
from .memory import Memory, View, global_address, packed, unit_of
from .runtime import Grid, next_state
from .source import Source
from .tally import attempt
from .trace import Trace
from .types import ALIASES, VECTORS, Array, Record, Scalar, as_dtype

try:
    import numpy as np
except ImportError:  # no NumPy here (a browser): this package's own few pages of it
    from . import lite as np
Scalar.numpy = np

THREADS_PER_BLOCK = 1024
SHARED_BYTES = 48 * 1024
CONSTANT_BYTES = 64 * 1024
COOPERATIVE_THREADS = 132 * 2048  # threads that an H200 holds at once: 132 multiprocessors


class Managed(np.ndarray):
    """An array in managed memory, which Numba gives a device array's ways to copy."""

    def copy_to_host(self, ary=None, stream=0):
        """Copy to a new host array, or into ``ary``."""
        if ary is None:
            ary = np.empty(self.shape, self.dtype)
        fits(self, ary)
        np.copyto(ary, self)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copy a host or device array into this one."""
        source = ary._window() if isinstance(ary, DeviceArray) else np.asarray(ary)
        fits(self, source)
        np.copyto(self, source)


class Flags(dict):
    """How an array is packed: ``flags["C_CONTIGUOUS"]`` or ``flags.c_contiguous``."""

    def __init__(self, c, f):
        super().__init__(C_CONTIGUOUS=c, F_CONTIGUOUS=f, CONTIGUOUS=c or f)
        self.c_contiguous, self.f_contiguous, self.contiguous = c, f, c or f


class DeviceArray:
    """An array in the simulated GPU's memory. Stands for Numba's DeviceNDArray.

    Host code reads it with ``copy_to_host``. Memory that ``device_array`` made holds nothing until
    something is written, and the checks know.
    """

    _stepper_array = True

    def __init__(self, view, dtype):
        self._view, self.dtype = view, dtype

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
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        new = cls.empty(array.shape, array.dtype, order)
        new.fill_from(array)
        return new

    def fill_from(self, array):
        """Copy a host array of the same shape into this one."""
        np.copyto(self._window(), array)
        memory = self._view.memory
        if memory.written is not None:
            if len(memory.bytes) == self._view.size * self._view.dtype.size:
                memory.written = None  # everything is known now
            else:
                size = self._view.dtype.size
                for item in self._view.items():
                    at = self._view.start + item * self._view.step
                    memory.written[at : at + size] = b"\x01" * size

    def _window(self):
        """A host array over the same memory."""
        view = self._view
        return np.ndarray(
            view.shape,
            self.dtype,
            buffer=view.memory.bytes,
            offset=view.start + view.offset * view.step,
            strides=tuple(s * view.step for s in view.strides),
        )

    # ------------------------------------------------------------ what Numba's has

    shape = property(lambda self: self._view.shape)
    ndim = property(lambda self: len(self._view.shape))
    size = property(lambda self: self._view.size)
    strides = property(lambda self: tuple(s * self._view.step for s in self._view.strides))
    nbytes = property(lambda self: self._view.size * self._view.dtype.size)
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
        """A matrix with its axes exchanged: a copy, as Numba makes one."""
        axes = tuple(range(self.ndim))[::-1] if axes is None else tuple(int(a) for a in axes)
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"invalid axes list {axes!r}")
        if axes == tuple(range(self.ndim)):
            return self
        if self.ndim != 2:
            raise NotImplementedError("transposing a non-2D DeviceNDArray isn't supported")
        window = self._window().T
        new = DeviceArray.empty(window.shape, self.dtype)
        np.copyto(new._window(), window)
        written = self._view.memory.written
        if written is None:
            new._view.memory.written = None
        else:
            size = self._view.dtype.size
            places = self._view.derive(window.shape, self._view.strides[::-1], self._view.offset)
            for here, there in zip(new._view.items(), places.items(), strict=True):
                at = places.start + there * places.step
                here *= new._view.step
                new._view.memory.written[here : here + size] = written[at : at + size]
        return new

    def reshape(self, *shape, order="C"):
        """The same memory in another shape, gone through in ``order``: "C", "F" or "A"."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if order not in ("C", "F", "A"):
            raise ValueError(f"order must be C, F or A, not {order!r}")
        packed_c, packed_f = self.is_c_contiguous(), self.is_f_contiguous()
        if order == "A":
            order = "F" if packed_f and not packed_c else "C"
        shape = np.ravel(self._window()).reshape(shape).shape
        if not (packed_c if order == "C" else packed_f):
            raise NotImplementedError("reshape() would require a copy of the device array")
        view, unit = self._view, unit_of(self._view.dtype)
        strides = packed(shape, unit) if order == "C" else packed(shape[::-1], unit)[::-1]
        return DeviceArray(view.derive(shape, strides, view.offset), self.dtype)

    def ravel(self, order="C", stream=0):
        """The same memory in one dimension."""
        return self.reshape((self.size,), order=order)

    def view(self, dtype):
        """The same memory as elements of another type."""
        new = np.dtype(dtype)
        element, view = element_of(new), self._view
        if element.size != view.dtype.size and not self.is_c_contiguous():
            raise ValueError("to change to a dtype of a different size, the array must be packed")
        bytes_in_row = view.shape[-1] * view.dtype.size if view.shape else view.dtype.size
        if bytes_in_row % element.size:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in "
                "bytes of the last axis of the array."
            )
        shape = view.shape
        if element.size == view.dtype.size:
            ratio = view.step, element.size // unit_of(element)
            strides = tuple(s * ratio[0] // ratio[1] for s in view.strides)
        else:
            shape = (*shape[:-1], bytes_in_row // element.size)
            strides = packed(shape, unit_of(element))
        start = view.start + view.offset * view.step
        return DeviceArray(view.of(element, shape, strides, start), new)

    @property
    def flags(self):
        """The flags of NumPy that tell how the array is packed."""
        return Flags(self.is_c_contiguous(), self.is_f_contiguous())

    @property
    def __cuda_array_interface__(self):
        """The array's description by the protocol of that name, version 3."""
        view = self._view
        at = view.memory.address + view.start + view.offset * view.step
        return {
            "shape": tuple(view.shape),
            "strides": None if self.is_c_contiguous() else self.strides,
            "data": (at if view.size else 0, False),
            "typestr": self.dtype.str,
            "stream": None,
            "version": 3,
        }

    @property
    def stream(self):
        return 0

    def setitem(self, key, value, stream=0):
        """``array[key] = value``."""
        self[key] = value

    def getitem(self, key, stream=0):
        """``array[key]``."""
        return self[key]

    def split(self, section, stream=0):
        """The array in pieces of ``section`` elements."""
        return [self[k : k + section] for k in range(0, self.size, section)]

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key):
        part = self._window()[key]
        if not hasattr(part, "shape") or not getattr(part, "shape", ()):
            return part
        window = self._window()
        keys = key if isinstance(key, tuple) else (key,)
        view = self._view
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
            if self._view.memory.written is not None:
                keys = key if isinstance(key, tuple) else (key,)
                item = self._view.offset + sum(
                    (int(k) % n) * s
                    for k, n, s in zip(keys, self.shape, self._view.strides, strict=True)
                )
                at, size = self._view.start + item * self._view.step, self._view.dtype.size
                self._view.memory.written[at : at + size] = b"\x01" * size
        else:
            part.fill_from(value)

    def _is_element(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        return len(keys) == self.ndim and not any(isinstance(k, slice) for k in keys)

    def __array__(self, dtype=None, copy=None):
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise MissingAttribute(f"`.{name}`", "a device array")

    def __repr__(self):
        return f"<device array, shape {self.shape}, {self.dtype}>"


def element_of(dtype):
    """The element type of a host dtype; refuses what kernels cannot hold."""
    element = as_dtype(dtype)
    if not isinstance(element, Scalar | Record):
        raise Unsupported(f"arrays of {dtype}")
    return element


def contiguous_or_error(array):
    """Numba copies only arrays that are packed, apart from axes that repeat one element."""
    if array.size == 0:
        return
    array = array[tuple(0 if s == 0 else slice(None) for s in array.strides)]
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
    only what makes going on senseless is raised. ``allow``: kinds of findings that are kept and not
    raised; where one of them ends a launch, the host goes on. ``fast``: in mode "check", run a
    launch the fast way first (see tally.py), where there is NumPy; findings and counts are the
    same. In mode "run", let Numba compile what takes long (see native.py), where it is installed.
    ``schedules``: in mode "check", run a launch without findings of up to 256 threads again under
    so many schedules (see explore.py).
    """

    mode: str = "run"
    seed: int | None = None
    max_steps: int = 1_000_000_000
    time_limit: float | None = None
    raise_findings: bool = True
    allow: frozenset = frozenset()
    fast: bool = True
    schedules: int = 0

    def __post_init__(self):
        if self.mode not in ("run", "check", "record"):
            raise ValueError(f"mode must be run, check or record, not {self.mode!r}")
        self.allow = frozenset(self.allow)
        if unknown := self.allow - KINDS.keys():
            raise ValueError(f"allow: no such kind of finding: {sorted(unknown)}")


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
    notes: list = field(default_factory=list)  # what is worth a look and no fault: "same-value"
    counts: Counts | None = None
    trace: Trace | None = None
    seconds: float = 0.0
    steps: int = 0
    schedules: int = 0  # how many were tried
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

    def __init__(self, stepper, function, options, signatures=()):
        self.stepper, self.py_func, self.options = stepper, function, dict(options)
        self.signatures = list(signatures)
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
        if not isinstance(self._source, Unsupported):
            self.check_declared()

    def check_declared(self):
        """Refuse what Numba refuses when it compiles a declared signature, before any launch."""
        for signature in self.signatures:
            if len(signature.args) != len(self.source.params):
                continue
            if self.options.get("device"):
                continue
            try:
                Program(self, signature.args, False, None)
            except TypeRefused:
                raise
            except Unsupported:  # at the launch, if there is one
                continue

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
        for what, value in zip(("griddim", "blockdim"), config, strict=False):
            value = value if isinstance(value, tuple | list) else (value,)
            if any(isinstance(n, float) or not hasattr(n, "__index__") for n in value):
                raise TypeError(f"{what} must be a sequence of integers, got {value!r}")
        return Configured(self, *config)

    def __call__(self, *args):
        if self.options.get("device"):
            raise TypeError(f"`{self.__name__}` is a device function: call it from a kernel")
        raise ValueError(
            "Kernel launch configuration was not specified. Use the syntax:\n\n"
            f"{self.__name__}[blockspergrid, threadsperblock](*args)"
        )

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """``kernel[griddim, blockdim, stream, sharedmem]``."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """As many threads as there are tasks, in blocks of 128 unless told otherwise."""
        threads = tpb or 128
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")

        def launch(*args):
            if ntasks:
                self[-(-ntasks // threads), threads, stream, sharedmem](*args)

        return launch

    def extended(self, arg):
        """An argument as the kernel's ``extensions`` prepare it, as in Numba."""
        for extension in self.extensions:
            kind = scalar_of(arg) if not is_array(arg) else None
            _, arg = extension.prepare_args(kind, arg, stream=0, retr=[])
        return arg

    @property
    def extensions(self):
        """The list of those that prepare arguments; what is added to it counts."""
        if not self.options.get("extensions"):
            self.options["extensions"] = []
        return self.options["extensions"]

    @property
    def overloads(self):
        """The kernel for each set of argument types that it is declared for, or else launched with.

        It is the same kernel each time: what Numba tells of compiled code is not known here.
        """
        kinds = [s.args for s in self.signatures] or [argtypes for argtypes, *_ in self.programs]
        return dict.fromkeys(kinds, self)

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks of this size an H200 holds at once."""
        return COOPERATIVE_THREADS // math.prod(three(blockdim, "block", self, None))

    def specialize(self, *args):
        """The kernel for one set of argument types, which is the kernel itself here."""
        return self

    def __getattr__(self, name):
        raise MissingAttribute(f"`.{name}`", f"the kernel `{self.__dict__.get('__name__', '?')}`")

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
        """An array from outside.

        Of a NumPy array kernels see what it held when they were compiled, and cannot write it. A
        device array is its memory: they see what is there at each launch, and write it.
        """
        if hasattr(array, "__cuda_array_interface__"):
            array = as_cuda_array(array)
            array._view.memory.name = array._view.memory.name or name
            return Value(array._view.type, fc.program.constant(array._view), atom=True)
        found = self.constants.get(id(array))
        if found is None:
            host = np.asarray(array)
            contiguous_or_error(host)
            made = DeviceArray.of(host)
            memory = made._view.memory
            memory.space, memory.name = "constant", name
            made._view.elements = made._view.elements.toreadonly()
            view = made._view
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
        return Value(view.type, code, atom=True)

    def program(self, argtypes, instrumented, tally=None, watched=None):
        """The kernel compiled for these argument types."""
        key = (argtypes, instrumented, tally, watched)
        if key not in self.programs:
            self.programs[key] = Program(self, argtypes, instrumented, tally, watched)
        return self.programs[key]

    def tallied(self, program, values, shape, dynamic, record):
        """Run a launch in check mode the fast way; None where that cannot be, or was not right."""
        settings = self.stepper.settings
        if settings.mode != "check" or not settings.fast or hasattr(np, "modules"):
            return None
        unwritten = frozenset(
            p
            for p, v, t in zip(self.source.params, values, program.argtypes, strict=True)
            if isinstance(t, Array) and v.memory.written is not None
        )
        quick = self.program(program.argtypes, False, unwritten)
        if not quick.tallied:
            return None
        limit = settings.time_limit and settings.time_limit / 4
        run = Grid(quick, *shape, dynamic, replace(settings, time_limit=limit))
        run.counts = record.counts = Counts(run)
        if attempt(run, np, values):
            return run
        quick.misses += 1
        quick.tallied = quick.misses < 3  # it has a fault: no more attempts
        return None

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
            start = self.memories(values, argtypes) if settings.schedules else []
            run = self.tallied(program, values, (grid, block), dynamic, record)
            quick = run is not None
            run = run or Grid(program, grid, block, dynamic, settings)
            if settings.mode != "run" and not quick:
                run.checks, run.counts = Checks(run), Counts(run)
                record.counts = run.counts
            if settings.mode == "record":
                run.trace = record.trace = Trace(run)
            try:
                if not quick:
                    run.run(values)
                if settings.schedules and settings.mode == "check" and not run.findings:
                    self.explore(run, values, start, (grid, block), dynamic, record)
            finally:
                for host, device, single in back:
                    window = device._window()
                    if single:
                        for field in host.dtype.names:
                            host[field] = window[0][field]
                    elif getattr(host.flags, "writeable", True):
                        np.copyto(host, window)
        except Exception as error:
            record.error = error
            if isinstance(error, KernelFault) and run is None:
                record.findings.append(error.finding)
            if not isinstance(error, KernelFault) or error.finding.kind not in settings.allow:
                raise
        finally:
            record.seconds = time.perf_counter() - began
            if run is not None:
                found = list(run.findings.values())
                record.findings += run.checks.settle(found) if run.checks else found
                record.notes = run.checks.notes if run.checks else []
                record.steps = run.used
            if stepper.tell and record.findings:
                stepper.tell(record.findings)
        wrong = [f for f in record.findings if f.kind not in settings.allow]
        if wrong and settings.raise_findings:
            record.error = fault(wrong[0])
            raise record.error

    @staticmethod
    def memories(values, argtypes):
        """What a launch may change: [(name, memory, dtype, bytes, bytes written)]."""
        views = [v for v, t in zip(values, argtypes, strict=True) if isinstance(t, Array)]
        found = {id(v.memory): v for v in views if isinstance(v.dtype, Scalar)}
        return [
            (
                v.memory.name,
                v.memory,
                v.dtype,
                bytes(v.memory.bytes),
                None if v.memory.written is None else bytes(v.memory.written),
            )
            for v in found.values()
        ]

    def explore(self, run, values, start, shape, dynamic, record):
        """Run the launch again under other schedules; memory is as the first run left it."""
        from .explore import MOST_THREADS, explore

        settings = replace(self.stepper.settings, seed=None)
        grid, block = shape
        threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
        if threads > MOST_THREADS:
            return
        program = self.program(run.program.argtypes, True)

        def make():
            made = Grid(program, grid, block, dynamic, settings)
            made.checks = Checks(made)
            return made, lambda schedule: made.run_schedule(values, schedule)

        after = [bytes(m.bytes) for _, m, *_ in start]
        written = [None if m.written is None else bytes(m.written) for _, m, *_ in start]
        record.schedules, found = explore(make, start, settings.schedules, after)
        for (_, memory, *_), data, marks in zip(start, after, written, strict=True):
            memory.bytes[:] = data
            if marks is not None:
                memory.written[:] = marks
        for f in found:
            run.findings[f.kind, f.line, f.array, f.other_line] = f

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
        bounds = self.options.get("launch_bounds")
        most = bounds[0] if isinstance(bounds, tuple) else bounds
        if most and threads > most:
            self.limit(
                f"{asks} blocks of {threads} threads, and the kernel is compiled with "
                f"launch_bounds={bounds}: for {most} threads at most.",
                line,
            )

    def arguments(self, args):
        """(values for the threads, their types, what to copy back to the host)."""
        params = self.source.params
        defaults = self.source.defaults
        args = [self.extended(a) for a in args]
        if not len(params) - len(defaults) <= len(args) <= len(params):
            raise TypeError(f"`{self.__name__}` takes {len(params)} arguments, not {len(args)}")
        args = list(args) + [defaults[p] for p in params[len(args) :]]
        declared = self.declared(args)
        if len(declared) != len(args):
            raise TypeError(f"`{self.__name__}` is declared with {len(declared)} arguments")
        values, kinds, back = [], [], []
        for name, arg, want in zip(params, args, declared, strict=True):
            value, kind = self.argument(name, arg, want, back)
            values.append(value)
            kinds.append(kind)
        return values, tuple(kinds), back

    def declared(self, args):
        """The argument types of the declared signature that fits best; None for each without."""
        if len(self.signatures) < 2:
            return self.signatures[0].args if self.signatures else (None,) * len(args)
        costs = []
        for signature in self.signatures:
            pairs = zip(args, signature.args, strict=False)
            cost = [conversion(a, want) for a, want in pairs]
            if len(signature.args) == len(args) and None not in cost:
                costs.append((max(cost), sum(cost), signature))
        if not costs:
            raise TypeError(f"No matching definition for argument type(s) of `{self.__name__}`")
        return min(costs, key=lambda c: c[:2])[2].args

    def argument(self, name, arg, want, back):
        if isinstance(arg, HostArgument):
            before = len(back)
            found = self.argument(name, arg.value, want, back)
            if not arg.back:
                del back[before:]
            return found
        if not isinstance(arg, DeviceArray) and hasattr(arg, "__cuda_array_interface__"):
            arg = as_cuda_array(arg)
        if is_record(arg):  # one record: an array of one, by reference
            rows = np.array([arg], arg.dtype)
            value, kind = self.argument(name, rows, None, back)
            back[-1] = (arg, back[-1][1], True)
            return (value, 0), types.RecordRef(kind.dtype)
        if isinstance(arg, DeviceArray) or is_array(arg) and scalar_of(arg) is None:
            if not isinstance(arg, DeviceArray):
                if isinstance(want, Array) and want.dtype != as_dtype(arg.dtype):
                    raise TypeError(
                        f"`{name}` is declared {want.name}, and gets an array of {arg.dtype}"
                    )
                device = DeviceArray.of(arg)  # Numba copies there and back
                back.append((arg, device, False))
                arg = device
            arg = arg._view
            arg.memory.name = name
            kind = arg.type
            if want is not None:
                if not isinstance(want, Array) or (want.dtype, want.ndim) != (
                    kind.dtype,
                    kind.ndim,
                ):
                    raise TypeError(f"`{name}` is declared {want.name}, not {kind.name}")
            return arg, kind
        if isinstance(arg, tuple):
            pairs = [self.argument(name, a, None, back) for a in arg]
            names = tuple(getattr(arg, "_fields", ()))
            kind = types.Tuple(tuple(k for _, k in pairs), names, type(arg) if names else None)
            return tuple(v for v, _ in pairs), kind
        if arg is None:
            return None, types.NONE
        if isinstance(arg, enum.IntEnum):
            arg = int(arg)
        if isinstance(arg, enum.Enum) or hasattr(arg, "py_func"):
            return None, types.Known(arg)
        if type(arg).__name__ in ("datetime64", "timedelta64"):
            raise Unsupported(f"an argument of type {type(arg).__name__} (`{name}`)")
        kind = scalar_of(arg)
        if kind is None:
            raise Unsupported(f"an argument of type {type(arg).__name__} (`{name}`)")
        if want is not None:
            if not isinstance(want, Scalar):
                raise TypeError(f"`{name}` is declared {want.name}, not a number")
            if kind.kind == "c" and want.kind != "c":
                raise TypeError(f"`{name}` is declared {want.name}, and gets a complex number")
            return convert(arg, want), want
        return convert(arg, kind), kind


def conversion(arg, want):
    """How far an argument is from a declared type: 0 the same, None impossible."""
    if isinstance(want, Array):
        if not hasattr(arg, "dtype") or not getattr(arg, "shape", ()):
            return None
        return 0 if (as_dtype(arg.dtype), len(arg.shape)) == (want.dtype, want.ndim) else None
    kind = scalar_of(arg) if not is_array(arg) or scalar_of(arg) else None
    if kind is None or not isinstance(want, Scalar):
        return 0 if kind is None and not isinstance(want, Scalar | Array) else None
    if kind is want:
        return 0
    if kind.kind == want.kind:
        return 1 if want.size > kind.size else 3
    order = "buifc"
    return 2 if order.index(want.kind) > order.index(kind.kind) else 4 if kind.kind != "c" else None


def is_record(arg):
    """Whether an argument is one record of NumPy's."""
    return bool(getattr(getattr(arg, "dtype", None), "names", None)) and (
        type(arg).__name__ in ("void", "record")
    )


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
    if type(arg) is complex:
        return types.complex128
    return types.SCALARS.get(type(arg).__name__.rstrip("_"))


def convert(arg, kind):
    """A number as Python's own, rounded or wrapped to ``kind``."""
    from . import ops

    if kind.kind == "c":
        return ops.complex32(complex(arg)) if kind.size == 8 else complex(arg)
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

    def __init__(self, handle=0):
        self.handle = handle

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

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class MemoryInfo(NamedTuple):
    free: int
    total: int


class Deallocations:
    """Memory to be freed: nothing waits for it here."""

    def clear(self):
        pass

    def __len__(self):
        return 0


class Context:
    """The current context: one device."""

    device = Device()
    deallocations = Deallocations()

    def push(self):
        pass

    def pop(self):
        pass

    def synchronize(self):
        pass

    def reset(self):
        pass

    def __getattr__(self, name):
        raise MissingAttribute(f"`.{name}`", "a context")

    def get_memory_info(self):
        """Free and total memory in bytes: the 141 GB of an H200, all free."""
        return MemoryInfo(141_000_000_000, 141_000_000_000)


class Devices(list):
    """``cuda.gpus``."""

    current = property(lambda self: self[0])


IMPORT_FROM = dis.opmap["IMPORT_FROM"]


class Module(pytypes.ModuleType):
    """A module that says by name what it does not have."""

    def __init__(self, name):
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        caller = sys._getframe(1)
        if caller.f_code.co_code[caller.f_lasti] == IMPORT_FROM:
            part = sys.modules.get(f"{self.__name__}.{name}")
            if part is not None:
                return part
            raise MissingName(self.__name__, name, caller.f_lineno, caller.f_code.co_filename)
        raise MissingAttribute(f"`{self.__name__}.{name}`", "the module")


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
        given = signature if isinstance(signature, list) else [signature]
        declared = [types.from_numba(s) for s in given if s is not None]
        return lambda function: Kernel(stepper, function, options, declared)

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
            size, whole = np.dtype(dtype).itemsize, shape if isinstance(shape, tuple) else (shape,)
            strides = (strides,) if isinstance(strides, int) else tuple(strides)
            ways = {
                tuple(size * s for s in packed(whole)): "C",
                tuple(size * s for s in packed(whole[::-1])[::-1]): "F",
            }
            if strides not in ways:
                raise Unsupported(f"device_array(strides={strides}), which is not packed")
            order = ways[strides]
        return DeviceArray.empty(shape, dtype, order)

    def device_array_like(ary, stream=0):
        """Device memory of the shape, type and order of ``ary``."""
        order, strides = "C", [abs(s) for s in ary.strides]
        if not ary.flags.c_contiguous and strides == sorted(strides):
            order = "F"
        return DeviceArray.empty(ary.shape, ary.dtype, order)

    def host_array(shape, dtype=np.float64, strides=None, order="C", **_):
        """Host memory: pinned and mapped are the same here."""
        if strides is not None:
            raise Unsupported("a host array with strides")
        if isinstance(shape, int | tuple | list) is False:
            shape = int(shape)
        return np.empty(shape, dtype, order)

    def managed_array(*args, **options):
        """Host memory that is the device's as well."""
        return host_array(*args, **options).view(Managed)

    def host_array_like(ary, stream=0, **_):
        order, strides = "C", [abs(s) for s in ary.strides]
        if not ary.flags.c_contiguous and strides == sorted(strides):
            order = "F"
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
        **dict.fromkeys(("pinned_array", "mapped_array"), host_array),
        "managed_array": managed_array,
        **dict.fromkeys(("pinned_array_like", "mapped_array_like"), host_array_like),
        **dict.fromkeys(("stream", "default_stream", "legacy_default_stream"), Stream),
        "per_thread_default_stream": Stream,
        "external_stream": Stream,
        "event": Event,
        "event_elapsed_time": lambda a, b: a.elapsed_time(b),
        "synchronize": lambda: None,
        "close": lambda: None,
        "is_available": lambda: True,
        "cuda_error": lambda: None,
        "is_cuda_array": lambda obj: hasattr(obj, "__cuda_array_interface__"),
        "as_cuda_array": as_cuda_array,
        "from_cuda_array_interface": lambda desc, owner=None, sync=True: as_cuda_array(
            pytypes.SimpleNamespace(__cuda_array_interface__=desc)
        ),
        "In": lambda value: HostArgument(value, back=False),
        "Out": HostArgument,
        "InOut": HostArgument,
        "reduce": Reduce,
        "Reduce": Reduce,
        "is_bfloat16_supported": lambda: False,
        "require_context": lambda function: function,
        "types": types_module(),
        "void": types.void,
        "config": Config("numba.cuda.config"),
        "HAS_NUMBA": True,
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
        "declare_device": refuse("cuda.declare_device"),
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


class Config(pytypes.ModuleType):
    """``numba.config``: settings that change nothing here. What was not set reads as 0."""

    ENABLE_CUDASIM = 1

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return 0


class Reduce:
    """``@cuda.reduce``: a function of two numbers, applied to all elements of an array."""

    def __init__(self, functor):
        self.functor = getattr(functor, "py_func", functor)

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The reduction of the first ``size`` elements, or None after writing it to ``res[0]``."""
        if len(arr.shape) != 1:
            raise TypeError("only support 1D array")
        size = arr.size if size is None else size
        if not size:
            return init
        host = arr.copy_to_host() if isinstance(arr, DeviceArray) else arr
        total = host[0]
        for k in range(1, size):
            total = host.dtype.type(self.functor(total, host[k]))
        if init != 0:
            total = host.dtype.type(self.functor(init, total))
        if res is None:
            return total
        res[0] = total
        return None


def as_cuda_array(obj, sync=True):
    """A device array over the memory that ``obj`` tells of by ``__cuda_array_interface__``.

    The memory must be some of the simulated GPU's: other libraries' lies on a GPU that is not here.
    """
    if isinstance(obj, DeviceArray):
        return obj
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError("cuda.as_cuda_array: *obj* doesn't implement the cuda array interface")
    told = obj.__cuda_array_interface__
    dtype, shape = np.dtype(told["typestr"]), tuple(told["shape"])
    element = element_of(dtype)
    at = told["data"][0] or 0
    memory = Memory.at(at)
    if memory is None:
        if 0 in shape:
            return DeviceArray.empty(shape, dtype)
        raise Unsupported(f"an array of another GPU library ({type(obj).__name__})")
    start, unit = at - memory.address, unit_of(element)
    strides = packed(shape, unit)
    if told.get("strides") is not None:
        step = element.size // unit
        strides = tuple(s // step for s in told["strides"])
    return DeviceArray(View(memory, element, shape, strides, 0, start), dtype)


class HostArgument:
    """``cuda.In``, ``Out`` and ``InOut``: whether a host array comes back from a launch."""

    def __init__(self, value, back=True):
        self.value, self.back = value, back


def types_module():
    """The stand-in for ``numba.types``: the number types."""
    module = Module("numba.types")
    for name, scalar in ALIASES.items():
        if name not in ("int", "float", "complex"):
            setattr(module, name, scalar)
    module.void = module.none = types.void
    module.Array = lambda dtype, ndim, layout, *_, **__: Array(as_dtype(dtype), ndim, "A")
    module.UniTuple = lambda dtype, count: types.Tuple((dtype,) * count)
    module.Tuple = lambda items: types.Tuple(tuple(items))
    return module


def numba_module(cuda):
    """The stand-in for ``numba``, where Numba itself is not installed.

    Its ``jit`` and ``njit`` run functions as Python does, ``vectorize`` as NumPy's own does.
    """
    numba = Module("numba")
    numba.cuda, numba.types = cuda, types_module()
    for name, thing in vars(numba.types).items():
        if not name.startswith("__") and isinstance(thing, Scalar | type(types.void)):
            setattr(numba, name, thing)

    def jit(function=None, *_, **__):
        if isinstance(function, pytypes.FunctionType):
            function.py_func = function
            return function
        return jit

    def host_vectorize(signatures=None, *_, target="cpu", **options):
        if target == "cuda":
            return cuda.vectorize(signatures, **options)
        if isinstance(signatures, pytypes.FunctionType):
            return np.vectorize(signatures)
        return np.vectorize

    def guvectorize(*args, target="cpu", **options):
        if target == "cuda":
            return cuda.guvectorize(*args, **options)
        raise Unsupported("guvectorize on the CPU, where Numba is not installed")

    def typeof(value):
        kind = scalar_of(value)
        if kind is None and is_array(value):
            kind = Array(as_dtype(value.dtype), value.ndim)
        return kind

    for name in ("jit", "njit", "generated_jit", "stencil"):
        setattr(numba, name, jit)
    numba.prange, numba.vectorize, numba.guvectorize = range, host_vectorize, guvectorize
    numba.config, numba.typeof, numba.from_dtype = Config("numba.config"), typeof, as_dtype
    numba.literal_unroll = literal_unroll
    numba.core = Module("numba.core")
    numba.core.errors = Module("numba.core.errors")
    for name in ("NumbaWarning", "NumbaPerformanceWarning", "NumbaDeprecationWarning"):
        setattr(numba.core.errors, name, type(name, (Warning,), {}))
    numba.core.errors.NumbaPendingDeprecationWarning = type(
        "NumbaPendingDeprecationWarning", (Warning,), {}
    )
    for name in ("NumbaError", "TypingError"):
        setattr(numba.core.errors, name, TypeRefused)
    numba.core.config, numba.core.types, numba.errors = (
        numba.config,
        numba.types,
        numba.core.errors,
    )
    for module in (numba, numba.core, cuda):
        module.__path__ = []
    numba.__version__ = "0 (the stepper's stand-in)"
    numba.get_num_threads, numba.set_num_threads = (lambda: 1), (lambda n: None)
    return numba


def literal_unroll(container):
    """Marks a tuple of different types that a kernel loops over."""
    return container
