"""Occupancy against bandwidth and arithmetic; waves, spills, the calculator and the driver."""

import cupy as cp
import numpy as np

from benchmarks.harness import GIB, MIB, BenchmarkError, Summary
from benchmarks.micro.common import COLD, KERNELS, SNIPPETS, WARM, Events, relative
from kernels.microbenchmarks import in_flight, spills
from kernels.microbenchmarks.occupancy_calculator import resident_blocks
from kernels.microbenchmarks.waves import block_work_kernel

THREADS = 128  # a block has 4 of the 64 warps that a multiprocessor can hold
BLOCKS = (1, 2, 4, 8, 12, 16)  # on each multiprocessor
LIMITS = (24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 168, 200, 255)


def run(bench):
    with bench.part("reads in flight"):
        reads(bench, 64 * MIB if bench.quick else 2 * GIB)
    with bench.part("multiply-adds in flight"):
        arithmetic(bench)
    with bench.part("waves"):
        waves(bench)
    with bench.part("spilled registers"):
        spilled(bench)
    with bench.part("the calculator against the driver"):
        calculator(bench)


def share(blocks):
    return blocks * THREADS / 2048


def percent(blocks):
    return f"{100 * share(blocks):g}".replace(".", "-")


def reads(bench, size):
    """The grid has so many blocks for each multiprocessor, and no more: they are all resident."""
    n = size // 4
    a = bench.random(n)
    out = cp.zeros(16 * bench.device.multiprocessors * THREADS, cp.float32)
    d_a, d_out = bench.device.numba(a), bench.device.numba(out)
    kernels = {1: in_flight.read_1_kernel, 4: in_flight.read_4_kernel}
    expected = float(a.astype(cp.float64).sum())
    calls = {}
    for each, kernel in kernels.items():
        for blocks in BLOCKS:
            grid = blocks * bench.device.multiprocessors
            id = f"occupancy-bandwidth-{percent(blocks)}" + (f"-x{each}" if each > 1 else "")
            calls[id] = lambda kernel=kernel, grid=grid: kernel[grid, THREADS](d_a, d_out)
            out.fill(0)
            calls[id]()
            got = float(out.astype(cp.float64).sum())
            if abs(got - expected) > 1e-3 * np.sqrt(n):
                raise BenchmarkError(f"{id}: the sum is {got}, expected {expected}")
    times = bench.samples(calls)
    best = min(times.values(), key=lambda summary: summary.median)
    keys = [(each, blocks) for each in kernels for blocks in BLOCKS]
    for (id, summary), (each, blocks) in zip(times.items(), keys, strict=True):
        loads = "one load" if each == 1 else "four loads"
        bench.micro(
            id,
            f"Reads from device memory with {percent(blocks).replace('-', '.')} % of the thread"
            f" slots filled, {loads} of 4 bytes in flight in each thread",
            summary,
            unit="GB/s",
            amount=4 * n,
            kernel=KERNELS + "in_flight.py",
            method=f"{COLD}; 2 GiB, blocks of 128 threads, all resident at once",
            terms=["occupancy", "littles-law", "latency-hiding"],
            extra={
                "occupancy_share": share(blocks),
                # asked for by the whole GPU at a time
                "in_flight_bytes": blocks * THREADS * each * 4 * bench.device.multiprocessors,
                "best_share": relative(best, summary),
            },
        )


def arithmetic(bench):
    rounds = 512
    out = cp.zeros(16 * bench.device.multiprocessors * THREADS, cp.float32)
    d_out = bench.device.numba(out)
    kernels = {1: in_flight.fma_1_kernel, 4: in_flight.fma_4_kernel}
    calls, keys = {}, []
    for each, kernel in kernels.items():
        for blocks in BLOCKS:
            grid = blocks * bench.device.multiprocessors
            id = f"occupancy-fma-{percent(blocks)}" + (f"-x{each}" if each > 1 else "")
            keys.append((each, blocks))
            calls[id] = lambda kernel=kernel, grid=grid: kernel[grid, THREADS](rounds, d_out)
    times = bench.samples(calls, Events())
    amounts = [
        2 * 128 * rounds * blocks * bench.device.multiprocessors * THREADS for _, blocks in keys
    ]
    best = max(n / t.median for n, t in zip(amounts, times.values(), strict=True))
    for (id, summary), (each, blocks), amount in zip(times.items(), keys, amounts, strict=True):
        chains = "one chain" if each == 1 else "four chains"
        bench.micro(
            id,
            f"Multiply-adds of float32 with {percent(blocks).replace('-', '.')} % of the thread"
            f" slots filled, {chains} in each thread",
            summary,
            unit="TFLOP/s",
            amount=amount,
            kernel=KERNELS + "in_flight.py",
            method=f"{WARM}; {128 * rounds} multiply-adds a thread, blocks of 128 threads",
            terms=["occupancy", "instruction-level-parallelism", "latency-hiding", "littles-law"],
            extra={
                "occupancy_share": share(blocks),
                "best_share": float(f"{amount / summary.median / best:.4g}"),
            },
        )


