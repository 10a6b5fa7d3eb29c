"""More experiments of one change each: threads that stay, rows in a block, loads, lines of L2."""

from functools import partial

import cupy as cp
import numpy as np
import torch
import triton
import triton.language as tl
from numba import cuda, float32, uint32

from benchmarks.harness import MIB, BenchmarkError, Summary, rounded, summarize
from benchmarks.micro.common import COLD, WARM, Events, clock_mhz
from benchmarks.micro.latency_hiding import SCHEDULERS, expected, launch_of
from benchmarks.norms import expected as normalized
from kernels.elementwise.wide import copy4_kernel
from kernels.in_triton.vector_add import add_kernel
from kernels.latency_hiding.stations import station_sums_4_kernel, station_sums_kernel
from kernels.latency_hiding.wait_and_work import WORK, wait_and_work_kernel
from kernels.memory_hierarchy.strided_read import strided_kernel
from kernels.norms.row import EPS, make_norm, plan

HERE = "benchmarks/micro/one_change_threads.py"


def run(bench):
    small = bench.quick
    with bench.part("a copy by threads that stay"):
        copies(bench, 2**22 if small else 2**28)
    with bench.part("a copy in Triton, beside the addition"):
        in_triton(bench, 2**22 if small else 2**28)
    with bench.part("rows of 128, several in a block"):
        short_rows(bench, 2**14 if small else 2**21, 128)
    with bench.part("sums down the columns"):
        stations(bench, 8760, 1024 if small else 2**15)
    with bench.part("staggered starts"):
        staggered(bench, *((64 * MIB, 64) if small else (2048 * MIB, 512)))
    with bench.part("lines of L2, seen from two multiprocessors"):
        lines(bench, 8 * MIB)


@cuda.jit
def stride_1_loop_kernel(a, stride, out):
    """``strided_kernel`` by threads that stay: a grid-stride loop."""
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = a[i * stride]


@cuda.jit
def stride_1_loop_32_kernel(a, stride, out):
    """The same with an index of 32 bits, which the compiler does not unroll."""
    i, step, stride = uint32(cuda.grid(1)), uint32(cuda.gridsize(1)), uint32(stride)
    while i < out.size:
        out[i] = a[i * stride]
        i += step


COPIES = """
extern "C" __global__ void copy_loop(const float* a, float* out, long long n) {
    long long step = (long long)gridDim.x * blockDim.x;
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = a[i];
}
extern "C" __global__ void copy_loop_4(const float* a, float* out, long long n) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        float w = a[i], x = a[i + step], y = a[i + 2 * step], z = a[i + 3 * step];
        out[i] = w, out[i + step] = x, out[i + 2 * step] = y, out[i + 3 * step] = z;
    }
    for (; i < n; i += step) out[i] = a[i];
}
"""


