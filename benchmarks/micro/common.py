"""What the microbenchmarks share: CUDA C++ from snippets/, and the GPU's own cycle counter."""

import cupy as cp
import numpy as np

from benchmarks.harness import ROOT, Summary

SNIPPETS = "snippets/microbenchmarks/"
KERNELS = "kernels/microbenchmarks/"
IN_KERNEL = "the multiprocessor's own clock, read before and after"
COLD = "CUDA events, cold L2"
WARM = "CUDA events, queued while the GPU is busy"


def functions(path, *names, options=()):
    """Compile a file of CUDA C++ and return its kernels by name."""
    source = (ROOT / path).read_text(encoding="utf-8")
    module = cp.RawModule(code=source, options=("-std=c++17", *options))
    return [module.get_function(name) for name in names]


class Cycles:
    """Time a call by the cycles that its kernel wrote into an array; the median of its blocks."""

    def __init__(self, blocks=1):
        self.cycles = cp.zeros(blocks, cp.int64)

    def __call__(self, call):
        self.cycles.fill(0)
        call()
        return float(np.median(self.cycles.get()))


SPIN = """
extern "C" __global__ void spin(long long cycles) {
    for (long long began = clock64(); clock64() - began < cycles;) {}
}
"""


class Events:
    """Time a call by events, without emptying L2: for what is to be found in a cache.

    One thread spins before, so that the GPU is busy while the host queues the call; for ``busy``
    cycles, or not at all.
    """

    def __init__(self, busy=400_000):
        self.start, self.end = cp.cuda.Event(), cp.cuda.Event()
        self.busy, self.spin = np.int64(busy), cp.RawKernel(SPIN, "spin")

    def __call__(self, call):
        if self.busy:
            self.spin((1,), (1,), (self.busy,))
        self.start.record()
        call()
        self.end.record()
        self.end.synchronize()
        return cp.cuda.get_elapsed_time(self.start, self.end) / 1e3


def clock_mhz(bench):
    """Return a summary of the multiprocessors' clock under a load of multiply-adds, in MHz."""
    blocks = bench.device.multiprocessors
    (kernel,) = functions(SNIPPETS + "arithmetic.cu", "clock_rate")
    cycles, nanoseconds = cp.zeros(blocks, cp.int64), cp.zeros(blocks, cp.int64)
    out = cp.zeros(blocks * 256, cp.float32)

    def sample(call):
        call()
        return float(np.median(1e3 * cycles.get() / nanoseconds.get()))

    def call():  # about 5 ms
        kernel((blocks,), (256,), (np.int32(60_000), cycles, nanoseconds, out))

    return bench.samples({"clock": call}, sample)["clock"]


def in_ns(summary, clock, amount=1):
    """Return the ns of a summary in cycles, for a row's ``extra``."""
    return {"ns": float(f"{1e3 * summary.median / amount / clock.median:.4g}")}


def relative(summary: Summary, first: Summary) -> float:
    return float(f"{summary.median / first.median:.4g}")
