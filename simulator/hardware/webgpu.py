"""A GPU through wgpu: runs WGSL that ``simulator.wgsl`` made, compares it, and times it.

Needs the wheel ``wgpu`` and a Vulkan driver; on an NVIDIA GPU without a display, VK_DRIVER_FILES
names a JSON file that names the driver's libEGL_nvidia.so.0 or libGLX_nvidia.so.0.
"""

import contextlib
from dataclasses import dataclass

import numpy as np

from simulator.loading import stepping
from simulator.stepper import Stepper, types
from simulator.wgsl import Config, compile

LIMITS = (
    "max-storage-buffer-binding-size",
    "max-buffer-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
    "max-compute-workgroup-storage-size",
)
FLUSH = 1 << 28  # bytes that are cleared before a sample: more than any L2 cache holds
CHECKED, TRUSTED = None, 0  # what wgpu adds to a shader: all that a browser adds, or nothing


def adapters(wgpu):
    """What wgpu finds through Vulkan, GPUs first."""
    found = wgpu.gpu.enumerate_adapters_sync()
    found = [a for a in found if a.info["backend_type"] == "Vulkan"]
    return sorted(found, key=lambda a: a.info["adapter_type"] == "CPU")


class Card:
    """A GPU, by its place among those that wgpu finds."""

    def __init__(self, number=0):
        import wgpu
        from wgpu.backends.wgpu_native import _api

        self.wgpu, self.api = wgpu, _api
        adapter = adapters(wgpu)[number]
        self.info = dict(adapter.info)
        limits = {n: adapter.limits[n] for n in LIMITS if n in adapter.limits}
        wanted = ("timestamp-query", "subgroup", "shader-f16")
        self.features = [f for f in wanted if f in adapter.features]
        self.device = adapter.request_device_sync(
            required_limits=limits, required_features=self.features
        )
        self.limits = dict(self.device.limits)
        self.flush = self.buffer(min(FLUSH, self.limits["max-buffer-size"]))

    def buffer(self, size):
        usage = self.wgpu.BufferUsage
        usage = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
        return self.device.create_buffer(size=max(4, size), usage=usage)

    @contextlib.contextmanager
    def trusting(self, checks):
        """Modules that are made within this block are given these checks alone."""
        plain = self.api.libf.wgpuDeviceCreateShaderModule
        if checks is not CHECKED:
            trusted = self.api.lib.wgpuDeviceCreateShaderModuleTrusted
            self.api.libf.wgpuDeviceCreateShaderModule = lambda d, s: trusted(d, s, checks)
        try:
            yield
        finally:
            self.api.libf.wgpuDeviceCreateShaderModule = plain

    def ready(self, shader, buffers, checks=CHECKED):
        """A launch that can be made again and again. ``buffers``: one for each binding."""
        with self.trusting(checks):
            # wgpu has subgroups without being asked, and does not know the question.
            code = shader.wgsl.replace("enable subgroups;", "").replace(", subgroups;", ";")
            code = code.replace("diagnostic(off, subgroup_uniformity);", "")
            module = self.device.create_shader_module(code=code)
        pipeline = self.device.create_compute_pipeline(
            layout="auto", compute={"module": module, "entry_point": shader.name}
        )
        buffers = list(buffers)
        if shader.params:
            usage = self.wgpu.BufferUsage.UNIFORM | self.wgpu.BufferUsage.COPY_DST
            data = shader.params + bytes(-len(shader.params) % 16)
            buffers.append(self.device.create_buffer_with_data(data=data, usage=usage))
        entries = [
            {"binding": k, "resource": {"buffer": b, "offset": 0, "size": b.size}}
            for k, b in enumerate(buffers)
        ]
        layout = pipeline.get_bind_group_layout(0)
        group = self.device.create_bind_group(layout=layout, entries=entries)
        return pipeline, group, shader.groups

    def submit(self, launches, query=None, flush=False):
        """Make launches one after the other, in one pass."""
        encoder = self.device.create_command_encoder()
        if flush:
            encoder.clear_buffer(self.flush)
        timed = {"query_set": query, "beginning_of_pass_write_index": 0}
        timed["end_of_pass_write_index"] = 1
        work = encoder.begin_compute_pass(**({"timestamp_writes": timed} if query else {}))
        for pipeline, group, groups in launches:
            work.set_pipeline(pipeline)
            work.set_bind_group(0, group)
            work.dispatch_workgroups(*groups)
        work.end()
        ticks = None
        if query:
            usage = self.wgpu.BufferUsage.QUERY_RESOLVE | self.wgpu.BufferUsage.COPY_SRC
            ticks = self.device.create_buffer(size=16, usage=usage)
            encoder.resolve_query_set(query, 0, 2, ticks, 0)
        self.device.queue.submit([encoder.finish()])
        return ticks

    def run(self, shader, data):
        """One launch: {name of a written buffer: bytes}. ``data``: name -> bytes."""
        buffers = [self.buffer(len(data[b.name])) for b in shader.bindings]
        for b, buffer in zip(shader.bindings, buffers, strict=True):
            if data[b.name]:
                self.device.queue.write_buffer(buffer, 0, data[b.name])
        self.submit([self.ready(shader, buffers)])
        return {
            b.name: bytes(self.device.queue.read_buffer(buffer))[: len(data[b.name])]
            for b, buffer in zip(shader.bindings, buffers, strict=True)
            if b.written
        }

    def seconds(self, launches, flush=True):
        """Seconds that launches take on the GPU's own clock, with cold caches."""
        if "timestamp-query" not in self.features:
            raise RuntimeError("this adapter has no timestamp queries")
        query = self.device.create_query_set(type="timestamp", count=2)
        ticks = self.submit(launches, query, flush)
        start, end = np.frombuffer(self.device.queue.read_buffer(ticks), np.uint64)
        return float(end - start) * 1e-9


# ---------------------------------------------------------------- kernels for sizes without data


@dataclass
class Place:
    """The memory of an array that exists on the GPU alone."""

    name: str
    nbytes: int
    bounds: tuple = ()  # of integers: what the host will put there
    written = ()  # nobody on the host wrote it

    @property
    def bytes(self):
        return range(self.nbytes)  # a length, and no bytes


@dataclass
class Like:
    """An array argument without data."""

    shape: tuple
    dtype: str = "float32"
    bounds: tuple = ()

    def place(self, name):
        strides, step = [], 1
        for n in reversed(self.shape):
            strides.insert(0, step)
            step *= n
        self.memory = Place(name, step * np.dtype(self.dtype).itemsize, self.bounds)
        self.strides, self.offset, self.start, self.size = tuple(strides), 0, 0, step
        return self


def shader(module, make, grid, block, *arguments, **options):
    """A kernel of ``kernels/`` as WGSL for a launch whose arrays are on the GPU alone.

    ``make``: the kernel, of the module. ``arguments``: a Like for an array, else a number.
    """
    three = [tuple(s) + (1,) * (3 - len(s)) for s in (grid, block)]
    with stepping(Stepper(mode="run")) as load:
        source = make(load(module)).source
        values, kinds = [], []
        for name, a in zip(source.params, arguments, strict=True):
            if isinstance(a, Like):
                values.append(a.place(name))
                kinds.append(types.Array(types.as_dtype(np.dtype(a.dtype)), len(a.shape)))
            else:
                kinds.append(types.SCALARS[np.asarray(a).dtype.name])
                values.append(a)
        return compile(source, Config(*three), values, tuple(kinds), **options)