def copies(bench, n):
    """One load of 4 bytes in flight a thread, as before; eight blocks of 256 fill all places."""
    a, output = bench.random(n), bench.output(n)
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    few, many = 8 * bench.device.multiprocessors, -(-n // 256)
    module = cp.RawModule(code=COPIES, options=("-std=c++17",))
    source = (bench.root / "snippets/gemm/copies.cu").read_text(encoding="utf-8")
    copy_one = cp.RawModule(code=source).get_function("copy_one")
    given = a, output.array, np.int64(n)
    calls = {
        "stride-1": ("Numba, a thread an element", partial(
            strided_kernel[many, 256], d_a, 1, d_out)),
        "stride-1-loop": ("Numba, a grid-stride loop", partial(
            stride_1_loop_kernel[few, 256], d_a, 1, d_out)),
        "stride-1-loop-32": ("Numba, a grid-stride loop of 32 bits", partial(
            stride_1_loop_32_kernel[few, 256], d_a, 1, d_out)),
        "one": ("CUDA C++, a thread an element", partial(copy_one, (many,), (256,), given)),
        "one-loop": ("CUDA C++, a grid-stride loop, one load in flight", partial(
            module.get_function("copy_loop"), (few,), (256,), given)),
        "one-loop-4": ("CUDA C++, a grid-stride loop, four loads in flight", partial(
            module.get_function("copy_loop_4"), (few,), (256,), given)),
        "16-byte": ("Numba, 16 bytes a thread", partial(copy4_kernel[many // 4, 256], d_a, d_out)),
    }  # fmt: skip
    right(bench, {id: call for id, (_, call) in calls.items()}, output, a, 0.0)
    times = bench.samples({f"one-change-copy-{id}": call for id, (_, call) in calls.items()})
    for (id, summary), (title, _) in zip(times.items(), calls.values(), strict=True):
        bench.micro(id, f"Copy of {n} float32: {title}", summary, unit="GB/s", amount=8 * n,
                    method=f"{COLD}; a loop has 8 blocks of 256 threads a multiprocessor",
                    kernel=HERE, terms=["occupancy"])  # fmt: skip


def right(bench, calls, output, wanted, tolerance):
    for id, call in calls.items():
        bench.check(id, call, output, wanted, tolerance)


@triton.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


def in_triton(bench, n):
    x, y, output = bench.random(n), bench.random(n), bench.output(n)
    t_x, t_y, t_out = (torch.as_tensor(a, device="cuda") for a in (x, y, output.array))
    grid = (triton.cdiv(n, 1024),)
    copied = {
        "one-change-triton-copy": lambda: copy_kernel[grid](t_x, t_out, n, BLOCK=1024),
        "one-change-torch-copy": lambda: t_out.copy_(t_x),
        "one-change-device-copy": bench.device.copy(4 * n)[0],
    }
    added = {
        "one-change-triton-add": lambda: add_kernel[grid](t_x, t_y, t_out, n, BLOCK=1024),
    }
    right(bench, dict(list(copied.items())[:2]), output, x, 0.0)
    right(bench, added, output, x.astype(cp.float64) + y, 1e-6)
    for id, summary in bench.samples(copied | added).items():
        arrays = 3 if id in added else 2
        bench.micro(id, f"{n} float32: {id[11:].replace('-', ' ')}", summary, unit="GB/s",
                    amount=4 * arrays * n, method=f"{COLD}; bytes read plus bytes written",
                    kernel=HERE, terms=["memory-bandwidth"])  # fmt: skip


def short_rows(bench, rows, columns):
    x, weight, bias = bench.random((rows, columns)), bench.random(columns), bench.random(columns)
    output = bench.output((rows, columns))
    flat = [bench.device.numba(a) for a in (x.reshape(-1), weight, bias)]
    to = bench.device.numba(output.array.reshape(-1))
    threads, width = plan(columns)
    kernel = make_norm(threads, width, True)
    calls = {
        f"one-change-layernorm-{each}": partial(
            kernel[-(-rows // each), (threads, each)],
            *flat, np.uint32(rows), np.uint32(columns), EPS, to,
        )
        for each in (1, 2, 4, 8)
    }  # fmt: skip
    right(bench, calls, output, normalized(x, weight, bias), 2e-6)
    for id, summary in bench.samples(calls).items():
        each = int(id.split("-")[-1])
        bench.micro(id, f"layernorm of {rows} rows of {columns} float32, {each} rows a block",
                    summary, unit="GB/s", amount=8 * rows * columns, method=COLD,
                    kernel="kernels/norms/row.py", extra={
                        "us": rounded(summary.median * 1e6),
                        "blocks_a_us": rounded(-(-rows // each) / summary.median / 1e6),
                    })  # fmt: skip


@cuda.jit
def station_while_kernel(temperature, out):
    """``station_sums_kernel`` with a loop that the compiler leaves as it is."""
    station = uint32(cuda.grid(1))
    if station < temperature.shape[1]:
        total, hour = float32(0), uint32(0)
        while hour < temperature.shape[0]:
            total += temperature[hour, station]
            hour += uint32(1)
        out[station] = total


def stations(bench, hours, count):
    a, output = bench.random((hours, count)), bench.output(count)
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    kernels = {
        "one-change-stations-range": (station_sums_kernel, "for hour in range(n)"),
        "one-change-stations-while": (station_while_kernel, "while, counted in uint32"),
        "one-change-stations-4": (station_sums_4_kernel, "four loads before the first use"),
    }
    calls = {id: partial(kernel[-(-count // 128), 128], d_a, d_out)
             for id, (kernel, _) in kernels.items()}  # fmt: skip
    right(bench, calls, output, a.sum(axis=0, dtype=cp.float64), 1e-4)
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"Sums of {hours} hours for {count} stations: {kernels[id][1]}", summary,
                    unit="GB/s", amount=4 * hours * count, method=COLD, kernel=HERE,
                    terms=["latency-hiding", "instruction-level-parallelism"],
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


@cuda.jit
def staggered_kernel(table, steps, out):
    """``wait_and_work_kernel``, but each warp begins with a number of multiply-adds of its own."""
    last_row = uint32(table.size // 32 - 1)
    lane = uint32(cuda.threadIdx.x % 32)
    row = uint32(cuda.grid(1) // 32)
    x = total = float32(0)
    for _ in range(uint32(37) * (row % uint32(16))):
        x = x * float32(0.5) + table[lane] * float32(0.5)  # stays under 0.5
    for _ in range(steps):
        row = (row * uint32(221) + uint32(12345) + uint32(x)) & last_row
        value = table[row * uint32(32) + lane]
        for _ in range(WORK):
            x = x * float32(0.5) + value
        total += x
    out[cuda.grid(1)] = total


def staggered(bench, size, steps):
    clock = clock_mhz(bench)
    count = bench.device.multiprocessors
    table = (cp.random.default_rng().random(size // 4, dtype=cp.float32) / 2).clip(0, 0.4999)
    d_table, output = bench.device.numba(table), bench.output(count * 64 * 32)
    d_out, wanted = bench.device.numba(output.array), expected(table, steps, count * 64)
    calls, warps = {}, {}
    for n in (16, 32, 48, 64):
        blocks, threads = launch_of(n)
        for name, kernel in (("together", wait_and_work_kernel), ("staggered", staggered_kernel)):
            id = f"one-change-{name}-{n}"
            calls[id], warps[id] = (
                partial(kernel[blocks * count, threads], d_table, steps, d_out),
                n,
            )
            output.poison()
            calls[id]()
            used = count * n * 32
            off = cp.abs(output.array[:used].astype(cp.float64) - wanted[:used]) / wanted[:used]
            if not float(off.max()) < 1e-4:
                raise BenchmarkError(f"{id}: off by {float(off.max()):.1e}")
    for id, summary in bench.samples(calls, Events()).items():
        cycles = summary.median * clock.median * 1e6
        part = warps[id] * WORK * steps / (SCHEDULERS * cycles)
        start = "staggered starts" if "staggered" in id else "all start together"
        bench.micro(id, f"{warps[id]} warps a multiprocessor, waiting and working, {start}: the"
                    " share of issue slots with a multiply-add",
                    Summary(part, summary.spread, summary.repeats), unit="%", kernel=HERE,
                    method=f"{WARM}; the multiply-adds of {steps} steps, without those before",
                    terms=["latency-hiding", "warp-scheduler"])  # fmt: skip


LINES = """
extern "C" __global__ void lines(unsigned* a, int count, int where, int* taken, unsigned* cycles) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x || sm != where || atomicAdd(taken, 1)) return;
    unsigned at = 0;  // what is read: zero, which the compiler cannot know
    for (int pass = 0; pass < 4; pass++)
        for (int i = 0; i < count; i++) {
            unsigned began, ended = 0;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(began) :: "memory");
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(a + i * 32 + at) : "memory");
            // The second clock waits for the predicate, and that for the load.
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 77; @p mov.u32 %0, %%clock; }"
                         : "+r"(ended) : "r"(at) : "memory");
            cycles[i] = pass ? min(cycles[i], ended - began) : 0xFFFFFFFFu;
        }
}
"""


def lines(bench, size):
    """Each line of an array in L2, timed alone, from one multiprocessor after another."""
    count, blocks = size // 128, 4 * bench.device.multiprocessors
    a, cycles = cp.zeros(size // 4, cp.uint32), cp.zeros(count, cp.uint32)
    taken = cp.zeros(1, cp.int32)
    kernel = cp.RawKernel(LINES, "lines", options=("-std=c++17",))
    seen = []
    for where in range(0, bench.device.multiprocessors, 33 if bench.quick else 3):
        cycles.fill(0), taken.fill(0)
        kernel((blocks,), (1024,), (a, np.int32(count), np.int32(where), taken, cycles))
        seen.append(cycles.get().astype(float))
    seen = np.array(seen)
    if not (seen.min() > 50 and np.median(seen) < 2000):
        raise BenchmarkError(
            f"lines: {seen.min()} to {seen.max()} cycles, median {np.median(seen)}"
        )
    # Of which lines are near: alike from a multiprocessor of the same half, opposite from another
    alike = np.corrcoef(seen)
    first = alike[0, 1:]
    for tenth in (5, 25, 50, 75, 95):
        bench.micro(
            f"one-change-l2-line-{tenth}",
            f"One load from L2: {tenth} % of the lines of {size // MIB} MiB answer in less",
            summarize(list(np.percentile(seen, tenth, axis=1))), unit="cycles", kernel=HERE,
            method="each line alone, by the clock before and after its load, the least of three"
            f" passes; from {len(seen)} multiprocessors, the median of them",
            terms=["l2-cache"],
            extra={
                "most_alike": rounded(float(first.max())),
                "least_alike": rounded(float(first.min())),
                "opposite_share": rounded(float((first < -0.3).mean())),
                "means_spread": rounded(float(seen.mean(axis=1).std() / seen.mean())),
            },
        )  # fmt: skip
    bench.say(f"[{bench.name}]   alike: {np.round(np.sort(first), 2).tolist()}")
    counts, edges = np.histogram(seen[0], 24, tuple(np.percentile(seen[0], (0.1, 99.5))))
    found = dict(zip(edges.astype(int).tolist(), counts.tolist(), strict=False))
    bench.say(f"[{bench.name}]   lines by cycles: {found}")
