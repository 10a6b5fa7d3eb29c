"""Two GPUs: stores that fill whole lines of the other's memory, half of each, or a quarter.

Hypothesis of the page on several GPUs: kernels fall behind copy engines for the headers of
128-byte packets. Then stores that fill half of each line store fewer bytes a second, and lines
that are full but apart lose nothing.
"""

import cupy as cp
import numpy as np

from benchmarks.group import GroupTimer, free, normal, reach
from benchmarks.harness import MIB, BenchmarkError
from benchmarks.micro.two_change_links import brought, poison
from kernels.multi_gpu.peers import on_each

GPUS = 2
LINES = """
extern "C" __global__ void lines(const float4* from, float4* to, size_t n) {
    constexpr int BATCH = 4;  // as in copy.cu
    size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += BATCH * step) {
        float4 held[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (i + k * step < n) held[k] = from[i + k * step];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {  // PER of the eight in a line, a line in APART
            size_t j = i + k * step;
            if (j < n) to[j / PER * APART * 8 + j % PER] = held[k];
        }
    }
}
"""
# of the eight 16-byte pieces of a line so many, of so many lines one, and in words
FILLED = {
    "full": (8, 1, "full lines"),
    "half": (4, 1, "half of each line"),
    "quarter": (2, 1, "a quarter of each line"),
    "full-apart-2": (8, 2, "full lines, every second one"),
    "full-apart-4": (8, 4, "full lines, every fourth one"),
}


def run(bench):
    reach(GPUS)
    with bench.part("lines that are half full"):
        lines(bench, (MIB if bench.quick else 256 * MIB) // 16)
    free(GPUS)


def lines(bench, n):
    """Store n times 16 bytes into lines of the other GPU's memory, of which a part is filled."""
    streams = on_each(lambda rank: cp.cuda.Stream(non_blocking=True), range(GPUS))
    x = normal(GPUS, 4 * n)
    y = on_each(lambda rank: cp.empty(4 * 4 * n, cp.float32), range(GPUS))
    calls, about = {}, {}
    for name, (per, apart, _) in FILLED.items():
        options = ("-std=c++17", f"-DPER={per}", f"-DAPART={apart}")
        kernel = cp.RawModule(code=LINES, options=options).get_function("lines")
        for directions in (1, 2):

            def call(kernel=kernel, directions=directions):
                for here in range(directions):
                    with cp.cuda.Device(here), streams[here]:
                        kernel((264,), (512,), (x[here], y[1 - here], np.uint64(n)))

            poison(y)
            call()
            for stream in streams:
                stream.synchronize()
            for here in range(directions):
                with cp.cuda.Device(1 - here):
                    spread = y[1 - here][: 4 * n * 8 // per * apart].reshape(-1, 32 * apart)
                    right = brought(x[here]).reshape(-1, 4 * per)
                    if not bool((spread[:, : 4 * per] == right).all()):
                        raise BenchmarkError(f"{name}: GPU {1 - here} holds something else")
                    if not bool(cp.isnan(spread[:, 4 * per :]).all()):
                        raise BenchmarkError(f"{name}: it stored into the rest of a line")
            id = f"two-change-lines-{name}" + ("" if directions == 2 else "-one-way")
            calls[id], about[id] = call, (name, directions)
    for id, summary in bench.samples(calls, GroupTimer(streams)).items():
        name, directions = about[id]
        words = FILLED[name][2] + (", both directions at once, each" if directions == 2 else "")
        bench.micro(id, f"256 MiB stored to the other GPU: {words}", summary,
                    unit="GB/s", amount=16 * n, terms=["nvlink"],
                    method="264 blocks of 512 threads, 16 bytes a store; CUDA events, the slower "
                    "GPU counts; bytes stored, not bytes of lines")  # fmt: skip
