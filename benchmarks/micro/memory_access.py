"""Memory access: a warp's read by sectors and lines, and transposes by bank conflicts."""

import cupy as cp

from benchmarks.harness import BenchmarkError, Case, Reference
from benchmarks.micro.common import WARM, Events, clock_mhz, relative
from kernels.memory_access.lines import touched, ways
from kernels.memory_access.reread import SPAN, reread_warp_kernel
from kernels.memory_access.transpose import make_transpose

HERE = "kernels/memory_access/"
# stride, offset: one line, then two, by 1, 4, 8, 16 and 24 elements, a whole line, and strides
READS = ((1, 0), (1, 1), (1, 4), (1, 8), (1, 16), (1, 24), (1, 31), (1, 32), (1, 64),
         (2, 0), (3, 0), (4, 0), (8, 0), (9, 0), (16, 0), (17, 0), (31, 0), (32, 0))  # fmt: skip
# id, rows of the block, padding, in words
TRANSPOSES = (
    ("transpose-32-conflicts", 32, 0, "a block of 32 x 32, no padding"),
    ("transpose-32-padded", 32, 1, "a block of 32 x 32, one column of padding"),
    ("transpose-32x16-padded", 16, 1, "two elements a thread, one column of padding"),
    ("transpose-32x8-conflicts", 8, 0, "four elements a thread, no padding"),
    ("transpose-32x8-padded", 8, 1, "four elements a thread, one column of padding"),
    ("transpose-32x4-padded", 4, 1, "eight elements a thread, one column of padding"),
)


def run(bench):
    with bench.part("a warp's read from L1"):
        reads(bench, 64 if bench.quick else 2048)
    with bench.part("transposes"):
        transposes(bench, 512 if bench.quick else 8192)


def reads(bench, rounds):
    """All multiprocessors full, each reading a few of the same 48 KiB: nothing but L1 is asked."""
    clock = clock_mhz(bench)
    blocks, threads = 2 * bench.device.multiprocessors, 1024
    a = cp.random.default_rng().integers(0, 100, SPAN + 32 * 32 + 64, dtype=cp.int32)
    out = cp.zeros(blocks * threads, cp.int32)
    d_a, d_out = bench.device.numba(a), bench.device.numba(out)
    thread = cp.arange(blocks * threads) % threads
    calls = {}
    for stride, offset in READS:
        id = f"l1-read-stride-{stride}-offset-{offset}"

        def call(stride=stride, offset=offset):
            reread_warp_kernel[blocks, threads](d_a, stride, offset, rounds, d_out)

        out.fill(-1)
        call()
        start = offset + thread % 32 * stride + thread // 32 * 256
        once = sum(a[start + 512 * k].astype(cp.int64) for k in range(8))
        if not bool((out == (once * rounds).astype(cp.int32)).all()):
            raise BenchmarkError(f"{id}: the sums are wrong")
        calls[id] = call
    times = bench.samples(calls, Events())
    reads_each = 2 * (threads // 32) * 8 * rounds  # of warps, on one multiprocessor
    first = times["l1-read-stride-1-offset-0"]
    for (id, summary), (stride, offset) in zip(times.items(), READS, strict=True):
        sectors, lines = touched(stride, offset)
        bench.micro(
            id,
            f"A warp's read that L1 answers, lanes {stride} elements apart from element {offset}:"
            f" {sectors} sectors in {lines} lines",
            # seconds to cycles of one multiprocessor
            type(summary)(summary.median * clock.median * 1e6, summary.spread, summary.repeats),
            unit="cycles",
            amount=reads_each,
            kernel=HERE + "reread.py",
            method=f"{WARM}; 64 warps on every multiprocessor, {8 * rounds} reads each within 48"
            " KiB, in L1; time times the clock, over the reads of a multiprocessor",
            terms=["memory-coalescing", "l1-data-cache", "load-store-unit"],
            extra={
                "sectors": sectors,
                "lines": lines,
                "ways": ways(stride),
                "times_one_line": relative(summary, first),
            },
        )


def transposes(bench, n):
    a = bench.random((n, n))
    output = bench.output((n, n))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    grid = (-(-n // 32), -(-n // 32))
    cases = []
    for id, rows, padding, words in TRANSPOSES:
        kernel = make_transpose(rows, padding)
        cases.append(
            Case(
                id,
                f"Transpose of {n} x {n} float32 by tiles of 32 x 32, {words}",
                HERE + "transpose.py",
                lambda kernel=kernel, rows=rows: kernel[grid, (32, rows)](d_a, d_out),
                output,
                {"block_rows": rows, "padding": padding, "conflict_ways": 1 if padding else 32},
            )
        )
    reference = Reference("cp.copyto(out, a.T)", lambda: cp.copyto(output.array, a.T), output)
    bench.compare(
        cases, reference, a.T.astype(cp.float64), size=n, dtype="float32", unit="GB/s",
        tolerance=0.0, bytes=2 * 4 * n * n,
    )  # fmt: skip
