"""Every kernel that has a benchmark, as WGSL through wgpu and Vulkan, beside itself through CUDA.

Right means here: what the same kernel leaves through Numba, from the same data. That Numba's is
right is for the kernel's own benchmark and tests to say.
"""

from functools import cached_property, partial
from importlib import import_module

import cupy as cp
import numpy as np

from benchmarks.harness import BenchmarkError, Case, Reference
from benchmarks.webgpu import GIB, same_gpu
from simulator.hardware.webgpu_rates import FOLDER, RATES, ROOT, Given, made_of, texts

WRITER = "python -m simulator.hardware.webgpu_rates"
DRAWN = 2**26  # numbers of which all arrays are parts: to draw new ones takes most of a second
UNWRITTEN = 77  # in integers, which have no NaN


def run(bench):
    for path, text in texts().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            raise BenchmarkError(f"{path} is not what the compiler makes: run {WRITER}")
    card = same_gpu(cp)
    drawn = cp.asnumpy(cp.random.default_rng().random(DRAWN, cp.float32))
    for id, rate in RATES.items():
        with bench.part(id):
            both = Both(card, id, rate, drawn)
            try:
                measured(bench, id, rate, both)
            finally:
                both.free()


def measured(bench, id, rate, both):
    """Add a row for a kernel."""
    right = both.expected()
    vulkan, cuda = OnVulkan(both), OnCuda(both)

    def seconds(call):
        return both.card.seconds([both.ready]) if call is vulkan else bench.device.timer(call)

    reads = [(both.host[b.memory.name].nbytes, b.read + b.written) for b in both.shader.bindings]
    path = (FOLDER / f"{id}.wgsl").relative_to(ROOT).as_posix()
    title = f"{rate.kernel} of {rate.file.removeprefix('kernels/')} in WGSL"
    bench.compare(
        [Case(f"wgsl-{id}", title, path, vulkan, vulkan)],
        Reference("Numba, the same kernel", cuda, cuda),
        right,
        size=max(array.size for array in both.host.values()),
        dtype=next(g.dtype for g in rate.given if isinstance(g, Given)),
        unit="TFLOP/s" if rate.flops else "GB/s",
        tolerance=rate.tolerance,
        bytes=sum(size * times for size, times in reads),
        flops=rate.flops or None,
        timer=seconds,
    )


class Both:
    """A kernel for CUDA and as WGSL, with the same data: ``host`` has it by parameter."""

    def __init__(self, card, id, rate, drawn):
        self.card, self.rate, self.shader, self.drawn = card, rate, made_of(id), drawn
        module = import_module(rate.file.removesuffix(".py").replace("/", "."))
        self.kernel = rate.make(module)
        code = self.kernel.py_func.__code__
        self.params = code.co_varnames[: code.co_argcount]
        self.at = 0
        self.host = self.filled()
        self.written = {b.memory.name: b.name for b in self.shader.bindings if b.written}
        self.device = {name: cp.asarray(array) for name, array in self.host.items()}
        self.buffers = {b.name: card.buffer(4 * b.elements) for b in self.shader.bindings}
        for b in self.shader.bindings:
            self.upload(b.name, b.memory.name)

    def draw(self, shape):
        """Numbers from 0 to 1: another part of those drawn, at each call."""
        n = int(np.prod(shape))
        self.at = (self.at + 1009) % (DRAWN - n + 1)
        return self.drawn[self.at : self.at + n].reshape(shape)

    def filled(self):
        only_written = {b.memory.name for b in self.shader.bindings if b.written and not b.read}
        made = {}
        for name, given in zip(self.params, self.rate.given, strict=True):
            if not isinstance(given, Given):
                continue
            whole = np.dtype(given.dtype).kind in "iu"
            if name in only_written:
                array = np.full(given.shape, UNWRITTEN if whole else np.nan, given.dtype)
            elif given.make:
                array = given.make(self.draw, list(made.values()))
            elif whole:
                array = self.draw(given.shape) * (given.high + 1 - given.low) + given.low
            else:
                array = self.draw(given.shape)
            made[name] = np.ascontiguousarray(array, given.dtype).reshape(given.shape)
        return made

    def upload(self, buffer, name):
        data = in_words(self.host[name]).reshape(-1).view(np.uint8)
        for at in range(0, data.size, GIB // 4):
            self.card.device.queue.write_buffer(self.buffers[buffer], at, data[at : at + GIB // 4])
        self.card.device.queue.read_buffer(self.buffers[buffer], 0, 4)  # wait for the copies

    @cached_property
    def ready(self):
        return self.card.ready(self.shader, [self.buffers[b.name] for b in self.shader.bindings])

    @cached_property
    def launch(self):
        given = zip(self.params, self.rate.given, strict=True)
        arguments = [
            as_numba(self.device[name]) if isinstance(g, Given) else g for name, g in given
        ]
        return partial(self.kernel[self.rate.grid, self.rate.block], *arguments)

    def reset(self):
        """Bring back what the kernel had overwritten on CUDA's side."""
        for name in self.written:
            self.device[name].set(self.host[name])

    def expected(self):
        """What Numba's kernel leaves."""
        self.reset()
        self.launch()
        left = {name: in_words(self.device[name].copy()) for name in self.written}
        for name, array in left.items():
            if array.dtype.kind == "f" and bool(cp.isnan(array).all()):
                raise BenchmarkError(f"Numba's kernel leaves no number in {name}")
        return left

    def free(self):
        for buffer in self.buffers.values():
            buffer.destroy()
        self.device.clear()
        self.__dict__.pop("launch", None)
        cp.get_default_memory_pool().free_all_blocks()


def as_numba(array):
    from numba import cuda

    return cuda.as_cuda_array(array, sync=False)


def in_words(array):
    """The elements of an array in 32 bits each, as the buffers have them."""
    return array.astype({"f": "float32", "i": "int32"}.get(array.dtype.kind, "uint32"), copy=False)


def unlike(got, right):
    """How far two arrays are apart. A NaN, of what nobody wrote, is like a NaN."""
    got, right = got.reshape(-1), right.reshape(-1)
    if right.dtype.kind != "f":
        differ = int(cp.count_nonzero(got != right))
        if differ:
            raise BenchmarkError(f"{differ} of {right.size} integers differ")
        return 0.0
    if bool((cp.isnan(got) != cp.isnan(right)).any()):
        raise BenchmarkError("one wrote elements that the other did not")
    got, right = (cp.nan_to_num(a).astype(cp.float64) for a in (got, right))
    norm = float(cp.linalg.norm(right))
    return float(cp.linalg.norm(got - right)) / (norm or 1)


class OnCuda:
    """Numba's side, as a call and as an output of the harness."""

    def __init__(self, both):
        self.both = both

    def __call__(self):
        self.both.launch()

    def poison(self):
        self.both.reset()

    def error(self, right):
        found = {name: in_words(self.both.device[name]) for name in right}
        return max(unlike(found[name], right[name]) for name in right)


class OnVulkan:
    """The shader's side."""

    def __init__(self, both):
        self.both = both

    def __call__(self):
        self.both.card.submit([self.both.ready])

    def poison(self):
        for name, buffer in self.both.written.items():
            self.both.upload(buffer, name)

    def error(self, right):
        worst = 0.0
        for name, buffer in self.both.written.items():
            data = self.both.card.device.queue.read_buffer(self.both.buffers[buffer])
            got = np.frombuffer(data, right[name].dtype)[: right[name].size]
            worst = max(worst, unlike(cp.asarray(got), right[name]))
        return worst
