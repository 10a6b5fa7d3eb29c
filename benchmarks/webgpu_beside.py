"""Kernels in files with PTX that use none themselves, as WGSL: as ``webgpu_kernels`` times others.

A record of their own, so that one more of them makes none of the others' stale.
"""

import cupy as cp

from benchmarks.harness import BenchmarkError
from benchmarks.webgpu import same_gpu
from benchmarks.webgpu_kernels import DRAWN, WRITER, Both, in_words, measured
from simulator.hardware.webgpu_rates import LATER, texts


def run(bench):
    for path, text in texts(tuple(LATER)).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            raise BenchmarkError(f"{path} is not what the compiler makes: run {WRITER}")
    card = same_gpu(cp)
    drawn = cp.asnumpy(cp.random.default_rng().random(DRAWN, cp.float32))
    for id, rate in LATER.items():
        with bench.part(id):
            both = Wide(card, id, rate, drawn)
            try:
                measured(bench, id, rate, both)
            finally:
                both.free()


class Wide(Both):
    """A kernel whose numbers of 64 bits stay so where its shader has them as pairs of 32."""

    def wide(self, name):
        return any(b.wide for b in self.shader.bindings if b.memory.name == name)

    def upload(self, buffer, name):
        if not self.wide(name):
            return super().upload(buffer, name)
        data = self.host[name].tobytes()
        if self.buffers[buffer].size < len(data):
            self.buffers[buffer].destroy()
            self.buffers[buffer] = self.card.buffer(len(data))
        self.card.device.queue.write_buffer(self.buffers[buffer], 0, data)
        return None

    def expected(self):
        self.reset()
        self.launch()
        left = {name: self.device[name].copy() for name in self.written}
        return {name: a if self.wide(name) else in_words(a) for name, a in left.items()}