def waves(bench):
    """Blocks with 48 KiB of shared memory: four fit on a multiprocessor, and those are a wave."""
    wave = 4 * bench.device.multiprocessors
    steps = 20_000
    out = cp.zeros((10 * wave + 1) * 32, cp.float32)
    d_out = bench.device.numba(out)
    grids = {
        "wave-half": (wave // 2, "half a wave"),
        "wave-1": (wave, "one wave"),
        "wave-1-tail": (wave + 1, "one wave and a block"),
        "wave-2": (2 * wave, "two waves"),
        "wave-10": (10 * wave, "ten waves"),
        "wave-10-tail": (10 * wave + 1, "ten waves and a block"),
    }
    calls = {
        id: lambda grid=grid: block_work_kernel[grid, 32](steps, d_out)
        for id, (grid, _) in grids.items()
    }
    times = bench.samples(calls)
    for id, summary in times.items():
        grid, title = grids[id]
        bench.micro(
            id,
            f"{title[0].upper() + title[1:]} of equal blocks ({grid} blocks of one warp)",
            summary,
            unit="us",
            kernel=KERNELS + "waves.py",
            method=f"{COLD}; {steps} multiply-adds in a chain in each; four blocks fit",
            terms=["wave-quantization", "thread-block", "grid"],
            extra={"blocks": grid, "times_one_wave": relative(summary, times["wave-1"])},
        )


def spilled(bench):
    blocks, rounds = 4 * bench.device.multiprocessors, 64
    out = cp.zeros(blocks * 128, cp.float32)
    d_out = bench.device.numba(out)
    kernels = {
        "spill-none": spills.enough_kernel,
        "spill-64": spills.with_registers(64),
        "spill-40": spills.with_registers(40),
    }
    right, calls = None, {}
    for id, kernel in kernels.items():
        calls[id] = lambda kernel=kernel: kernel[blocks, 128](rounds, d_out)
        calls[id]()
        right = out.copy() if right is None else right
        if not cp.allclose(out, right, rtol=1e-3):
            raise BenchmarkError(f"{id}: the sums differ")
    times = bench.samples(calls)
    for id, summary in times.items():
        (registers,) = kernels[id].get_regs_per_thread().values()
        (spilled_bytes,) = kernels[id].get_local_mem_per_thread().values()
        most = id.split("-")[1]
        title = "as many registers as it wants" if most == "none" else f"at most {most} registers"
        bench.micro(
            id,
            f"A kernel that keeps 96 floats in each thread, compiled for {title}",
            summary,
            unit="us",
            kernel=KERNELS + "spills.py",
            method=f"{COLD}; {blocks} blocks of 128 threads, {rounds} rounds over the 96",
            terms=["register-pressure-and-spilling", "registers", "local-memory"],
            extra={
                "registers": int(registers),
                "local_bytes": int(spilled_bytes),
                "times_no_spill": relative(summary, times["spill-none"]),
            },
        )


def calculator(bench):
    source = SNIPPETS + "registers.cu"
    text = (bench.root / source).read_text(encoding="utf-8")
    driver = cp.cuda.driver
    limits = LIMITS[:3] if bench.quick else LIMITS
    asked = wrong = 0
    twelve = None
    for most in limits:
        module = cp.RawModule(code=text, options=(f"--maxrregcount={most}",))
        kernel = module.get_function("hungry")
        kernel.max_dynamic_shared_size_bytes = 227 * 1024
        registers = kernel.num_regs
        for threads in (1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000, 1024):
            for shared in range(0, 227 * 1024 + 1, 5 * 1024 + 96):
                theirs = driver.occupancyMaxActiveBlocksPerMultiprocessor(
                    kernel.kernel.ptr, threads, shared
                )
                ours = resident_blocks(threads, registers, shared)
                asked, wrong = asked + 1, wrong + (ours != theirs)
                if ours != theirs and wrong <= 5:
                    bench.say(
                        f"[{bench.name}]   {threads} threads, {registers} registers, {shared} bytes"
                        f" of shared memory: {ours} blocks, the driver says {theirs}"
                    )
        if twelve is None:
            twelve = driver.occupancyMaxActiveBlocksPerMultiprocessor(
                kernel.kernel.ptr, 64, 12 * 1024
            )
    method = f"the driver asked for {asked} triples of threads, registers and shared memory"
    row = bench.micro(
        "occupancy-calculator-mismatches",
        "Triples of threads, registers and shared memory for which the calculator is wrong",
        Summary(float(wrong), 0.0, 1),
        unit="triples",
        kernel=KERNELS + "occupancy_calculator.py",
        method=method,
        terms=["occupancy"],
        extra={"asked": asked},
    )
    row["value"] = wrong  # a count, without decimals
    row = bench.micro(
        "occupancy-12kib-blocks",
        "Blocks with 12 KiB of shared memory each that a multiprocessor holds, by the driver",
        Summary(float(twelve), 0.0, 1),
        unit="blocks",
        kernel=source,
        method="cuOccupancyMaxActiveBlocksPerMultiprocessor, 64 threads a block",
        terms=["occupancy", "shared-memory-hardware"],
    )
    row["value"] = twelve
