"""``python -m simulator.hardware.webgpu``: the kernels' WGSL on this machine's GPU, through wgpu.

Needs the wheel ``wgpu`` and a Vulkan driver; on an NVIDIA GPU without a display, VK_DRIVER_FILES
names the driver's file. Runs every case of ``cases`` that compiles and compares it with the
stepper; then times a copy and some kernels at large sizes. Prints JSON.
"""

import argparse
import json
import sys
import time

import numpy as np

from simulator.hardware.cases import CASES
from simulator.stepper import Stepper
from simulator.wgsl import captured, unlike

NEAR = 2e-5  # of the largest number of an array
COPY = """@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u) {
  for (var i = id.x; i < arrayLength(&x); i += 65535u * 256u) { y[i] = x[i]; }
}
"""
LARGE = {  # kernel -> how many times the elements of its case
    "kernels/vector_add/add.py:add_kernel": 1 << 18,
    "kernels/vector_add/saxpy.py:saxpy_kernel": 1 << 18,
    "kernels/microbenchmarks/fusion.py:fused_kernel": 1 << 18,
}


class Card:
    """The GPU that wgpu finds."""

    def __init__(self):
        import wgpu

        self.wgpu = wgpu
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        self.info = dict(adapter.info)
        names = (
            "max-storage-buffer-binding-size",
            "max-buffer-size",
            "max-compute-invocations-per-workgroup",
            "max-compute-workgroup-size-x",
            "max-compute-workgroup-size-y",
            "max-compute-workgroup-storage-size",
        )
        limits = {n: adapter.limits[n] for n in names if n in adapter.limits}
        self.device = adapter.request_device_sync(required_limits=limits)

    def prepare(self, wgsl, name, sizes, data=(), params=b""):
        """(pipeline, bind group, buffers). ``sizes``: bytes of each buffer."""
        wgpu, device = self.wgpu, self.device
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
        module = device.create_shader_module(code=wgsl)
        pipeline = device.create_compute_pipeline(
            layout="auto", compute={"module": module, "entry_point": name}
        )
        buffers = [device.create_buffer(size=max(4, n), usage=usage) for n in sizes]
        for buffer, part in zip(buffers, data, strict=False):
            device.queue.write_buffer(buffer, 0, part)
        if params:
            params += bytes(-len(params) % 16)
            usage = wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST
            buffers.append(device.create_buffer_with_data(data=params, usage=usage))
        entries = [
            {"binding": k, "resource": {"buffer": b, "offset": 0, "size": b.size}}
            for k, b in enumerate(buffers)
        ]
        group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
        return pipeline, group, buffers

    def dispatch(self, pipeline, group, groups, repeat=1):
        encoder = self.device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        for _ in range(repeat):
            work.dispatch_workgroups(*groups)
        work.end()
        self.device.queue.submit([encoder.finish()])

    def run(self, record):
        """One launch: {buffer: bytes}."""
        s = record.shader
        data = [record.before[b.name] for b in s.bindings]
        made = self.prepare(s.wgsl, s.name, [len(d) for d in data], data, s.params)
        self.dispatch(made[0], made[1], s.groups)
        return {
            b.name: bytes(self.device.queue.read_buffer(buffer))
            for b, buffer in zip(s.bindings, made[2], strict=False)
            if b.written
        }

    def seconds(self, made, groups, repeat=20):
        """Seconds for one launch: the median of five bursts, each waited for by reading."""
        small = self.device.create_buffer(size=4, usage=self.wgpu.BufferUsage.COPY_SRC)
        found = []
        for _ in range(6):
            start = time.perf_counter()
            self.dispatch(*made[:2], groups, repeat)
            self.device.queue.read_buffer(small)
            found.append((time.perf_counter() - start) / repeat)
        return float(np.median(found[1:]))


def compared(card, options):
    """Every case, beside the stepper: name -> what is wrong, or "right", or why it is refused."""
    found = {}
    with Stepper(mode="run", raise_findings=False).installed():
        from numba import cuda

        for name, case in CASES.items():
            rows = []
            with captured(rows, **options):
                case.launch(cuda)
            for r in rows:
                if r.refused:
                    found[name] = f"refused: {r.refused}"
                    continue
                try:
                    wrong = unlike(r, card.run(r), NEAR)
                    found[name] = "right" if not wrong else f"wrong: {wrong[:2]}"
                except Exception as error:  # the driver's or wgpu's own: the next case may run
                    found[name] = f"failed: {error}"[:300]
    return found


def rates(card, options):
    """GB/s of a copy and of kernels with many elements."""
    size = 1 << 30
    made = card.prepare(COPY, "copy", [size, size])
    found = {"copy": 2 * size / card.seconds(made, (65535, 1, 1)) / 1e9}
    with Stepper(mode="run", raise_findings=False).installed():
        from numba import cuda

        for name, times in LARGE.items():
            rows = []
            with captured(rows, more=lambda n, times=times: (times,), **options):
                CASES[name].launch(cuda)
            for _, s in rows[0].sizes:
                sizes = [4 * b.elements for b in s.bindings]
                moved = sum(
                    n * (b.read + b.written) for n, b in zip(sizes, s.bindings, strict=True)
                )
                made = card.prepare(s.wgsl, s.name, sizes, params=s.params)
                found[name] = moved / card.seconds(made, s.groups) / 1e9
    return found


def main(args=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subgroups", action="store_true", help="shuffles by subgroups of 32")
    parser.add_argument("--unroll", type=int, default=64, help="statements that a loop may become")
    given = parser.parse_args(args)
    options = {"subgroups": 32 if given.subgroups else 0, "unroll": given.unroll}
    try:
        card = Card()
    except ImportError:
        print("webgpu: the wheel `wgpu` is missing: pip install wgpu", file=sys.stderr)
        return 1
    cases = compared(card, options)
    print(json.dumps({"device": card.info, "gbps": rates(card, options), "cases": cases}, indent=1))
    return int(any(v.startswith(("wrong", "failed")) for v in cases.values()))


if __name__ == "__main__":
    sys.exit(main())
