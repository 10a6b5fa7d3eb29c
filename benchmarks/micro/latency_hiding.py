"""Latency hiding: how busy 1 to 64 warps keep a multiprocessor, when each waits for memory."""

import cupy as cp

from benchmarks.harness import GIB, MIB, BenchmarkError, Summary
from benchmarks.micro.common import WARM, Events, clock_mhz
from kernels.latency_hiding import sums
from kernels.latency_hiding.model import busy
from kernels.latency_hiding.wait_and_work import WORK, wait_and_work_kernel

HERE = "kernels/latency_hiding/"
WARPS = (1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64)  # on each multiprocessor
SCHEDULERS = 4
TERMS = ["latency-hiding", "occupancy", "warp-scheduler", "stall"]


def run(bench):
    with bench.part("1 to 64 warps"):
        warps(bench, 64 * MIB if bench.quick else 2 * GIB, 64 if bench.quick else 512)
    with bench.part("loads in flight in a thread"):
        loads(bench, 64 * MIB if bench.quick else 2 * GIB)


def launch_of(count):
    """Return blocks on a multiprocessor, and threads of a block, for so many warps."""
    blocks = -(-count // 32)
    return blocks, 32 * count // blocks


def expected(table, steps, warps_in_all):
    """Return what each thread must sum up, in float64: twice every value on its way."""
    rows = len(table) // 32
    row = cp.arange(warps_in_all, dtype=cp.uint64)
    total = cp.zeros((warps_in_all, 32), cp.float64)
    wide = table.reshape(rows, 32)
    for _ in range(steps):
        row = (row * 221 + 12345) & (rows - 1)
        total += 2 * wide[row].astype(cp.float64)
    return total.ravel()


def warps(bench, size, steps):
    clock = clock_mhz(bench)
    count = bench.device.multiprocessors
    table = (cp.random.default_rng().random(size // 4, dtype=cp.float32) / 2).clip(0, 0.4999)
    d_table = bench.device.numba(table)
    output = bench.output(count * 64 * 32)
    d_out = bench.device.numba(output.array)
    calls = {}
    for n in WARPS:
        blocks, threads = launch_of(n)
        calls[f"hiding-warps-{n}"] = lambda b=blocks * count, t=threads: wait_and_work_kernel[b, t](
            d_table, steps, d_out
        )
    right = expected(table, steps, count * 64)
    for n, (id, call) in zip(WARPS, calls.items(), strict=True):
        used = count * n * 32
        output.poison()
        call()
        off = cp.abs(output.array[:used].astype(cp.float64) - right[:used]) / right[:used]
        if not float(off.max()) < 1e-4:
            raise BenchmarkError(f"{id}: off by {float(off.max()):.1e}")
    times = bench.samples(calls, Events())
    for n, (id, summary) in zip(WARPS, times.items(), strict=True):
        cycles = summary.median * clock.median * 1e6
        share = n * WORK * steps / (SCHEDULERS * cycles)
        bench.micro(
            id,
            f"{n} warps on each multiprocessor, each waiting for device memory and then doing"
            f" {WORK} multiply-adds: the share of issue slots with a multiply-add",
            Summary(share, summary.spread, summary.repeats),
            unit="%",
            kernel=HERE + "wait_and_work.py",
            method=f"{WARM}; multiply-adds of {steps} steps, over four issue slots in each cycle of"
            " the measured clock; rows of 128 bytes at random from 2 GiB",
            terms=TERMS,
            extra={
                "warps": n,
                "warps_a_scheduler": n / SCHEDULERS,
                "predicted_share": busy(n / SCHEDULERS),
                "step_cycles": float(f"{cycles / steps:.4g}"),
                "gbps": float(f"{n * count * 128 * steps / summary.median / 1e9:.4g}"),
            },
        )


def loads(bench, size):
    """The sums of the page: one load in flight a thread, and four, at four occupancies."""
    n, count = size // 4, bench.device.multiprocessors
    a = bench.random(n)
    answer = float(a.astype(cp.float64).sum())
    out = cp.zeros(count * 2048, cp.float32)
    d_a, d_out = bench.device.numba(a), bench.device.numba(out)
    kernels = {1: sums.one_in_flight_kernel, 4: sums.four_in_flight_kernel}
    calls, keys = {}, []
    for each, kernel in kernels.items():
        for threads in (256, 512, 1024, 2048):
            grid, block = count * threads // 256, 256
            id = f"hiding-sum-{threads}-x{each}"
            calls[id] = lambda kernel=kernel, grid=grid, block=block: kernel[grid, block](
                d_a, d_out
            )
            out.fill(0)
            calls[id]()
            got = float(out.astype(cp.float64).sum())
            if abs(got - answer) > 1e-3 * n**0.5:
                raise BenchmarkError(f"{id}: the sum is {got}, expected {answer}")
            keys.append((each, threads))
    for (id, summary), (each, threads) in zip(bench.samples(calls).items(), keys, strict=True):
        bench.micro(
            id,
            f"A sum with {threads} threads on each multiprocessor, "
            + ("one load" if each == 1 else "four loads")
            + " of 4 bytes in flight in each",
            summary,
            unit="GB/s",
            amount=4 * n,
            kernel=HERE + "sums.py",
            method="CUDA events, cold L2; 2 GiB",
            terms=["latency-hiding", "littles-law", "instruction-level-parallelism"],
            extra={"threads": threads, "in_flight_bytes": threads * each * 4 * count},
        )
